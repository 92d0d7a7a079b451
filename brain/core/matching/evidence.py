"""What two notes share and what sets them apart, in bits: log2 of how much likelier it is for one thing. Pure.

Model: Fellegi and Sunter 1969, with agreement weighed by the rarity of the value (Newcombe 1959) and one
comparison for each independent property; what is missing on a side counts nothing. Weights were set by hand
and checked on one set of records only (ADR 0015).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from rapidfuzz.distance import OSA, Indel

from brain.core.matching.codes import codes_in
from brain.core.matching.fields import Field, FieldKind
from brain.core.matching.identifiers import MANY_OF_ONE
from brain.core.matching.naming import Alignment, align
from brain.core.matching.profile import Profile
from brain.core.matching.rarity import Rarity, code_of, link_to, name_word, stated, value_of
from brain.core.matching.said import is_called
from brain.core.matching.words import Name, folded

NAME_WORD_BITS_MIN, NAME_WORD_BITS_MAX = 0.5, 8.0
NAME_BITS_MIN, NAME_BITS_MAX, ACRONYM_BITS = -4.0, 18.0, 3.0
BOTH_LEFT_OVER_BITS, ONE_LEFT_OVER_BITS = -3.0, -1.0
PLACE_BITS_MIN, PLACE_BITS_MAX = -5.0, 12.0
VALUE_BITS_MIN, VALUE_BITS_MAX = -4.0, 8.0
LINK_BITS_MAX, TEXT_BITS_MAX = 10.0, 10.0
NEAR_SIMILARITY_MIN = 0.75
YEAR_DIGITS = 4
LINK_NOTES_MIN, LINK_NOTES_SHARE = 4, 0.01
CODE_BITS_MAX, HOST_BITS_MAX, CODES_BITS_MAX = 9.0, 3.0, 12.0
SAID_BITS, CROSS_SHARE, CROSS_BITS_MAX, FOLDER_BITS = 8.0, 0.6, 3.0, -1.0
LETTERS_MIN, LETTERS_BITS, LETTERS_BITS_MAX = 0.1, 15.0, 5.0
MEANING_MIN, MEANING_BITS, MEANING_BITS_MAX = 0.5, 12.0, 5.0
IDENTIFIED_MIN, BORN_MIN = 1 << 15, 1 << 12
INDEPENDENT = ("birth", "death", "place", "identifier", "code")
"""Kinds of properties that state facts of a thing, each for itself: agreement on them is no matter of topic."""


@dataclass(frozen=True, slots=True)
class Part:
    """One comparison: what was compared, what it is worth, and a few words for a person."""

    feature: str
    bits: float
    words: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """Texts against each other: bits of the rare words both have, and their share of the smaller and of both."""

    bits: float
    share_of_smaller: float
    share_of_both: float


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


NO_NAMES = Alignment("none", (), (), ())


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two notes are as wholes: cosines of their letters and of their meanings, None when not known."""

    letters: float | None = None
    meaning: float | None = None


def weigh(left: Profile, right: Profile, rarity: Rarity, likeness: Likeness = Likeness()) -> Evidence:
    """Compares two notes."""
    parts: list[Part] = []
    alignment, names, is_alias = _best_names(left, right, rarity)
    if names is not None:
        parts.append(Part("name", _name_bits(alignment, rarity), _name_words(alignment, names, is_alias=is_alias)))
    parts += _field_parts(left, right, rarity)
    overlap = _overlap(left, right)
    shared = _shared_identifiers(left, right)
    parts += _code_parts(left, right, shared, rarity)
    parts += _link_and_text_parts(left, right, overlap, likeness, rarity)
    parts += _naming_parts(left, right)
    if left.folder != right.folder:
        parts.append(Part("folder", FOLDER_BITS, "they lie in different folders"))
    if likeness.meaning is not None and likeness.meaning > MEANING_MIN:
        parts.append(Part("meaning", min(MEANING_BITS_MAX, MEANING_BITS * (likeness.meaning - MEANING_MIN)), "their texts are near in meaning"))
    return Evidence(tuple(parts), alignment, names, is_alias, shared, overlap)


def is_near(kind: FieldKind, left: str, right: str) -> bool:
    """Tells whether two values that differ are likely one, mistyped."""
    if kind in ("birth", "death", "date"):
        if min(len(left), len(right)) == YEAR_DIGITS and left[:YEAR_DIGITS] == right[:YEAR_DIGITS]:
            return True
        is_swapped = len(left) == len(right) == 8 and left[:4] == right[:4] and left[4:6] == right[6:] and left[6:] == right[4:6]
        return is_swapped or (min(len(left), len(right)) >= 6 and OSA.distance(left, right, score_cutoff=1) <= 1)
    if left.isdigit() and right.isdigit():
        return min(len(left), len(right)) >= 3 and OSA.distance(left, right, score_cutoff=1) <= 1
    return Indel.normalized_similarity(left, right) >= NEAR_SIMILARITY_MIN or (len(left) > 4 and sorted(left) == sorted(right))


def _best_names(left: Profile, right: Profile, rarity: Rarity) -> tuple[Alignment, tuple[Name, Name] | None, bool]:
    best: tuple[float, int, Alignment, Name, Name, bool] | None = None
    for at, one in enumerate(left.names):
        for place, other in enumerate(right.names):
            alignment = align(one, other)
            is_alias = at >= left.own_names or place >= right.own_names
            rank = (_name_bits(alignment, rarity), -int(is_alias))
            if best is None or rank > best[:2]:
                best = (*rank, alignment, one, other, is_alias)
    return (NO_NAMES, None, False) if best is None else (best[2], (best[3], best[4]), best[5])


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


