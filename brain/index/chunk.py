"""A note → the pieces that are embedded: overlapping, cut at paragraphs, each under its heading. Pure.

Every piece begins with `title › heading`, so that it can be understood alone. Frontmatter is left out,
code is kept, and long runs without words (base64, keys, addresses) are shortened to their beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from brain.config import Limits
from brain.core.note import Note

PREFIX_CHARS_MAX = 200
BODY_CHARS_MIN = 80  # whatever the limits say, a piece makes progress
RUN_CHARS_KEPT = 32
# 64 is the shortest line length of wrapped base64; scripts without spaces are not ASCII and are not touched.
_RUN = re.compile(r"[!-~]{64,}")
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class ChunkText:
    """One piece to embed. `heading` is the nearest one above, `line` the 1-based line where the piece begins."""

    ordinal: int
    text: str
    heading: str | None
    line: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """A paragraph, or a part of one that was too long."""

    text: str
    line: int


def split_note(note: Note, text: str, limits: Limits) -> tuple[ChunkText, ...]:
    """Returns the pieces of a note, at most `chunks_per_note_max`; one with no more than headings gives title and headings.

    `text` is the decoded file; a piece has at most `chunk_chars_max` characters, prefix included.
    """
    return tuple(islice(_pieces(note, text, limits), max(1, limits.chunks_per_note_max)))


def count_left_out(note: Note, text: str, limits: Limits) -> int:
    """Returns how many pieces `chunks_per_note_max` left out of what `split_note` gave."""
    return max(0, sum(1 for _ in _pieces(note, text, limits)) - max(1, limits.chunks_per_note_max))


def _pieces(note: Note, text: str, limits: Limits) -> Iterator[ChunkText]:
    ordinal = 0
    prefix_max = min(PREFIX_CHARS_MAX, limits.chunk_chars_max // 3)
    for heading, body, line in _sections(note, text):
        prefix = _prefix(note.title, heading, prefix_max)
        chars_max = max(BODY_CHARS_MIN, limits.chunk_chars_max - len(prefix) - 1)
        overlap = min(limits.chunk_overlap_chars, chars_max // 3)
        for piece in _packed(_units(body, line, chars_max - overlap), chars_max, overlap):
            yield ChunkText(ordinal, f"{prefix}\n{piece.text}", heading, piece.line)
            ordinal += 1
    if ordinal == 0:
        outline = " ".join(name for h in note.headings if (name := _one_line(h.text)) != _one_line(note.title))
        yield ChunkText(0, _prefix(note.title, outline or None, PREFIX_CHARS_MAX), None, 1)


def _sections(note: Note, text: str) -> Iterator[tuple[str | None, str, int]]:
    """Yields (heading, text below it, line of that text), first what stands above all headings."""
    headings = sorted((h for h in note.headings if h.span.start >= note.body_start), key=lambda h: h.span.start)
    starts = [note.body_start, *(h.span.end for h in headings)]
    ends = [*(h.span.start for h in headings), len(text)]
    names = [None, *(_one_line(h.text) or None for h in headings)]
    line, counted = 1, 0
    for name, start, end in zip(names, starts, ends, strict=True):
        line += text.count("\n", counted, start)
        counted = max(counted, start)
        yield name, text[start:end], line


def _prefix(title: str, heading: str | None, chars_max: int) -> str:
    title = _one_line(title)
    whole = title if heading is None or heading == title else f"{title} › {heading}"
    return whole if len(whole) <= chars_max else whole[: max(0, chars_max - 1)] + _ELLIPSIS


def _one_line(text: str) -> str:
    return " ".join(_RUN.sub(_shortened, text).split())


def _units(body: str, line: int, chars_max: int) -> Iterator[_Unit]:
    """Yields the paragraphs; one that is longer than `chars_max` comes line by line, and a long line in cuts."""
    paragraph: list[_Unit] = []
    for offset, raw in enumerate(body.split("\n")):
        words = _RUN.sub(_shortened, raw).rstrip()
        if words.strip():
            repeats = paragraph and _is_run(words) and _is_run(paragraph[-1].text)
            if not repeats:  # wrapped base64 is one run over many lines
                paragraph.append(_Unit(words, line + offset))
        elif paragraph:
            yield from _fitting(paragraph, chars_max)
            paragraph = []
    if paragraph:
        yield from _fitting(paragraph, chars_max)


def _fitting(lines: list[_Unit], chars_max: int) -> Iterator[_Unit]:
    whole = "\n".join(unit.text for unit in lines).strip("\n")
    if len(whole) <= chars_max:
        yield _Unit(whole, lines[0].line)
        return
    for unit in lines:
        rest = unit.text
        while len(rest) > chars_max:
            cut = _cut(rest, chars_max)
            yield _Unit(rest[:cut].rstrip(), unit.line)
            rest = rest[cut:].lstrip()
        if rest:
            yield _Unit(rest, unit.line)


def _cut(text: str, chars_max: int) -> int:
    """Returns where to cut: after the last sentence in the second half, else after a word, else at the limit."""
    half = chars_max // 2
    for ends in ((". ", "! ", "? ", "; ", "。", "！", "？"), (" ", "\t", "、", "，")):
        found = max(text.rfind(end, half, chars_max) + len(end) if end in text[half:chars_max] else 0 for end in ends)
        if found:
            return min(found, chars_max)
    return chars_max


def _packed(units: Iterator[_Unit], chars_max: int, overlap: int) -> Iterator[_Unit]:
    """Fills pieces with whole units; each piece but the first repeats the end of the one before it."""
    texts: list[str] = []
    line = chars = 0
    for unit in units:
        if texts and chars + 1 + len(unit.text) > chars_max:
            whole = "\n".join(texts)
            yield _Unit(whole, line)
            tail = _tail(whole, overlap)
            texts = [tail] if tail else []
            chars = len(tail)
            line = 0
        line = line or unit.line
        chars += len(unit.text) + bool(texts)
        texts.append(unit.text)
    if texts:
        yield _Unit("\n".join(texts), line)


def _tail(text: str, chars: int) -> str:
    """Returns the last whole words within `chars` characters, all of them when there is no space."""
    if chars <= 1 or len(text) <= chars:
        return ""
    end = text[-(chars - 1) :]  # one character less: the newline that joins it to what follows
    space = re.search(r"\s", end)
    return (end[space.end() :] if space else end).strip()


def _shortened(run: re.Match[str]) -> str:
    return run[0][:RUN_CHARS_KEPT] + _ELLIPSIS


def _is_run(text: str) -> bool:
    return text.endswith(_ELLIPSIS) and len(text.strip()) == RUN_CHARS_KEPT + 1
