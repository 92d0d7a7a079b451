"""Giving every wanted chunk its vector: from the store, else the cache, else the model. Bounded memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from brain.errors import BrainError
from brain.index.database import transaction
from brain.index.embeddings import Cache
from brain.index.vectors import UNIT_TOLERANCE, VectorStore
from brain.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TEXTS_PER_BATCH = 512
Wanted = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """How many chunks the model embedded, the cache gave, and the store had already."""

    embedded: int = 0
    cached: int = 0
    already: int = 0

    @property
    def count(self) -> int:
        """How many chunks have a vector now."""
        return self.embedded + self.cached + self.already

    def __add__(self, other: EmbedReport) -> EmbedReport:
        """Returns the sums."""
        return EmbedReport(self.embedded + other.embedded, self.cached + other.cached, self.already + other.already)


def embed_missing(
    conn: sqlite3.Connection, store: VectorStore, cache: Cache, embedder: Embedder, wanted: Wanted,
    progress: Callable[[int], None] | None = None,
) -> EmbedReport:  # fmt: skip
    """Adds to the store what it lacks of `wanted`, pairs of chunk id and text, a batch at a time.

    The model runs outside a transaction and its answer goes to the cache first, so that a kill costs one
    batch. Each batch is one transaction of its own, unless the caller has one open. `progress` is told how
    many chunks are done. Raises: BrainError when the model cannot be reached; what was done stays.
    """
    if (store.model, store.dims) != (embedder.model, embedder.dims):
        raise BrainError(
            f"The store holds vectors of {store.model}, the embedder makes those of {embedder.model}.", "brain rebuild"
        )
    store.forget_lost()
    report = EmbedReport()
    for batch in _batches(wanted):
        report += _embed_batch(conn, store, cache, embedder, batch)
        if progress is not None:
            progress(report.count)
    return report


def _embed_batch(
    conn: sqlite3.Connection, store: VectorStore, cache: Cache, embedder: Embedder, batch: dict[str, str]
) -> EmbedReport:
    import numpy as np

    lacking = store.missing(batch)
    found = {key: row for key, row in cache.get_many(store.model, lacking).items() if is_unit(row, store.dims)}
    absent = [key for key in lacking if key not in found]
    cached = len(found)
    if absent:
        vectors = embedder.embed([batch[key] for key in absent])
        cache.put_many(store.model, absent, vectors)
        found.update(zip(absent, vectors, strict=True))
    if lacking:
        _add(conn, store, lacking, np.stack([found[key] for key in lacking]))
    return EmbedReport(len(absent), cached, len(batch) - len(lacking))


def _add(conn: sqlite3.Connection, store: VectorStore, hashes: list[str], vectors: NDArray[np.float32]) -> None:
    with nullcontext() if conn.in_transaction else transaction(conn):
        store.add(hashes, vectors)


def is_unit(row: NDArray[np.float32], dims: int) -> bool:
    """Tells whether a cached row can be trusted; one that cannot is embedded again."""
    return row.shape == (dims,) and abs(float(row @ row) - 1.0) <= UNIT_TOLERANCE


def _batches(wanted: Wanted) -> Iterator[dict[str, str]]:
    remaining = iter(wanted)
    while batch := dict(islice(remaining, TEXTS_PER_BATCH)):
        yield batch
