"""Forgetting: weight as a pure function of (last touch, the note's metadata, now).

Source: exponential forgetting with importance-stretched half-life and a floor,
w(now) = max(w0 · 0.5^(Δdays / (H · (1 + 4·importance))), 0.15 · importance), clamped to [0, 1].
Nothing here moves the base, so any number of passes equals one.
"""

from __future__ import annotations

import math
from datetime import datetime

HALF_LIFE_DAYS: dict[str, float] = {
    "event": 7, "fact": 21, "open_question": 21, "artifact": 30, "hypothesis": 30, "episode": 30,
    "risk": 60, "opportunity": 60, "concept": 60, "note": 60, "insight": 90, "skill": 180,
    "decision": 180, "project": 365, "person": math.inf, "organization": math.inf, "category": math.inf,
}  # fmt: skip

IMPORTANCE_DEFAULT = 0.5
IMPORTANCE_STRETCH = 4.0
FLOOR_PER_IMPORTANCE = 0.15
LASTING_IMPORTANCE_MIN = 0.4
DEMOTED_HALF_LIFE_DAYS = 60.0
FADED_WEIGHT = 0.10
SECONDS_PER_DAY = 86_400.0


def half_life_days(kind: str, importance: float, override: float | None = None) -> float:
    """Returns the base half-life in days; people and organisations below importance 0.4 fade too."""
    if override is not None and override > 0:
        return override
    base = HALF_LIFE_DAYS.get(kind, HALF_LIFE_DAYS["note"])
    if kind in ("person", "organization") and importance < LASTING_IMPORTANCE_MIN:
        return DEMOTED_HALF_LIFE_DAYS
    return base


def weight_at(
    now: datetime, touched: datetime, *, half_life: float, importance: float, base: float = 1.0, pinned: bool = False
) -> float:
    """Returns the weight in [0, 1] at `now`; both instants must be of the same awareness.

    A touch in the future (a clock that jumped) counts as age zero.
    """
    if pinned or math.isinf(half_life):
        return base
    age_days = max(0.0, (now - touched).total_seconds() / SECONDS_PER_DAY)
    effective = half_life * (1.0 + IMPORTANCE_STRETCH * importance)
    floor = FLOOR_PER_IMPORTANCE * importance
    faded: float = base * 0.5 ** (age_days / effective)
    return min(1.0, max(faded, floor, 0.0))
