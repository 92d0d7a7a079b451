"""Asking the judge which claims of a note say the same, pair by pair. No lock is held while it answers.

Its answers are its own memory: what it was asked once is not asked again. What rules forbid to fold is never asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from brain.core.judgement import Unsure
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import Claim, ClaimPair, OwnWords, Restated, Restates, Unanswered
from brain.stages.consolidating.rules import Fold, Pair, bare_words, may_fold
from brain.stages.consolidating.standing import Crowded, ReadClaims, Standing
from brain.stages.context import Context
from brain.stages.report import counted
from brain.stages.run import Run
from brain.stages.unanswered import NoAnswers

Couple = frozenset[str]
"""A note and two of its claims, by their names."""


@dataclass(frozen=True, slots=True)
class Said:
    """A judge's word that one claim stands for another, by the names of both."""

    verdict: Restates

    def on(self, read: ReadClaims) -> Fold | None:
        """Returns the fold on the note as it is now; None when one of the two stands no more, or may not go for the other."""
        keep, gone = read.called(self.verdict.kept), read.called(self.verdict.folded)
        if keep is None or gone is None or not may_fold(keep, gone):
            return None
        return Fold(keep, (gone,), self.verdict.reason, self.verdict.judge)


@dataclass(slots=True)
class Asking:
    """One run's questions about claims. `room` is how many pairs more may be asked about."""

    model: ModelJudge
    room: int
    batch_max: int
    asked: int = 0
    open: set[Couple] = field(default_factory=set)
    """Pairs that the limit left out, unless they were asked about later."""
    unsure: set[Couple] = field(default_factory=set)
    unanswered: NoAnswers[Couple] = field(default_factory=NoAnswers)
    """Pairs that got no answer."""

    @classmethod
    def of(cls, ctx: Context, room: int) -> Asking | None:
        """Returns the asking of a run; None without a model."""
        return None if ctx.model is None else cls(ctx.model, room, max(1, ctx.config.judge.pairs_per_call_max))

    @property
    def waiting(self) -> int:
        """How many pairs wait for a model or a person."""
        return len(self.unsure) + len(self.unanswered)

    @property
    def left(self) -> int:
        """How many pairs were not asked about because of the limit."""
        return len(self.open)

    def next_of(self, crowded: Crowded, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Returns the pairs to ask about next; none, and the rest is counted, when no more may be asked."""
        if self.room <= 0 or self.unanswered.is_final:
            self.open |= {_couple(crowded, pair) for pair in pairs}
            return ()
        return pairs[: min(self.batch_max, self.room)]

    def is_silent(self, crowded: Crowded, pair: Pair) -> bool:
        """Tells whether a pair got no answer in this run."""
        return _couple(crowded, pair) in self.unanswered

    def heard(self, crowded: Crowded, pairs: Sequence[Pair]) -> list[Said]:
        """Returns what the judge takes for the same; the rest is counted."""
        remembered = self.model.tally.remembered
        answers = self.model.restate([ClaimPair(_shown(one), _shown(other), crowded.title) for one, other in pairs])
        new = len(pairs) - (self.model.tally.remembered - remembered)
        self.room -= new
        self.asked += new
        couples = [_couple(crowded, pair) for pair in pairs]
        self.open -= set(couples)
        return [Said(verdict) for couple, answer in zip(couples, answers, strict=True) if (verdict := self._same(couple, answer))]

    def say(self, run: Run) -> None:
        """Says what was not answered, and why."""
        for sentence in self.unanswered.sentences(lambda count: f"{counted(count, 'pair')} of claims got no answer"):
            run.say(sentence)
        if self.unsure:
            run.say(f"{counted(len(self.unsure), 'pair')} of claims may say the same; the language model cannot tell, so both stay.")

    def _same(self, couple: Couple, answer: Restated) -> Restates | None:
        """Returns the verdict that one claim says all of the other; counts what is none."""
        match answer:
            case Restates():
                return answer
            case Unsure():
                self.unsure.add(couple)
            case Unanswered():
                self.unanswered.add(answer, couple)
            case OwnWords():
                pass
            case _:
                assert_never(answer)
        return None


def _couple(crowded: Crowded, pair: Pair) -> Couple:
    return frozenset((crowded.path, pair[0].name, pair[1].name))


def _shown(claim: Standing) -> Claim:
    """A claim as a judge is shown it; the days on which it was told would make another question of it with each source."""
    days = (("from", claim.atom.valid_from), ("to", claim.atom.valid_to))
    return Claim(claim.name, bare_words(claim.atom.text), claim.atom.kind, tuple((what, day) for what, day in days if day))
