"""Pairs → groups of notes that are one thing, by greedy correlation: best pair first, two groups only when they fit. Pure.

Two groups are joined when what all their cross pairs add up to speaks for it and none of them is forbidden.
Connected components would let one wrong pair join everything on both sides of it. Source: correlation
clustering (Bansal, Blum and Chawla 2004), greedily, best edge first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ABSENT_BITS = -4.0
"""What a cross pair counts that nothing proposed: nobody compared the two, and most such pairs are two things."""

Ends = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of two and more, sorted, and the pairs that would have joined what does not fit."""

    groups: tuple[tuple[str, ...], ...]
    refused: tuple[Ends, ...]


def grouped(
    joins: Iterable[Ends], scores: Mapping[Ends, float], forbidden: frozenset[Ends] = frozenset(), *, absent: float = ABSENT_BITS
) -> Groups:
    """Joins along `joins`, best first by `scores`; all ends are sorted pairs. Scores of other pairs count as cross pairs."""
    group_of: dict[str, list[str]] = {}
    refused: list[Ends] = []
    for ends in sorted(set(joins), key=lambda ends: (-scores.get(ends, 0.0), ends)):
        left, right = (group_of.setdefault(end, [end]) for end in ends)
        if left is right:
            continue
        if not _fit(left, right, scores, forbidden, absent):
            refused.append(ends)
            continue
        left += right
        for member in right:
            group_of[member] = left
    distinct = {id(group): tuple(sorted(group)) for group in group_of.values() if len(group) > 1}
    return Groups(tuple(sorted(distinct.values())), tuple(sorted(refused)))


def linked(joins: Iterable[Ends]) -> tuple[tuple[str, ...], ...]:
    """Returns what pairs hang together at all, sorted: what has to be compared crosswise before it is grouped."""
    return grouped(joins, {}, absent=1.0).groups


def _fit(left: list[str], right: list[str], scores: Mapping[Ends, float], forbidden: frozenset[Ends], absent: float) -> bool:
    total = 0.0
    for one in left:
        for other in right:
            ends = (one, other) if one < other else (other, one)
            if ends in forbidden:
                return False
            total += scores.get(ends, absent)
    return total > 0
