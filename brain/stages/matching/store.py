"""`.brain/index/matching.sqlite`: the hashed form of every note, and the pairs that were found. Derived and disposable.

A note whose mark is as it was is not looked at again, and keeps its pairs: a run with nothing to do reads
marks alone. Without this file the next run looks at every note and finds the same.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.errors import IndexBroken
from brain.index.database import transaction

if TYPE_CHECKING:
    from brain.core.matching.sparse import Ids
    from brain.core.matching.tiers import Stated, Tier
    from brain.stages.matching.signals import Signal

FILE_NAME = "matching.sqlite"
VERSION = "3"
"""Raised when forms, evidence, vetoes, cuts or columns change: what an older method found is then found anew."""
BUSY_WAIT_S = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS form(id TEXT PRIMARY KEY, mark TEXT NOT NULL, features BLOB NOT NULL, tokens BLOB NOT NULL, grams BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS pair(
  one TEXT NOT NULL, other TEXT NOT NULL, tier TEXT NOT NULL, margin REAL NOT NULL, rank REAL NOT NULL, certain TEXT NOT NULL,
  stated TEXT NOT NULL, signals TEXT NOT NULL, evidence TEXT NOT NULL, vetoes TEXT NOT NULL,
  against TEXT NOT NULL, speaks INTEGER NOT NULL, PRIMARY KEY(one, other)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pair_other ON pair(other);
CREATE INDEX IF NOT EXISTS pair_rank ON pair(tier, rank);
"""


@dataclass(frozen=True, slots=True)
class Form:
    """The hashed form of a note: features that evidence asks for, words, and three-letter pieces."""

    id: str
    features: Ids
    tokens: Ids
    grams: Ids


@dataclass(frozen=True, slots=True)
class Match:
    """A pair that was judged, by note ids in order. `certain` is `kind=value` when rules alone may merge it."""

    one: str
    other: str
    tier: Tier
    margin: float
    rank: float
    certain: str
    stated: Stated
    signals: tuple[Signal, ...]
    evidence: tuple[str, ...]
    vetoes: tuple[str, ...]
    against: tuple[str, ...] = ()
    """What was compared and did not agree: it lowers the rank, and forbids nothing."""
    speaks: bool = True
    """Whether more speaks for it than that the texts are near each other: else no person is asked."""


class Store:
    """The open file. Every change is one transaction."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def marks(self) -> dict[str, str]:
        """Returns the mark under which each note was last looked at, by id."""
        return dict(self._conn.execute("SELECT id, mark FROM form"))

    def forms(self) -> Iterator[Form]:
        """Yields all forms, by id."""
        import numpy as np

        for note_id, *blobs in self._conn.execute("SELECT id, features, tokens, grams FROM form ORDER BY id"):
            features, tokens, grams = (np.frombuffer(blob, np.uint32) for blob in blobs)
            yield Form(note_id, features, tokens, grams)

    def put(self, forms: Iterable[Form]) -> None:
        """Stores forms, replacing those of the same notes; until `settle` they do not count as looked at."""
        rows = ((f.id, "", f.features.tobytes(), f.tokens.tobytes(), f.grams.tobytes()) for f in forms)
        with transaction(self._conn):
            self._conn.executemany("INSERT OR REPLACE INTO form VALUES(?,?,?,?,?)", rows)

    def forget(self, ids: Iterable[str]) -> None:
        """Takes notes out that are gone, with their pairs."""
        rows = [(note_id,) for note_id in sorted(ids)]
        with transaction(self._conn):
            self._conn.executemany("DELETE FROM form WHERE id=?", rows)
            self._forget_pairs(rows)

    def settle(self, marks: Mapping[str, str], matches: Iterable[Match]) -> None:
        """Marks notes as looked at and puts what was found of them in the place of what was known."""
        rows = [
            (m.one, m.other, m.tier, m.margin, m.rank, m.certain, m.stated, *(json.dumps(texts) for texts in (m.signals, m.evidence, m.vetoes, m.against)), m.speaks)
            for m in matches
        ]  # fmt: skip
        with transaction(self._conn):
            self._forget_pairs([(note_id,) for note_id in sorted(marks)])
            self._conn.executemany("INSERT OR REPLACE INTO pair VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", rows)
            self._conn.executemany("UPDATE form SET mark=? WHERE id=?", [(mark, note_id) for note_id, mark in sorted(marks.items())])

    def doubt(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Takes the certainty of these pairs away: together they would join what does not fit."""
        with transaction(self._conn):
            self._conn.executemany("UPDATE pair SET tier='stated', stated='identifier' WHERE one=? AND other=?", sorted(pairs))

    def trim(self, most: int) -> None:
        """Forgets the least likely of the open pairs beyond `most`."""
        with transaction(self._conn):
            self._conn.execute(
                "DELETE FROM pair WHERE tier='open' AND (one, other) NOT IN"
                " (SELECT one, other FROM pair WHERE tier='open' ORDER BY rank DESC, one, other LIMIT ?)", (most,),
            )  # fmt: skip

    def count(self) -> int:
        """Returns how many pairs there are."""
        return int(self._conn.execute("SELECT count(*) FROM pair").fetchone()[0])

    def matches(self, most: int = -1, *, spoken_first: bool = False) -> list[Match]:
        """Returns the pairs, best first: all that are certain or stated, and at most that many open ones.

        With `spoken_first` the open ones that something speaks for are taken before any other.
        """
        order = "speaks DESC, rank DESC" if spoken_first else "rank DESC"
        columns = "one, other, tier, margin, rank, certain, stated, signals, evidence, vetoes, against, speaks"
        rows = self._conn.execute(
            f"SELECT {columns} FROM (SELECT * FROM pair WHERE tier<>'open' UNION ALL SELECT * FROM"
            f" (SELECT * FROM pair WHERE tier='open' ORDER BY {order}, one, other LIMIT ?)) ORDER BY rank DESC, one, other", (most,),
        )  # fmt: skip
        return [_match(row) for row in rows]

    def meta(self, key: str) -> str:
        """Returns one remembered value, empty when there is none."""
        row = self._conn.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def remember(self, values: Mapping[str, str]) -> None:
        """Remembers values by key."""
        self._conn.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", sorted(values.items()))

    def clear(self) -> None:
        """Forgets everything."""
        with transaction(self._conn):
            for table in ("meta", "form", "pair"):
                self._conn.execute(f"DELETE FROM {table}")

    def _forget_pairs(self, rows: list[tuple[str]]) -> None:
        self._conn.executemany("DELETE FROM pair WHERE one=?", rows)
        self._conn.executemany("DELETE FROM pair WHERE other=?", rows)


