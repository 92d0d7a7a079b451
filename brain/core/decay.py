"""Forgetting: weight as a pure function of (base and its clock, kind, importance, dates, now).

Source: exponential forgetting with importance-stretched half-life and a floor,
w(now) = max(w0 · 0.5^(Δdays / (H · (1 + 4·importance))), 0.15 · importance), clamped to [0, 1].
Nothing here moves the base, so any number of passes equals one. The whole graph is weighed by the same formula
in `graph/cypher/decay/`; a test holds the two equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from brain.core.dates import start_of

HALF_LIFE_DAYS: dict[str, float] = {
    "event": 7, "fact": 21, "open_question": 21, "artifact": 30, "hypothesis": 30, "episode": 30,
    "risk": 60, "opportunity": 60, "concept": 60, "note": 60, "insight": 90, "skill": 180,
    "decision": 180, "project": 365, "person": math.inf, "organization": math.inf, "category": math.inf,
}  # fmt: skip

IMPORTANCE_DEFAULT = 0.5
IMPORTANCE_STRETCH = 4.0
FLOOR_PER_IMPORTANCE = 0.15
LASTING_KINDS = ("person", "organization")
LASTING_IMPORTANCE_MIN = 0.4
DEMOTED_HALF_LIFE_DAYS = 60.0
FADED_WEIGHT = 0.10
SPREAD = 0.6
"""What a touch gives to a parent; to a grandparent this squared, and so on."""
SPREAD_LEVELS = 3
EDGE_HALF_LIFE_DAYS = 90.0
EDGE_FADED_WEIGHT = 0.05
SPINE = "part_of"
SECONDS_PER_DAY = 86_400.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Fading:
    """All that a weight depends on besides now: `base` is what it was at `touched`; an infinite half-life does not fade."""

    touched: datetime
    half_life: float
    importance: float
    base: float = 1.0
    pinned: bool = False

    @property
    def lasts(self) -> bool:
        """Whether this never counts as faded: pinned, without a half-life, or held up by its importance."""
        return self.pinned or math.isinf(self.half_life) or not is_faded(FLOOR_PER_IMPORTANCE * self.importance)

    def weight(self, now: datetime) -> float:
        """Returns the weight in [0, 1] at `now`."""
        return weight_at(
            now, self.touched, half_life=self.half_life, importance=self.importance, base=self.base, pinned=self.pinned
        )

    def days_until_faded(self, now: datetime) -> float | None:
        """Returns how many days are left from `now` until this counts as faded, negative when it does; None for never."""
        if self.lasts:
            return None
        waits = (self.touched - now).total_seconds() / SECONDS_PER_DAY
        return waits + stretched(self.half_life, self.importance) * math.log2(self.base / FADED_WEIGHT)


def half_life_days(kind: str, importance: float, override: float | None = None) -> float:
    """Returns the base half-life in days; people and organisations below importance 0.4 fade too."""
    if override is not None and override > 0:
        return override
    base = HALF_LIFE_DAYS.get(kind, HALF_LIFE_DAYS["note"])
    if kind in LASTING_KINDS and importance < LASTING_IMPORTANCE_MIN:
        return DEMOTED_HALF_LIFE_DAYS
    return base


def stretched(half_life: float, importance: float) -> float:
    """Returns the half-life in days as importance stretches it, by up to five."""
    return half_life * (1.0 + IMPORTANCE_STRETCH * importance)


def weight_at(
    now: datetime, touched: datetime, *, half_life: float, importance: float, base: float = 1.0, pinned: bool = False
) -> float:
    """Returns the weight in [0, 1] at `now`; both instants must be of the same awareness.

    A touch in the future (a clock that jumped, an event that is to come) counts as age zero.
    """
    if pinned or math.isinf(half_life):
        return base
    age_days = max(0.0, (now - touched).total_seconds() / SECONDS_PER_DAY)
    floor = FLOOR_PER_IMPORTANCE * importance
    faded: float = base * 0.5 ** (age_days / stretched(half_life, importance))
    return min(1.0, max(faded, floor, 0.0))


def is_faded(weight: float) -> bool:
    """Tells whether so little is left that a thing counts as faded; it can still be found."""
    return weight < FADED_WEIGHT - _ROUNDING


def strongest(touched: datetime, spread: Sequence[datetime | None], half_life: float, importance: float) -> tuple[datetime, float]:
    """Returns the clock and the base that weigh most: an own touch (1), or the touch of something `spread` levels below.

    All of them fade at one rate, so whichever weighs most does so at any time: what was owed before a touch need
    not be settled, as the larger of both is the same before and after.
    """
    if math.isinf(half_life):
        return touched, 1.0
    best, base = touched, 1.0
    for level, moment in enumerate(spread, start=1):
        lead = (moment - best).total_seconds() / SECONDS_PER_DAY if moment else 0.0
        if moment and SPREAD**level / base > 0.5 ** _bounded(lead / stretched(half_life, importance)):
            best, base = moment, SPREAD**level
    return best, base


def age_days(touched: datetime, now: datetime, zone: tzinfo) -> int:
    """Returns how many civil days of a zone lie between a sign of life and `now`, 0 for one to come.

    Midnight in UTC stands for a civil date that a note states, which is the same day in every zone.
    """
    if touched >= now:
        return 0  # and a day at the end of the calendar may be none in every zone
    day = touched.date() if touched.timetz() == time(tzinfo=UTC) else touched.astimezone(zone).date()
    return max(0, (now.astimezone(zone).date() - day).days)


def lasting_until(civil: str) -> datetime:
    """Returns the instant from which an event of this ISO day fades: when the day is over."""
    return start_of(civil) + timedelta(days=1 if civil < date.max.isoformat() else 0)


def edge_weight(now: datetime, stated: date, *, count: int, relation: str) -> float:
    """Returns the weight of a relation that was last stated on a day: each time it is stated makes it last longer.

    `part_of` never falls below the weight at which others count as faded, so that the tree holds.
    """
    age_days = max(0.0, (now - start_of(stated.isoformat())).total_seconds() / SECONDS_PER_DAY)
    left: float = 0.5 ** (age_days / (EDGE_HALF_LIFE_DAYS * math.log(1.0 + count)))
    return max(left, EDGE_FADED_WEIGHT) if relation == SPINE else left


def _bounded(exponent: float) -> float:
    return min(1_000.0, max(-1_000.0, exponent))
