"""The full-text index: an FTS5 table without contents, beside the texts it was made from.

The texts are kept once, as they are in the files (`text_doc`), so that snippets need no file; the index
holds what `tokens.index_forms` makes of them. Nothing in here reads notes or ranks them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from brain.index.tokens import TOKENIZE, index_forms, storable

TITLE_WEIGHT, NAMES_WEIGHT = 6.0, 3.0
_PENDING_BYTES_MAX = 32 << 20  # what FTS5 gathers in memory before it writes a segment; few segments read faster
_BETWEEN_NAMES = "\n"
_SQL_VARIABLES_MAX = 30_000

_SCHEMA = (
    "CREATE TABLE text_doc(nid INTEGER PRIMARY KEY, title TEXT NOT NULL, aliases TEXT NOT NULL, tags TEXT NOT NULL,"
    " body TEXT NOT NULL, first_line INTEGER NOT NULL)",
    "CREATE TABLE text_total(notes INTEGER NOT NULL, chars INTEGER NOT NULL)",
    "INSERT INTO text_total VALUES(0, 0)",
    f"CREATE VIRTUAL TABLE text_index USING fts5(title, names, body, encoded, content='', tokenize='{TOKENIZE}')",
    "CREATE VIRTUAL TABLE text_word USING fts5vocab(text_index, 'row')",
    f"INSERT INTO text_index(text_index, rank) VALUES('hashsize', {_PENDING_BYTES_MAX})",
    f"INSERT INTO text_index(text_index, rank) VALUES('rank', 'bm25({TITLE_WEIGHT}, {NAMES_WEIGHT}, 1.0, 1.0)')",
)
_INSERT = "INSERT INTO text_index(rowid, title, names, body, encoded) VALUES(?,?,?,?,?)"
_REMOVE = "INSERT INTO text_index(text_index, rowid, title, names, body, encoded) VALUES('delete',?,?,?,?,?)"


@dataclass(frozen=True, slots=True)
class TextDoc:
    """What the index is given of one note: `body` without frontmatter, starting on line `first_line` (1-based)."""

    nid: int
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    body: str
    first_line: int = 1


@dataclass(frozen=True, slots=True)
class Totals:
    """Size of the whole index: number of notes, and characters of their bodies."""

    notes: int
    chars: int


def create(conn: sqlite3.Connection) -> None:
    """Makes the tables of an empty database."""
    for statement in _SCHEMA:
        conn.execute(statement)


class Prepared(NamedTuple):
    """What a note puts into the tables, row id aside; made in a worker process during a rebuild, hence a tuple."""

    stored: tuple[str, str, str, str, int]
    indexed: tuple[str, str, str, str]


def prepare(doc: TextDoc) -> Prepared:
    """Makes the rows of one note. Pure."""
    row = _stored(doc)
    return Prepared(row[1:], _indexed(row)[1:])


def load(conn: sqlite3.Connection, rows: Sequence[tuple[int, Prepared]]) -> None:
    """Adds notes that are not there, row ids ascending from call to call; `recount` or `count_added` follows.

    FTS5 writes a segment whenever a row id is not above the one before, and before every statement that
    could be rolled back by itself, so nothing else may write through the connection in between: the
    segments cost more than the words.
    """
    conn.executemany("INSERT INTO text_doc VALUES(?,?,?,?,?,?)", [(nid, *row.stored) for nid, row in rows])
    conn.executemany(_INSERT, [(nid, *row.indexed) for nid, row in rows])


def count_added(conn: sqlite3.Connection, rows: Sequence[Prepared]) -> None:
    """Adds a few loaded notes to the totals."""
    _count(conn, len(rows), sum(len(row.stored[3]) for row in rows))


def recount(conn: sqlite3.Connection) -> None:
    """Counts the whole index anew."""
    conn.execute("UPDATE text_total SET (notes, chars) = (SELECT count(*), coalesce(sum(length(body)), 0) FROM text_doc)")


def delete(conn: sqlite3.Connection, nids: Iterable[int]) -> None:
    """Takes notes out; one that is not there is passed over. The transaction is the caller's."""
    wanted = sorted(set(nids))
    for start in range(0, len(wanted), _SQL_VARIABLES_MAX):
        part = wanted[start : start + _SQL_VARIABLES_MAX]
        found = _rows(conn, part)
        if not found:
            continue
        # An index without contents must be told again, exactly, what it was given.
        conn.executemany(_REMOVE, map(_indexed, found))
        conn.executemany("DELETE FROM text_doc WHERE nid=?", [(row[0],) for row in found])
        _count(conn, -len(found), -sum(len(row[4]) for row in found))


