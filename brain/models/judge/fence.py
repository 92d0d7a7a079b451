"""Marks that a text cannot forge, and the layout of what a request shows. Pure.

A mark is derived from the data, so that equal questions are equal requests, and is chosen so that it stands
nowhere in the data: whatever a note says, it can neither end its block nor hold a reply to this request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

from brain.core.ids import short_hash

MARK_CHARS = 12
_CONTROL = {code: "\ufffd" for code in (*range(32), 127) if chr(code) not in "\n\t"}
_OF_MODELS = re.compile(r"(<)(?=[|｜]|/?s>|(?:start|end)_of_turn>|<SYS>>|</SYS>>)|([|｜])(?=>)|(\[)(?=/?INST\])")
"""Where the signs begin with which models mark turns: some servers take them out of any text for their own."""


def mark_for(salt: str, data: str) -> str:
    """Returns a mark that does not occur in the data, in any letter case."""
    folded = data.casefold()
    tries = (short_hash(salt, data, str(number), length=MARK_CHARS) for number in count())
    return next(mark for mark in tries if mark not in folded)


def fenced(blocks: Sequence[tuple[str, str]], *, closing: str) -> tuple[str, str, str]:
    """Returns the blocks between lines that carry a mark, then the mark and the ticket of the request.

    A block is (label, text). The ticket is the word by which the reply to this request is known; `{ticket}` and
    `{mark}` in `closing` are filled in.
    """
    blocks = [(label, safe(text)) for label, text in blocks]
    data = "\n".join(f"{label}\n{text}" for label, text in blocks)
    mark, ticket = mark_for("fence", data), mark_for("ticket", data)
    lines = [part for label, text in blocks for part in (f"=== {mark} {label}", text)]
    said = closing.replace("{ticket}", ticket).replace("{mark}", mark)
    return "\n".join((*lines, f"=== {mark} end", "", said)), mark, ticket


def safe(text: str) -> str:
    """Returns a text that every client can send: no lone surrogates or control characters, no marks of a model's turns."""
    whole = text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8").translate(_CONTROL)
    return _OF_MODELS.sub(lambda sign: f"{sign[0]} ", whole)


def one_line(text: str) -> str:
    """Returns a text on one line, for a place where a line is one item."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def quoted_lines(text: str) -> str:
    """Returns a text with every line marked as quoted, so that none can pass for a line of the layout."""
    return "\n".join(f"| {line}" for line in text.splitlines()) or "|"
