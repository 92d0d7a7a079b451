"""One comparison of two notes as data: what evidence is made of. Values only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

ITEMS_SHOWN_MAX = 3


@dataclass(frozen=True, slots=True)
class Part:
    """One comparison: what was compared (`kind`, or `kind:key`), what it is worth, and a few words for a person."""

    feature: str
    bits: float
    words: str


def listed(items: Iterable[str]) -> str:
    """Returns the first few items in words."""
    shown = list(items)
    more = f" and {len(shown) - ITEMS_SHOWN_MAX} more" if len(shown) > ITEMS_SHOWN_MAX else ""
    return ", ".join(shown[:ITEMS_SHOWN_MAX]) + more
