"""The figures of one set, and of several added up: counts first, shares when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import add
from typing import TypeAlias

from bench.quality import score
from bench.quality.records import Labelled
from bench.quality.score import Fit
from bench.quality.trial import Trial

Figures: TypeAlias = Mapping[str, str | int | float | None]

QUESTIONS_PER_NOTE = (1, 2)
COLUMNS = (
    "set", "notes", "same", "blocked", "candidates_per_note", "precision", "recall", "f1", "merged_right", "merged_wrong", "merged_share", "applied_share",
    "questions", "questions_for_nine_tenths", *(f"joined_at_{budget}" for budget in QUESTIONS_PER_NOTE), "seconds",
)  # fmt: skip
LEGEND = """
blocked: share of the true pairs among the candidates. precision, recall, f1: every pair above the cut joined, where groups fit.
merged: what rules alone call one thing, pairs that follow included; applied: of these what the gate does not keep for a person (people, two folders).
questions: what a person is asked in all; questions_for_nine_tenths: after how many of them nine tenths of the true pairs are joined (none: never);
joined_at_n: share joined after n questions for each note (merged ones included), answers being right.
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted over one set or several; `needed` is for one set only."""

    name: str
    notes: int
    candidates: int
    blocked: Fit
    decided: Fit
    merged: Fit
    applied: Fit
    questions: int
    joined: tuple[Fit, ...]
    seconds: float
    needed: int | None = None

    def __add__(self, other: Tally) -> Tally:
        """Returns the sums."""
        return Tally(
            self.name, self.notes + other.notes, self.candidates + other.candidates, self.blocked + other.blocked, self.decided + other.decided,
            self.merged + other.merged, self.applied + other.applied, self.questions + other.questions, tuple(map(add, self.joined, other.joined)),
            self.seconds + other.seconds,
        )  # fmt: skip

    def named(self, name: str) -> Tally:
        """Returns the same counts under another name."""
        return replace(self, name=name)

    @property
    def figures(self) -> Figures:
        """The figures by column."""
        values = (
            self.name, self.notes, self.blocked.wanted, round(self.blocked.recall, 4), round(self.candidates / self.notes, 1), round(self.decided.precision, 4),
            round(self.decided.recall, 4), round(self.decided.f1, 4), self.merged.right, self.merged.found - self.merged.right, round(self.merged.recall, 3),
            round(self.applied.recall, 3), self.questions, self.needed, *(round(joined.recall, 3) for joined in self.joined), round(self.seconds, 1),
        )  # fmt: skip
        return dict(zip(COLUMNS, values, strict=True))


def tally_of(trial: Trial, labelled: Labelled) -> Tally:
    """Counts one set."""
    reading = score.read_questions(trial, labelled, [budget * len(trial.paths) for budget in QUESTIONS_PER_NOTE])
    return Tally(
        labelled.name, len(trial.paths), len(trial.judged), score.fit(trial.judged, labelled), score.fit(score.decided_pairs(trial), labelled),
        score.fit(score.certain_pairs(trial), labelled), score.fit(score.certain_pairs(trial, without_a_person=True), labelled),
        reading.questions, reading.joined, trial.seconds, reading.needed,
    )  # fmt: skip
