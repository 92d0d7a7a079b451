"""What a name in a note leads to, asked of the catalog: a live note, nothing, or something unclear.

A superseded note forwards to its successor. A name that comes close to an existing note's (`Site Map`,
`site-map`) is unclear, not free: no twin is ever made. Reads only.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from brain.core.ids import fold
from brain.core.names import name_tokens
from brain.core.slug import compact
from brain.index.resolution import candidates_of, resolver_for
from brain.stages.context import Context
from brain.vault.links import keys_wanted

FORWARDS_MAX = 8


@dataclass(frozen=True, slots=True)
class Existing:
    """A note answers to the name. `kind` is canonical."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Missing:
    """No note answers to the name."""

    name: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """A person must say which note is meant; `candidates` are paths, sorted."""

    why: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoThing:
    """The link leads to a file, a page or the note itself: nothing a claim can be about."""


Target = Existing | Missing | Unclear | NoThing


class Names:
    """Answers for one run; knows the notes that the run itself made before they are in the catalog."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._made: dict[str, Existing] = {}

    def made(self, name: str, note: Existing) -> None:
        """Takes note of a note that this run creates."""
        self._made[fold(name)] = note

    def find(self, source: str, target: str) -> Target:
        """Returns what `target`, linked in the note at path `source`, leads to."""
        made = self._made.get(fold(target))
        if made is not None:
            return made
        with self._ctx.catalog() as conn:
            return _found(conn, source, target)

    def leads_to(self, source: str, target: str, form: str) -> str | None:
        """Returns the path of the very note a link resolves to, superseded or not; None when it resolves to none."""
        with self._ctx.catalog() as conn:
            status, nid = resolver_for(conn, keys_wanted(source, target))(source, target, form)
            if status != "resolved" or nid is None:
                return None
            return str(conn.execute("SELECT path FROM note WHERE nid=?", (nid,)).fetchone()[0])

    def keys_of(self, path: str) -> tuple[str, ...]:
        """Returns the folded names a note answers to."""
        with self._ctx.catalog() as conn:
            rows = conn.execute("SELECT DISTINCT key FROM name WHERE nid=(SELECT nid FROM note WHERE path=?) ORDER BY key", (path,))
            return tuple(key for (key,) in rows)

    def link_to(self, path: str) -> str:
        """Returns the shortest link target that leads to a note from anywhere: its stem, or its path."""
        whole = path.removesuffix(path[-3:])
        stem = whole.rsplit("/", 1)[-1]
        with self._ctx.catalog() as conn:
            count = conn.execute("SELECT count(*) FROM name WHERE key=? AND how=1", (fold(stem),)).fetchone()[0]
        return stem if count <= 1 else whole


def _found(conn: sqlite3.Connection, source: str, target: str) -> Target:
    status, nid = resolver_for(conn, keys_wanted(source, target))(source, target, "wikilink")
    match status:
        case "resolved" if nid is not None:
            return _live(conn, nid)
        case "ambiguous":
            key = next(iter(keys_wanted(source, target)), "")
            return Unclear("more than one note answers to it", candidates_of(conn, source, target, "wikilink", key))
        case "broken":
            return _unless_twin(conn, target)
        case _:
            return NoThing()


def _live(conn: sqlite3.Connection, nid: int) -> Target:
    """Follows a superseded note to the one that replaces it."""
    for _ in range(FORWARDS_MAX):
        path, kind, status, successor = conn.execute(
            "SELECT path, kind, status, superseded_by FROM note WHERE nid=?", (nid,)
        ).fetchone()
        if status != "superseded":
            return Existing(path, kind)
        following: int | None = None
        if successor:
            _, following = resolver_for(conn, keys_wanted(path, successor))(path, successor, "wikilink")
        if following is None or following == nid:
            return Unclear("it is superseded and names no successor that is there", (path,))
        nid = following
    return Unclear("its notes forward to each other", (path,))


def _unless_twin(conn: sqlite3.Connection, target: str) -> Target:
    if "/" in target:
        return Unclear("it names a path where no note is", ())
    twins = _twins(conn, target)
    return Unclear("a note has nearly this name", twins) if twins else Missing(target.strip())


def _twins(conn: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Returns live notes with a name or title of the same letters and digits, found by a shared token."""
    tokens, wanted = name_tokens(name), compact(name)
    if not wanted:
        return ()
    marks = ",".join("?" * len(tokens))
    rows = conn.execute(
        "SELECT n.path, n.title, a.text FROM note n JOIN name a USING(nid) WHERE n.status NOT IN ('superseded','archived')"
        f" AND n.nid IN (SELECT nid FROM token WHERE token IN ({marks})) ORDER BY n.path",
        tokens,
    )
    return tuple(sorted({path for path, title, text in rows if wanted in (compact(title), compact(text))}))
