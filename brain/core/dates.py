"""Civil dates and instants as they come out of notes: read tolerantly, kept as ISO text."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from functools import lru_cache

_ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


def civil_date(value: object) -> str | None:
    """Returns `YYYY-MM-DD` when the value starts with a real date, else None."""
    if isinstance(value, datetime | date):
        return value.strftime("%Y-%m-%d") if value.year >= 1000 else None
    if not isinstance(value, str):
        return None
    match = _ISO_DATE.match(value.strip())
    return _real(match)


def date_in(text: str) -> str | None:
    """Returns the first real ISO date anywhere in a text (a file name, say), else None."""
    return next((found for match in _ISO_DATE.finditer(text) if (found := _real(match))), None)


def instant_of(text: str) -> datetime | None:
    """Returns the UTC instant of an ISO date or date-time (a bare one counts as UTC), else None."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except (ValueError, OverflowError):
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def iso_utc(moment: datetime) -> str:
    """Returns an instant as ISO text in UTC with microseconds: sorts as it passes."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@lru_cache(maxsize=1 << 14)
def start_of(civil: str) -> datetime:
    """Returns midnight UTC of an ISO civil date."""
    return datetime.combine(date.fromisoformat(civil), time(), UTC)


def _real(match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return None
