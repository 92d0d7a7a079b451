"""What the model calls cost, in the journal, and the limits that stop them. No call is made here.

    {"kind": "spent", "at": …, "day": "2026-05-01", "task": "extract", "model": …, "tokens": 812, "is_estimate": false,
     "characters": 3120, "seconds": 4.2, "outcome": "reply"}

A call is not begun when what it sends would go over a limit; what its reply adds may go over by one reply.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain.core.asking import Failure, Reply, Request, estimated_tokens
from brain.judging import Judge
from brain.models.verdicts import Record, append
from brain.vault.journal import Journal

KIND = "spent"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a list of requests will cost: `tokens_sent` is near, `tokens_max` holds if every reply is as long as it may be."""

    calls: int
    tokens_sent: int
    tokens_max: int
    characters: int


def estimate(requests: Sequence[Request]) -> Estimate:
    """Returns what requests will cost, without making them."""
    sent = sum(estimated_tokens(request.prompt) for request in requests)
    replies = sum(request.reply_tokens_max for request in requests)
    return Estimate(len(requests), sent, sent + replies, sum(len(request.prompt) for request in requests))


class Spend:
    """The calls of this run and of this day, on every machine whose journal is here; what began later is not seen."""

    def __init__(self, journal: Journal, records: Iterable[Record], limits: Judge, *, at: str, day: str, keeps: bool = True) -> None:
        """Takes the records so far. `day` is the civil date of the run; without `keeps` nothing is written."""
        self._journal = journal
        self._limits = limits
        self._at = at
        self._day = day
        self._keeps = keeps
        today = [record for record in records if record.get("kind") == KIND and record.get("day") == day]
        self.calls_today = len(today)
        self.tokens_today = sum(tokens for record in today if isinstance(tokens := record.get("tokens"), int) and tokens > 0)
        self.calls = 0
        self.tokens = 0

    def why_not(self, request: Request) -> str | None:
        """Returns which limit forbids a call, None when it may be made."""
        limits, sent = self._limits, estimated_tokens(request.prompt)
        for name, limit, would_be in (
            ("calls_per_run_max", limits.calls_per_run_max, self.calls + 1),
            ("calls_per_day_max", limits.calls_per_day_max, self.calls_today + 1),
            ("tokens_per_run_max", limits.tokens_per_run_max, self.tokens + sent),
            ("tokens_per_day_max", limits.tokens_per_day_max, self.tokens_today + sent),
        ):
            if would_be > limit:
                return f"judge.{name} is {limit:,}"
        return None

    @property
    def tokens_left(self) -> int:
        """Tokens that may still be used."""
        limits = self._limits
        return max(0, min(limits.tokens_per_run_max - self.tokens, limits.tokens_per_day_max - self.tokens_today))

    def count(self, request: Request, answer: Reply | Failure, *, model: str) -> None:
        """Takes note of a call that was made. Raises: BrainError when the disk refuses."""
        cost = answer.cost
        self.calls += 1
        self.calls_today += 1
        self.tokens += cost.tokens
        self.tokens_today += cost.tokens
        if self._keeps:
            append(self._journal, {
                "kind": KIND, "at": self._at, "day": self._day, "task": request.task, "model": model, "tokens": cost.tokens,
                "is_estimate": cost.is_estimate, "characters": cost.characters, "seconds": round(cost.seconds, 3),
                "outcome": "reply" if isinstance(answer, Reply) else answer.kind,
            })  # fmt: skip
