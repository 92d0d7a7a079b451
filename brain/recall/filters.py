"""Which notes a search may show: rows of the catalog, and what each filter takes out, counted. Reads only."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from brain.core.dates import civil_date
from brain.core.ids import fold
from brain.core.recall import Query
from brain.core.vocabulary import canonical_kind
from brain.errors import UsageError
from brain.graph.clocks import COLUMNS, JOIN, Clock

SUPERSEDED = "superseded"
_SQL_VARIABLES_MAX = 30_000
_REASONS = {
    "kinds": "of another kind",
    "statuses": "of another status",
    "tags": "without the tag",
    "folder": "outside the folder",
    "since": "older than the date",
    "as_of": "newer than the date",
    "phrase": "without the quoted phrase",
}


@dataclass(frozen=True, slots=True)
class NoteRow:
    """What a search needs to know of a note besides its text. Dates are ISO civil dates."""

    nid: int
    id: str
    path: str
    folder: str
    title: str
    kind: str
    status: str
    importance: float
    created: str | None
    confirmed: str | None
    dated: str | None
    mtime_ns: int

    @property
    def born(self) -> str | None:
        """The day the note says it is from."""
        return self.dated or self.created

    @property
    def day(self) -> str:
        """The day the note is from, its file time when it does not say."""
        return self.born or datetime.fromtimestamp(self.mtime_ns // 1_000_000_000, UTC).strftime("%Y-%m-%d")


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a query in the form they compare in; values of one filter are alternatives, tags all hold."""

    kinds: frozenset[str]
    statuses: frozenset[str]
    tags: tuple[str, ...]
    folder: str | None
    since: str | None
    as_of: str | None

    @property
    def is_open(self) -> bool:
        """Whether every note passes."""
        return not (self.kinds or self.statuses or self.tags or self.folder or self.since or self.as_of)

    @property
    def asks_for_superseded(self) -> bool:
        """Whether superseded notes were asked for by status."""
        return SUPERSEDED in self.statuses


@dataclass(slots=True)
class Dropped:
    """How many notes that matched were taken out, by the first filter that did."""

    by_filter: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.by_filter.values())

    def sentence(self) -> str:
        """Returns the counts as words, most first."""
        parts = sorted(self.by_filter.items(), key=lambda item: (-item[1], item[0]))
        return ", ".join(f"{count} {_REASONS[name]}" for name, count in parts)


def filters_of(query: Query) -> Filters:
    """Reads the filters of a query.

    Raises: UsageError when a date is none.
    """
    folder = fold(query.folder).strip("/") if query.folder else None
    return Filters(
        kinds=frozenset(name for kind in query.kinds for name in (fold(kind), canonical_kind(kind)) if _names_a_kind(kind, name)),
        statuses=frozenset(map(fold, query.statuses)),
        tags=tuple(fold(tag).lstrip("#").strip("/") for tag in query.tags),
        folder=folder if folder not in ("", ".") else None,
        since=_date(query.since, "since"),
        as_of=_date(query.as_of, "as-of"),
    )


def rows_of(conn: sqlite3.Connection, nids: Iterable[int]) -> dict[int, NoteRow]:
    """Returns the rows of these notes, those that are there."""
    found: dict[int, NoteRow] = {}
    for part in _parts(sorted(set(nids))):
        rows = conn.execute(
            "SELECT n.nid, n.id, n.path, n.folder, n.title, n.kind, n.status, n.importance, n.created, n.confirmed, n.dated,"
            " n.mtime_ns FROM note n"
            f" WHERE n.nid IN ({','.join('?' * len(part))})",
            part,
        )
        found.update((row[0], NoteRow(*row)) for row in rows)
    return found


def weights_of(conn: sqlite3.Connection, nids: Iterable[int], now: datetime) -> dict[int, float]:
    """Returns how much of each of these notes is left at `now`, in [0, 1]; asked of fewer notes than are filtered."""
    found: dict[int, float] = {}
    for part in _parts(sorted(set(nids))):
        rows = conn.execute(f"SELECT n.nid, {COLUMNS} FROM note n {JOIN} WHERE n.nid IN ({','.join('?' * len(part))})", part)
        found.update((row[0], Clock(*row[1:]).fading().weight(now)) for row in rows)
    return found


def passing(
    conn: sqlite3.Connection, rows: Iterable[NoteRow], filters: Filters, dropped: Dropped, *, counted: bool = True
) -> set[int]:
    """Returns the row ids of the notes that pass, adding to `dropped` those that do not."""
    rows = list(rows)
    if filters.is_open:
        return {row.nid for row in rows}
    tags = _tags_of(conn, [row.nid for row in rows]) if filters.tags else {}
    kept = set()
    for row in rows:
        failed = _first_failed(row, filters, tags.get(row.nid, frozenset()))
        if failed is None:
            kept.add(row.nid)
        elif counted:
            dropped.by_filter[failed] += 1
    return kept


def _first_failed(row: NoteRow, filters: Filters, tags: frozenset[str]) -> str | None:
    folder = fold(row.folder)
    checks = (
        ("kinds", not filters.kinds or row.kind in filters.kinds),
        ("statuses", not filters.statuses or row.status in filters.statuses),
        ("tags", all(_has_tag(tags, wanted) for wanted in filters.tags)),
        ("folder", filters.folder is None or folder == filters.folder or folder.startswith(f"{filters.folder}/")),
        ("since", filters.since is None or row.day >= filters.since),
        # A note that names no day of its own may always have been there.
        ("as_of", filters.as_of is None or row.born is None or row.born <= filters.as_of),
    )
    return next((name for name, holds in checks if not holds), None)


def _has_tag(tags: frozenset[str], wanted: str) -> bool:
    return wanted in tags or any(tag.startswith(f"{wanted}/") for tag in tags)


def _tags_of(conn: sqlite3.Connection, nids: Sequence[int]) -> dict[int, frozenset[str]]:
    found: dict[int, set[str]] = {}
    for part in _parts(nids):
        rows = conn.execute(f"SELECT nid, tag FROM tag WHERE nid IN ({','.join('?' * len(part))})", list(part))
        for nid, tag in rows:
            found.setdefault(nid, set()).add(fold(tag))
    return {nid: frozenset(tags) for nid, tags in found.items()}


def _parts(values: Sequence[int]) -> Iterable[list[int]]:
    return (list(values[start : start + _SQL_VARIABLES_MAX]) for start in range(0, len(values), _SQL_VARIABLES_MAX))


def _names_a_kind(given: str, name: str) -> bool:
    """An unknown word counts as itself, not as the plain note that the vocabulary makes of it."""
    return name != "note" or fold(given) == "note"


def _date(given: str | None, option: str) -> str | None:
    if given is None:
        return None
    day = civil_date(given)
    if day is None:
        raise UsageError(f"{given!r} is no date.", f"brain search … --{option} 2026-03-01")
    return day
