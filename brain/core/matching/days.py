"""Days in one form, however they are written. Pure."""

from __future__ import annotations

import re

from brain.core.matching.words import folded

_MONTHS = {name: number for number, names in enumerate((
    "jan january januar janvier gennaio enero", "feb february februar fevrier febbraio febrero", "mar march maerz mrz mars marzo",
    "apr april avril aprile abril", "may mai maggio mayo", "jun june juni juin giugno junio", "jul july juli juillet luglio julio",
    "aug august aout agosto", "sep sept september septembre settembre septiembre", "oct october oktober okt octobre ottobre octubre",
    "nov november novembre noviembre", "dec december dezember dez decembre dicembre diciembre"), 1) for name in names.split()}  # fmt: skip


def day_of(text: str) -> str:
    """Returns the eight digits of a date in any usual form, or its digits, or nothing."""
    plain = folded(text).strip()
    if match := re.match(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", plain):
        return f"{match[1]}{match[2]:0>2}{match[3]:0>2}"
    if match := re.match(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", plain):
        return f"{match[3]}{match[2]:0>2}{match[1]:0>2}"
    words = re.findall(r"[a-z]+|\d+", plain)
    month = next((_MONTHS[word] for word in words if word in _MONTHS), None)
    digits = [word for word in words if word.isdigit()]
    if month and (year := next((word for word in digits if len(word) == 4), None)):
        day = next((word for word in digits if len(word) <= 2), "")
        return f"{year}{month:02d}{day:0>2}" if day else f"{year}{month:02d}"
    return "".join(digits)
