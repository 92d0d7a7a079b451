"""What two notes share besides names and properties: codes, links, words, what one text says of the other. Pure.

All of it can be that of a topic, so each kind is bounded. Weights: ADR 0017.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.matching.codes import DAY, codes_in
from brain.core.matching.identifiers import BARE_ADDRESSES
from brain.core.matching.part import Part, listed
from brain.core.matching.profile import Profile
from brain.core.matching.rarity import Rarity, code_of, link_to
from brain.core.matching.said import is_called
from brain.core.matching.words import tokens

LINK_NOTES_MIN, LINK_NOTES_SHARE = 4, 0.01
LINK_BITS_MAX, TEXT_BITS_MAX, SHARED_WORDS_BITS_MAX = 10.0, 10.0, 40.0
CODE_BITS_MAX, WEAK_CODE_BITS_MAX, CODES_BITS_MAX = 9.0, 3.0, 12.0
SAID_BITS, FOLDER_BITS = 8.0, -1.0
CROSS_SHARE, CROSS_WORDS_BITS_MAX, CROSS_BITS_MAX = 0.6, 8.0, 3.0
LETTERS_MIN, LETTERS_BITS, LETTERS_BITS_MAX = 0.1, 15.0, 5.0
MEANING_MIN, MEANING_BITS, MEANING_BITS_MAX = 0.5, 12.0, 5.0


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two notes are as wholes: cosines of their letters and of their meanings, None when not known."""

    letters: float | None = None
    meaning: float | None = None


UNKNOWN = Likeness()


@dataclass(frozen=True, slots=True)
class Overlap:
    """Texts against each other: bits of the rare words both have, and their share of all that either has."""

    bits: float
    share: float


def overlap_of(left: Profile, right: Profile) -> Overlap:
    """Sets the words of two texts against each other; words of the names count with the names."""
    named = {word for profile in (left, right) for name in profile.names for word in name.words}
    shared = sum(left.words[word] for word in left.words.keys() & right.words.keys() if word not in named)
    return Overlap(shared, shared / max(shared, left.words_bits + right.words_bits - shared)) if shared else Overlap(0.0, 0.0)


def context_parts(
    left: Profile, right: Profile, shared: tuple[tuple[str, str], ...], overlap: Overlap, likeness: Likeness, rarity: Rarity
) -> Iterator[Part]:
    """Yields what surrounds two notes; `shared` identifiers count with the properties."""
    yield from _code_parts(left, right, shared, rarity)
    yield from _link_parts(left, right, rarity)
    yield from _text_parts(left, right, overlap, likeness)
    yield from _naming_parts(left, right)
    if left.folder != right.folder:
        yield Part("folder", FOLDER_BITS, "they lie in different folders")
    if likeness.meaning is not None and likeness.meaning > MEANING_MIN:
        yield Part("meaning", min(MEANING_BITS_MAX, MEANING_BITS * (likeness.meaning - MEANING_MIN)), "their texts are near in meaning")


def _code_parts(left: Profile, right: Profile, shared: tuple[tuple[str, str], ...], rarity: Rarity) -> Iterator[Part]:
    known = {code for kind, value in shared for code in codes_in(f"https://{value}" if kind in BARE_ADDRESSES else value)}
    common = [code for code in sorted(left.codes.keys() & right.codes.keys() - known) if rarity.is_rare(code_of(code), LINK_NOTES_MIN, 0.0)]
    if common:
        most = [WEAK_CODE_BITS_MAX if code.startswith("@") or DAY.fullmatch(code) else CODE_BITS_MAX for code in common]
        bits = sum(min(bound, rarity.bits(code_of(code))) for code, bound in zip(common, most, strict=True))
        share = len(common) / len(left.codes.keys() | right.codes.keys())
        yield Part("code", min(CODES_BITS_MAX, share * bits), f"both mention {listed(common)}")


def _link_parts(left: Profile, right: Profile, rarity: Rarity) -> Iterator[Part]:
    shared = sorted(left.links.keys() & right.links.keys())
    counted = {value for field in left.fields for value in field.values} & {value for field in right.fields for value in field.values}
    rare = [
        link for link in shared
        if rarity.is_rare(link_to(link), LINK_NOTES_MIN, LINK_NOTES_SHARE) and " ".join(tokens(left.links[link])) not in counted
    ]  # fmt: skip
    if rare:
        share = len(shared) / len(left.links.keys() | right.links.keys())  # two lists of everything have much in common
        bits = min(LINK_BITS_MAX, share * sum(rarity.bits(link_to(link)) for link in rare))
        yield Part("links", bits, f"both link to {listed(left.links[link] for link in rare)}, as few others do")


def _text_parts(left: Profile, right: Profile, overlap: Overlap, likeness: Likeness) -> Iterator[Part]:
    words = min(TEXT_BITS_MAX, min(SHARED_WORDS_BITS_MAX, overlap.bits) * overlap.share)
    letters = min(LETTERS_BITS_MAX, LETTERS_BITS * max(0.0, (likeness.letters or 0.0) - LETTERS_MIN)) if left.words and right.words else 0.0
    if letters > words:  # words of one root in two languages, or misspelled
        yield Part("text", letters, "they are alike in their letters")
    elif words:
        yield Part("text", words, f"their texts share {overlap.share:.0%} of their rare words")


def _naming_parts(left: Profile, right: Profile) -> Iterator[Part]:
    """What the text of one says about the name of the other."""
    for one, other in ((left, right), (right, left)):
        names = other.names[: other.own_names]
        said = next((name for name in names if is_called(one.text, name.plain)), None)
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
            worth = min(CROSS_WORDS_BITS_MAX, sum(one.words[word] for word in found)) * len(found) / len(name.words)
            best = max(best, (min(CROSS_BITS_MAX, CROSS_SHARE * worth), " ".join(found)))
    return best
