"""Counts and what they come to. A share of nothing is no number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Answers and labels: `right` of the `given` answers, `found` of the `wanted` labels.

    The two numerators differ where an answer under another word is as good as the labelled one.
    """

    right: int = 0
    given: int = 0
    found: int = 0
    wanted: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Returns the sums."""
        return Counts(self.right + other.right, self.given + other.given, self.found + other.found, self.wanted + other.wanted)

    @property
    def precision(self) -> float | None:
        """The share of the answers that is right; None when nothing was answered."""
        return self.right / self.given if self.given else None

    @property
    def recall(self) -> float | None:
        """The share of the labels that was found; None when there are none."""
        return self.found / self.wanted if self.wanted else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None when one of them is none."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, for what has no precision and recall."""

    part: int = 0
    of: int = 0

    def __add__(self, other: Share) -> Share:
        """Returns the sums."""
        return Share(self.part + other.part, self.of + other.of)