def _name_words(alignment: Alignment, names: tuple[Name, Name], *, is_alias: bool) -> str:
    what = f"“{names[0].text}” and “{names[1].text}”"
    also = ", an alias" if is_alias else ""
    match alignment.relation:
        case "equal" | "reordered":
            return f"their names agree: {what}{also}"
        case "spelling":
            return f"their names are spelled alike: {what}{also}"
        case "short-form":
            return f"one name is a short form of the other: {what}{also}"
        case "acronym":
            return f"one name is made of the other's initials: {what}{also}"
        case "part":
            return f"one name is part of the other: {what}{also}"
        case "overlap":
            return f"their names share words: {what}{also}"
        case "none":
            return f"their names have nothing in common: {what}"


def _field_parts(left: Profile, right: Profile, rarity: Rarity) -> Iterator[Part]:
    theirs = {field.key: field for field in right.fields}
    parts = [_field_part(field, other, rarity) for field in left.fields if (other := theirs.get(field.key))]
    # Street, town and postcode move together, and so do the labels of one form: what they add up to is bounded.
    yield from _bounded([part for part in parts if part.feature.startswith("place:")], PLACE_BITS_MIN, PLACE_BITS_MAX)
    yield from _bounded([part for part in parts if part.feature.startswith("value:")], VALUE_BITS_MIN, VALUE_BITS_MAX)
    yield from (part for part in parts if not part.feature.startswith(("place:", "value:")))


def _field_part(field: Field, other: Field, rarity: Rarity) -> Part:
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
            return 0.0 if field.values[0][:4] == other.values[0][:4] else -6.0
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


def _shared_identifiers(left: Profile, right: Profile) -> tuple[tuple[str, str], ...]:
    theirs = {field.key: field for field in right.fields}
    return tuple(
        (field.key, value) for field in left.fields if field.kind == "identifier" and (other := theirs.get(field.key))
        for value in field.values if value in other.values
    )  # fmt: skip


def _code_parts(left: Profile, right: Profile, shared: tuple[tuple[str, str], ...], rarity: Rarity) -> Iterator[Part]:
    known = {code for _, value in shared for code in codes_in(value)}
    common = [code for code in sorted(left.codes.keys() & right.codes.keys() - known) if rarity.is_rare(code_of(code), LINK_NOTES_MIN, 0.0)]
    if common:
        bits = sum(min(HOST_BITS_MAX if code.startswith("@") else CODE_BITS_MAX, rarity.bits(code_of(code))) for code in common)
        yield Part("code", min(CODES_BITS_MAX, bits), f"both mention {_listed(common)}")


def _naming_parts(left: Profile, right: Profile) -> Iterator[Part]:
    """What the text of one says about the name of the other."""
    for one, other in ((left, right), (right, left)):
        names = other.names[: other.own_names]
        said = next((name for name in names if is_called(one.text, folded(name.text))), None)
        if said is not None:
            yield Part("said", SAID_BITS, f"the text of {one.stem} gives “{said.text}” as another name")
            return
    found = [_in_text(left, right), _in_text(right, left)]
    if any(bits for bits, _ in found):
        words = " ".join(words for _, words in found if words)
        yield Part("cross", sum(bits for bits, _ in found), f"the text of one has words of the other's name: {words}")


def _in_text(one: Profile, other: Profile) -> tuple[float, str]:
    """Returns what the words of one note's names in the text of the other are worth: the more of a name, the more."""
    best = (0.0, "")
    for name in other.names[: other.own_names]:
        found = [word for word in name.words if word in one.words]
        if found:
            worth = min(NAME_WORD_BITS_MAX, sum(one.words[word] for word in found)) * len(found) / len(name.words)
            best = max(best, (min(CROSS_BITS_MAX, CROSS_SHARE * worth), " ".join(found)))
    return best


def _link_and_text_parts(left: Profile, right: Profile, overlap: Overlap, likeness: Likeness, rarity: Rarity) -> Iterator[Part]:
    shared = sorted(left.links & right.links)
    rare = [link for link in shared if rarity.is_rare(link_to(link), LINK_NOTES_MIN, LINK_NOTES_SHARE)]
    if rare:
        bits = min(LINK_BITS_MAX, sum(rarity.bits(link_to(link)) for link in rare))
        yield Part("links", bits, f"both link to {_listed(rare)}, as few others do")
    words = min(TEXT_BITS_MAX, overlap.bits * overlap.share_of_both)
    letters = min(LETTERS_BITS_MAX, LETTERS_BITS * max(0.0, (likeness.letters or 0.0) - LETTERS_MIN)) if left.words and right.words else 0.0
    if letters > words:  # words of one root in two languages, or misspelled
        yield Part("text", letters, "they are alike in their letters")
    elif words:
        yield Part("text", words, f"their texts share {overlap.share_of_both:.0%} of their rare words")


def _overlap(left: Profile, right: Profile) -> Overlap:
    named = {word for profile in (left, right) for name in profile.names for word in name.words}
    shared = sum(left.words[word] for word in left.words.keys() & right.words.keys() if word not in named)
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    one, other = sum(left.words.values()), sum(right.words.values())
    return Overlap(shared, shared / min(one, other), shared / max(shared, one + other - shared))


def _listed(items: list[str], shown: int = 3) -> str:
    more = f" and {len(items) - shown} more" if len(items) > shown else ""
    return ", ".join(items[:shown]) + more
