"""Line structure that decides what is code: fences, indented code, raw HTML, comments at a line's start.

Follows CommonMark's container rules (block quotes, list items) as far as code depends on them. Works on
lines, each seen once. What is inside a line (code spans, comments in a sentence) belongs to `mask`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Without one of these no line can be code, and the loop over lines is not entered.
_HINTS = ("```", "~~~", "\n    ", "\n\t", "\n \t", "\n  \t", "\n   \t", "%%", "<!--")
_RAW_HINT = re.compile(r"<(?:pre|script|style|textarea)", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=([ \t]+)|\r?$)|\[\^[^\]\s]+\]:(?=([ \t]*))")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*\r?$")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|\r?$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_QUOTE = re.compile(r" {0,3}> ?")
_RAW = re.compile(r"<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)

Spans = list[tuple[int, int]]


@dataclass(slots=True)
class _Fence:
    mark: str
    length: int
    indent: int
    quotes: int


@dataclass(slots=True)
class _State:
    text: str
    spans: Spans = field(default_factory=list)
    fence: _Fence | None = None
    items: list[int] = field(default_factory=list)
    quotes: int = 0
    blank: bool = True
    in_code: bool = False
    skip_to: int = 0


def code_blocks(text: str, start: int) -> Spans:
    """Returns the spans of block-level code and of comments that begin a line, in order, from `start`."""
    if not _may_hold_code(text, start):
        return []
    state = _State(text)
    offset = start
    for line in text[start:].split("\n"):
        if offset < state.skip_to or (state.fence is not None and _inside_fence(state, state.fence, line, offset)):
            offset += len(line) + 1
            continue
        _open_line(state, line, offset)
        offset += len(line) + 1
    return state.spans


def comment_end(text: str, start: int) -> int | None:
    """Returns where the comment that begins a line at `start` ends: its closing mark, or the end of the text.

    A `%%` that is never closed hides the rest only when it is alone on its line (as editors show it).
    """
    mark, close = ("<!--", "-->") if text.startswith("<!--", start) else ("%%", "%%")
    found = text.find(close, start + len(mark))
    if found >= 0:
        return found + len(close)
    if mark == "%%" and text[start + 2 : _line_end(text, start)].strip():
        return None
    return len(text)


def _may_hold_code(text: str, start: int) -> bool:
    if text[start : start + 1] in (" ", "\t") or any(text.find(hint, max(0, start - 1)) >= 0 for hint in _HINTS):
        return True
    return text.find("<", start) >= 0 and _RAW_HINT.search(text, start) is not None


def _inside_fence(state: _State, fence: _Fence, line: str, offset: int) -> bool:
    """Masks a line of an open fence; False when the container of the fence ended before this line."""
    rest, quotes = _strip_quotes(line, fence.quotes)
    body = rest.lstrip(" \t")
    is_blank = not body.strip()
    indent = _width(rest, body)
    if quotes < fence.quotes or (not is_blank and indent < fence.indent):
        state.fence = None
        state.blank = False
        return False
    state.spans.append((offset, offset + len(line)))
    mark = body.rstrip()
    if len(mark) >= fence.length and not mark.strip(fence.mark) and indent - fence.indent < 4:
        state.fence = None
        state.blank = False
    return True


def _open_line(state: _State, line: str, offset: int) -> None:
    rest, quotes = _strip_quotes(line, 32)
    body = rest.lstrip(" \t")
    if quotes != state.quotes and (quotes or state.blank or not body.strip()):
        state.items.clear()
        state.quotes = quotes
        state.blank = True
    if not body.strip():
        state.blank = True
        return
    indent = _width(rest, body)
    if not state.items and quotes == 0 and indent >= 4 and (state.blank or state.in_code):
        state.spans.append((offset, offset + len(line)))
        state.in_code = True
        return
    state.in_code = False
    body, indent = _enter_items(state, body, indent)
    was_blank, state.blank = state.blank, False
    base = state.items[-1] if state.items else 0
    if indent - base >= 4 or not body:
        state.blank = was_blank and not body
        return
    _open_block(state, body, base, offset + len(line) - len(body))


def _open_block(state: _State, body: str, base: int, start: int) -> None:
    first = body[0]
    if first in "`~" and (fence := _FENCE.match(body)):
        mark = fence[1] or fence[2]
        state.fence = _Fence(mark[0], len(mark), base, state.quotes)
        state.spans.append((start, start + len(body)))
    elif first == "<" and _RAW.match(body):
        end = _RAW_END.search(state.text, start)
        _skip(state, start, end.end() if end else len(state.text))
    elif body.startswith(("<!--", "%%")) and (stop := comment_end(state.text, start)) is not None:
        _skip(state, start, stop)
    elif first == "#" and _HEADING.match(body):
        state.blank = True  # a heading ends its paragraph: what follows may be indented code


def _enter_items(state: _State, body: str, indent: int) -> tuple[str, int]:
    """Leaves the list items this line is no longer in and enters those it opens; returns what is left."""
    is_block = state.blank or body[0] in "#`~<>|" or bool(_ITEM.match(body))
    while is_block and state.items and indent < state.items[-1]:
        state.items.pop()
    while (
        (indent - (state.items[-1] if state.items else 0)) < 4 and not _RULE.match(body) and (item := _ITEM.match(body))
    ):
        gap = item[1] if item[1] is not None else item[2] or ""
        width = len(gap.expandtabs(4))
        content = indent + 4 if body[0] == "[" else indent + item.end() + (1 if not 1 <= width <= 4 else width)
        state.items.append(content)
        body = body[item.end() + len(gap) :].lstrip("\r")
        indent = content if width <= 4 else content + width - 1
        if not body:
            break
    return body, indent


def _skip(state: _State, start: int, stop: int) -> None:
    state.spans.append((start, stop))
    state.skip_to = stop


def _strip_quotes(line: str, most: int) -> tuple[str, int]:
    depth = at = 0
    while depth < most and (match := _QUOTE.match(line, at)):
        at = match.end()
        depth += 1
    return line[at:], depth


def _width(line: str, body: str) -> int:
    lead = line[: len(line) - len(body)]
    return len(lead.expandtabs(4)) if "\t" in lead else len(lead)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
