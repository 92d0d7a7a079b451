"""What the properties of two notes say about their being one thing, in bits. Pure.

Agreement is worth what the value is rare; a slip of the pen is worth part of it; what differs speaks against,
by what kind of thing it is. What is missing on a side says nothing. Weights: ADR 0017.
"""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import OSA, Indel

from brain.core.matching.fields import Field, FieldKind
from brain.core.matching.identifiers import MANY_OF_ONE
from brain.core.matching.part import Part
from brain.core.matching.profile import Profile
from brain.core.matching.rarity import Rarity, stated, value_of

PLACE_BITS_MIN, PLACE_BITS_MAX = -5.0, 12.0
VALUE_BITS_MIN, VALUE_BITS_MAX = -4.0, 8.0
NEAR_SIMILARITY_MIN = 0.75
YEAR_DIGITS, DAY_DIGITS, NUMBER_DIGITS_MIN = 4, 8, 3
IDENTIFIED_MIN, BORN_MIN = 1 << 15, 1 << 12
"""Among how many things an identifier and a day of birth tell apart at least, however few notes state one."""


def field_parts(left: Profile, right: Profile, rarity: Rarity) -> Iterator[Part]:
    """Yields a part for each property that both state."""
    theirs = {field.key: field for field in right.fields}
    parts = [_part(field, other, rarity) for field in left.fields if (other := theirs.get(field.key))]
    # Street, town and postcode move together, and so do the labels of one form: what they add up to is bounded.
    yield from _bounded([part for part in parts if part.feature.startswith("place:")], PLACE_BITS_MIN, PLACE_BITS_MAX)
    yield from _bounded([part for part in parts if part.feature.startswith("value:")], VALUE_BITS_MIN, VALUE_BITS_MAX)
    yield from (part for part in parts if not part.feature.startswith(("place:", "value:")))


def shared_identifiers(left: Profile, right: Profile) -> tuple[tuple[str, str], ...]:
    """Returns the identifiers that both state, as (kind, value)."""
    theirs = {field.key: field for field in right.fields}
    return tuple(
        (field.key, value) for field in left.fields if field.kind == "identifier" and (other := theirs.get(field.key))
        for value in field.values if value in other.values
    )  # fmt: skip


def is_near(kind: FieldKind, left: str, right: str) -> bool:
    """Tells whether two values that differ are likely one, mistyped."""
    if kind in ("birth", "death", "date"):
        return _are_near_days(left, right)
    if left.isdigit() and right.isdigit():
        return min(len(left), len(right)) >= NUMBER_DIGITS_MIN and OSA.distance(left, right, score_cutoff=1) <= 1
    return Indel.normalized_similarity(left, right) >= NEAR_SIMILARITY_MIN or (len(left) > YEAR_DIGITS and sorted(left) == sorted(right))


def _are_near_days(left: str, right: str) -> bool:
    """A year beside a whole day of it, day and month exchanged, or one digit wrong."""
    if min(len(left), len(right)) == YEAR_DIGITS:
        return left[:YEAR_DIGITS] == right[:YEAR_DIGITS]
    if len(left) == len(right) == DAY_DIGITS and left[:4] == right[:4] and left[4:6] == right[6:] and left[6:] == right[4:6]:
        return True
    return min(len(left), len(right)) > YEAR_DIGITS and OSA.distance(left, right, score_cutoff=1) <= 1


def _part(field: Field, other: Field, rarity: Rarity) -> Part:
    common = [value for value in field.values if value in other.values]
    if common:
        value = min(common, key=lambda value: (rarity.df(value_of(field.key, value)), value))
        return Part(f"{field.kind}:{field.key}", _equal_bits(field, value, rarity), f"both have `{field.key}` {value}")
    one, theirs = field.values[0], other.values[0]
    near = any(is_near(field.kind, a, b) for a in field.values for b in other.values)
    bits = _near_bits(field, rarity) if near else _differing_bits(field, other)
    how = "nearly agrees" if near else "differs"
    return Part(f"{field.kind}:{field.key}", bits, f"their `{field.key}` {how} ({one} and {theirs})")


def _equal_bits(field: Field, value: str, rarity: Rarity) -> float:
    feature, key = value_of(field.key, value), stated(field.key)
    match field.kind:
        case "identifier":
            return min(14.0, max(4.0, rarity.bits_among(feature, key, IDENTIFIED_MIN)))
        case "birth" | "death":
            return 4.0 if len(value) == YEAR_DIGITS else min(12.0, max(4.0, rarity.bits_among(feature, key, BORN_MIN)))
        case "date" | "version":
            return min(4.0, rarity.bits_among(feature, key))
        case "place" | "value":
            return min(6.0, rarity.bits_among(feature, key))


def _near_bits(field: Field, rarity: Rarity) -> float:
    match field.kind:
        case "identifier":
            return 5.0
        case "birth" | "death":
            return 4.0
        case "date" | "version":
            return 0.0
        case "place" | "value":
            share = 0.6 if field.kind == "place" else 0.5
            return share * min(6.0, rarity.bits_among(value_of(field.key, field.values[0]), stated(field.key)))


def _differing_bits(field: Field, other: Field) -> float:
    match field.kind:
        case "identifier":
            return -1.0 if field.key in MANY_OF_ONE - {"email"} else -4.0
        case "birth" | "death":
            # A year that agrees beside a day that does not is as often a guessed date as another person's.
            return 0.0 if field.values[0][:YEAR_DIGITS] == other.values[0][:YEAR_DIGITS] else -6.0
        case "date" | "version":
            return -4.0
        case "place":
            return -1.5
        case "value":
            return -1.0


def _bounded(parts: list[Part], least: float, most: float) -> Iterator[Part]:
    """Scales parts that depend on each other so that their sum stays within bounds."""
    total = sum(part.bits for part in parts)
    bounded = min(most, max(least, total))
    scale = bounded / total if total else 1.0
    yield from (Part(part.feature, part.bits * scale, part.words) for part in parts)
