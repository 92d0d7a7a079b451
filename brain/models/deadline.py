"""How long a run may still take: asked before each slow step, so that what is optional is left out in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

STEP_S_MIN = 5.0


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on a monotonic clock. None of its methods waits."""

    at_s: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """Returns the deadline that is so many seconds away."""
        return cls(clock() + seconds, clock)

    @property
    def left_s(self) -> float:
        """Seconds that are left, 0 when it has passed."""
        return max(0.0, self.at_s - self.clock())

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self.left_s <= 0

    def within(self, limit_s: float) -> float:
        """Returns how long one step may wait: its own limit or what is left, and 5 s at least."""
        return max(STEP_S_MIN, min(limit_s, self.left_s))
