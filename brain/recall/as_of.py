"""What a note said on a day: the claims and relations that held then, by their own days. Reads only.

A claim begins on the day it states, else on that of the earliest episode it names as its source, else on the day it was
recorded, else on that of its note; without any it may always have held. It ends on the day it was superseded or the day it states.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

_SOURCE_DAY = (
    "SELECT min(coalesce(e.dated, e.created)) FROM link l JOIN note e ON e.nid=l.target_nid"
    " WHERE l.nid=a.nid AND l.line=a.line AND l.status='resolved' AND e.kind='episode'"
)


@dataclass(frozen=True, slots=True)
class ThenClaim:
    """A claim that held on a day. `ended` is the day on which it stopped to, when it has."""

    id: str
    text: str
    kind: str
    began: str | None
    ended: str | None
    line: int


@dataclass(frozen=True, slots=True)
class ThenRelation:
    """A relation that held on a day, with the path it leads to."""

    type: str
    target: str
    began: str | None
    ended: str | None


@dataclass(frozen=True, slots=True)
class Then:
    """One note as of a day; `was_there` is false when the note says that it is younger."""

    path: str
    title: str
    day: str
    was_there: bool
    claims: tuple[ThenClaim, ...]
    relations: tuple[ThenRelation, ...]


def as_of(conn: sqlite3.Connection, nid: int, day: str) -> Then:
    """Returns a note as of an ISO civil day."""
    path, title, born = conn.execute("SELECT path, title, coalesce(dated, created) FROM note WHERE nid=?", (nid,)).fetchone()
    claims = conn.execute(
        f"SELECT a.id, a.text, a.kind, coalesce(a.valid_from, ({_SOURCE_DAY}), substr(r.at, 1, 10), n.dated, n.created),"
        " CASE WHEN a.superseded_on IS NULL THEN a.valid_to WHEN a.valid_to IS NULL THEN a.superseded_on ELSE min(a.valid_to, a.superseded_on) END,"
        " a.line, a.status FROM atom a JOIN note n USING(nid) LEFT JOIN recorded r ON r.item=a.id WHERE a.nid=? ORDER BY a.ordinal",
        (nid,),
    ).fetchall()
    relations = conn.execute(
        "SELECT DISTINCT l.edge_type, t.path, l.valid_from, l.valid_to FROM link l JOIN note t ON t.nid=l.target_nid"
        " WHERE l.nid=? AND l.edge_type IS NOT NULL AND l.status='resolved' ORDER BY l.edge_type, t.path",
        (nid,),
    ).fetchall()
    held = tuple(ThenClaim(*row[:6]) for row in claims if holds(row[3], row[4], day) and not (row[6] == "superseded" and row[4] is None))
    return Then(path, title, day, born is None or born <= day, held, tuple(ThenRelation(*row) for row in relations if holds(row[2], row[3], day)))


def holds(began: str | None, ended: str | None, day: str) -> bool:
    """Tells whether something that began and ended on two days held on a third; on the day of its end it does no more."""
    return (began is None or began <= day) and (ended is None or day < ended)
