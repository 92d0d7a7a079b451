"""Relations that running text writes out (`[part_of:: [[Fleet]]]` in a sentence): where they stand, with the sentence as the reason.

Reads only. What no sentence says is not found here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

from brain.config import Limits
from brain.core.ids import fold
from brain.core.judgement import Mention
from brain.core.note import Link, Note
from brain.core.vocabulary import canonical_relation
from brain.stages.context import Context
from brain.stages.rules import plain
from brain.stages.run import Run
from brain.stages.spelling import without_links
from brain.stages.target import Names
from brain.vault.parse import parse_note
from brain.vault.store import Source

PAGE = 500
REASON_CHARS_MAX = 200
WORDS_MIN = 3
_LEAD = re.compile(r"^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?")
_FIELD = re.compile(r"[\[(]([^\[\](){}:]+)::[ \t]*((?:[^\[\]()]|\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\([^()]*\))*)[\])]")


def find_stated(ctx: Context, run: Run) -> dict[str, list[Mention]]:
    """Returns the places in running text that name a typed relation, by the note they stand in."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with ctx.graph.session():
        for row in _unexplained(ctx):
            rows[row["source"]].append(row)
    names = Names(ctx)
    found: dict[str, list[Mention]] = {}
    for path, of_note in sorted(rows.items()):
        source = run.reading.read(path)
        if source is not None and (mentions := list(_mentions(ctx, names, source, of_note))):
            found[path] = mentions
    return found


def _unexplained(ctx: Context) -> Iterator[dict[str, Any]]:
    skip = 0
    while True:
        rows = ctx.graph.run("unexplained", skip=skip, limit=PAGE)
        yield from rows
        if len(rows) < PAGE:
            return
        skip += PAGE


def _mentions(ctx: Context, names: Names, source: Source, rows: list[dict[str, Any]]) -> Iterator[Mention]:
    note = parse_note(source.path, source.text, ctx.config.limits)
    lines = source.text.split("\n")
    wanted = {(row["type"], row["target"]) for row in rows}
    on_lines = set(chain.from_iterable(row["lines"] or () for row in rows))
    for link in note.links:
        if link.place != "body" or link.relation is None or link.line not in on_lines or _is_listed(note, link):
            continue
        target = names.leads_to(note.path, link.target, link.form)
        reason = _reason(lines[link.line - 1], ctx.config.limits)
        if target and (canonical_relation(link.relation), target) in wanted and reason:
            yield Mention(note.path, link.relation, target, link.line, lines[link.line - 1].strip("\r"), reason)


def _is_listed(note: Note, link: Link) -> bool:
    """Tells whether a link stands in a section of claims: there it is a line of its own already."""
    above = [heading for heading in note.headings if heading.span.start < link.span.start and heading.level <= 2]
    return bool(above) and above[-1].level == 2 and fold(above[-1].text) in ("related", "atoms")


def _reason(line: str, limits: Limits) -> str | None:
    """Returns the sentence around a bracketed field as words; None when the field is all there is on the line."""
    bare = _LEAD.sub("", line.strip())
    others = _FIELD.sub(" ", bare)
    if others == bare or len(re.findall(r"[^\W\d_]{2,}", others)) < WORDS_MIN:
        return None
    said = without_links(plain(_FIELD.sub(lambda field: f"{field[1].strip().replace('_', ' ')} {field[2]}", bare)), limits)
    return said if len(said) <= REASON_CHARS_MAX else said[: REASON_CHARS_MAX - 1].rsplit(" ", 1)[0] + "…"
