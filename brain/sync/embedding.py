"""The vectors' half of a sync: what still needs embedding, the model run with no lock held, then the stores.

The cache outlives a rebuild, so a text is embedded once per model for as long as it stands unchanged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from brain.errors import BrainError
from brain.index import catalog
from brain.index.catalog import Touched
from brain.sync.report import Progress, SyncReport
from brain.sync.space import Space

if TYPE_CHECKING:
    from brain.index.vectors import VectorStore
    from brain.ports import Embedder

TEXTS_PER_BATCH = 256
HASHES_PER_BATCH = 5_000


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
        missing = missing_chunks(conn)
    if not missing:
        return report
    try:
        embedded, cached = _into_cache(space, embedder, missing, progress)
    except BrainError as error:
        return replace(report, waiting_to_embed=len(missing), notices=(*report.notices, f"{error.message} ({error.cure})"))
    _into_stores(space, missing, now, progress)
    return replace(report, embedded=embedded, from_cache=cached)


def missing_chunks(conn: sqlite3.Connection) -> list[str]:
    """Returns the chunks that stand in a note and have no vector."""
    rows = conn.execute("SELECT DISTINCT hash FROM chunk WHERE hash NOT IN (SELECT hash FROM vector) ORDER BY hash")
    return [row[0] for row in rows]


def fill_vectors_from_cache(space: Space, conn: sqlite3.Connection, hashes: list[str] | None = None) -> list[str]:
    """Adds the vectors that the cache holds, in batches; returns the chunks that got one. Caller holds the lock."""
    store = vector_store(space, conn)
    if store is None:
        return []
    from brain.index.embeddings import Cache

    wanted = missing_chunks(conn) if hashes is None else hashes
    filled: list[str] = []
    with Cache(space.layout.cache_path) as cache:
        for start in range(0, len(wanted), HASHES_PER_BATCH):
            found = cache.get_many(store.model, wanted[start : start + HASHES_PER_BATCH])
            present = sorted(found)
            if present:
                _add(conn, store, present, found)
                filled.extend(present)
    return filled


def vector_store(space: Space, conn: sqlite3.Connection) -> VectorStore | None:
    """Opens the matrix of the model of the settings, None when embedding is off."""
    embedder = space.embedder()
    if embedder is None:
        return None
    from brain.index.vectors import VectorStore

    return VectorStore(space.layout.index, embedder.model, embedder.dims, conn)


def forget_vectors(space: Space) -> None:
    """Deletes all matrices; the cache has every row of them."""
    for path in space.layout.index.glob("vectors-*"):
        path.unlink()


class StoredVectors:
    """The vectors of one model, for the graph (`graph.rebuild.VectorSource`)."""

    def __init__(self, store: VectorStore, conn: sqlite3.Connection) -> None:
        self._store = store
        self._conn = conn
        self.model = store.model
        self.dims = store.dims

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


def _into_cache(space: Space, embedder: Embedder, missing: list[str], progress: Progress) -> tuple[int, int]:
    """Embeds the texts that the cache does not have. Holds no lock: a model may take minutes."""
    from brain.index.embeddings import Cache

    embedded = 0
    with Cache(space.layout.cache_path) as cache:
        known = cache.known(embedder.model, missing)
        absent = [chunk for chunk in missing if chunk not in known]
        batch: list[tuple[str, str]] = []
        for pair in _texts_of(space, set(absent), embedder.model):
            batch.append(pair)
            if len(batch) == TEXTS_PER_BATCH:
                embedded += _embed_batch(cache, embedder, batch)
                batch = []
                progress("embed", embedded, len(absent))
        embedded += _embed_batch(cache, embedder, batch)
        if absent:
            progress("embed", embedded, len(absent))
    return embedded, len(missing) - len(absent)


def _embed_batch(cache: Any, embedder: Embedder, batch: list[tuple[str, str]]) -> int:
    if batch:
        vectors = embedder.embed([text for _, text in batch])
        cache.put_many(embedder.model, [chunk for chunk, _ in batch], vectors)
    return len(batch)


def _texts_of(space: Space, wanted: set[str], model: str) -> Iterator[tuple[str, str]]:
    """Yields (chunk, text) by splitting the notes anew; a note that changed meanwhile waits for the next sync."""
    from brain.core.ids import chunk_id_of
    from brain.index.chunk import split_note
    from brain.vault.parse import parse_note

    with space.catalog() as conn:
        rows = conn.execute("SELECT DISTINCT n.path, c.hash FROM chunk c JOIN note n USING(nid) ORDER BY n.path")
        paths = sorted({path for path, chunk in rows if chunk in wanted})
    left = set(wanted)
    for path in paths:
        for source in space.vault.read_many([path]).values():
            note = parse_note(path, source.text, space.config.limits)
            for piece in split_note(note, source.text, space.config.limits):
                chunk = chunk_id_of(model, piece.text)
                if chunk in left:
                    left.discard(chunk)
                    yield chunk, piece.text


def _into_stores(space: Space, missing: list[str], now: datetime, progress: Progress) -> None:
    """Adds the new vectors to the matrix and to the graph, under the lock."""
    from brain.sync.graph import graph_is_current, project_changes

    with space.lock.exclusive("vectors"), space.catalog() as conn:
        still = set(missing_chunks(conn))
        was_current = graph_is_current(space, conn)
        filled = fill_vectors_from_cache(space, conn, [chunk for chunk in missing if chunk in still])
        if not filled:
            return
        generation = int(catalog.get_meta(conn, "generation") or 0) + 1
        catalog.set_meta(conn, "generation", str(generation))
        touched = Touched(nids=set(catalog.nids_of_chunks(conn, filled)))
        project_changes(space, conn, touched if was_current else Touched(), now, progress)


def _add(conn: sqlite3.Connection, store: VectorStore, present: list[str], found: dict[str, Any]) -> None:
    import numpy as np

    conn.execute("BEGIN IMMEDIATE")
    try:
        store.add(present, np.stack([found[chunk] for chunk in present]))
        conn.execute("COMMIT")
    except BaseException:
        conn.execute("ROLLBACK")
        raise
