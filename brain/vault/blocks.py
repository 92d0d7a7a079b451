"""Line structure that decides what is code: fences, indented code, raw HTML, comments at a line's start.

A line is matched against the open containers (block quotes, list items), then opens new ones, then is
read for what it begins: CommonMark's block algorithm as far as code depends on it. Each line is seen once.
What is inside a line (code spans, comments in a sentence) belongs to `mask`.

Source: CommonMark 0.31, appendix "A parsing strategy", phase 1. Two things differ on purpose: footnotes
hold indented text, as items do, and an indented line that is a list item is one, not code (outliners
write whole pages so, below a heading or a blank line).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Without one of these no line can be code, and the loop over lines is not entered.
_HINTS = ("```", "~~~", "\n    ", "\n\t", "\n \t", "\n  \t", "\n   \t", "%%", "<!--")
_RAW_HINT = re.compile(r"<(?:pre|script|style|textarea)", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*+]|(\d{1,9})[.)])( +|$)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")
_RULE = re.compile(r"([-*_])(?: *\1){2,} *$")
_UNDERLINE = re.compile(r"(?:-+|=+) *$")
_HEADING = re.compile(r"#{1,6}(?: |$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_RAW = re.compile(r"<(?:pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)

QUOTE = 0
"""How a block quote stands in the stack of containers; a list item stands there as its width."""

CONTAINERS_MAX = 64
"""Deeper nesting is not followed: its marks are read as text."""

Spans = list[tuple[int, int]]


@dataclass(slots=True)
class _State:
    text: str
    spans: Spans = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    containers: list[int] = field(default_factory=list)
    fence: str = ""
    in_paragraph: bool = False
    skip_to: int = 0


def code_blocks(text: str, start: int) -> Spans:
    """Returns the spans of block-level code and of comments that begin a line, in order, from `start`."""
    return _read(text, start).spans if _may_hold_code(text, start) else []


def block_starts(text: str, start: int) -> list[int]:
    """Returns, in order, where the lines from `start` on begin that do not continue a paragraph."""
    return _read(text, start).starts


def comment_end(text: str, start: int) -> int | None:
    """Returns where the comment that begins a line at `start` ends: its closing mark, or the end of the text.

    A `%%` that is never closed hides the rest only when it is alone on its line (as editors show it).
    """
    mark, close = ("<!--", "-->") if text.startswith("<!--", start) else ("%%", "%%")
    found = text.find(close, start + len(mark))
    if found >= 0:
        return found + len(close)
    newline = text.find("\n", start)
    if mark == "%%" and text[start + 2 : len(text) if newline < 0 else newline].strip():
        return None
    return len(text)


def _may_hold_code(text: str, start: int) -> bool:
    if text[start : start + 1] in (" ", "\t") or any(text.find(hint, max(0, start - 1)) >= 0 for hint in _HINTS):
        return True
    return text.find("<", start) >= 0 and _RAW_HINT.search(text, start) is not None


def _read(text: str, start: int) -> _State:
    state = _State(text)
    offset = start
    for line in text[start:].split("\n"):
        if offset >= state.skip_to:
            _read_line(state, line.rstrip("\r"), offset)
        offset += len(line) + 1
    return state


def _read_line(state: _State, line: str, offset: int) -> None:
    flat = line.expandtabs(4) if "\t" in line else line
    matched, at = _match_containers(state.containers, flat)
    if matched < len(state.containers):
        if state.in_paragraph and not _begins_block(flat[at:]):
            return  # a lazy line: text of the paragraph that is open
        del state.containers[matched:]
        state.fence, state.in_paragraph = "", False
    if state.fence:
        state.spans.append((offset, offset + len(line)))
        if _closes(flat[at:], state.fence):
            state.fence = ""
        return
    was_in_paragraph = state.in_paragraph
    rest = _open_containers(state, flat, at)
    body = rest.lstrip(" ")
    is_row = body.startswith("|")  # a table's rows are no paragraph, in notes
    if not (was_in_paragraph and state.in_paragraph) or is_row:
        state.starts.append(offset)
    if not body:
        if was_in_paragraph:
            state.starts.append(offset)
        state.in_paragraph = False
    elif len(rest) - len(body) >= 4:
        if not state.in_paragraph:
            state.spans.append((offset, offset + len(line)))
    else:
        _begin_block(state, body, line, offset)


def _match_containers(containers: list[int], flat: str) -> tuple[int, int]:
    """Returns how many of the open containers the line continues, and the column after their marks."""
    at = 0
    for depth, width in enumerate(containers):
        body = at
        while flat.startswith(" ", body):
            body += 1
        if width == QUOTE:
            if body - at > 3 or not flat.startswith(">", body):
                return depth, at
            at = body + 1 + flat.startswith(" ", body + 1)
        elif body < len(flat):
            if body - at < width:
                return depth, at
            at += width
    return len(containers), at


def _open_containers(state: _State, flat: str, at: int) -> str:
    """Enters the quotes and list items that the line opens; returns what stands inside them."""
    while True:
        rest = flat[at:]
        body = rest.lstrip(" ")
        indent = len(rest) - len(body)
        if not body or len(state.containers) >= CONTAINERS_MAX:
            return rest
        if indent >= 4 and (state.in_paragraph or not _item_width(body, in_paragraph=False)):
            return rest
        if body[0] == ">":
            state.containers.append(QUOTE)
            at += indent + 1 + (body[1:2] == " ")
        elif width := _item_width(body, in_paragraph=state.in_paragraph):
            state.containers.append(indent + width)
            at += indent + width
        else:
            return rest
        state.in_paragraph = False


def _item_width(body: str, *, in_paragraph: bool) -> int:
    """Returns how far the text of a list item or footnote is set in; 0 when the line opens neither."""
    if body[0] == "[":
        return 4 if _FOOTNOTE.match(body) else 0
    item = _ITEM.match(body)
    if item is None or _RULE.match(body):
        return 0
    is_empty = item.end() == len(body)
    if in_paragraph and (is_empty or item[1] not in (None, "1")):
        return 0
    gap = len(item[2])
    return item.start(2) + (gap if 1 <= gap <= 4 and not is_empty else 1)


def _begin_block(state: _State, body: str, line: str, offset: int) -> None:
    start = offset + line.index(body[0])
    if fence := _FENCE.match(body):
        state.fence = fence[1] or fence[2]
        start = offset + line.index(state.fence)
        state.spans.append((start, offset + len(line)))
    elif _RAW.match(body):
        end = _RAW_END.search(state.text, start)
        _skip(state, start, end.end() if end else len(state.text))
    elif body.startswith(("<!--", "%%")) and (stop := comment_end(state.text, start)) is not None:
        _skip(state, start, stop)
    else:
        ends = _HEADING.match(body) or _RULE.match(body) or (state.in_paragraph and _UNDERLINE.match(body))
        if ends and state.in_paragraph:
            state.starts.append(offset)
        state.in_paragraph = not ends
        return
    if state.in_paragraph:
        state.starts.append(offset)
    state.in_paragraph = False


def _begins_block(rest: str) -> bool:
    body = rest.lstrip(" ")
    if not body:
        return True
    if len(rest) - len(body) >= 4:
        return False
    if body[0] in "`~#<>%":
        begins = _FENCE.match(body) or _HEADING.match(body) or _RAW.match(body)
        return bool(begins) or body.startswith((">", "<!--", "%%"))
    return bool(_RULE.match(body)) or _item_width(body, in_paragraph=False) > 0


def _closes(rest: str, fence: str) -> bool:
    body = rest.lstrip(" ")
    mark = body.rstrip(" ")
    return len(rest) - len(body) < 4 and len(mark) >= len(fence) and not mark.strip(fence[0])


def _skip(state: _State, start: int, stop: int) -> None:
    state.spans.append((start, stop))
    state.skip_to = stop
