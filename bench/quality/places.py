"""Where quotes stand in a text, and which of two lists belong to each other. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Place = tuple[int, int]
One = TypeVar("One")
Other = TypeVar("Other")


def places(text: str, quote: str, line: int | None = None) -> tuple[Place, ...]:
    """Returns where a quote stands, as (start, end); with a line (counted from 1), only where it begins there."""
    return tuple((at, at + len(quote)) for at in _starts(text, quote) if line is None or text.count("\n", 0, at) + 1 == line)


def overlap(text: str, some: Sequence[Place], others: Sequence[Place]) -> bool:
    """Tells whether two quotes share a letter or digit of the text."""
    return any(c.isalnum() for one in some for other in others for c in text[max(one[0], other[0]) : min(one[1], other[1])])


def paired(ones: Sequence[One], others: Sequence[Other], fits: Callable[[One, Other], bool]) -> dict[int, int]:
    """Pairs as many as fit, each at most once; returns the place of the one by the place of the other.

    Augmenting paths (Kuhn 1955): an early answer gives way when another one has nowhere else to go.
    """
    choices = [[there for there, other in enumerate(others) if fits(one, other)] for one in ones]
    taken: dict[int, int] = {}
    for here in range(len(ones)):
        _place(here, choices, taken, set())
    return taken


def _place(here: int, choices: Sequence[Sequence[int]], taken: dict[int, int], tried: set[int]) -> bool:
    for there in choices[here]:
        if there in tried:
            continue
        tried.add(there)
        if there not in taken or _place(taken[there], choices, taken, tried):
            taken[there] = here
            return True
    return False


def _starts(text: str, quote: str) -> Iterator[int]:
    at = text.find(quote) if quote else -1
    while at >= 0:
        yield at
        at = text.find(quote, at + 1)
