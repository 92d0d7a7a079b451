"""Letting go of what the stores keep beyond what stands in notes: rows of the matrix, vectors of the cache.

A vector's name goes with the last note it stands in (`apply`), so that it is found no more; its row stays
in the matrix until such rows are many, and its copy in the cache until those are, for a text that comes
back. Both are derived: losing them costs time and nothing else. Readers need no lock: a matrix that is
replaced stays mapped where it is in use.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from brain.index.database import transaction

if TYPE_CHECKING:
    from brain.index.embeddings import Cache
    from brain.index.vectors import VectorStore

ROWS_DEAD_SHARE_MAX = 0.25
ROWS_SPARED = 1_000
"""The matrix may have so many dead rows beyond that share of the living ones; a sync that finds more copies it."""
KEPT_SPARED = 10_000
"""The cache may keep as many vectors that stand in no note as stand in one, and these; of other models as many again."""
KEPT_GO_MAX = 50_000
"""How many vectors leave the cache in one sync; the rest waits for the next."""


def is_worn(store: VectorStore, cache: Cache) -> bool:
    """Tells whether there is anything to let go of."""
    return _has_dead_rows(store) or _has_spare_vectors(store, cache)


def tidy(conn: sqlite3.Connection, store: VectorStore, cache: Cache) -> None:
    """Lets go of it. The caller holds the lock of the vault."""
    if _has_dead_rows(store):
        with transaction(conn):
            conn.execute("DELETE FROM vector WHERE hash NOT IN (SELECT hash FROM chunk)")
            store.compact()
        store.sweep()
    if _has_spare_vectors(store, cache):
        wanted = (row[0] for row in conn.execute("SELECT hash FROM vector"))
        cache.prune(store.model, wanted, dead_max=_spare(store) // 2, rows_max=KEPT_GO_MAX)


def _has_dead_rows(store: VectorStore) -> bool:
    return store.dead > ROWS_SPARED + ROWS_DEAD_SHARE_MAX * store.count


def _has_spare_vectors(store: VectorStore, cache: Cache) -> bool:
    return cache.count(store.model) > store.count + _spare(store) or cache.count_others(store.model) > _spare(store)


def _spare(store: VectorStore) -> int:
    return store.count + KEPT_SPARED
