"""A relation that a note states and only a person should write, or that no link can write yet. Reads, writes nothing.

Where no link leads to a note, that note needs another name first; the link stage then asks anew.
"""

from __future__ import annotations

import re
from itertools import islice

from brain.core.ids import fold
from brain.core.judgement import Relates
from brain.core.note import Link
from brain.core.plan import AppendToSection, Plan, Provenance
from brain.stages.edges import RELATED, has_edge, relation_line
from brain.stages.linking.relations import A_PERSON_SAYS
from brain.stages.reviewing.desk import Answer, Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Item
from brain.stages.target import Existing, Names
from brain.vault.fields import split_validity
from brain.vault.parse import parse_note
from brain.vault.store import Source


def holds(desk: Desk, item: Item) -> Obsolete | None:
    """Tells why there is nothing left to decide: an end is gone, the words are, or a link leads there by now."""
    stated = _stated(item)
    gone = next((path for path in (stated.source, stated.target) if not desk.is_note(path)), None)
    if gone is not None:
        return Obsolete(f"{gone} is gone")
    if "unlinkable" in item.rules:
        link = Names(desk.ctx).link_to(stated.source, stated.target)
        return Obsolete(f"a link can lead to {stated.target} by now: the next link run takes it up") if link else None
    return None if _said(desk, stated) else Obsolete(f"neither {stated.source} nor {stated.target} says it any more")


def replan(desk: Desk, item: Item) -> Answer:
    """Plans the relation line from the notes as they are now."""
    gone = holds(desk, item)
    if gone is not None:
        return gone
    stated, names = _stated(item), Names(desk.ctx)
    link = names.link_to(stated.source, stated.target)
    found, source = _said(desk, stated), desk.reading.read(stated.source)
    if link is None or found is None or source is None:
        return Stuck(f"{item.because}.", "rename the note; the next brain link takes it up")
    note = parse_note(source.path, source.text, desk.ctx.config.limits)

    def end(known: Link) -> str | None:
        target = names.find(note.path, known.target, known.form)
        return target.path if isinstance(target, Existing) else None

    if has_edge(note, stated.relation, stated.target, end):
        return Obsolete(f"{stated.source} states it already")
    evidence, line = found
    quote = stated.quote if stated.quote in evidence.text else evidence.text.split("\n")[line - 1].strip("\r")
    reason = split_validity(stated.reason)[0]
    written = relation_line(stated.relation, link, reason, desk.ctx.config.limits)
    provenance = Provenance(
        f"{stated.source}|{stated.relation}|{stated.target}", evidence.path, evidence.sha256, line, quote, reason, stated.judge
    )
    base = {source.path: source.sha256, evidence.path: evidence.sha256}
    return Plan("link", item.key, base, (AppendToSection(stated.source, RELATED, (written,)),), item.because, (provenance,))


def _stated(item: Item) -> Relates:
    assert item.question is not None and isinstance(item.question.verdict, Relates)
    return item.question.verdict


def _said(desk: Desk, stated: Relates) -> tuple[Source, int] | None:
    """Returns the end that holds the words, and the line on which they stand nearest to where they stood.

    Spaces, line breaks and marks of Markdown may have changed. That two notes are one, or that one replaces the other,
    is about the two as they are: such a question does not go away with the words that raised it.
    """
    for path in (stated.source, stated.target):
        source = desk.reading.read(path)
        lines = _lines_of(source.text, stated.quote) if source else []
        if source and lines:
            return source, min(lines, key=lambda line: (abs(line - stated.line), line))
    source = desk.reading.read(stated.source) if stated.relation in A_PERSON_SAYS else None
    return None if source is None else (source, max(1, min(stated.line, source.text.count("\n") + 1)))


def _lines_of(text: str, quote: str) -> list[int]:
    """Returns the lines on which words stand, told apart by nothing but spaces, letter case and markup."""
    wanted = _words(quote)
    words = [(word, number) for number, line in enumerate(text.split("\n"), 1) for word in _words(line)]
    starts = (at for at, (word, _) in enumerate(words) if wanted and word == wanted[0])
    return sorted({words[at][1] for at in starts if [word for word, _ in islice(words, at, at + len(wanted))] == wanted})


def _words(text: str) -> list[str]:
    return fold(_MARKUP.sub("", _LINK.sub(lambda link: link["shown"] or link["target"] or link["label"] or "", text))).split()


_LINK = re.compile(r"!?\[\[(?P<target>[^\[\]|]*)(?:\|(?P<shown>[^\[\]]*))?\]\]|\[(?P<label>[^\[\]]*)\]\([^()\s]*\)")
_MARKUP = re.compile(r"^[ \t]*(?:[-+>#]+[ \t]+|\d{1,9}[.)][ \t]+)*|[*_`~=\\]+")
