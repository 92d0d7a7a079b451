"""What two notes share and what sets them apart, in bits: log2 of how much likelier it is for one thing. Pure.

Model: Fellegi and Sunter 1969, with agreement weighed by the rarity of the value (Newcombe 1959) and one
comparison for each independent property; what is missing on a side counts nothing. Weights were set by hand,
the cut was chosen on one set of records and one split of labelled notes (ADR 0017).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from brain.core.matching.context import UNKNOWN, Likeness, Overlap, context_parts, overlap_of
from brain.core.matching.naming import Alignment, align
from brain.core.matching.part import Part
from brain.core.matching.profile import Profile
from brain.core.matching.rarity import Rarity, name_word
from brain.core.matching.values import field_parts, shared_identifiers
from brain.core.matching.words import Name

NAME_WORD_BITS_MIN, NAME_WORD_BITS_MAX = 0.5, 8.0
NAME_BITS_MIN, NAME_BITS_MAX, ACRONYM_BITS = -4.0, 18.0, 3.0
BOTH_LEFT_OVER_BITS, ONE_LEFT_OVER_BITS = -3.0, -1.0
INDEPENDENT = ("birth", "death", "place", "identifier", "code")
"""Kinds of parts that state facts of a thing, each for itself: agreement on them is no matter of topic."""
_NO_NAMES = Alignment("none", (), (), ())
_HOW_NAMES_STAND = {
    "equal": "their names agree", "reordered": "their names agree", "spelling": "their names are spelled alike",
    "short-form": "one name is a short form of the other", "acronym": "one name is made of the other's initials",
    "part": "one name is part of the other", "overlap": "their names share words", "none": "their names have nothing in common",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that was compared of two notes; `names` are the two that fit best."""

    parts: tuple[Part, ...]
    alignment: Alignment
    names: tuple[Name, Name] | None
    is_alias: bool
    shared: tuple[tuple[str, str], ...]
    """Identifiers that both have, as (kind, value)."""
    overlap: Overlap

    @property
    def bits(self) -> float:
        """The sum of all parts."""
        return sum(part.bits for part in self.parts)

    def bits_of(self, *features: str) -> float:
        """Returns the sum of the parts of these kinds."""
        return sum(part.bits for part in self.parts if part.feature.partition(":")[0] in features)

    def bits_of_key(self, key: str) -> float:
        """Returns what one property is worth."""
        return sum(part.bits for part in self.parts if part.feature.endswith(f":{key}"))


def weigh(left: Profile, right: Profile, rarity: Rarity, likeness: Likeness = UNKNOWN) -> Evidence:
    """Compares two notes."""
    alignment, names, is_alias = _best_names(left, right, rarity)
    parts = [] if names is None else [_name_part(alignment, names, rarity, is_alias=is_alias)]
    shared, overlap = shared_identifiers(left, right), overlap_of(left, right)
    parts += field_parts(left, right, rarity)
    parts += context_parts(left, right, shared, overlap, likeness, rarity)
    return Evidence(tuple(parts), alignment, names, is_alias, shared, overlap)


def _best_names(left: Profile, right: Profile, rarity: Rarity) -> tuple[Alignment, tuple[Name, Name] | None, bool]:
    best: tuple[float, int, Alignment, Name, Name, bool] | None = None
    for at, one in enumerate(left.names):
        for place, other in enumerate(right.names):
            alignment = align(one, other)
            is_alias = at >= left.own_names or place >= right.own_names
            rank = (_name_bits(alignment, rarity), -int(is_alias))
            if best is None or rank > best[:2]:
                best = (*rank, alignment, one, other, is_alias)
    return (_NO_NAMES, None, False) if best is None else (best[2], (best[3], best[4]), best[5])


def _name_bits(alignment: Alignment, rarity: Rarity) -> float:
    """Returns what two names say: their common words by rarity and by how much of the longer name they cover."""
    if alignment.relation == "acronym":
        return ACRONYM_BITS
    found = 0.0
    for match in alignment.matches:
        worth = sqrt(rarity.bits(name_word(match.left)) * rarity.bits(name_word(match.right)))
        found += match.share * min(NAME_WORD_BITS_MAX, max(NAME_WORD_BITS_MIN, worth))
    common, (short, long) = len(alignment.matches), sorted((len(alignment.left), len(alignment.right)))
    covered = common / (common + long) if common else 1.0
    return max(NAME_BITS_MIN, min(NAME_BITS_MAX, found) * covered + short * BOTH_LEFT_OVER_BITS + (long - short) * ONE_LEFT_OVER_BITS)


def _name_part(alignment: Alignment, names: tuple[Name, Name], rarity: Rarity, *, is_alias: bool) -> Part:
    words = f"{_HOW_NAMES_STAND[alignment.relation]}: “{names[0].text}” and “{names[1].text}”{', an alias' if is_alias else ''}"
    return Part("name", _name_bits(alignment, rarity), words)
