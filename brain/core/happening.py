"""Days that a text names: ISO dates, and English month names with a day or a year. Pure.

    5 June 2031 · June 5th · 5-7 June · June 30 to July 2, 2031 · June 2031 · 2031-06-05

A range counts its end; a month without a day, its last day. A day without a year is of the year that is given. What is
no month and no date is left out: "may" and "march" in small letters are verbs more often, four digits and two and two
inside a longer number are a part of it, and a year too far from the given one is a number.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from functools import cache

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_MONTH = "(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "september" else "sept?(?:ember)?" for m in _MONTHS) + r")\b\.?"
YEARS_AWAY_MAX = 100
_VERBS = ("may", "march")
_DAY = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th)?"
_TO = r"\s{0,3}(?:-|–|—|to|until|till|through|and)\s{0,3}"
_YEAR = r"(?:,?\s{1,3}(?P<year>\d{4})(?!\d))?"
_DAYS = f"{_DAY.format('first')}(?:{_TO}{_DAY.format('last')})?"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Returns how a day is written, the fullest first; made when the first event is read, as most commands read none."""
    return (
        re.compile(r"(?<!\d)(?<!\d[-.])(?P<year>\d{4})-(?P<month>\d{2})-(?P<first>\d{2})(?!\d|[-.]\d)"),
        re.compile(rf"(?<![\w-])(?<!\d[./]){_DAYS}\s{{1,3}}(?:of\s{{1,3}})?{_MONTH}{_YEAR}", re.IGNORECASE),
        re.compile(rf"\b{_MONTH}\s{{1,3}}{_DAYS}(?!\w){_YEAR}", re.IGNORECASE),
        re.compile(rf"\b{_MONTH},?\s{{1,3}}(?P<year>\d{{4}})(?!\d)", re.IGNORECASE),
    )


def last_day_named(text: str, year: int) -> str | None:
    """Returns the latest day that a text names, as an ISO date; None when it names none. `year` is that of days without one."""
    return max(_days(text, year), default=None)


def _days(text: str, year: int) -> Iterator[str]:
    for pattern in _patterns():
        for match in pattern.finditer(text):
            found = match.groupdict()
            if found["month"] in _VERBS:
                continue
            day = _real(int(found["year"] or year), _number(found["month"]), found.get("last") or found.get("first"))
            if day and abs(int(day[:4]) - year) <= YEARS_AWAY_MAX:
                yield day
        text = pattern.sub(" ", text)  # what has a day is no month alone, even when there is no such day


def _number(month: str) -> int:
    return int(month) if month.isdigit() else 1 + next(at for at, name in enumerate(_MONTHS) if name.startswith(month[:3].casefold()))


def _real(year: int, month: int, day: str | None) -> str | None:
    try:
        return date(year, month, int(day) if day else monthrange(year, month)[1]).isoformat()
    except ValueError:
        return None
