"""What the model calls cost, in the journal, and the limits that stop them. No call is made here.

    {"kind": "spent", "at": …, "day": "2026-05-01", "task": "extract", "model": …, "tokens": 812, "is_estimate": false,
     "characters": 3120, "seconds": 4.2, "outcome": "reply"}

A call is not begun when what it sends would go over a limit; what its reply adds may go over by one reply. Before each
call the end of the journal is read again, so that the limits of a day hold for all runs together; of a call that is
under way elsewhere nothing is known yet, so that each run may go over by the one it makes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from brain.core.asking import Failure, Reply, Request, estimated_tokens
from brain.judging import UNLIMITED, Judge
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


@dataclass(slots=True)
class Tail:
    """The lines that were added to the journal about one day, read once each: at first all of its months, then what is new."""

    journal: Journal
    day: str
    _read: dict[str, int] = field(default_factory=dict)
    """Name of a file → how many of its bytes were read."""

    def new(self) -> Iterator[Record]:
        """Yields the records of calls that were added since the last time. A line that is still being written waits."""
        for name in self.journal.names():
            if name.rpartition("/")[2].removesuffix(".jsonl") in self._months():
                yield from self._added(name)

    def _months(self) -> set[str]:
        """The months in UTC that a civil day may lie in."""
        day = date.fromisoformat(self.day)
        return {(day + timedelta(days=days)).isoformat()[:7] for days in (-1, 0, 1)}

    def _added(self, name: str) -> Iterator[Record]:
        start = self._read.get(name, 0)
        path = self.journal.folder / name
        try:
            size = path.stat().st_size
            if size == start:
                return
            if size < start:
                start = 0  # it was written anew: rather counted twice than not
            with path.open("rb") as file:
                file.seek(start)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read[name] = start = start + len(line)
                    record = _parsed(line) if _MARK in line else None
                    if record is not None and record.get("kind") == KIND and record.get("day") == self.day:
                        yield record
        except OSError:
            return  # a file that a sync takes away or cannot be read now is read again before the next call


_MARK = f'"{KIND}"'.encode()


def _parsed(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _tokens(record: Record) -> int:
    tokens = record.get("tokens")
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else 0


class Spend:
    """The calls of this run and of this day, on every machine whose journal is here."""

    def __init__(self, journal: Journal, records: Iterable[Record], limits: Judge, *, at: str, day: str, keeps: bool = True) -> None:
        """Takes the records so far. `day` is the civil date of the run; without `keeps` nothing is written."""
        self._journal = journal
        self._limits = limits
        self._at = at
        self._day = day
        self._keeps = keeps
        today = [record for record in records if record.get("kind") == KIND and record.get("day") == day]
        self.calls_today = len(today)
        self.tokens_today = sum(map(_tokens, today))
        self.calls = 0
        self.tokens = 0
        self._tail = Tail(journal, day)
        self._written = (0, 0)
        """Calls and tokens of the day as far as the journal was read again."""

    def why_not(self, request: Request) -> str | None:
        """Returns which limit forbids a call, None when it may be made; what other runs spent meanwhile counts."""
        self._look_again()
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
        """Tokens that may still be used; what other runs spent meanwhile counts."""
        self._look_again()
        limits = self._limits
        return max(0, min(limits.tokens_per_run_max - self.tokens, limits.tokens_per_day_max - self.tokens_today))

    def _look_again(self) -> None:
        """Brings what was spent today up to what the journal says, where a limit asks for it."""
        if self._limits.calls_per_day_max >= UNLIMITED and self._limits.tokens_per_day_max >= UNLIMITED:
            return
        calls, tokens = self._written
        for record in self._tail.new():
            calls, tokens = calls + 1, tokens + _tokens(record)
        self._written = calls, tokens
        own = (0, 0) if self._keeps else (self.calls, self.tokens)  # what was not written down is not in the journal
        self.calls_today, self.tokens_today = calls + own[0], tokens + own[1]

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
