"""What a stranger said, made fit for a message: redacted first, then on one line, then cut."""

from __future__ import annotations

import re

SHOWN_CHARS_MAX = 300
_SECRET = re.compile(r"(?i)(bearer\s+|\b(?:sk|pk|key|token|api[_-]?key)[-_=:\"'\s]+)[A-Za-z0-9._~+/\-]{6,}=*")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


def shown(text: str, key: str | None = None) -> str:
    """Returns at most 300 characters of a text without control characters or what looks like a key."""
    if key:
        text = text.replace(key, "[redacted]")
    text = _UNPRINTABLE.sub(" ", _SECRET.sub(r"\1[redacted]", text)).strip()
    return text if len(text) <= SHOWN_CHARS_MAX else f"{text[:SHOWN_CHARS_MAX]}…"
