"""What a language model failed to answer in earlier runs, in the journal: it is asked again behind what was never tried.

    {"kind": "unanswered", "at": …, "run": …, "stage": "walk", "keys": ["n-1|<sha256>"]}

A key names what was asked with the state it was in, so that what changed since counts as never tried. So does what
failed long ago: else it would wait for ever where every run finds enough that is new. Questions that were not put at
all (a limit, the end of a run's time) are no failures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from brain.core.dates import iso_utc
from brain.stages.commit import append
from brain.stages.context import Context
from brain.stages.run import Run
from brain.vault.journal import Journal

if TYPE_CHECKING:
    from brain.models.judge.values import Unanswered

KIND = "unanswered"
WAITS = timedelta(days=7)
"""How long what failed stands behind what was never tried."""
Thing = TypeVar("Thing")


def failed_before(journal: Journal, stage: str) -> dict[str, str]:
    """Returns what got no answer in a stage: its key → when it failed last. A record that cannot be read counts for nothing."""
    found: dict[str, str] = {}
    for record in journal.records({KIND}):
        keys, at = record.get("keys"), record.get("at")
        if record.get("stage") == stage and isinstance(keys, list) and isinstance(at, str):
            found |= {key: at for key in keys if isinstance(key, str)}
    return found


@dataclass(slots=True)
class Failures:
    """What failed before one run, and what fails in it."""

    ctx: Context
    run: Run
    stage: str
    before: Mapping[str, str]
    _noted: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, ctx: Context, run: Run, stage: str) -> Failures:
        """Returns the failures of a stage as its run finds them."""
        return cls(ctx, run, stage, failed_before(ctx.journal, stage))

    def last(self, things: Iterable[Thing], key_of: Callable[[Thing], str]) -> list[Thing]:
        """Returns things in their order, but those that failed lately behind the others, the longest ago first."""
        since = iso_utc(self.ctx.now - WAITS)
        behind = {key: at for key, at in self.before.items() if since < at <= self.ctx.at}
        return sorted(things, key=lambda thing: behind.get(key_of(thing), ""))

    def note(self, answer: Unanswered, keys: Sequence[str]) -> None:
        """Takes note of questions that were put and not answered; a dry run keeps nothing. Raises: BrainError when the disk refuses."""
        from brain.stages.unanswered import STOPS

        fresh = [key for key in dict.fromkeys(keys) if key not in self._noted]
        if answer.why in STOPS or not fresh or self.run.is_dry:
            return
        self._noted |= set(fresh)
        append(self.ctx, [{"kind": KIND, "at": self.ctx.at, "run": self.run.id, "stage": self.stage, "keys": fresh}])
