"""Correcting what notes say: where an old wording stands, and what may be made of the place. Values and pure functions.

What is true is given by a person. A place is edited only when it restates the fact; what tells of a moment is left as
it is, and without a note that has authority nothing is edited at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from brain.core.dates import date_in
from brain.core.ids import fold
from brain.core.note import Span

Role = Literal["authority", "history", "restates", "unsure"]
"""What a place is: the note that knows; what was true then; what repeats the fact; what a person has to look at."""
_WORD = re.compile(r"[^\W_]{3,}")
_STRUCK = re.compile(r"~~[^~]+~~")


@dataclass(frozen=True, slots=True)
class Correction:
    """A fact as it is, in a sentence; `was` is an old wording to be replaced, `becomes` what stands for it."""

    fact: str
    was: str | None = None
    becomes: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """One line of a note that has to do with a correction. `why` says what makes it of its role; `line` is 1-based."""

    path: str
    line: int
    text: str
    role: Role
    why: str


def occurrences(text: str, wording: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yields where a wording stands as whole words, letter case and spacing aside; `12` does not stand in `12.1` or `112`."""
    parts = [re.escape(part) for part in wording.split()]
    if not parts:
        return
    before = r"(?<![\w.,:/-])" if wording.strip()[0].isalnum() else r"(?<!\w)"
    after = r"(?!\w)(?![.,:/-]\w)" if wording.strip()[-1].isalnum() else r"(?!\w)"
    for match in re.compile(before + r"[ \t]+".join(parts) + after, re.IGNORECASE).finditer(text, start, len(text) if end is None else end):
        yield Span(match.start(), match.end())


def misstated(text: str, was: str, becomes: str | None) -> Iterator[Span]:
    """Yields where an old wording stands and is not part of the new one: `Acme` in `Acme Corp` is right already."""
    if becomes is None:
        yield from occurrences(text, was)
        return
    is_same_but_for_case = fold(" ".join(was.split())) == fold(" ".join(becomes.split()))
    right = [span for span in occurrences(text, becomes) if not is_same_but_for_case or text[span.start : span.end].split() == becomes.split()]
    at = 0
    for span in occurrences(text, was):
        while at < len(right) and right[at].end < span.end:
            at += 1
        if at == len(right) or span.start < right[at].start:
            yield span


def replaced(text: str, was: str, becomes: str) -> str:
    """Returns a text with every occurrence of a wording written anew."""
    for span in reversed(list(occurrences(text, was))):
        text = text[: span.start] + becomes + text[span.end :]
    return text


def why_line_is_history(line: str) -> str | None:
    """Returns why one line of a living note tells of a moment; None when it does not."""
    if date_in(line) is not None:
        return "the line names a day"
    return "the line has words struck out" if _STRUCK.search(line) else None


def shares_words(line: str, fact: str) -> float:
    """Returns which share of the fact's words (of three letters or more) stands in a line, in [0, 1]."""
    wanted = {word.casefold() for word in _WORD.findall(fact)}
    found = {word.casefold() for word in _WORD.findall(line)}
    return len(wanted & found) / len(wanted) if wanted else 0.0
