"""The tree as the catalog has it, as a value for `core.tree`. Reads only.

A parent that is superseded stands for the note that replaces it; what is no longer current
and episodes, which are never rewritten, are not in it.
"""

from __future__ import annotations

import sqlite3

from brain.core.ids import fold
from brain.core.tree import Forest, Node
from brain.vault.links import NOT_LIVE

FORWARDS_MAX = 8
_DEAD = ", ".join(f"'{status}'" for status in sorted(NOT_LIVE))


def forest_of(conn: sqlite3.Connection, owner: str | None) -> Forest:
    """Returns the live notes with their parents, oldest first: by the record that made the edge, then by its place in the note."""
    rows = conn.execute(f"SELECT nid, path, kind FROM note WHERE kind<>'episode' AND status NOT IN ({_DEAD}) ORDER BY path").fetchall()
    path_of = {nid: path for nid, path, _ in rows}
    forwards = dict(
        conn.execute("SELECT nid, target_nid FROM link WHERE relation='superseded_by' AND place='property' AND status='resolved' ORDER BY ordinal DESC")
    )
    parents: dict[str, list[str]] = {}
    edges = conn.execute(
        "SELECT l.nid, l.target_nid FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " LEFT JOIN recorded r ON r.item=s.path||'|part_of|'||t.path"
        " WHERE l.edge_type='part_of' AND l.status='resolved' ORDER BY l.nid, ifnull(r.at,''), l.ordinal"
    )
    for child, target in edges:
        parent = _live(target, path_of, forwards)
        if child in path_of and parent is not None and parent != child:
            held = parents.setdefault(path_of[child], [])
            if path_of[parent] not in held:
                held.append(path_of[parent])
    nodes = {path: Node(path, kind) for _, path, kind in rows}
    return Forest(nodes, {path: tuple(kept) for path, kept in sorted(parents.items())}, owner_of(conn, owner))


def owner_of(conn: sqlite3.Connection, owner: str | None) -> str | None:
    """Returns the path of the owner's note, a person's before any other of that name; None when no owner is set, or no note has the name."""
    if not owner:
        return None
    row = conn.execute(
        f"SELECT n.path FROM name a JOIN note n USING(nid) WHERE a.key=? AND n.kind<>'episode' AND n.status NOT IN ({_DEAD})"
        " ORDER BY n.kind<>'person', a.how, n.path", (fold(owner),),
    ).fetchone()  # fmt: skip
    return None if row is None else str(row[0])


def parents_of(conn: sqlite3.Connection, path: str) -> tuple[str, ...]:
    """Returns what one note is part of, as the notes say it; a superseded parent stands for the note that replaces it."""
    rows = conn.execute(
        "SELECT DISTINCT t.nid, t.path, t.status FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE s.path=? AND l.edge_type='part_of' AND l.status='resolved' AND s.nid<>t.nid", (path,),
    ).fetchall()  # fmt: skip
    ends = {end for row in rows if (end := forwarded(conn, *row)) is not None}
    return tuple(sorted(ends - {path}))


def ids_of(conn: sqlite3.Connection) -> dict[str, str]:
    """Returns the id of each note, by path."""
    return dict(conn.execute("SELECT path, id FROM note"))


def ways_up(conn: sqlite3.Connection, path: str) -> dict[str, tuple[str, ...]]:
    """Returns the parents of a note and of everything above it."""
    found: dict[str, tuple[str, ...]] = {}
    pending = [path]
    while pending:
        at = pending.pop()
        if at not in found:
            found[at] = parents_of(conn, at)
            pending.extend(found[at])
    return found


def forwarded(conn: sqlite3.Connection, nid: int, path: str, status: str) -> str | None:
    """Returns the live note that one is or forwards to, None without one."""
    for _ in range(FORWARDS_MAX):
        if status != "superseded":
            break
        following = conn.execute(
            "SELECT t.nid, t.path, t.status FROM link l JOIN note t ON t.nid=l.target_nid WHERE l.nid=? AND l.relation='superseded_by'"
            " AND l.place='property' AND l.status='resolved' ORDER BY l.ordinal LIMIT 1", (nid,),
        ).fetchone()  # fmt: skip
        if following is None:
            return None
        nid, path, status = following
    return None if status in NOT_LIVE else path


def _live(nid: int, path_of: dict[int, str], forwards: dict[int, int]) -> int | None:
    for _ in range(FORWARDS_MAX):
        if nid in path_of or nid not in forwards:
            break
        nid = forwards[nid]
    return nid if nid in path_of else None
