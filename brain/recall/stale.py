"""Claims that want a look: those that time has overtaken, and those that rest on one that stands no more. Reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.claims import PLAN_DAYS, why_overtaken
from brain.core.ids import fold

_LIVE = "n.status NOT IN ('superseded', 'archived')"


@dataclass(frozen=True, slots=True, order=True)
class Wanting:
    """A claim, where it stands, and why it wants a look. `line` is 1-based; `rests` tells that it rests on another one."""

    path: str
    line: int
    text: str
    why: str
    rests: bool = False


def wanting(conn: sqlite3.Connection, today: str, *, days: int = PLAN_DAYS) -> tuple[Wanting, ...]:
    """Returns the standing claims that are overtaken on a civil day, and what rests on claims that are superseded, by path and line."""
    return tuple(sorted({*_overtaken(conn, today, days), *_by_quote(conn), *_by_anchor(conn)}))


def _overtaken(conn: sqlite3.Connection, today: str, days: int) -> Iterator[Wanting]:
    rows = conn.execute(
        "SELECT n.path, a.line, a.text, coalesce(a.valid_from, substr(r.at, 1, 10), n.dated, n.created, n.confirmed,"
        " date(n.mtime_ns / 1000000000, 'unixepoch')) FROM atom a JOIN note n USING(nid) LEFT JOIN recorded r ON r.item=a.id"
        f" WHERE a.status='active' AND a.valid_to IS NULL AND {_LIVE}"
    )
    for path, line, text, said_on in rows:
        why = why_overtaken(text, said_on, today, days=days)
        if why is not None:
            yield Wanting(path, line, text, why)


def _by_quote(conn: sqlite3.Connection) -> Iterator[Wanting]:
    """Yields `follows_from` lines whose quoted words are of a claim that was superseded since the note was last confirmed."""
    rows = conn.execute(
        "SELECT n.path, l.line, l.reason, t.path, a.text, a.superseded_on FROM link l JOIN note n USING(nid) JOIN note t ON t.nid=l.target_nid"
        f" JOIN atom a ON a.nid=t.nid WHERE l.edge_type='follows_from' AND l.reason IS NOT NULL AND a.status='superseded' AND {_LIVE}"
        " AND (n.confirmed IS NULL OR a.superseded_on IS NULL OR n.confirmed < a.superseded_on)"
    )
    for path, line, reason, target, text, on in rows:
        quote, said = fold(reason).strip(" \"“”'"), fold(text)
        if quote and said and (quote in said or said in quote):
            yield Wanting(path, line, reason, f"it rests on “{text}” in {target}, which {_ended(on)}", rests=True)


def _by_anchor(conn: sqlite3.Connection) -> Iterator[Wanting]:
    """Yields links to the block of a claim that was superseded since the note was last confirmed; the claim's own successor may link it."""
    rows = conn.execute(
        "SELECT n.path, l.line, l.raw, t.path, a.text, a.superseded_on FROM link l JOIN note n USING(nid) JOIN note t ON t.nid=l.target_nid"
        " JOIN atom a ON a.nid=t.nid AND '^' || a.declared_id = l.anchor"
        f" WHERE l.anchor LIKE '^%' AND a.status='superseded' AND {_LIVE}"
        " AND (n.confirmed IS NULL OR a.superseded_on IS NULL OR n.confirmed < a.superseded_on)"
        " AND NOT EXISTS (SELECT 1 FROM atom s WHERE s.nid=l.nid AND s.line=l.line AND (s.status<>'active' OR s.declared_id=a.superseded_by))"
    )
    for path, line, raw, target, text, on in rows:
        yield Wanting(path, line, raw, f"it names “{text}” in {target}, which {_ended(on)}", rests=True)


def _ended(on: str | None) -> str:
    return f"is superseded since {on}" if on else "is superseded"
