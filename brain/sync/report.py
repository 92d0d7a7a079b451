"""What a sync did, as values."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field

from brain.core.finding import Finding
from brain.index import catalog
from brain.index import text as fulltext

Progress = Callable[[str, int, int], None]
"""Called with the step's name, how much is done and how much there is (0: unknown)."""


def silent(step: str, done: int, total: int) -> None:
    """Reports to nobody."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Counts of one sync; `notes` is how many the index holds now, `skipped` maps path → why.

    `moved` pairs old and new paths; `rebuilt` says that the stores were made anew and `because` why.
    """

    notes: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    skipped: dict[str, str] = field(default_factory=dict)
    embedded: int = 0
    from_cache: int = 0
    waiting_to_embed: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    """Path → pieces without a vector, of the notes that were read and are too long for `limits.chunks_per_note_max`."""
    rebuilt: bool = False
    because: str | None = None
    problems: tuple[Finding, ...] = ()
    """Errors in the notes that were read: they are indexed as far as they could be."""
    notices: tuple[str, ...] = ()
    generation: int = 0


def report_of(conn: sqlite3.Connection) -> SyncReport:
    """Returns what the catalog holds, as the report of a sync that did nothing."""
    skipped = dict(conn.execute("SELECT path, why FROM skipped ORDER BY path"))
    return SyncReport(
        notes=fulltext.totals(conn).notes, skipped=skipped, generation=int(catalog.get_meta(conn, "generation") or 0)
    )
