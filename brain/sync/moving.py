"""A note before and after what may have been a rename: values, and how catalogs give them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from brain.core.identity import Facts
from brain.index.rows import NoteRows

_FACTS = "path, sha256, declared_id, size"


@dataclass(frozen=True, slots=True)
class New:
    """A file as it is now; `body` gives its text without frontmatter."""

    facts: Facts
    inode: int
    body: Callable[[], str]

    @property
    def path(self) -> str:
        """Where it is."""
        return self.facts.path


@dataclass(frozen=True, slots=True)
class Old:
    """A note of the catalog whose path holds it no more. `present`: what its path holds now, None when nothing."""

    nid: int
    note_id: str
    inode: int
    facts: Facts
    present: New | None = None

    @property
    def path(self) -> str:
        """Where it was."""
        return self.facts.path


def old_of(conn: sqlite3.Connection, nid: int, present: New | None = None) -> Old:
    """Returns a note of the catalog as it was."""
    note_id, inode, *facts = conn.execute(f"SELECT id, inode, {_FACTS} FROM note WHERE nid=?", (nid,)).fetchone()
    return Old(nid, note_id, inode, Facts(*facts), present)


def new_of(conn: sqlite3.Connection, nid: int) -> New:
    """Returns a file that a fresh catalog has read."""
    inode, *facts = conn.execute(f"SELECT inode, {_FACTS} FROM note WHERE nid=?", (nid,)).fetchone()
    return New(Facts(*facts), inode, partial(body_of, conn, nid))


def new_of_rows(rows: NoteRows) -> New:
    """Returns a file that was read just now."""
    _, _, _, body, _ = rows.text.stored
    return New(Facts(rows.seen.path, rows.sha256, rows.declared_id, rows.seen.size), rows.seen.inode, lambda: body)


def body_of(conn: sqlite3.Connection, nid: int) -> str:
    """Returns the text of a note in the catalog, without frontmatter."""
    row = conn.execute("SELECT body FROM text_doc WHERE nid=?", (nid,)).fetchone()
    return str(row[0]) if row else ""
