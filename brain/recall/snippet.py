"""Cutting a quotation out of a block: around its matches, at word bounds, with marks where it was cut. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from brain.core.recall import Snippet
from brain.recall.blocks import Block
from brain.recall.matches import Match

CUT_MARK = "…"
_LEAD_CHARS = 40
_WORD_BOUND_SEARCH_CHARS = 40


def snippet_of(body: str, block: Block, matches: Sequence[Match], *, first_line: int, chars_max: int) -> Snippet:
    """Returns a quotation of at most `chars_max` characters, marks included.

    `matches` are those inside the block, in order. `first_line` is the 1-based line of the body's first line.
    """
    start, end = _trimmed(body, block.start, block.end)
    room = max(1, chars_max - 2 * len(CUT_MARK))
    if end - start > room:
        start, end = _window(body, start, end, matches, room)
    text = " ".join(body[start:end].split())
    before = CUT_MARK if body[block.start : start].strip() else ""
    after = CUT_MARK if body[end : block.end].strip() else ""
    line = first_line + block.line + body.count("\n", block.start, start)
    return Snippet(f"{before}{text}{after}"[:chars_max], line, block.heading)


def _window(body: str, start: int, end: int, matches: Sequence[Match], room: int) -> tuple[int, int]:
    """Chooses the stretch with the most distinct terms, the first of equals, and moves it to word bounds."""
    if not matches:
        return start, _back_to_bound(body, start, start + room)
    first = max(matches, key=lambda match: (_terms_from(matches, match.start, room - _LEAD_CHARS), -match.start)).start
    left = max(start, min(first - _LEAD_CHARS, end - room))
    if left > start:
        left = _on_to_bound(body, left, first)
    right = min(end, left + room)
    return left, right if right == end else _back_to_bound(body, left, right)


def _terms_from(matches: Sequence[Match], start: int, room: int) -> int:
    return len({match.term for match in matches if start <= match.start and match.end <= start + max(room, 1)})


def _on_to_bound(body: str, at: int, limit: int) -> int:
    for place in range(at, min(limit, at + _WORD_BOUND_SEARCH_CHARS)):
        if body[place - 1].isspace():
            return place
    return at


def _back_to_bound(body: str, start: int, at: int) -> int:
    for place in range(at, max(start, at - _WORD_BOUND_SEARCH_CHARS), -1):
        if body[place : place + 1].isspace():
            return place
    return at


def _trimmed(body: str, start: int, end: int) -> tuple[int, int]:
    while start < end and body[start].isspace():
        start += 1
    while end > start and body[end - 1].isspace():
        end -= 1
    return start, end
