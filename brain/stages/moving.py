"""The pieces of a note that go to another one when it is absorbed: bullets, relation lines, prose. Pure.

Each link in a piece is written as the caller says. A piece is whole lines, with the indented lines that belong
to a bullet, without line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.ids import fold
from brain.core.note import Link, Note, Span
from brain.stages.spelling import Shown, found_in, with_links
from brain.vault.linkscan import Found
from brain.vault.store import Source


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note with the text it was parsed from."""

    source: Source
    note: Note

    @property
    def stem(self) -> str:
        """The file name without its suffix."""
        return self.note.path.rsplit("/", 1)[-1][:-3]

    @property
    def folder(self) -> str:
        """The folder of the note, empty for the root."""
        return self.note.path.rpartition("/")[0]


def lines_of(read: ReadNote, whole: Span, shown: Shown) -> list[str]:
    """Returns the lines of a bullet; `whole` is what `whole_lines` says of it."""
    return _piece(read, whole.start, whole.end, shown).rstrip("\n").split("\n")


def relation_lines(read: ReadNote) -> Iterator[tuple[Span, list[Link]]]:
    """Yields the relation bullets under `## Related` as whole lines, each with its links that are typed."""
    sections = [span for span in _sections(read) if not any(span.start <= atom.span.start < span.end for atom in read.note.atoms)]
    found: dict[int, tuple[Span, list[Link]]] = {}
    for link in read.note.links:
        if link.place == "body" and link.relation and any(span.start <= link.span.start < span.end for span in sections):
            line = whole_lines(read.source.text, link.span)
            found.setdefault(line.start, (line, []))[1].append(link)
    yield from found.values()


def prose(read: ReadNote, shown: Shown) -> list[str]:
    """Returns the note's own words as lines: no sections of claims, no title of its own, no blank lines around."""
    text, note = read.source.text, read.note
    pieces: list[str] = []
    at = note.body_start
    for span in (*_sections(read), Span(len(text), len(text))):
        if span.start >= at:
            pieces.append(_piece(read, at, span.start, shown))
            at = span.end
    lines = "".join(pieces).strip("\n").split("\n")
    if lines and re.fullmatch(r"#[ \t]+.*", lines[0]) and fold(lines[0].lstrip("# ")) in (fold(note.title), fold(read.stem)):
        lines = lines[1:]
    while lines and not lines[0].strip():
        lines = lines[1:]
    return [line.rstrip("\r") for line in lines] if any(line.strip() for line in lines) else []


def whole_lines(text: str, span: Span) -> Span:
    """Widens a span to whole lines with their end, and over the indented lines that belong to a bullet."""
    start = text.rfind("\n", 0, span.start) + 1
    end = _after(text, span.end)
    while text[end : end + 1] in (" ", "\t") and text[end : _after(text, end)].strip():
        end = _after(text, end)
    return Span(start, end)


def _piece(read: ReadNote, start: int, end: int, shown: Shown) -> str:
    links: list[Found] = [found_in(link, start) for link in read.note.links if link.place == "body" and start <= link.span.start < end]
    return with_links(read.source.text[start:end], links, shown).replace("\r\n", "\n")


def _sections(read: ReadNote) -> Iterator[Span]:
    """Yields the sections that hold claims: their lines move one by one."""
    for place, heading in enumerate(read.note.headings):
        if heading.level == 2 and fold(heading.text) in ("atoms", "related"):
            after = (later.span.start for later in read.note.headings[place + 1 :] if later.level <= 2)
            yield Span(heading.span.start, next(after, len(read.source.text)))


def _after(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1
