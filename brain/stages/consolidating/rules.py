"""Which claims of a note say the same, and which of them stays: what rules can tell without a model. Pure.

Equal are claims of one kind whose words are equal but for spaces, letter case, articles and marks. A shorter claim is
said by a longer one from the same sources that begins with it and goes on after a mark. A claim stays for another only
when it is as sure and holds for as long: nothing that only the other one says is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from brain.core.ids import fold
from brain.core.matching.words import tokens, word_set
from brain.stages.claims import near_key
from brain.stages.consolidating.standing import Standing
from brain.stages.rules import RULES

WORDS_SHARED_MIN = 1 / 3
_SURETY = {None: 0, "inferred": 1, "verified": 2}
_ENDS = " \t.;"
_GOES_ON = (", ", "; ", ": ", ". ", " (", " - ", " – ", " — ")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_LINK = re.compile(r"\[\[[^\[\]]*\]\]|\]\([^)]*\)")
_TURNS = word_set(
    "not no never none nor neither cannot without unless until if except but however instead or false wrong"
    " nicht kein keine keinen nie niemals ohne ausser außer wenn falls bis aber sondern statt oder doch pas jamais sans sauf ou mais si"
)
"""Words that turn or narrow what was said before them."""


Pair = tuple[Standing, Standing]


@dataclass(frozen=True, slots=True)
class Fold:
    """One claim stays for others, which say no more than it does."""

    keep: Standing
    gone: tuple[Standing, ...]
    reason: str
    judge: str = RULES.name


def equal_folds(claims: Sequence[Standing]) -> Iterator[Fold]:
    """Yields the folds of claims that are equal in their words."""
    keyed = sorted(((key, place) for place, claim in enumerate(claims) if (key := _equal_key(claim))))
    for _, group in groupby(keyed, key=lambda case: case[0]):
        yield from _folds_of([claims[place] for _, place in group])


def contained_folds(claims: Sequence[Standing]) -> Iterator[Fold]:
    """Yields the folds of claims that a longer one from the same sources begins with, each into the first such."""
    for gone in claims:
        keep = next((keep for keep in claims if _is_contained(keep, gone) and covers(keep, gone)), None)
        if keep is not None:
            yield Fold(keep, (gone,), "a longer claim from the same source says it too")


def likely_pairs(claims: Sequence[Standing], is_settled: Callable[[Standing, Standing], bool]) -> list[Pair]:
    """Returns the pairs worth a model's question, in the order of the note each, those that share most words first."""
    found = []
    for one, other in combinations(claims, 2):
        share = _share(one, other)
        if share >= WORDS_SHARED_MIN and (may_fold(one, other) or may_fold(other, one)) and not is_settled(one, other):
            found.append((share, one, other))
    return [(one, other) for _, one, other in sorted(found, key=lambda case: (-case[0], case[1].atom.line, case[2].atom.line))]


def covers(keep: Standing, gone: Standing) -> bool:
    """Tells whether a claim is of the kind of another, as sure, and holds for as long; an earlier first day holds longer."""
    one, other = keep.atom, gone.atom
    if one is other or one.kind != other.kind or _SURETY.get(one.confidence, 0) < _SURETY.get(other.confidence, 0) or one.valid_to != other.valid_to:
        return False
    if other.valid_from in (None, one.valid_from):
        return True
    return one.valid_from is not None and one.valid_from < other.valid_from and one.valid_to is None


def may_fold(keep: Standing, gone: Standing) -> bool:
    """Tells whether a claim may go for one in other words: a person's bullet stays, and so do numbers and links that are not in the other."""
    held, lost = keep.atom.text, gone.atom.text
    return (
        gone.atom.confidence is not None and covers(keep, gone)
        and set(_NUMBER.findall(lost)) <= set(_NUMBER.findall(held)) and set(_LINK.findall(lost)) <= set(_LINK.findall(held))
        and _turns(lost) == _turns(held)
    )  # fmt: skip


def bare_words(text: str) -> str:
    """Returns the words of a claim on one line, without a mark at the end: what uniting sources may add."""
    return " ".join(text.split()).rstrip(_ENDS)


def is_exact(keep: Standing, gone: Standing) -> bool:
    """Tells whether two claims have the same words, but for spaces and a full stop at the end."""
    return _line(keep) == _line(gone)


def _folds_of(group: Sequence[Standing]) -> Iterator[Fold]:
    """Yields the folds within a group of equal claims: the one that says most stays, and of what it does not cover the next."""
    left = sorted(group, key=_rank)
    while len(left) > 1:
        keep, *others = left
        gone = tuple(other for other in others if covers(keep, other))
        if gone:
            yield Fold(keep, gone, "it says the same in the same words")
        left = [other for other in others if other not in gone]


def _rank(claim: Standing) -> tuple[bool, str, int, bool, int]:
    """What stays comes first: the earliest first day, then the surer, then what something refers to, then the first in the note."""
    atom = claim.atom
    return atom.valid_from is None, atom.valid_from or "", -_SURETY.get(atom.confidence, 0), not claim.is_referred, atom.line


def _equal_key(claim: Standing) -> str:
    words = near_key(claim.atom.text)
    return f"{claim.atom.kind}|{'?' in claim.atom.text}|{words or _line(claim)}"


def _is_contained(keep: Standing, gone: Standing) -> bool:
    longer, shorter = fold(_line(keep)), fold(_line(gone))
    if not gone.sources or not gone.sources.keys() <= keep.sources.keys() or not longer.startswith(shorter):
        return False
    more = longer[len(shorter) :]
    return more.startswith(_GOES_ON) and bool(tokens(more)) and "?" not in more and not _turns(more)


def _turns(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", re.sub(r"n['’]t\b", " not", fold(text)))) & _TURNS


def _share(one: Standing, other: Standing) -> float:
    ours, theirs = frozenset(tokens(one.atom.text)), frozenset(tokens(other.atom.text))
    return len(ours & theirs) / min(len(ours), len(theirs)) if ours and theirs else 0.0


def _line(claim: Standing) -> str:
    return bare_words(claim.atom.text)
