"""How two names stand to each other: word by word, best match first. Pure.

A relation is one word of a closed list. What is matched, and what is left over on either side, is kept with
it: evidence and vetoes are made from that, never from the relation alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from brain.core.matching.nicknames import is_nickname
from brain.core.matching.words import Name

Relation = Literal["equal", "reordered", "spelling", "short-form", "acronym", "part", "overlap", "none"]
RELATED: tuple[Relation, ...] = ("equal", "reordered", "spelling", "short-form", "acronym", "part")
NEAR_CHARS_MIN = 4
FAR_CHARS_MIN = 7
SHUFFLED_CHARS_MIN = 5
SHORT_FORM_CHARS_MIN = 3
ACRONYM_CHARS_MAX = 6
EQUAL, MISSPELLED, SHORTENED, INITIAL = 1.0, 0.6, 0.5, 0.2
"""How much of a word's worth each way of matching it counts."""


@dataclass(frozen=True, slots=True)
class Match:
    """Two words taken for one, and how much of their worth that counts."""

    left: str
    right: str
    share: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words of two names set against each other; `left` and `right` are what found no match."""

    relation: Relation
    matches: tuple[Match, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]


def align(left: Name, right: Name) -> Alignment:
    """Sets two names against each other."""
    if left.words == right.words:
        matches = tuple(Match(word, word, EQUAL) for word in left.words)
        return Alignment("equal", matches, (), ()) if matches else Alignment("none", (), (), ())
    ours, theirs = list(left.words), list(right.words)
    found = _take(ours, theirs, lambda one, other: one == other, EQUAL)
    found += _take_joined(ours, theirs) + _take_joined(theirs, ours)
    found += _take(ours, theirs, is_spelled_alike, MISSPELLED)
    found += _take(ours, theirs, is_short_form, SHORTENED)
    if found:
        found += _take(ours, theirs, _is_initial, INITIAL)
    return Alignment(_relation(left, right, found, ours, theirs), tuple(found), tuple(ours), tuple(theirs))


def is_spelled_alike(left: str, right: str) -> bool:
    """Tells whether two different words are likely one, misspelled: an edit or two, or the same letters shuffled."""
    short = min(len(left), len(right))
    if short < NEAR_CHARS_MIN:
        return False
    if OSA.distance(left, right, score_cutoff=2) <= (1 if short < FAR_CHARS_MIN else 2):
        return True
    return short >= SHUFFLED_CHARS_MIN and sorted(left) == sorted(right)


def is_short_form(left: str, right: str) -> bool:
    """Tells whether one word is a short form of the other: its beginning, or a nickname."""
    short, long = sorted((left, right), key=len)
    return (len(short) >= SHORT_FORM_CHARS_MIN and long.startswith(short)) or is_nickname(left, right)


def _take(left: list[str], right: list[str], is_match: Callable[[str, str], bool], share: float) -> list[Match]:
    """Takes matching words out of both lists, in the order of the left one."""
    found = []
    for word in tuple(left):
        other = next((other for other in right if is_match(word, other)), None)
        if other is not None:
            left.remove(word)
            right.remove(other)
            found.append(Match(word, other, share))
    return found


def _take_joined(parts: list[str], wholes: list[str]) -> list[Match]:
    """Takes two neighbouring words here for one word there: `data base`, `database`."""
    for at in range(len(parts) - 1):
        joined = parts[at] + parts[at + 1]
        if joined in wholes:
            wholes.remove(joined)
            del parts[at : at + 2]
            return [Match(joined, joined, EQUAL)]
    return []


def _is_initial(left: str, right: str) -> bool:
    short, long = sorted((left, right), key=len)
    return len(short) == 1 and len(long) > 1 and long[0] == short


def _relation(left: Name, right: Name, found: list[Match], rest_left: list[str], rest_right: list[str]) -> Relation:
    if not found:
        return "acronym" if _is_acronym(left, right) or _is_acronym(right, left) else "none"
    if rest_left and rest_right:
        return "overlap"
    if rest_left or rest_right:
        return "part"
    if any(match.share < MISSPELLED for match in found):
        return "short-form"
    return "spelling" if any(match.share < EQUAL for match in found) else "reordered"


def _is_acronym(short: Name, long: Name) -> bool:
    """Tells whether one word is made of the other name's first letters, small words counted or not, or counts its letters (`k8s`)."""
    bare = "".join(c for c in short.text.casefold() if c.isalnum())
    if len(short.words) > 2 or not 2 <= len(bare) <= ACRONYM_CHARS_MAX:
        return False
    written = long.text.casefold().replace("-", " ").split()
    if len(written) > 1 and bare in ("".join(word[0] for word in long.words), "".join(word[0] for word in written)):
        return True
    if len(long.words) == 1 and bare == f"{long.words[0][0]}{len(long.words[0]) - 2}{long.words[0][-1]}":
        return True
    return len(long.words) > 1 and sum(c.isupper() for c in short.text) > 1 and _is_spelled_by(bare, long.words)


def _is_spelled_by(letters: str, words: tuple[str, ...]) -> bool:
    """Tells whether letters run through words in order, each word beginning with one of them: `AOK`, Allgemeine Ortskrankenkasse."""
    rest = letters
    for word in words:
        if not rest.startswith(word[0]):
            return False
        rest = rest[1:]
        for c in word[1:]:
            if rest.startswith(c) and len(rest) > len(words) - words.index(word) - 1:
                rest = rest[1:]
    return not rest
