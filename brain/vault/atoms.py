"""The grammar of an atom, both ways: a bullet under `## Atoms` ⇄ its parts. Pure text, no files.

    - (kind, confidence[, status]) text [(from DATE)] [(to DATE)] [[source]] ^id

A source whose name no wikilink can hold is a Markdown link to a note (`[C#](C%23.md)`).
A bullet a person wrote may miss everything but the text. Links at the end are sources when the bullet has
a confidence, a status or an id, or when they follow a finished sentence; otherwise (`- Met [[Bo Lind]]`)
they are part of what is said. Checkboxes, callouts, nested bullets and relation lines are no atoms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from brain.core.dates import civil_date
from brain.core.ids import fold
from brain.core.note import Atom, Heading, Span
from brain.core.vocabulary import ATOM_KINDS, CONFIDENCES, STATUSES, canonical_relation
from brain.vault.fields import clean_key, split_validity
from brain.vault.linkscan import Lines, find_links, is_external, split_wikilink

ATOMS_HEADING = "Atoms"
KIND_DEFAULT = "fact"

_BULLET = re.compile(r"^([ \t]*)[-*+][ \t]+([^\r\n]*)", re.M)
_CHECKBOX = re.compile(r"\[[^\]\r\n]\](?:[ \t]|$)")
_FIELD = re.compile(r"([^:\[\](){}]{1,80}?)::(?:[ \t]|$)")
_PREFIX = re.compile(r"\(([^()\r\n]{1,120})\)(?:[ \t]+|$)")
_ID = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)\s*$")
_SOURCE = re.compile(r"\[\[([^\[\]\r\n]*)\]\]$|\]\([^\r\n]*\.md[^\r\n]*\)$", re.I)
_SUPERSEDED = re.compile(r"superseded(?:\s+(\d{4}-\d{2}-\d{2}))?(?:\s+by\s+\^([A-Za-z0-9-]+))?", re.I)
_SENTENCE_ENDS = tuple(".!?…。！？;:)\"'”’»")
_WHITE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Claim:
    kind: str = KIND_DEFAULT
    confidence: str | None = None
    status: str = "active"
    superseded_by: str | None = None
    superseded_on: str | None = None


def find_atoms(masked: str, text: str, headings: Sequence[Heading], lines: Lines) -> tuple[Atom, ...]:
    """Returns the atoms of every `## Atoms` section, in order."""
    found: list[Atom] = []
    for start, end in sections_named(headings, ATOMS_HEADING, len(text)):
        outermost: int | None = None
        for match in _BULLET.finditer(masked, start, end):
            indent = len(match[1].expandtabs(4))
            outermost = indent if outermost is None else min(outermost, indent)
            if indent >= outermost + 2:
                continue
            line_end = match.end()
            atom = parse_atom(text[match.start() : line_end], lines.at(match.start()), Span(match.start(), line_end))
            if atom is not None and match[2].strip("\x00 \t"):
                found.append(atom)
    return tuple(found)


def sections_named(headings: Sequence[Heading], name: str, text_length: int) -> list[tuple[int, int]]:
    """Returns where the bodies of the level-2 sections of a name are, letter case aside."""
    found: list[tuple[int, int]] = []
    opened: int | None = None
    for heading in headings:
        if heading.level > 2:
            continue
        if opened is not None:
            found.append((opened, heading.span.start))
        opened = heading.span.end if heading.level == 2 and fold(heading.text) == fold(name) else None
    return found if opened is None else [*found, (opened, text_length)]


def parse_atom(bullet: str, line: int, span: Span) -> Atom | None:
    """Reads one bullet line, marker included; None when it is no atom."""
    match = _BULLET.match(bullet)
    body = match[2].strip() if match else ""
    if not body or _CHECKBOX.match(body) or _is_relation(body):
        return None
    body, atom_id = _take_id(body)
    claim, rest, _ = _take_claim(body)
    said, late_from, late_to = split_validity(rest)
    said, sources = _take_sources(
        said, always=atom_id is not None or claim.confidence is not None or claim.status != "active"
    )
    said, valid_from, valid_to = split_validity(said)
    valid_from, valid_to = valid_from or late_from, valid_to or late_to
    if not said:
        said, sources, valid_from, valid_to = rest, (), None, None
    if not said:
        return None
    return Atom(
        atom_id, said, claim.kind, claim.confidence, claim.status, claim.superseded_by, claim.superseded_on,
        valid_from, valid_to, sources, line, span,
    )  # fmt: skip


def render_atom(
    text: str,
    *,
    kind: str = KIND_DEFAULT,
    confidence: str | None = "inferred",
    status: str = "active",
    superseded_by: str | None = None,
    superseded_on: str | None = None,
    valid_from: str | None = None,
    valid_to: str | None = None,
    sources: Iterable[str] = (),
    id: str | None = None,  # noqa: A002 - the name of the part
) -> str:
    """Writes the bullet of an atom, without a newline; `parse_atom` reads the same parts back.

    `sources` are link targets, or links as written. The text is put on one line, and ends its
    sentence where its end would otherwise be taken for a source, a date or an id.
    """
    state = [] if status == "active" else [_state(status, superseded_by, superseded_on)]
    claim = ", ".join([kind, *([confidence] if confidence else []), *state])
    dates = [f"({word} {date})" for word, date in (("from", valid_from), ("to", valid_to)) if date]
    links = [source if source.startswith("[") else f"[[{source}]]" for source in sources]
    parts = [f"- ({claim})", atom_text(text), *dates, *links, *([f"^{id}"] if id else [])]
    return " ".join(part for part in parts if part)


def atom_text(text: str) -> str:
    """Returns the text as it stands in a bullet: one line, its end not mistakable for another part."""
    line = _WHITE.sub(" ", text.replace("\x00", " ")).strip()
    if _SOURCE.search(line) or _ID.search(line) or split_validity(line)[0] != line:
        return f"{line}."
    return line


def replace_claim(bullet: str, **changes: str | None) -> str:
    """Returns a bullet with its claim (kind, confidence, status …) changed and every other character kept.

    Raises: ValueError when the bullet is no atom.
    """
    match = _BULLET.match(bullet)
    if match is None or parse_atom(bullet, 1, Span(0, 0)) is None:
        raise ValueError("not an atom")
    body = bullet[match.start(2) :]
    claim, rest, is_formal = _take_claim(body)
    new = replace(claim, **changes)  # type: ignore[arg-type]
    state = [] if new.status == "active" else [_state(new.status, new.superseded_by, new.superseded_on)]
    words = ", ".join([new.kind, *([new.confidence] if new.confidence else []), *state])
    return f"{bullet[: match.start(2)]}({words}) {rest if is_formal else body}"


def _state(status: str, superseded_by: str | None, superseded_on: str | None) -> str:
    if status != "superseded":
        return status
    on = f" {superseded_on}" if superseded_on else ""
    by = f" by ^{superseded_by}" if superseded_by else ""
    return f"superseded{on}{by}"


def _is_relation(body: str) -> bool:
    match = _FIELD.match(body)
    key = clean_key(match[1]) if match else None
    return key is not None and canonical_relation(key) is not None


def _take_id(body: str) -> tuple[str, str | None]:
    match = _ID.search(body)
    return (body[: match.start()].rstrip(), match[1]) if match else (body, None)


def _take_claim(body: str) -> tuple[_Claim, str, bool]:
    """Reads `(kind, confidence, status)` off the front; words in brackets that are none of these are text."""
    match = _PREFIX.match(body)
    if match is None:
        return _Claim(), body, False
    claim = _Claim()
    words = [word.strip() for word in match[1].split(",")]
    known = 0
    for place, word in enumerate(words):
        key = word.casefold().replace(" ", "_").replace("-", "_")
        superseded = _SUPERSEDED.fullmatch(word)
        if key in ATOM_KINDS:
            claim = replace(claim, kind=key)
        elif key in CONFIDENCES:
            claim = replace(claim, confidence=key)
        elif superseded:
            on = civil_date(superseded[1]) if superseded[1] else None
            claim = replace(claim, status="superseded", superseded_on=on, superseded_by=superseded[2])
        elif key in STATUSES:
            claim = replace(claim, status=key)
        elif place > 0 or " " in word:
            return _Claim(), body, False
        else:
            continue
        known += 1
    if not known:
        return _Claim(), body, False
    return claim, body[match.end() :], True


def _take_sources(said: str, *, always: bool) -> tuple[str, tuple[str, ...]]:
    """Takes the links off the end; works on positions, so that a long row of links costs one pass."""
    end = _trimmed(said, len(said))
    whole = end
    sources: list[str] = []
    written = _markdown_sources(said) if "](" in said else {}
    while said.endswith(("]]", ")"), 0, end):
        opened, target = written.get(end, (-1, "")) if said[end - 1] == ")" else _wiki_source(said, end)
        if not target:
            break
        sources.append(target)
        end = _trimmed(said, opened)
    if sources and not always and not said.endswith(_SENTENCE_ENDS, 0, end):
        return said[:whole], ()
    return said[:end], tuple(reversed(sources))


def _wiki_source(said: str, end: int) -> tuple[int, str]:
    opened = said.rfind("[[", 0, end)
    target = split_wikilink(said[opened + 2 : end - 2])[0] if opened >= 0 else ""
    return (-1, "") if said.startswith("!", opened - 1) or "]" in target else (opened, target)


def _markdown_sources(said: str) -> dict[int, tuple[int, str]]:
    """Returns the Markdown links to notes by where they end: where each begins, and its target."""
    found = find_links(said, said, 0, len(said), len(said))
    return {
        link.end: (link.start, link.target)
        for link in found
        if link.form == "markdown" and link.target.lower().endswith(".md") and not is_external(link.target)
    }


def _trimmed(text: str, end: int) -> int:
    while end and text[end - 1] in " \t\r":
        end -= 1
    return end