def optimize(conn: sqlite3.Connection) -> None:
    """Merges the index into one segment: worth its time after a rebuild, not after a small change."""
    conn.execute("INSERT INTO text_index(text_index) VALUES('optimize')")


def totals(conn: sqlite3.Connection) -> Totals:
    """Returns how much is indexed."""
    row = conn.execute("SELECT notes, chars FROM text_total").fetchone()
    return Totals(notes=row[0], chars=row[1])


def notes_with_word(conn: sqlite3.Connection, stem: str) -> int:
    """Returns in how many notes a word stands; `stem` is a word as the tokenizer leaves it."""
    row = conn.execute("SELECT doc FROM text_word WHERE term=?", (stem,)).fetchone()
    return 0 if row is None else int(row[0])


def notes_matching(conn: sqlite3.Connection, expression: str) -> int:
    """Returns how many notes match an FTS5 expression."""
    return int(conn.execute("SELECT count(*) FROM text_index WHERE text_index MATCH ?", (expression,)).fetchone()[0])


def best_matching(conn: sqlite3.Connection, expression: str, limit: int) -> list[int]:
    """Returns the row ids of the `limit` best notes by FTS5's own rank, best first.

    Costs about a microsecond per matching note, whatever the limit: the caller keeps expressions narrow.
    """
    rows = conn.execute(
        "SELECT rowid FROM text_index WHERE text_index MATCH ? ORDER BY rank, rowid LIMIT ?", (expression, limit)
    )
    return [row[0] for row in rows]


def docs_of(conn: sqlite3.Connection, nids: Sequence[int]) -> dict[int, TextDoc]:
    """Returns the stored texts of these notes (those that are there)."""
    found: dict[int, TextDoc] = {}
    for start in range(0, len(nids), _SQL_VARIABLES_MAX):
        for nid, title, aliases, tags, body, first_line in _rows(conn, nids[start : start + _SQL_VARIABLES_MAX]):
            found[nid] = TextDoc(nid, title, _parts(aliases), _parts(tags), body, first_line)
    return found


_Row = tuple[int, str, str, str, str, int]


def _rows(conn: sqlite3.Connection, nids: Sequence[int]) -> list[_Row]:
    marks = ",".join("?" * len(nids))
    return conn.execute(
        f"SELECT nid, title, aliases, tags, body, first_line FROM text_doc WHERE nid IN ({marks}) ORDER BY nid", list(nids)
    ).fetchall()


def _stored(doc: TextDoc) -> _Row:
    aliases, tags = (_BETWEEN_NAMES.join(part.replace("\n", " ") for part in parts) for parts in (doc.aliases, doc.tags))
    return doc.nid, storable(doc.title), storable(aliases), storable(tags), storable(doc.body), doc.first_line


def _indexed(row: _Row) -> tuple[int, str, str, str, str]:
    nid, title, aliases, tags, body, _ = row
    title, title_encoded = index_forms(title)
    names, names_encoded = index_forms(f"{aliases}\n{tags}") if aliases or tags else ("", "")
    body, body_encoded = index_forms(body)
    return nid, title, names, body, f"{title_encoded} {names_encoded} {body_encoded}"


def _parts(joined: str) -> tuple[str, ...]:
    return tuple(joined.split(_BETWEEN_NAMES)) if joined else ()


def _count(conn: sqlite3.Connection, notes: int, chars: int) -> None:
    conn.execute("UPDATE text_total SET notes = notes + ?, chars = chars + ?", (notes, chars))
