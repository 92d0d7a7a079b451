"""Lists of notes, the tree of `part_of`, and counts: what the catalog holds, without a query. Reads only."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from brain.core.ids import fold
from brain.errors import UsageError


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list."""

    id: str
    path: str
    title: str
    kind: str
    status: str
    importance: float
    created: str | None


@dataclass(frozen=True, slots=True)
class Branch:
    """A note in the tree with what hangs off it; `cut` counts the notes below that a depth limit left out."""

    id: str
    path: str
    title: str
    kind: str
    importance: float
    children: tuple[Branch, ...] = ()
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """The branches from the top; `outside` counts the notes that have no parent and no child."""

    branches: tuple[Branch, ...]
    outside: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What the index holds."""

    notes: int
    links: dict[str, int]
    atoms: int
    edges: int
    kinds: dict[str, int]
    chunks: int
    vectors: int
    generation: int


def list_notes(
    conn: sqlite3.Connection, *, kinds: tuple[str, ...] = (), statuses: tuple[str, ...] = (), tags: tuple[str, ...] = (),
    folder: str | None = None, limit: int = 0,
) -> tuple[Listed, ...]:  # fmt: skip
    """Returns the notes that pass the filters, superseded ones included, by path; `limit` 0 means all."""
    where, values = ["1"], []  # type: tuple[list[str], list[object]]
    for column, words in (("kind", kinds), ("status", statuses)):
        if words:
            where.append(f"{column} IN ({','.join('?' * len(words))})")
            values.extend(words)
    for tag in tags:
        where.append("nid IN (SELECT nid FROM tag WHERE tag=? COLLATE NOCASE OR tag LIKE ? ESCAPE '\\')")
        name = tag.removeprefix("#")
        values.extend((name, _like(name) + "/%"))
    if folder:
        where.append("path LIKE ? ESCAPE '\\'")
        values.append(_like(folder.strip("/")) + "/%")
    rows = conn.execute(
        f"SELECT id, path, title, kind, status, importance, created FROM note WHERE {' AND '.join(where)} ORDER BY path LIMIT ?",
        (*values, limit or -1),
    )
    return tuple(Listed(*row) for row in rows)


def tree_of(conn: sqlite3.Connection, *, root: int | None = None, owner: str | None = None, depth: int = 0) -> Tree:
    """Returns the tree of `part_of`, siblings by importance and title; `depth` 0 means all the way down.

    The owner comes first; a ring of parents is cut where it closes.
    """
    held = conn.execute("SELECT nid, id, path, title, kind, importance FROM note WHERE status<>'superseded' OR nid=?", (root,))
    notes = {row[0]: row[1:] for row in held}
    children: dict[int, set[int]] = {}
    parents: dict[int, set[int]] = {}
    rows = conn.execute("SELECT nid, target_nid FROM link WHERE edge_type='part_of' AND status='resolved' AND nid<>target_nid")
    for child, parent in rows:
        if child in notes and parent in notes:
            children.setdefault(parent, set()).add(child)
            parents.setdefault(child, set()).add(parent)
    tops = [root] if root is not None else _tops(notes, children, parents, owner)
    grow = _Grower(notes, children, depth)
    branches = tuple(grow.branch(nid, 1) for nid in tops)
    outside = sum(1 for nid in notes if nid not in children and nid not in parents and nid not in tops)
    return Tree(branches, outside if root is None else 0)


def counts_of(conn: sqlite3.Connection) -> Counts:
    """Counts what is indexed."""

    def one(sql: str) -> int:
        return int(conn.execute(sql).fetchone()[0] or 0)

    return Counts(
        notes=one("SELECT count(*) FROM note"),
        links=dict(conn.execute("SELECT status, count(*) FROM link GROUP BY status ORDER BY status")),
        atoms=one("SELECT count(*) FROM atom"),
        edges=one("SELECT count(*) FROM (SELECT DISTINCT nid, edge_type, target_nid FROM link WHERE edge_type IS NOT NULL AND status='resolved')"),
        kinds=dict(conn.execute("SELECT kind, count(*) FROM note GROUP BY kind ORDER BY count(*) DESC, kind")),
        chunks=one("SELECT count(DISTINCT hash) FROM chunk"),
        vectors=one("SELECT count(*) FROM vector WHERE hash IN (SELECT hash FROM chunk)"),
        generation=one("SELECT value FROM meta WHERE key='generation'"),
    )


_Note = tuple[str, str, str, str, float]
"""Id, path, title, kind and importance."""


class _Grower:
    def __init__(self, notes: dict[int, _Note], children: dict[int, set[int]], depth: int) -> None:
        self._notes = notes
        self._children = children
        self._depth = depth
        self._seen: set[int] = set()

    def branch(self, nid: int, level: int) -> Branch:
        self._seen.add(nid)
        below = sorted(self._children.get(nid, set()) - self._seen, key=lambda child: _order(self._notes[child]))
        if self._depth and level >= self._depth:
            return Branch(*self._notes[nid], (), len(below))
        grown = [self.branch(child, level + 1) for child in below if child not in self._seen]
        return Branch(*self._notes[nid], tuple(grown))


def _tops(
    notes: dict[int, _Note], children: dict[int, set[int]], parents: dict[int, set[int]], owner: str | None
) -> list[int]:
    def is_owner(nid: int) -> bool:
        return owner is not None and notes[nid][3] == "person" and fold(notes[nid][2]) == fold(owner)

    tops = [nid for nid in notes if (nid in children and nid not in parents) or is_owner(nid)]
    reached: set[int] = set()
    pending = list(tops)
    while pending:
        nid = pending.pop()
        if nid not in reached:
            reached.add(nid)
            pending.extend(children.get(nid, ()))
    ringed = sorted((nid for nid in children if nid not in reached), key=lambda nid: str(notes[nid][1]))
    while ringed:  # a ring has no top: it is entered at its first path
        tops.append(ringed[0])
        pending = [ringed[0]]
        while pending:
            nid = pending.pop()
            if nid not in reached:
                reached.add(nid)
                pending.extend(children.get(nid, ()))
        ringed = [nid for nid in ringed if nid not in reached]
    return sorted(tops, key=lambda nid: (not is_owner(nid), _order(notes[nid])))


def _order(note: _Note) -> tuple[float, str, str]:
    return (-note[4], fold(note[2]), note[1])


def _like(text: str) -> str:
    if "\x00" in text:
        raise UsageError("A filter cannot hold a NUL character.", "correct the filter")
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