def _match(row: tuple[Any, ...]) -> Match:
    one, other, tier, margin, rank, certain, stated, *lists, speaks = row
    signals, evidence, vetoes, against = (tuple(json.loads(text)) for text in lists)
    return Match(one, other, tier, margin, rank, certain, stated, signals, evidence, vetoes, against, bool(speaks))


@contextmanager
def open_store(folder: Path, *, wait_s: float = BUSY_WAIT_S) -> Iterator[Store]:
    """Opens the file in the index folder, making it anew when it is damaged; where nothing can be written, in memory.

    Raises: IndexBroken when the disk refuses or another process does not let go.
    """
    conn = _opened(folder, wait_s)
    try:
        yield Store(conn)
    except sqlite3.OperationalError as error:
        raise IndexBroken(f"{folder / FILE_NAME} cannot be used ({error}).") from error
    finally:
        conn.close()


def _opened(folder: Path, wait_s: float) -> sqlite3.Connection:
    if not os.access(folder, os.W_OK):
        return _connected(":memory:", wait_s)
    path = folder / FILE_NAME
    try:
        return _connected(path, wait_s)
    except sqlite3.OperationalError as error:
        raise IndexBroken(f"{path} cannot be opened ({error}).") from error
    except sqlite3.DatabaseError:
        for part in (path, path.with_name(f"{FILE_NAME}-journal")):
            part.unlink(missing_ok=True)  # derived: what it held is found again
        return _connected(path, wait_s)


def _connected(place: Path | str, wait_s: float) -> sqlite3.Connection:
    conn = sqlite3.connect(place, timeout=wait_s, isolation_level=None)
    try:
        _drop_older(conn)
        conn.executescript(_SCHEMA)
    except sqlite3.DatabaseError:
        conn.close()
        raise
    return conn


def _drop_older(conn: sqlite3.Connection) -> None:
    """Drops the tables of another version, whose columns may be others."""
    if conn.execute("PRAGMA user_version").fetchone()[0] == int(VERSION):
        return
    with transaction(conn):
        if conn.execute("PRAGMA user_version").fetchone()[0] != int(VERSION):  # nobody else did meanwhile
            for table in ("meta", "form", "pair"):
                conn.execute(f"DROP TABLE IF EXISTS {table}")
            conn.execute(f"PRAGMA user_version={int(VERSION)}")
