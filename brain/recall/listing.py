"""Lists of notes, the tree of `part_of`, and counts: what the catalog holds, without a query. Reads only."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from brain.config import Limits
from brain.core.dates import civil_date
from brain.core.decay import is_faded
from brain.core.ids import fold
from brain.core.recall import Query
from brain.core.vocabulary import canonical_kind
from brain.recall.as_of import holds
from brain.recall.filters import Dropped, filters_of, passing, rows_of, weights_of


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
class Leaf:
    """One standing claim of a note in the tree."""

    id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A note in the tree with what hangs off it; `cut` counts all notes below it that a depth limit left out.

    `weight` is what is left of it when it was asked for, None when nobody asked.
    """

    id: str
    path: str
    title: str
    kind: str
    importance: float
    children: tuple[Branch, ...] = ()
    cut: int = 0
    weight: float | None = None
    faded: bool = False
    atoms: tuple[Leaf, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """The branches from the top; `outside` counts the notes that have no parent and no child, `hidden` those that a filter left out."""

    branches: tuple[Branch, ...]
    outside: int
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the tree is shown: notes of these kinds (none: of all), and of at least this weight at `now`, with what they hang off."""

    now: datetime | None = None
    weight_min: float = 0.0
    kinds: tuple[str, ...] = ()
    atoms: bool = False


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


def list_notes(conn: sqlite3.Connection, query: Query) -> tuple[Listed, ...]:
    """Returns the notes that pass the filters of a query, superseded ones included, by path; `limit` 0 means all.

    The words of the query do not matter. Raises: UsageError for a date that is none.
    """
    rows = rows_of(conn, (nid for (nid,) in conn.execute("SELECT nid FROM note")))
    kept = passing(conn, rows.values(), filters_of(query), Dropped(), counted=False)
    found = sorted((rows[nid] for nid in kept), key=lambda row: row.path)
    return tuple(Listed(n.id, n.path, n.title, n.kind, n.status, n.importance, n.created) for n in found[: query.limit or None])


def tree_of(
    conn: sqlite3.Connection, *, root: int | None = None, owner: str | None = None, depth: int = 0, levels_max: int = Limits().tree_levels_max,
    wanted: Wanted | None = None, day: str | None = None,
) -> Tree:
    """Returns the tree of `part_of`, siblings by importance and title; `depth` 0 means down to `levels_max`.

    The owner comes first; a ring of parents is cut where it closes. As of an ISO civil `day`: notes that were there, and
    the edges that held then by their own days; a note or an edge without any may always have been.
    """
    wanted = wanted or Wanted()
    notes = _held(conn, root, day)
    if root is not None and root not in notes:
        return Tree((), 0)
    children, parents = _spine(conn, notes, day)
    tops = [root] if root is not None else _tops(notes, children, parents, owner)
    inside = children.keys() | parents.keys() | set(tops)
    weights = weights_of(conn, inside, wanted.now) if wanted.now else {}
    shown = _shown(notes, inside, parents, weights, wanted) | set(tops if root is not None else ())
    grow = _Grower(notes, {nid: parts & shown for nid, parts in children.items()}, min(depth or levels_max, levels_max), weights)
    grow.atoms = _atoms(conn, shown) if wanted.atoms else {}
    branches = tuple(grow.branch(nid, 1) for nid in tops if nid in shown)
    outside = sum(1 for nid in notes if nid not in inside)
    return Tree(branches, outside if root is None else 0, len(inside - shown) if root is None else 0)


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


def _held(conn: sqlite3.Connection, root: int | None, day: str | None) -> dict[int, _Note]:
    """Returns the notes that a tree may show; one that was superseded after the day was there on it."""
    rows = conn.execute(
        "SELECT nid, id, path, title, kind, importance, status, coalesce(dated, created), properties FROM note WHERE status<>'superseded' OR nid=? OR ? IS NOT NULL",
        (root, day),
    )
    found: dict[int, _Note] = {}
    for nid, *note, status, born, properties in rows:
        over = civil_date(json.loads(properties).get("superseded_on")) or "" if day is not None and status == "superseded" else None
        if day is None or holds(born, over, day):
            found[nid] = (note[0], note[1], note[2], note[3], note[4])
    return found


def _spine(conn: sqlite3.Connection, notes: Collection[int], day: str | None) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Returns the parts and the parents of each note."""
    children: dict[int, set[int]] = {}
    parents: dict[int, set[int]] = {}
    rows = conn.execute("SELECT nid, target_nid, valid_from, valid_to FROM link WHERE edge_type='part_of' AND status='resolved' AND nid<>target_nid")
    for child, parent, began, ended in rows:
        if child in notes and parent in notes and (day is None or holds(began, ended, day)):
            children.setdefault(parent, set()).add(child)
            parents.setdefault(child, set()).add(parent)
    return children, parents


def _shown(
    notes: dict[int, _Note], inside: set[int], parents: dict[int, set[int]], weights: dict[int, float], wanted: Wanted
) -> set[int]:
    """Returns the notes that pass, and all that they hang off."""
    kinds = {canonical_kind(kind) for kind in wanted.kinds}
    shown = {nid for nid in inside if (not kinds or notes[nid][3] in kinds) and weights.get(nid, 1.0) >= wanted.weight_min}
    pending = list(shown)
    while pending:
        above = parents.get(pending.pop(), set()) - shown
        shown |= above
        pending.extend(above)
    return shown


def _atoms(conn: sqlite3.Connection, shown: set[int]) -> dict[int, tuple[Leaf, ...]]:
    """Returns the standing claims of notes, in their order."""
    found: dict[int, list[Leaf]] = {}
    for nid, *leaf in conn.execute("SELECT nid, id, kind, text FROM atom WHERE status='active' ORDER BY nid, ordinal"):
        if nid in shown:
            found.setdefault(nid, []).append(Leaf(*leaf))
    return {nid: tuple(leaves) for nid, leaves in found.items()}


class _Grower:
    def __init__(self, notes: dict[int, _Note], children: dict[int, set[int]], depth: int, weights: dict[int, float]) -> None:
        self._notes = notes
        self._children = children
        self._depth = depth
        self._weights = weights
        self.atoms: dict[int, tuple[Leaf, ...]] = {}
        self._seen: set[int] = set()
        self._cut: set[int] = set()

    def branch(self, nid: int, level: int) -> Branch:
        self._seen.add(nid)
        below = sorted(self._children.get(nid, set()) - self._seen, key=lambda child: _order(self._notes[child]))
        if level >= self._depth:
            return self._of(nid, (), self._count(below))
        grown = [self.branch(child, level + 1) for child in below if child not in self._seen]
        return self._of(nid, tuple(grown), 0)

    def _of(self, nid: int, children: tuple[Branch, ...], cut: int) -> Branch:
        weight = self._weights.get(nid)
        faded = weight is not None and is_faded(weight)
        return Branch(*self._notes[nid], children, cut, None if weight is None else round(weight, 4), faded, self.atoms.get(nid, ()))

    def _count(self, below: list[int]) -> int:
        """How many notes are cut off here and at no place before."""
        before, pending = len(self._cut), below
        while pending:
            nid = pending.pop()
            if nid not in self._seen and nid not in self._cut:
                self._cut.add(nid)
                pending.extend(self._children.get(nid, ()))
        return len(self._cut) - before


def _tops(
    notes: dict[int, _Note], children: dict[int, set[int]], parents: dict[int, set[int]], owner: str | None
) -> list[int]:
    called = [nid for nid in notes if owner is not None and fold(notes[nid][2]) == fold(owner)]
    owners = {nid for nid in called if notes[nid][3] == "person"} or set(called)

    def is_owner(nid: int) -> bool:
        return nid in owners

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
