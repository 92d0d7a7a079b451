"""Pairs of notes → the small groups that are asked about, each note numbered in one request. Pure.

A group holds only notes of which every two are a candidate without a doubt: what somebody should look at, and
what nobody compared, is never asked about in one breath.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import inf

from brain.core.judgement import Pair
from brain.core.matching.contrast import contrasted
from brain.core.matching.grouping import grouped
from brain.core.matching.words import name_of

GROUP_MAX = 6
"""Notes in one question: more of them are asked about two by two."""
NAMES_MAX = 12
Ends = tuple[str, str]


def ends_of(pair: Pair) -> Ends:
    """Returns the ids of the two notes, in order."""
    one, other = sorted((pair.left.id, pair.right.id))
    return one, other


def questions(pairs: Sequence[Pair], *, group_max: int) -> list[tuple[Pair, ...]]:
    """Returns the pairs in the groups that are asked about, the likeliest first; each pair is in one of them."""
    known = {ends_of(pair): pair for pair in pairs}
    doubted = frozenset(ends for ends, pair in known.items() if pair.vetoes)
    lowest = min((pair.rank for pair in pairs), default=0.0)
    scores = {ends: pair.rank - lowest + 1.0 for ends, pair in known.items() if ends not in doubted}
    groups = grouped(scores, scores, doubted, absent=-inf).groups
    asked = [tuple(known[ends] for ends in combinations(group, 2)) for group in groups if len(group) <= min(GROUP_MAX, group_max)]
    taken = {ends_of(pair) for group in asked for pair in group}
    asked += [(pair,) for ends, pair in known.items() if ends not in taken]
    return sorted(asked, key=lambda group: (not any(pair.stated for pair in group), -max(pair.rank for pair in group), min(map(ends_of, group))))


def apart_by_name(pair: Pair) -> str | None:
    """Returns how any name of the one and any name of the other say that these are two things, in words; None when none do.

    A note that took in others answers to all their names, and none of these may be joined to what it is not.
    """
    for one in (name_of(text) for text in (pair.left.title, *pair.left.aliases)[:NAMES_MAX]):
        for other in (name_of(text) for text in (pair.right.title, *pair.right.aliases)[:NAMES_MAX]):
            if one.numbers and other.numbers and one.numbers != other.numbers:
                return f"“{one.text}” and “{other.text}” differ in a number"
            opposed = contrasted(set(one.words) - set(other.words), set(other.words) - set(one.words))
            if opposed:
                return f"“{opposed[0]}” is not “{opposed[1]}”"
    return None
