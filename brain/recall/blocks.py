"""A note's text → blocks: paragraphs, list runs, sections' first lines. What is scored and quoted. Pure."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

BLOCK_CHARS_MIN = 160
BLOCK_CHARS_MAX = 1_000

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Block:
    """Characters `[start, end)` of a body; `line` counts from 0; `heading` is the nearest one above."""

    start: int
    end: int
    line: int
    heading: str | None


def split_blocks(body: str, alone: Container[int] = ()) -> tuple[Block, ...]:
    """Splits a body at headings and at blank lines once a block is long enough.

    Lines in `alone` (counted from 0) are blocks of their own. A line longer than `BLOCK_CHARS_MAX` is cut.
    """
    blocks: list[Block] = []
    start = stop = first = 0
    heading: str | None = None
    fence = ""

    def close() -> None:
        if start < stop:
            blocks.extend(_cut(body, Block(start, stop, first, heading)))

    for number, (begin, end) in enumerate(_lines(body)):
        line = body[begin:end]
        fence, title = _read_line(line, fence)
        is_blank = not line or line.isspace()
        is_alone = number in alone
        if title is not None or is_alone or (number - 1) in alone or (is_blank and stop - start >= BLOCK_CHARS_MIN) or (
            end - start > BLOCK_CHARS_MAX
        ):  # fmt: skip
            close()
            start = stop = begin
        if title is not None:
            heading = title
        if is_blank:
            continue
        if start == stop:
            start, first = begin, number
        stop = end
    close()
    return tuple(blocks)


def _read_line(line: str, fence: str) -> tuple[str, str | None]:
    """Returns the fence that is open after the line, and the heading's text when the line is one."""
    mark = line.lstrip(" ")[:1]
    if mark and mark in "`~":
        found = _FENCE.match(line)
        if found and not fence:
            return found[1], None
        if found and found[1].startswith(fence) and not line.strip().strip("`~"):
            return "", None
    if mark == "#" and not fence:
        title = _HEADING.match(line)
        return fence, title[1] if title else None
    return fence, None


def _lines(body: str) -> Iterator[tuple[int, int]]:
    begin = 0
    while begin < len(body):
        end = body.find("\n", begin)
        end = len(body) if end < 0 else end
        yield begin, end - (body[end - 1 : end] == "\r")
        begin = end + 1


def _cut(body: str, block: Block) -> Iterator[Block]:
    """Cuts a block that is too long (one endless line) at blanks."""
    start = block.start
    while block.end - start > BLOCK_CHARS_MAX:
        at = body.rfind(" ", start + BLOCK_CHARS_MAX // 2, start + BLOCK_CHARS_MAX)
        end = at if at > 0 else start + BLOCK_CHARS_MAX
        yield Block(start, end, block.line + body.count("\n", block.start, start), block.heading)
        start = end
    yield Block(start, block.end, block.line + body.count("\n", block.start, start), block.heading)
