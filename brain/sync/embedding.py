"""The vectors' half of a sync: what still needs embedding, the model run with no lock held, then the stores.

The cache outlives a rebuild, so a text is embedded once per model for as long as it stands unchanged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from brain.errors import BrainError, Locked
from brain.index import catalog
from brain.index.catalog import Touched
from brain.index.database import transaction
from brain.sync.report import Progress, SyncReport
from brain.sync.space import Space
from brain.sync.tidy import is_worn, tidy

if TYPE_CHECKING:
    from brain.index.embedding_pass import EmbedReport
    from brain.index.embeddings import Cache
    from brain.index.vectors import VectorStore
    from brain.ports import Embedder

HASHES_PER_BATCH = 5_000
_SETTLED = "vectors_settled"


def model_name(space: Space) -> str | None:
    """Returns the name of the vector space of the settings, None when embedding is off. Loads no weights."""
    embedder = space.embedder()
    return None if embedder is None else embedder.model


def embed_new(space: Space, report: SyncReport, *, now: datetime, progress: Progress) -> SyncReport:
    """Embeds what has no vector yet and brings vectors and graph up to it.

    A model that cannot be reached costs nothing but the vectors: the report says what is waiting.
    """
    embedder = space.embedder()
    if embedder is None:
        return report
    with space.catalog() as conn:
        forget_lost(space, conn)
        if catalog.get_meta(conn, _SETTLED) == _state(conn):
            return report
        generation = _generation(conn)
        missing, waiting = missing_chunks(conn), vectors_waiting(conn)
    notices: list[str] = []
    try:
        done = _embedded(space, embedder, missing, notices, progress)
    except BrainError as error:
        generation += _show_in_graph(space, now, progress)
        notices.append(f"{error.message} ({error.cure})")
        return replace(report, waiting_to_embed=len(missing), generation=generation, notices=(*report.notices, *notices))
    if missing or waiting:
        generation += _show_in_graph(space, now, progress)
    if done.count == len(missing):
        notices += settle(space, generation)
    return replace(
        report, embedded=done.embedded, from_cache=report.from_cache + done.cached, generation=generation,
        notices=(*report.notices, *notices),
    )  # fmt: skip


def forget_lost(space: Space, conn: sqlite3.Connection) -> None:
    """Takes note of rows that a damaged or deleted matrix does not have, so that they are filled again."""
    store = vector_store(space, conn)
    if store is not None and conn.execute("SELECT 1 FROM vector LIMIT 1").fetchone():
        store.forget_lost()


def missing_chunks(conn: sqlite3.Connection) -> list[str]:
    """Returns the chunks that stand in a note and have no vector."""
    rows = conn.execute("SELECT DISTINCT hash FROM chunk WHERE hash NOT IN (SELECT hash FROM vector) ORDER BY hash")
    return [row[0] for row in rows]


def vectors_waiting(conn: sqlite3.Connection) -> list[str]:
    """Returns the chunks whose vectors are stored and not in the graph yet (a kill in between leaves some)."""
    return [row[0] for row in conn.execute("SELECT hash FROM vector WHERE in_graph=0 ORDER BY hash")]


def fill_vectors_from_cache(space: Space, conn: sqlite3.Connection) -> tuple[int, tuple[str, ...]]:
    """Adds the vectors that the cache holds, in batches; returns how many, and what a person should hear.

    The caller holds the lock.
    """
    embedder = space.embedder()
    if embedder is None:
        return 0, ()
    import numpy as np

    from brain.index.embedding_pass import is_unit
    from brain.index.embeddings import Cache
    from brain.index.vectors import VectorStore

    filled = 0
    wanted = missing_chunks(conn)
    with Cache(space.layout.cache_path) as cache:
        dims = _dims(conn, embedder) or cache.dims(embedder.model)
        if dims is None:
            return 0, tuple(cache.notices)
        store = VectorStore(space.layout.index, embedder.model, dims, conn)
        for start in range(0, len(wanted), HASHES_PER_BATCH):
            found = cache.get_many(store.model, wanted[start : start + HASHES_PER_BATCH])
            present = sorted(key for key, row in found.items() if is_unit(row, store.dims))
            if present:
                with transaction(conn):
                    filled += store.add(present, np.stack([found[key] for key in present]))
        return filled, tuple(cache.notices)


def vector_store(space: Space, conn: sqlite3.Connection) -> VectorStore | None:
    """Opens the matrix of the model of the settings; None when embedding is off, or before the model's first vector.

    Loads no model: the caller may hold the lock.
    """
    embedder = space.embedder()
    dims = None if embedder is None else _dims(conn, embedder)
    if embedder is None or dims is None:
        return None
    from brain.index.vectors import VectorStore

    return VectorStore(space.layout.index, embedder.model, dims, conn)


def _dims(conn: sqlite3.Connection, embedder: Embedder) -> int | None:
    """Returns the length of a vector as the settings or the first vector said it, None when only the model could."""
    from brain.index.vectors import META_DIMS
    from brain.models.embed import known_dims

    learnt = catalog.get_meta(conn, META_DIMS)
    return known_dims(embedder) or (int(learnt) if learnt else None)


def forget_vectors(space: Space, conn: sqlite3.Connection) -> None:
    """Deletes the matrices that the catalog does not name; who has one mapped keeps it.

    Belongs after the new one is filled, so that a search that began on the old catalog finds the old one.
    """
    from brain.index.vectors import sweep

    sweep(conn, space.layout.index)


class StoredVectors:
    """The vectors of one model, for the graph (`graph.rebuild.VectorSource`)."""

    def __init__(self, store: VectorStore, conn: sqlite3.Connection) -> None:
        self._store = store
        self._conn = conn
        self.model = store.model
        self.dims = store.dims
        self.size_bytes = 4 * store.dims * store.count

    def of(self, hashes: list[str]) -> tuple[list[str], Any]:
        """Returns the ids that have a vector, and float32[n, dims] in their order."""
        return self._store.rows_of(hashes)

    def all(self) -> Iterator[tuple[list[str], Any]]:
        """Yields the vectors of every chunk that stands in a note, in batches."""
        hashes = [
            row[0] for row in self._conn.execute("SELECT hash FROM vector WHERE hash IN (SELECT hash FROM chunk) ORDER BY row")
        ]
        for start in range(0, len(hashes), HASHES_PER_BATCH):
            yield self.of(hashes[start : start + HASHES_PER_BATCH])


def vector_source(space: Space, conn: sqlite3.Connection) -> StoredVectors | None:
    """Returns where the graph takes its vectors from, None when embedding is off."""
    store = vector_store(space, conn)
    return None if store is None else StoredVectors(store, conn)


def _embedded(space: Space, embedder: Embedder, missing: list[str], notices: list[str], progress: Progress) -> EmbedReport:
    """Runs the model over what is missing. Holds no lock of the vault: loading it may take seconds, and running minutes."""
    from brain.index.embedding_pass import EmbedReport, embed_missing
    from brain.index.embeddings import Cache
    from brain.index.vectors import VectorStore

    if not missing:
        return EmbedReport()
    progress("embed", 0, len(missing))
    wanted = _texts_of(space, missing, embedder.model)
    with space.catalog() as conn, Cache(space.layout.cache_path) as cache:
        notices += cache.notices
        store = VectorStore(space.layout.index, embedder.model, embedder.dims, conn)
        return embed_missing(conn, store, cache, embedder, wanted, lambda done: progress("embed", done, len(missing)))


def _texts_of(space: Space, wanted: list[str], model: str) -> Iterator[tuple[str, str]]:
    """Yields (chunk, text) by splitting the notes anew; a note that changed meanwhile waits for the next sync."""
    from brain.core.ids import chunk_id_of
    from brain.index.chunk import split_note
    from brain.sync.read import readable
    from brain.vault.parse import parse_note

    with space.catalog() as conn:
        nids = sorted(set(catalog.nids_of_chunks(conn, wanted)))
        paths = sorted(conn.execute("SELECT path FROM note WHERE nid=?", (nid,)).fetchone()[0] for nid in nids)
    left = set(wanted)
    for path in paths:
        for source in space.vault.read_many([path]).values():
            text, _ = readable(source.data)
            note = parse_note(path, text, space.config.limits)
            for piece in split_note(note, text, space.config.limits):
                chunk = chunk_id_of(model, piece.text)
                if chunk in left:
                    left.discard(chunk)
                    yield chunk, piece.text


def _show_in_graph(space: Space, now: datetime, progress: Progress) -> int:
    """Adds the chunks whose vectors the graph does not have yet, under the lock; returns by how much the generation rose."""
    from brain.sync.graph import graph_is_current, project_changes

    with space.lock.exclusive("vectors"), space.catalog() as conn:
        waiting = vectors_waiting(conn)
        if not waiting or not graph_is_current(space, conn):
            return 0  # nothing new, or the next sync makes the graph anew from all there is
        catalog.set_meta(conn, "generation", str(_generation(conn) + 1))
        project_changes(space, conn, Touched(nids=set(catalog.nids_of_chunks(conn, waiting))), now, progress)
        conn.executemany("UPDATE vector SET in_graph=1 WHERE hash=?", [(chunk,) for chunk in waiting])
        return 1


def settle(space: Space, generation: int) -> tuple[str, ...]:
    """Tidies the stores and notes that all vectors of this generation are there; returns what a person should hear.

    While another process holds the vault it is left to the next sync.
    """
    try:
        with _stores(space) as (_, store, cache):
            is_due = store is not None and is_worn(store, cache)
        if is_due:
            with space.lock.exclusive("tidying"), _stores(space) as (conn, store, cache):
                if store is not None:
                    tidy(conn, store, cache)
    except Locked:
        return ()
    except BrainError as error:
        return (f"The stores could not be tidied: {error.message} ({error.cure})",)
    with space.catalog() as conn:
        if _generation(conn) == generation and not vectors_waiting(conn):
            catalog.set_meta(conn, _SETTLED, _state(conn))
    return ()


@contextmanager
def _stores(space: Space) -> Iterator[tuple[sqlite3.Connection, VectorStore | None, Cache]]:
    from brain.index.embeddings import Cache

    with space.catalog() as conn, Cache(space.layout.cache_path) as cache:
        yield conn, vector_store(space, conn), cache


def _generation(conn: sqlite3.Connection) -> int:
    return int(catalog.get_meta(conn, "generation") or 0)


def _state(conn: sqlite3.Connection) -> str:
    """What changes when anything is indexed, embedded or lost."""
    named, waiting = conn.execute("SELECT (SELECT count(*) FROM vector), (SELECT count(*) FROM vector WHERE in_graph=0)").fetchone()
    return f"{_generation(conn)} {named} {waiting}"
