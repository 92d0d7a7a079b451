"""Quotes: the words of a text that a model copied, found again in the text. Pure.

Only spaces and line breaks may differ; what is returned is always the text's own words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

QUOTE_CHARS_MAX = 1_000
LETTERS_MIN = 4


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that stand in a text, and the line on which they begin, counted from 0."""

    text: str
    line: int


def found_in(text: str, written: str) -> Quote | None:
    """Returns the first place where a text says these words, None when it does not or they are too few to tell."""
    words = written.split()
    if not words or len(written) > QUOTE_CHARS_MAX or sum(c.isalnum() for c in written) < LETTERS_MIN:
        return None
    match = re.search(r"\s+".join(re.escape(word) for word in words), text)
    return None if match is None else Quote(match[0], text.count("\n", 0, match.start()))
