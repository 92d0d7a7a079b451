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

from brain.core.dates import iso_utc
from brain.core.finding import Finding
from brain.errors import IndexBroken, NotFound
from brain.index.catalog import get_meta
from brain.sync.space import Space

SEVERITIES = ("error", "warning", "info")
LAST_FILE = "doctor.json"


@dataclass(frozen=True, slots=True)
class Brief:
    """Counts of the last look, by severity and by code. `is_current`: nothing was indexed since."""

    at: str
    generation: str | None
    counts: dict[str, int]
    codes: dict[str, int]
    is_current: bool = True

    @property
    def text(self) -> str:
        """The state of a vault in one line."""
        named = [f"{count} {severity}{'s' if count > 1 and severity != 'info' else ''}" for severity, count in self.counts.items() if count]
        worst = "BRAIN BROKEN: " if self.counts["error"] else ""
        since = "" if self.is_current else ", and the index changed since"
        when = f"{self.at[:16].replace('T', ' ')} UTC"
        return f"{worst}{', '.join(named) or 'nothing to put right'} (brain doctor, {when}{since})"


def remember(space: Space, findings: Sequence[Finding], now: datetime) -> None:
    """Keeps the numbers of a look, when there is an index to keep them beside."""
    place = _place(space)
    severities = Counter[str](finding.severity for finding in findings)
    counts = {severity: severities[severity] for severity in SEVERITIES}
    codes = dict(sorted(Counter(finding.code for finding in findings).items()))
    brief = Brief(iso_utc(now), _generation(space), counts, codes)
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
        return Brief(str(held["at"]), generation, counts, codes, generation == _generation(space))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotFound("Doctor has not looked at this vault yet.", "brain doctor") from error


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
