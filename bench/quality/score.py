"""Counts: how well pairs and groups fit labels, and what a patient reader of the questions would get out of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from bench.quality.records import Ends, Labelled
from bench.quality.trial import Trial
from brain.core.matching.grouping import grouped

ENOUGH = 0.9
PERSONAL = ("email", "orcid")


@dataclass(frozen=True, slots=True)
class Fit:
    """Pairs found against pairs wanted."""

    found: int
    right: int
    wanted: int

    @property
    def precision(self) -> float:
        """The share of what was found that is right; 1 when nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of what is wanted that was found; 1 when nothing is wanted."""
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.right / (self.found + self.wanted) if self.found + self.wanted else 1.0

    def __add__(self, other: Fit) -> Fit:
        """Returns the sums."""
        return Fit(self.found + other.found, self.right + other.right, self.wanted + other.wanted)


def fit(found: Iterable[Ends], labelled: Labelled) -> Fit:
    """Counts pairs; those whose label is open count neither way."""
    counted = set(found) - labelled.open
    return Fit(len(counted), len(counted & labelled.same), len(labelled.same))


def pairs_of(groups: Iterable[Sequence[str]]) -> set[Ends]:
    """Returns all pairs within groups of paths, in order."""
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


def certain_pairs(trial: Trial, *, without_a_person: bool = False) -> set[Ends]:
    """Returns what rules alone would make one, pairs that follow included; optionally only what the gate lets through."""
    certain = [match for match in trial.matches if match.tier == "certain"]
    joins = {trial.ends(match.one, match.other): match for match in certain}
    if without_a_person:
        joins = {ends: match for ends, match in joins.items() if not _needs_a_person(trial, ends, match.certain)}
    return pairs_of(_linked(joins))


def decided_pairs(trial: Trial) -> set[Ends]:
    """Returns what would be one if every pair above the cut were joined that fits: the classifier behind the tiers."""
    kept = {ends: pair.margin for ends, pair in trial.judged.items() if pair.margin >= 0 and pair.tier in ("certain", "stated", "open")}
    scores = {ends: pair.margin for ends, pair in trial.judged.items()}
    forbidden = frozenset(ends for ends, pair in trial.judged.items() if pair.tier == "distinct")
    return pairs_of(grouped(kept, scores, forbidden).groups)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a person who answers every question rightly gets: questions asked until enough was joined, and joined by each budget."""

    questions: int
    needed: int | None
    joined: tuple[Fit, ...]


def read_questions(trial: Trial, labelled: Labelled, budgets: Sequence[int]) -> Reading:
    """Answers the questions in their order. What joined notes make superfluous is not asked."""
    group_of: dict[str, set[str]] = {}
    for left, right in certain_pairs(trial):
        _join(group_of, left, right)
    progress = [_joined(group_of, labelled)]
    for match in sorted((match for match in trial.matches if match.tier != "certain"), key=lambda match: match.tier != "stated"):
        left, right = trial.ends(match.one, match.other)
        if group_of.get(left) is not None and group_of.get(left) is group_of.get(right):
            continue
        is_same = (left, right) in labelled.same
        if is_same:
            _join(group_of, left, right)
        progress.append(_joined(group_of, labelled) if is_same else progress[-1])
    needed = next((asked for asked, joined in enumerate(progress) if joined.right >= ENOUGH * len(labelled.same)), None)
    return Reading(len(progress) - 1, needed, tuple(progress[min(budget, len(progress) - 1)] for budget in budgets))


def _joined(group_of: Mapping[str, set[str]], labelled: Labelled) -> Fit:
    return fit(pairs_of({id(group): sorted(group) for group in group_of.values()}.values()), labelled)


def _join(group_of: dict[str, set[str]], left: str, right: str) -> None:
    one, other = (group_of.setdefault(path, {path}) for path in (left, right))
    if one is not other:
        one |= other
        for path in other:
            group_of[path] = one


def _linked(joins: Collection[Ends]) -> list[list[str]]:
    group_of: dict[str, set[str]] = {}
    for left, right in sorted(joins):
        _join(group_of, left, right)
    return list({id(group): sorted(group) for group in group_of.values()}.values())


def _needs_a_person(trial: Trial, ends: Ends, identifier: str) -> bool:
    """What the gate holds: people, and notes of two folders."""
    pair = trial.judged[ends]
    return "person" in (pair.left.kind, pair.right.kind) or identifier.startswith(PERSONAL) or pair.left.folder != pair.right.folder
