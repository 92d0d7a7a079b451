"""The embedding cache: (model, chunk id) → vector, so that no text is embedded twice.

Chunk ids are hashes of model and text. Disposable, but a rebuild keeps it. A file that SQLite cannot
read is moved aside and a new one begun: nothing is lost but the work.
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

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUSY_WAIT_S = 30.0
HASHES_PER_QUERY = 500
VERSION = 1
_SCHEMA = "CREATE TABLE IF NOT EXISTS embedding(model TEXT, hash TEXT, vector BLOB NOT NULL, PRIMARY KEY(model, hash)) WITHOUT ROWID"
_Result = TypeVar("_Result")


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

    def _insert(self, rows: list[tuple[str, str, bytes]]) -> None:
        self._conn.execute("BEGIN IMMEDIATE")
        try:
            self._conn.executemany("INSERT OR REPLACE INTO embedding VALUES(?,?,?)", rows)
            self._conn.execute("COMMIT")
        except BaseException:
            if self._conn.in_transaction:
                self._conn.execute("ROLLBACK")
            raise

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
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError("file is not a database of this version")
        if version == 0:
            conn.execute(_SCHEMA)
            conn.execute(f"PRAGMA user_version={VERSION}")
    except BaseException:
        conn.close()
        raise
    return conn


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


def _batched(items: Iterable[str], size: int) -> Iterator[list[str]]:
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
