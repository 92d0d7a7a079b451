"""The vectors of one model: rows of a memory-mapped float32 file, named by table `vector(row, hash)`.

Rows are only ever appended and flushed before the SQL that names them is committed, and a row number is
never given twice within a file, so a kill leaves at most unnamed rows, and a reader needs no lock.
Exact scan instead of an approximate index: see ADR 0003. Embedding does not live here.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from brain.core.ids import short_hash
from brain.errors import BrainError, IndexBroken

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

ROWS_PER_BLOCK = 16_384
HASHES_PER_QUERY = 500
OVERFETCH_MIN = 32
GATHER_MAX = 4_000
UNIT_TOLERANCE = 1e-3
NAME_CHARS_MAX = 60
META_DIMS = "vector_dims"
_META_FILE, _META_SPACE = "vector_file", "vector_space"
_Item = TypeVar("_Item", str, int)


class VectorStore:
    """One vector space on disk. The caller owns transactions; one writer at a time, any number of readers."""

    def __init__(self, folder: Path, model: str, dims: int, conn: sqlite3.Connection) -> None:
        """Opens the space; makes no file. Raises: IndexBroken when the index holds another space."""
        self.folder = folder
        self.model = model
        self.dims = dims
        self._conn = conn
        self._mapped: tuple[str | None, int, Matrix] | None = None
        held = self._meta(_META_SPACE)
        if held not in (None, self._space):
            raise IndexBroken(
                f"The index holds vectors of {held}, the settings ask for {self._space}; they cannot be compared."
            )

    @property
    def count(self) -> int:
        """How many vectors are named."""
        return int(self._conn.execute("SELECT count(*) FROM vector").fetchone()[0])

    @property
    def rows(self) -> int:
        """How many rows the file has, named or not."""
        return self._file_rows(self._file_name())

    @property
    def dead(self) -> int:
        """How many rows of the file nothing names: what `compact` would free."""
        return max(0, self.rows - self.count)

    def missing(self, hashes: Iterable[str]) -> list[str]:
        """Returns those that have no vector, in the order given, each once."""
        wanted = list(dict.fromkeys(hashes))
        present = self._rows_by_hash(wanted)
        return [key for key in wanted if key not in present]

    def add(self, hashes: Sequence[str], vectors: Matrix) -> int:
        """Appends float32[n, dims] of unit length; returns how many were new. Known hashes are left as they are.

        Raises: BrainError for rows of another shape, or that are not of unit length.
        """
        import numpy as np

        rows = np.ascontiguousarray(vectors, dtype="<f4")
        self._check(hashes, rows)
        self.forget_lost()
        fresh = set(self.missing(hashes))
        first = {key: number for number, key in reversed(list(enumerate(hashes))) if key in fresh}
        if not first:
            return 0
        keys = sorted(first, key=first.__getitem__)
        start = self._append(rows[[first[key] for key in keys]])
        self._conn.executemany(
            "INSERT INTO vector(row, hash) VALUES(?,?)", [(start + n, key) for n, key in enumerate(keys)]
        )
        return len(keys)

    def forget(self, hashes: Iterable[str]) -> None:
        """Takes the names off these vectors; their rows stay until `compact`."""
        self._conn.executemany("DELETE FROM vector WHERE hash=?", [(key,) for key in sorted(set(hashes))])

    def forget_lost(self) -> int:
        """Takes the names off rows that the file does not have (a deleted or shortened file); returns how many."""
        rows = self._file_rows(self._file_name())
        if self._conn.execute("SELECT 1 FROM vector WHERE row>=? LIMIT 1", (rows,)).fetchone() is None:
            return 0  # the usual case must not ask for the write lock
        return self._conn.execute("DELETE FROM vector WHERE row>=?", (rows,)).rowcount

    def rows_of(self, hashes: Sequence[str]) -> tuple[list[str], Matrix]:
        """Returns those of the hashes that have a vector, in the order given, and float32[n, dims] of them."""
        while True:
            name = self._file_name()
            found = self._rows_of_file(hashes)
            if name == self._file_name():  # else a writer has compacted meanwhile, and row numbers mean others
                return found

    def _rows_of_file(self, hashes: Sequence[str]) -> tuple[list[str], Matrix]:
        import numpy as np

        matrix = self._matrix()
        at = {key: row for key, row in self._rows_by_hash(list(hashes)).items() if row < len(matrix)}
        keys = [key for key in hashes if key in at]
        return keys, np.asarray(matrix[[at[key] for key in keys]]) if keys else np.empty((0, self.dims), np.float32)

    def search(self, query: Matrix, k: int, allowed: Collection[str] | None = None) -> list[tuple[str, float]]:
        """Returns up to `k` (hash, cosine), best first, ties by hash; `query` is float32[dims] of unit length.

        `allowed` limits the search to these hashes. Raises: IndexBroken when the file is gone.
        """
        import numpy as np

        allowed = None if allowed is None else frozenset(allowed)
        query = np.ascontiguousarray(query, dtype=np.float32).reshape(-1)
        if query.shape != (self.dims,):
            raise BrainError(f"The query has {query.size} dims, the index {self.dims}.", "brain rebuild")
        while True:
            name = self._file_name()
            found = self._search_file(query, k, allowed) if k > 0 else []
            if name == self._file_name():
                return found

    def compact(self) -> int:
        """Copies the named rows to a new file and renumbers them; returns how many rows were freed.

        Belongs inside the caller's transaction; the old file stays for readers until `sweep`.
        """
        self.forget_lost()
        freed = self.dead
        matrix = self._matrix()
        named = [row for (row,) in self._conn.execute("SELECT row FROM vector ORDER BY row")]
        self._set_meta(_META_FILE, self._fresh_name())
        for start in range(0, len(named), ROWS_PER_BLOCK):
            block = named[start : start + ROWS_PER_BLOCK]
            first = self._append(matrix[block])
            # In ascending order a new number is never above the old one, so it is free by then.
            pairs = [(first + n, row) for n, row in enumerate(block)]
            self._conn.executemany("UPDATE vector SET row=? WHERE row=?", pairs)
        return freed

    def sweep(self) -> None:
        """Deletes the vector files that the index does not name. For the writer, after its commit."""
        sweep(self._conn, self.folder)

    @property
    def _space(self) -> str:
        return f"{self.model} ({self.dims} dims)"

    def _search_file(self, query: Matrix, k: int, allowed: Collection[str] | None) -> list[tuple[str, float]]:
        matrix = self._matrix(must_exist=True)
        if allowed is None or len(allowed) > GATHER_MAX:
            return self._best(self._scores(matrix, query), k, allowed)
        at = {row: key for key, row in self._rows_by_hash(sorted(allowed)).items() if row < len(matrix)}
        rows = sorted(at)
        scores = matrix[rows] @ query if rows else ()
        return _ordered([(at[row], float(score)) for row, score in zip(rows, scores, strict=True)], k)

    def _scores(self, matrix: Matrix, query: Matrix) -> Matrix:
        """Returns float32[rows]; a row that nothing names may hold anything, also what is no number."""
        import numpy as np

        scores = np.empty(len(matrix), np.float32)
        with np.errstate(all="ignore"):
            for start in range(0, len(matrix), ROWS_PER_BLOCK):
                np.dot(matrix[start : start + ROWS_PER_BLOCK], query, out=scores[start : start + ROWS_PER_BLOCK])
        np.copyto(scores, -np.inf, where=~np.isfinite(scores))
        return scores

    def _best(self, scores: Matrix, k: int, allowed: Collection[str] | None) -> list[tuple[str, float]]:
        """Fetches more than `k` of the best rows, and drops those that nothing names or the filter leaves out."""
        import numpy as np

        fetch = max(2 * k, k + OVERFETCH_MIN)
        while True:
            count = min(fetch, len(scores))
            floor = np.partition(scores, len(scores) - count)[len(scores) - count] if count else np.inf
            rows = np.flatnonzero(scores >= floor)  # every tie at the edge too: the order is by hash, not by chance
            names = self._hashes_by_row(rows.tolist())
            kept = [(key, float(scores[row])) for row, key in names.items() if allowed is None or key in allowed]
            found = _ordered(kept, k)
            if len(found) == k or count == len(scores):
                return found
            fetch *= 4

    def _check(self, hashes: Sequence[str], rows: Matrix) -> None:
        import numpy as np

        if rows.shape != (len(hashes), self.dims):
            raise BrainError(
                f"Vectors of shape {rows.shape} do not fit {len(hashes)} chunks of {self.dims} dims.", "brain rebuild"
            )
        with np.errstate(all="ignore"):
            squares = np.einsum("ij,ij->i", rows, rows)
        if not (np.abs(squares - 1.0) <= UNIT_TOLERANCE).all():  # false for what is no number
            raise BrainError(
                f"{self.model} gave a vector that is not of unit length; it was not stored.", "brain doctor"
            )

    def _append(self, rows: Matrix) -> int:
        """Writes rows behind all whole ones, over a torn one; returns the number of the first."""
        name = self._file_name()
        if name is None:
            name = self._fresh_name()
            self._set_meta(_META_FILE, name)
            self._set_meta(_META_SPACE, self._space)
            self._set_meta(META_DIMS, str(self.dims))
        path = self.folder / name
        start = self._file_rows(name)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with open(path, "r+b" if path.exists() else "w+b") as file:
                file.seek(start * self._row_bytes)
                file.write(rows.tobytes())
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BrainError(
                f"{path} cannot be written ({error.strerror}).", "free disk space, then brain index"
            ) from error
        return start

    @property
    def _row_bytes(self) -> int:
        return 4 * self.dims

    def _file_rows(self, name: str | None) -> int:
        """Whole rows in the file, named or not; a torn last one does not count."""
        try:
            return (self.folder / name).stat().st_size // self._row_bytes if name else 0
        except (FileNotFoundError, NotADirectoryError):
            return 0

    def _matrix(self, *, must_exist: bool = False) -> Matrix:
        """Maps float32[rows, dims] of the file as it is now, keeping the mapping until it grows.

        A file that a writer has replaced meanwhile stays mapped here, for as long as this reader's catalog names it.
        """
        import numpy as np

        name = self._file_name()
        rows = self._file_rows(name)
        if self._mapped is None or self._mapped[0] != name or rows not in (0, self._mapped[1]):
            try:
                self._mapped = (name, rows, self._map(name, rows))
            except FileNotFoundError:
                rows, self._mapped = 0, (name, 0, self._map(name, 0))
        if rows == 0 and name != self._file_name():  # swept just now by a writer that has named another
            return self._matrix(must_exist=must_exist)
        if must_exist and not len(self._mapped[2]) and self.count:
            raise IndexBroken(f"The vectors of {self._space} are gone from {self.folder}.")
        return np.asarray(self._mapped[2])

    def _map(self, name: str | None, rows: int) -> Matrix:
        import numpy as np

        if name is None or rows == 0:
            return np.empty((0, self.dims), np.float32)
        return np.memmap(self.folder / name, dtype="<f4", mode="r", shape=(rows, self.dims)).view(np.ndarray)

    def _rows_by_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for part in _parts(hashes):
            found.update(self._conn.execute(f"SELECT hash, row FROM vector WHERE hash IN ({_marks(part)})", part))
        return found

    def _hashes_by_row(self, rows: Sequence[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        for part in _parts(rows):
            found.update(self._conn.execute(f"SELECT row, hash FROM vector WHERE row IN ({_marks(part)})", part))
        return found

    def _file_name(self) -> str | None:
        return self._meta(_META_FILE)

    def _fresh_name(self) -> str:
        """A name no file had before: an index that was replaced must never find another's rows under its own."""
        plain = re.sub(r"[^a-z0-9.]+", "-", self.model.lower()).strip("-.")
        if plain != self.model:
            plain = f"{plain[:NAME_CHARS_MAX]}-{short_hash(self.model, length=6)}"
        return f"vectors-{plain}-{secrets.token_hex(4)}.f32"

    def _meta(self, key: str) -> str | None:
        row = self._conn.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def _set_meta(self, key: str, value: str) -> None:
        self._conn.execute("INSERT OR REPLACE INTO meta(key, value) VALUES(?,?)", (key, value))


def sweep(conn: sqlite3.Connection, folder: Path) -> None:
    """Deletes the vector files that the index does not name, of any model. For the writer, after its commit."""
    if conn.in_transaction:
        raise BrainError("Vector files are deleted only after the commit that stops naming them.", "brain rebuild")
    conn.execute("BEGIN IMMEDIATE")  # nobody else may just now be filling a file that no commit names yet
    try:
        named = conn.execute("SELECT value FROM meta WHERE key=?", (_META_FILE,)).fetchone()
        for path in sorted(folder.glob("vectors-*.f32")):
            if named is None or path.name != named[0]:
                path.unlink(missing_ok=True)
    finally:
        conn.execute("ROLLBACK")


def _ordered(found: list[tuple[str, float]], k: int) -> list[tuple[str, float]]:
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


def _parts(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    return (items[start : start + HASHES_PER_QUERY] for start in range(0, len(items), HASHES_PER_QUERY))


def _marks(items: Sequence[object]) -> str:
    return ",".join("?" * len(items))
