"""The embedding cache: (model, chunk id) → vector, so that no text is embedded twice.

Chunk ids are hashes of model and text. Disposable, but a rebuild keeps it. A file that SQLite cannot
read is moved aside and a new one begun: nothing is lost but the work. Row numbers rise with every
vector that is put, so that `prune` can let go of the oldest first. Rows with a number of their own take
2.1 kB (384 dims) and are read four times as fast as rows kept in the index itself, which take 4.7 kB.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from brain.errors import BrainError
from brain.index.database import transaction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUSY_WAIT_S = 30.0
HASHES_PER_QUERY = 500
ROWS_PER_DELETE = 2_000  # other processes write in between
VERSION = 2
_SCHEMA = (
    "CREATE TABLE embedding(id INTEGER PRIMARY KEY, model TEXT NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE(model, hash))"
)
_INSERT = "INSERT OR REPLACE INTO embedding(model, hash, vector)"
_Result = TypeVar("_Result")
_Item = TypeVar("_Item")


class Cache:
    """Vectors on disk, shared by processes: readers never wait, writers wait for each other."""

    def __init__(self, path: Path) -> None:
        """Opens the file, making it when it is missing. Raises: BrainError when the folder cannot be used."""
        self.path = path
        self.notices: list[str] = []
        """What a person should hear, such as that a broken cache was set aside."""
        self._conn, self._inode = self._opened()

    def __enter__(self) -> Cache:
        """Returns itself; leaving closes the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the file."""
        self.close()

    def close(self) -> None:
        """Closes the file; what was put is already on disk."""
        self._conn.close()

    def get_many(self, model: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Returns hash → float32[dims] for those that are known; an entry of impossible size counts as unknown."""
        import numpy as np

        rows = self._guarded(lambda: self._rows("hash, vector", model, hashes))
        return {key: np.frombuffer(blob, dtype="<f4") for key, blob in rows if len(blob) % 4 == 0 and blob}

    def known(self, model: str, hashes: Sequence[str]) -> set[str]:
        """Returns which of the hashes have a vector."""
        return {row[0] for row in self._guarded(lambda: self._rows("hash", model, hashes))}

    def dims(self, model: str) -> int | None:
        """Returns the length of the vectors that are kept of a model, None when there are none."""
        rows = self._guarded(lambda: self._conn.execute("SELECT length(vector) FROM embedding WHERE model=? LIMIT 1", (model,)).fetchall())
        return rows[0][0] // 4 if rows else None

    def put_many(self, model: str, hashes: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Stores one row of float32[n, dims] for each hash, all or none; a later vector replaces an earlier one."""
        rows = [(model, key, row.astype("<f4").tobytes()) for key, row in zip(hashes, vectors, strict=True)]
        self._guarded(lambda: self._insert(rows))

    def _rows(self, columns: str, model: str, hashes: Sequence[str]) -> list[tuple[str, bytes]]:
        found: list[tuple[str, bytes]] = []
        for batch in _batched(hashes, HASHES_PER_QUERY):
            marks = ",".join("?" * len(batch))
            query = f"SELECT {columns} FROM embedding WHERE model=? AND hash IN ({marks})"
            found.extend(self._conn.execute(query, (model, *batch)))
        return found

    def count(self, model: str) -> int:
        """Returns how many vectors are kept of a model."""
        return int(self._guarded(lambda: self._conn.execute("SELECT count(*) FROM embedding WHERE model=?", (model,)).fetchone()[0]))

    def count_others(self, model: str) -> int:
        """Returns how many vectors are kept of all other models together."""
        return int(self._guarded(lambda: self._conn.execute("SELECT count(*) FROM embedding WHERE model<>?", (model,)).fetchone()[0]))

    def prune(self, model: str, wanted: Iterable[str], *, dead_max: int, rows_max: int) -> int:
        """Lets go of the oldest vectors that nobody wants; returns how many went, at most `rows_max`.

        Of `model` up to `dead_max` stay beyond `wanted`, and as many of all others together. The file
        shrinks once more than half of it is empty.
        """
        return self._guarded(lambda: self._prune(model, wanted, dead_max, rows_max))

    def _prune(self, model: str, wanted: Iterable[str], dead_max: int, rows_max: int) -> int:
        self._conn.execute("CREATE TEMP TABLE IF NOT EXISTS wanted(hash TEXT PRIMARY KEY) WITHOUT ROWID")
        self._conn.execute("DELETE FROM temp.wanted")
        self._conn.executemany("INSERT OR IGNORE INTO temp.wanted VALUES(?)", ((key,) for key in wanted))
        dead = "SELECT id FROM embedding WHERE model=? AND hash NOT IN (SELECT hash FROM temp.wanted) ORDER BY id DESC LIMIT -1 OFFSET ?"
        others = "SELECT id FROM embedding WHERE model<>? ORDER BY id DESC LIMIT -1 OFFSET ?"
        ids = sorted(row[0] for query in (dead, others) for row in self._conn.execute(query, (model, dead_max)))[:rows_max]
        for batch in _batched(ids, ROWS_PER_DELETE):
            with transaction(self._conn):
                self._conn.executemany("DELETE FROM embedding WHERE id=?", [(number,) for number in batch])
        self._shrink()
        return len(ids)

    def _shrink(self) -> None:
        """Gives empty pages back to the disk; where another process has the file in use, the next time does it."""
        pages, empty = (self._conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count"))
        if 2 * empty <= pages:
            return
        self._conn.execute("PRAGMA busy_timeout=0")
        try:
            self._conn.execute("VACUUM")
            self._conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
        finally:
            self._conn.execute(f"PRAGMA busy_timeout={int(BUSY_WAIT_S * 1000)}")

    def _insert(self, rows: list[tuple[str, str, bytes]]) -> None:
        with transaction(self._conn):
            self._conn.executemany(f"{_INSERT} VALUES(?,?,?)", rows)

    def _guarded(self, act: Callable[[], _Result]) -> _Result:
        """Carries it out; on a broken file it begins a new one and carries it out there."""
        try:
            try:
                return act()
            except sqlite3.DatabaseError as error:
                if not _is_broken(error):
                    raise
                self._conn.close()
                self._set_aside(self._inode)
                self._conn, self._inode = self._opened()
                return act()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def _opened(self) -> tuple[sqlite3.Connection, int]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            inode = self.path.stat().st_ino if self.path.exists() else 0
            try:
                conn = _connect(self.path)
            except sqlite3.DatabaseError as error:
                if not _is_broken(error):
                    raise
                self._set_aside(inode)
                conn = _connect(self.path)
            return conn, self.path.stat().st_ino
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def _set_aside(self, inode: int) -> None:
        """Moves the broken file away, unless another process has put a new one in its place already."""
        if self.path.exists() and self.path.stat().st_ino == inode:
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            aside = self.path.with_name(f"{self.path.name}.broken")
            os.replace(self.path, aside)
            self.notices.append(f"The embedding cache could not be read; it was moved to {aside} and a new one begun.")

    def _unusable(self, error: Exception) -> BrainError:
        return BrainError(
            f"The embedding cache {self.path} cannot be used ({error}).",
            f'rm "{self.path}" (it is made anew), or free disk space',
        )


def _connect(path: Path) -> sqlite3.Connection:
    conn = sqlite3.connect(path, timeout=BUSY_WAIT_S, isolation_level=None, check_same_thread=False)
    try:
        _begin_wal(conn)
        conn.execute("PRAGMA synchronous=NORMAL")
        version = conn.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise sqlite3.DatabaseError("file is not a database of this version")
        if version < VERSION:
            _begin_schema(conn)
    except BaseException:
        conn.close()
        raise
    return conn


def _begin_schema(conn: sqlite3.Connection) -> None:
    """Makes the table in an empty file; takes over the rows of a file of the first version."""
    with transaction(conn):
        version = conn.execute("PRAGMA user_version").fetchone()[0]
        if version >= VERSION:
            return  # another process was first
        if version == 1:
            conn.execute("ALTER TABLE embedding RENAME TO first_embedding")
        conn.execute(_SCHEMA)
        if version == 1:
            conn.execute(f"{_INSERT} SELECT model, hash, vector FROM first_embedding")
            conn.execute("DROP TABLE first_embedding")
        conn.execute(f"PRAGMA user_version={VERSION}")


def _begin_wal(conn: sqlite3.Connection) -> None:
    """Switches to the write-ahead log. SQLite does not wait by itself when several processes switch at once."""
    deadline = time.monotonic() + BUSY_WAIT_S
    while True:
        try:
            conn.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _is_broken(error: sqlite3.DatabaseError) -> bool:
    """Tells damage from a lock, a full disk or a missing right, which leave a good file alone."""
    text = str(error)
    return "malformed" in text or "not a database" in text or "no such table" in text or "no such column" in text


def _batched(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
