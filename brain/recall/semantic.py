"""Which notes may answer by their meaning: the nearest chunks, and the notes they stand in. Reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from brain.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COSINE_MIN = 0.40
COSINE_OF_BEST_MIN = 0.6
_SQL_VARIABLES_MAX = 30_000


class Vectors(Protocol):
    """The stored vectors of one model's space."""

    @property
    def count(self) -> int:
        """How many vectors there are."""
        ...

    def search(
        self, query: NDArray[np.float32], k: int, allowed: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """Returns up to `k` (chunk, cosine), nearest first; only chunks in `allowed` when it is given."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk in a note: it starts on this 1-based line of the file, with this cosine to the query."""

    nid: int
    line: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Nearness:
    """A query's vector beside the stored ones."""

    conn: sqlite3.Connection
    vectors: Vectors
    query: NDArray[np.float32]

    def nearest(self, limit: int) -> list[Place]:
        """Returns the places of the chunks that pass the cut-off, nearest first."""
        found = [(chunk, cosine) for chunk, cosine in self.vectors.search(self.query, limit) if cosine >= COSINE_MIN]
        if not found:
            return []
        least = COSINE_OF_BEST_MIN * found[0][1]
        cosines = {chunk: float(cosine) for chunk, cosine in found if cosine >= least}
        places = [Place(nid, line, cosines[chunk]) for nid, line, chunk in self._rows("hash", sorted(cosines))]
        return sorted(places, key=lambda place: (-place.cosine, place.nid, place.line))

    def within(self, nids: Iterable[int]) -> dict[int, list[Place]]:
        """Returns every embedded place of these notes, in order of line, whatever its cosine."""
        rows = self._rows("nid", sorted(set(nids)))
        chunks = {chunk for _, _, chunk in rows}
        cosines = dict(self.vectors.search(self.query, len(chunks), chunks)) if chunks else {}
        found: dict[int, list[Place]] = {}
        for nid, line, chunk in rows:
            if chunk in cosines:
                found.setdefault(nid, []).append(Place(nid, line, float(cosines[chunk])))
        return found

    def _rows(self, column: str, values: Sequence[object]) -> list[tuple[int, int, str]]:
        rows: list[tuple[int, int, str]] = []
        for start in range(0, len(values), _SQL_VARIABLES_MAX):
            part = values[start : start + _SQL_VARIABLES_MAX]
            marks = ",".join("?" * len(part))
            rows.extend(self.conn.execute(f"SELECT nid, line, hash FROM chunk WHERE {column} IN ({marks})", list(part)))
        return sorted(rows)


def nearness(conn: sqlite3.Connection, embedder: Embedder, vectors: Vectors, text: str) -> Nearness:
    """Embeds a query. Raises: BrainError when the model cannot be reached."""
    return Nearness(conn, vectors, embedder.embed([text])[0])
