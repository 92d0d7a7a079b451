"""Claims that time has overtaken: plans that are old, days that have passed. Pure; English words.

A claim that says `as of` a day is of that day, and no plan. What is meant is the future: `will`, `is going to`, `plans
to`, `by <date>`; a claim in the past tense about a day gone by is history, and right.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from brain.core.dates import civil_date

PLAN_DAYS = 30
_PLAN = re.compile(
    r"\b(?:will|won['’]t|shall|(?:is|are|am) (?:going|about|due|planning|supposed|scheduled) to|(?:plan|intend|aim|hope|want|expect)s? to"
    r"|next (?:week|month|quarter|year|spring|summer|autumn|fall|winter)|soon|upcoming|tomorrow|later this (?:week|month|year))\b",
    re.IGNORECASE,
)
_AS_OF = re.compile(r"\bas of\b", re.IGNORECASE)
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_DUE = re.compile(r"\b(?:by|until|till|before|due(?: on)?)\s+$", re.IGNORECASE)


def why_overtaken(text: str, said_on: str, today: str, *, days: int = PLAN_DAYS) -> str | None:
    """Returns why a claim of a day (`said_on`, ISO) is overtaken on another one, for a person; None when it is not."""
    if _AS_OF.search(text):
        return None
    plan = _PLAN.search(text)
    passed = next((day for day in _days(text) if day < today), None) if plan or _is_due(text) else None
    if passed is not None and passed >= said_on:
        return f"it speaks of {passed} as still to come"
    if plan and not any(day >= today for day in _days(text)) and _later(said_on, days) <= today:
        return f"it is a plan (“{plan[0]}”) of {said_on}"
    return None


def _days(text: str) -> list[str]:
    return [day for match in _DAY.finditer(text) if (day := civil_date(match[0]))]


def _is_due(text: str) -> bool:
    """Tells whether a text has a day to come as a deadline (`by 2026-03-01`): of `on` and the like only with a plan."""
    return any(_DUE.search(text[: match.start()]) for match in _DAY.finditer(text))


def _later(day: str, days: int) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
    except OverflowError:
        return "9999-12-31"
