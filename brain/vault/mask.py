"""Masking: the same text, of the same length, with code and comments blanked out.

Scanners of links, fields, tags and headings run over the masked text with simple expressions; every
offset they find is an offset of the original. Newlines stay, so line numbers hold too. Masked are fenced
and indented code, `<pre>`, `<script>` and `<style>` blocks, code spans, `%% comments %%`, HTML comments
and `$$ formulas $$`. Other raw HTML is left: people write links inside it and editors follow them.

Linear: every character is looked at a bounded number of times, whatever the text (see the tests).
Source: CommonMark 0.31, sections 4.5 and 6.1; comments and formulas as Obsidian has them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

from brain.vault.blocks import Spans, block_starts, code_blocks, comment_end

FILLER = "\x00"

_HINTS = ("`", "%%", "<!--", "$$")
_TOKEN = re.compile(r"\\[\\`%$<]|`+|%%|<!--|\$\$")
_NOT_NEWLINE = re.compile(r"[^\r\n]+")
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_LEAD = re.compile(r"[ \t>]*")
_CLOSERS = {"%%": "%%", "<!--": "-->", "$$": "$$"}


def mask(text: str, start: int = 0) -> str:
    """Returns `text` with code and comments from `start` on replaced by filler; all before `start` is filler."""
    masked = _blanked(text, [(0, start), *code_blocks(text, start)])
    if any(masked.find(hint, start) >= 0 for hint in _HINTS):
        masked = _blanked(masked, _inline_spans(masked, text, start))
    return masked


def _blanked(text: str, spans: Spans) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        if end <= start:
            continue
        pieces.append(text[at:start])
        pieces.append(_NOT_NEWLINE.sub(lambda run: FILLER * len(run[0]), text[start:end]))
        at = end
    if not pieces:
        return text
    pieces.append(text[at:])
    return "".join(pieces)


def _inline_spans(masked: str, text: str, start: int) -> Spans:
    """Scans left to right; the construct that opens first wins, as in CommonMark's inline rules."""
    inline = _Inline(masked, text, start)
    spans: Spans = []
    at = start
    for token in _TOKEN.finditer(masked, start):
        opened, written = token.start(), token[0]
        if opened < at:
            continue
        at = token.end()
        if written[0] == "\\":
            continue
        end = inline.code_end(opened, at) if written[0] == "`" else inline.comment_end(opened, written)
        if end is not None:
            spans.append((opened, end))
            at = end
    return spans


class _Inline:
    """Looks up where a construct closes; every lookup is a bisection or a cached forward search."""

    def __init__(self, masked: str, text: str, start: int) -> None:
        self._text = masked
        self._original = text
        self._start = start
        self._runs: dict[int, list[int]] = defaultdict(list)
        for run in re.finditer("`+", masked[start:] if start else masked):
            self._runs[run.end() - run.start()].append(run.start() + start)
        self._breaks: list[int] | None = None
        self._next: dict[str, int] = {}
        self._next_blank = -1
        self._line_from = start
        self._line_body = -1

    def code_end(self, opened: int, content: int) -> int | None:
        """Returns the end of the code span whose backticks are `[opened, content)`, if it closes in its block."""
        length = content - opened
        starts = self._runs.get(length, [])
        place = bisect_left(starts, content)
        if place == len(starts) or self._crosses_block(content, starts[place]):
            return None
        return starts[place] + length

    def comment_end(self, opened: int, mark: str) -> int | None:
        """Returns the end of a comment or formula; one that starts inside a line closes in its paragraph."""
        if mark != "$$" and self._begins_line(opened):
            return comment_end(self._text, opened)
        content = opened + len(mark)
        closed = self._find(_CLOSERS[mark], content)
        if closed < 0 or self._blank_after(content) < closed:
            return None
        return closed + len(_CLOSERS[mark])

    def _begins_line(self, at: int) -> bool:
        newline = self._text.rfind("\n", self._line_from, at)
        if newline >= 0 or self._line_body < 0:
            match = _LEAD.match(self._text, newline + 1 if newline >= 0 else self._line_from)
            self._line_body = match.end() if match else at
        self._line_from = at
        return self._line_body >= at

    def _find(self, mark: str, at: int) -> int:
        known = self._next.get(mark, 0)
        if 0 <= known < at or mark not in self._next:
            known = self._next[mark] = self._text.find(mark, at)
        return known

    def _blank_after(self, at: int) -> int:
        if self._next_blank < at:
            found = _BLANK_LINE.search(self._text, at)
            self._next_blank = found.start() if found else len(self._text)
        return self._next_blank

    def _crosses_block(self, start: int, end: int) -> bool:
        if self._text.find("\n", start, end) < 0:
            return False
        if self._breaks is None:
            self._breaks = block_starts(self._original, self._start)
        place = bisect_left(self._breaks, start)
        return place < len(self._breaks) and self._breaks[place] < end
