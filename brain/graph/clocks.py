"""From what a weight is counted: the rows of the catalog that say when a note was last alive, as one value.

Search, the graph and the list of what fades read the same columns, so that they cannot disagree.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from brain.core.dates import instant_of, start_of
from brain.core.decay import SPINE, SPREAD_LEVELS, Fading, half_life_days, lasting_until, strongest

COLUMNS = (
    " t.at, t.above1, t.above2, t.above3,"
    " nullif(max(ifnull((SELECT max(r.last) FROM atom x JOIN recorded r ON r.item=x.id WHERE x.nid=n.nid), ''),"
    " ifnull((SELECT max(r.last) FROM recorded r JOIN note s ON s.path=r.source WHERE r.target=n.path AND EXISTS (SELECT 1 FROM link l"
    " WHERE l.nid=s.nid AND l.edge_type=r.relation AND l.target_nid=n.nid AND l.status='resolved')), '')), ''),"
    " n.confirmed, n.created, n.dated, n.mtime_ns, n.happens, n.kind, n.importance, coalesce(n.half_life_days,"
    " (SELECT f.days FROM folder_half_life f WHERE f.folder='' OR n.folder=f.folder"
    " OR substr(n.folder, 1, length(f.folder) + 1)=f.folder || '/' ORDER BY length(f.folder) DESC LIMIT 1)), n.pinned "
)
"""What `Clock` is made of, for a query over `note n` with `JOIN`."""
JOIN = " LEFT JOIN touch t ON t.id=n.id "
LIVE = ("active", "stale")
ARCHIVED = "archived"


class Clock(NamedTuple):
    """What the catalog knows of when a note was last touched, named, confirmed or made, and how fast it fades.

    `above1` to `above3` are the last touches of notes so many levels below it in the tree. `named` is when a
    stage last wrote a claim into it, or a relation to it. `half_life` is the note's own or its folder's.
    """

    touch: str | None
    above1: str | None
    above2: str | None
    above3: str | None
    named: str | None
    confirmed: str | None
    created: str | None
    dated: str | None
    mtime_ns: int
    happens: str | None
    kind: str
    importance: float
    half_life: float | None
    pinned: int

    def fading(self) -> Fading:
        """Returns all that the weight of the note depends on."""
        stated = (self.confirmed, self.created, self.dated)
        return self._fading(_alive((self.touch, self.named), stated, self.happens, self.mtime_ns), self.kind, self.half_life)

    def fading_of_atom(self, kind: str, valid_from: str | None, happens: str | None, recorded: str | None) -> Fading:
        """Returns the same for an atom in the note: it fades by its own kind, and is touched with its note."""
        stated = (valid_from or self.confirmed, self.created, self.dated)
        return self._fading(_alive((self.touch, recorded), stated, happens, self.mtime_ns), kind, None)

    def _fading(self, alive: datetime, kind: str, half_life: float | None) -> Fading:
        days = half_life_days(kind, self.importance, half_life)
        spread = [instant_of(moment) if moment else None for moment in (self.above1, self.above2, self.above3)]
        touched, base = (alive, 1.0) if self.pinned else strongest(alive, spread, days, self.importance)
        return Fading(touched, days, self.importance, base, bool(self.pinned))


@dataclass(frozen=True, slots=True)
class Weighed:
    """A note with all that its weight depends on. `last` is when it was last touched or named, None when never."""

    id: str
    path: str
    title: str
    kind: str
    status: str
    fading: Fading
    last: datetime | None

    @property
    def is_live(self) -> bool:
        """Whether the note counts: neither superseded nor archived."""
        return self.status in LIVE


def weigh_all(conn: sqlite3.Connection) -> tuple[Weighed, ...]:
    """Returns every note with what its weight depends on, by path."""
    rows = conn.execute(f"SELECT n.id, n.path, n.title, n.kind, n.status, {COLUMNS} FROM note n {JOIN} ORDER BY n.path")
    return tuple(_weighed(row[:5], Clock(*row[5:])) for row in rows)


def _alive(known: Iterable[str | None], stated: Iterable[str | None], happens: str | None, mtime_ns: int) -> datetime:
    """Returns the last sign of life: a touch or the newest date that is stated, else the file time; an event lives until its day is over."""
    moments = [moment for text in known if text and (moment := instant_of(text))]
    moments += [start_of(day) for day in stated if day]
    moments += [] if moments else [datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC)]
    return max([*moments, lasting_until(happens)] if happens else moments)


def ancestors_of(conn: sqlite3.Connection, ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Returns the ids of the notes one, two and three levels above these in the tree, each at its nearest level, sorted."""
    seen, level, found = set(ids), set(ids), []
    for _ in range(SPREAD_LEVELS):
        level = {parent for note_id in sorted(level) for (parent,) in conn.execute(_PARENTS, (note_id,))} - seen
        seen |= level
        found.append(tuple(sorted(level)))
    return tuple(found)


_PARENTS = (
    "SELECT p.id FROM note n JOIN link l ON l.nid=n.nid JOIN note p ON p.nid=l.target_nid"
    f" WHERE n.id=? AND l.edge_type='{SPINE}' AND l.status='resolved' AND l.target_nid<>l.nid"
)


def set_folder_half_lives(conn: sqlite3.Connection, folders: Mapping[str, float]) -> None:
    """Puts the settings for folders where the queries of this module find them."""
    conn.execute("DELETE FROM folder_half_life")
    conn.executemany("INSERT OR REPLACE INTO folder_half_life VALUES(?,?)", [(name.strip("/"), days) for name, days in sorted(folders.items())])


def _weighed(own: Sequence[str], clock: Clock) -> Weighed:
    note_id, path, title, kind, status = own
    last = max((moment for text in (clock.touch, clock.named) if text and (moment := instant_of(text))), default=None)
    return Weighed(note_id, path, title, kind, status, clock.fading(), last)
