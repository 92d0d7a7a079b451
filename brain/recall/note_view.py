"""One note and its links, as the catalog knows them. Reads only; the file itself is read by the caller."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace

from brain.core.ids import fold
from brain.core.nearest import any_of, nearest
from brain.core.note import Json
from brain.errors import Ambiguous, NotFound
from brain.index.resolution import candidates_of


@dataclass(frozen=True, slots=True)
class NoteView:
    """What is known of one note, without its text. `superseded_by` is the path of its successor."""

    id: str
    path: str
    title: str
    type: str | None
    kind: str
    status: str
    importance: float
    created: str | None
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    properties: dict[str, Json]
    atoms: tuple[AtomView, ...]
    superseded_by: str | None


@dataclass(frozen=True, slots=True)
class AtomView:
    """One claim of a note; `line` is 1-based in the file."""

    id: str
    text: str
    kind: str
    confidence: str | None
    status: str
    valid_from: str | None
    valid_to: str | None
    line: int


@dataclass(frozen=True, slots=True)
class LinkView:
    """One link as written and where it leads. `other` is the note at the far end, None unless resolved.

    `relation` is the word it was written under, `type` its canonical edge type.
    """

    path: str
    line: int
    raw: str
    target: str
    anchor: str | None
    status: str
    other: str | None
    relation: str | None
    type: str | None
    reason: str | None
    place: str
    candidates: tuple[str, ...] = ()


def find_note(conn: sqlite3.Connection, name: str) -> int:
    """Returns the row id of the note a person means: a path, a file name, an alias or an id.

    As with links, a file name goes before an alias and a live note before a superseded one.

    Raises: NotFound; Ambiguous with the candidates.
    """
    name = name.encode("utf-8", "backslashreplace").decode()  # what is no UTF-8 names no note
    wanted = name.strip().removeprefix("[[").removesuffix("]]").removeprefix("./")
    exact = conn.execute("SELECT nid FROM note WHERE path IN (?, ?) OR id=? ORDER BY path", (wanted, f"{wanted}.md", wanted))
    row = exact.fetchone()
    if row:
        return int(row[0])
    last = wanted.rsplit("/", 1)[-1]
    key = fold(last[:-3] if last.lower().endswith(".md") else last)
    for how in (1, 2):
        rows = conn.execute(
            "SELECT DISTINCT n.nid, n.path, n.status FROM name a JOIN note n USING(nid) WHERE a.key=? AND a.how=? ORDER BY n.path", (key, how)
        ).fetchall()
        if "/" in wanted:
            tail = fold(wanted if wanted.lower().endswith(".md") else f"{wanted}.md")
            rows = [row for row in rows if f"/{fold(row[1])}".endswith(f"/{tail}")]
        rows = [row for row in rows if row[2] != "superseded"] or rows
        if len(rows) > 1:
            paths = ", ".join(row[1] for row in rows)
            raise Ambiguous(f"{name!r} could be any of: {paths}.", f'give the path, such as "{rows[0][1]}"')
        if rows:
            return int(rows[0][0])
    near = _nearest_paths(conn, wanted)
    raise NotFound(f"There is no note {name!r}.", f'{near} brain search "{last}", or brain list'.strip())


def path_at(conn: sqlite3.Connection, nid: int) -> str:
    """Returns the path of the note in a row."""
    return str(conn.execute("SELECT path FROM note WHERE nid=?", (nid,)).fetchone()[0])


def _nearest_paths(conn: sqlite3.Connection, wanted: str) -> str:
    """Returns `did you mean …?` with the paths of notes whose file name, alias, title or path is nearly the one given."""
    is_path = "/" in wanted
    found: dict[str, str] = {}
    named = "SELECT a.text AS text, n.path AS path FROM name a JOIN note n USING(nid) UNION SELECT title, path FROM note ORDER BY path, text"
    for text, path in conn.execute(named):
        found.setdefault(path[:-3] if is_path else text, path)
    plain = wanted[:-3] if wanted.lower().endswith(".md") else wanted
    paths = dict.fromkeys(found[text] for text in nearest(plain, found))
    return any_of(list(paths))


def view_note(conn: sqlite3.Connection, nid: int) -> NoteView:
    """Returns what the catalog knows of a note."""
    (note_id, path, title, kind_word, kind, status, importance, created, properties) = conn.execute(
        "SELECT id, path, title, type, kind, status, importance, created, properties FROM note WHERE nid=?", (nid,)
    ).fetchone()
    aliases = conn.execute("SELECT text FROM name WHERE nid=? AND how=2 ORDER BY rowid", (nid,))
    tags = conn.execute("SELECT tag FROM tag WHERE nid=? ORDER BY rowid", (nid,))
    atoms = conn.execute(
        "SELECT id, text, kind, confidence, status, valid_from, valid_to, line FROM atom WHERE nid=? ORDER BY ordinal", (nid,)
    )
    successor = conn.execute(
        "SELECT n.path FROM link l JOIN note n ON n.nid=l.target_nid WHERE l.nid=? AND l.relation='superseded_by'", (nid,)
    ).fetchone()
    return NoteView(
        note_id, path, title, kind_word, kind, status, importance, created, tuple(r[0] for r in aliases), tuple(r[0] for r in tags),
        json.loads(properties), tuple(AtomView(*row) for row in atoms), successor[0] if successor else None,
    )  # fmt: skip


def links_of(conn: sqlite3.Connection, nid: int) -> tuple[LinkView, ...]:
    """Returns the links that stand in a note, in their order, with the candidates of the ambiguous ones."""
    return _links(conn, "l.nid=?", (nid,))


def backlinks_of(conn: sqlite3.Connection, nid: int) -> tuple[LinkView, ...]:
    """Returns the links of other notes that lead to this one, by path and line."""
    return _links(conn, "l.target_nid=? AND l.nid<>?", (nid, nid))


def all_links(conn: sqlite3.Connection, statuses: tuple[str, ...]) -> tuple[LinkView, ...]:
    """Returns every link of the vault with one of these statuses."""
    return _links(conn, f"l.status IN ({','.join('?' * len(statuses))})", statuses)


def _links(conn: sqlite3.Connection, where: str, values: tuple[object, ...]) -> tuple[LinkView, ...]:
    rows = conn.execute(
        "SELECT s.path, l.line, l.raw, l.target, l.anchor, l.status, t.path, l.relation, l.edge_type, l.reason, l.place,"
        " l.form, l.key FROM link l JOIN note s USING(nid) LEFT JOIN note t ON t.nid=l.target_nid"
        f" WHERE {where} ORDER BY s.path, l.line, l.ordinal",
        values,
    ).fetchall()
    found = []
    for row in rows:
        is_tied = row[5] == "ambiguous"
        candidates = candidates_of(conn, row[0], row[3], row[11], row[12]) if is_tied else ()
        found.append(replace(LinkView(*row[:11]), candidates=candidates))
    return tuple(found)
