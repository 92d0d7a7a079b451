"""What doctor found last, in numbers: derived and disposable, kept beside the index for an answer at once.

Nothing but this file is written here, and where it cannot be written doctor answers all the same.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from brain.core.dates import instant_of, iso_utc
from brain.core.finding import Finding
from brain.errors import IndexBroken, NotFound
from brain.index.catalog import get_meta
from brain.sync.space import Space

SEVERITIES = ("error", "warning", "info")
LAST_FILE = "doctor.json"


@dataclass(frozen=True, slots=True)
class Brief:
    """Counts of the last look, by severity and by code, and what is `worst`. `is_current`: nothing was indexed since."""

    at: str
    generation: str | None
    counts: dict[str, int]
    codes: dict[str, int]
    worst: str = ""
    age_s: int = 0
    is_current: bool = True

    @property
    def text(self) -> str:
        """The state of a vault in one line."""
        named = [f"{count} {severity}{'s' if count > 1 and severity != 'info' else ''}" for severity, count in self.counts.items() if count]
        broken = "BRAIN BROKEN: " if self.counts["error"] else ""
        worst = f"; {self.worst} first" if self.worst else ""
        since = "" if self.is_current else ", and the index changed since"
        return f"{broken}{', '.join(named) or 'nothing to put right'}{worst} (brain doctor, {_ago(self.age_s)}{since})"


def remember(space: Space, findings: Sequence[Finding], now: datetime) -> None:
    """Keeps the numbers of a look, the worst finding first, when there is an index to keep them beside."""
    place = _place(space)
    severities = Counter[str](finding.severity for finding in findings)
    counts = {severity: severities[severity] for severity in SEVERITIES}
    codes = dict(sorted(Counter(finding.code for finding in findings).items()))
    brief = Brief(iso_utc(now), _generation(space), counts, codes, _worst(findings))
    fresh = place.with_name(f"{place.name}.{os.getpid()}.tmp")
    try:
        if place.parent.is_dir():
            fresh.write_text(json.dumps(asdict(brief)), "utf-8")
            os.replace(fresh, place)
    except OSError:
        return  # a vault that may not be written is examined like any other


def brief_of(space: Space) -> Brief:
    """Returns the numbers of the last look. Raises: NotFound when there was none."""
    try:
        held = json.loads(_place(space).read_text("utf-8"))
        counts = {severity: int(held["counts"][severity]) for severity in SEVERITIES}
        generation, codes = held["generation"], {str(code): int(count) for code, count in held["codes"].items()}
        at = str(held["at"])
        moment = instant_of(at)
        age_s = int((space.clock.now() - moment).total_seconds()) if moment else 0
        return Brief(at, generation, counts, codes, str(held.get("worst", "")), max(0, age_s), generation == _generation(space))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotFound("Doctor has not looked at this vault yet.", "brain doctor") from error


def _worst(findings: Sequence[Finding]) -> str:
    """Returns the commonest code of the worst severity that there is."""
    severity = next((severity for severity in SEVERITIES if any(finding.severity == severity for finding in findings)), None)
    codes = Counter(finding.code for finding in findings if finding.severity == severity)
    return min(codes, key=lambda code: (-codes[code], code), default="")


def _ago(age_s: int) -> str:
    """Returns an age in the largest unit that it has one of."""
    for seconds, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if age_s >= seconds:
            count = age_s // seconds
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _place(space: Space) -> Path:
    return space.layout.index / LAST_FILE


def _generation(space: Space) -> str | None:
    if not space.layout.catalog_path.exists():
        return None
    try:
        with space.catalog() as conn:
            return get_meta(conn, "generation")
    except (IndexBroken, sqlite3.DatabaseError):
        return None
