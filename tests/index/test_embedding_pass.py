"""A chunk is embedded once: the store is asked first, then the cache, then the model."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from brain.core.ids import chunk_id_of
from brain.errors import BrainError
from brain.index import catalog
from brain.index.database import connect
from brain.index.embedding_pass import TEXTS_PER_BATCH, EmbedReport, embed_missing
from brain.index.embeddings import Cache
from brain.index.vectors import VectorStore


class Counting:
    """An embedder that counts; texts that say so make it fail."""

    model = "counting"
    dims = 4

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.append(list(texts))
        if "fail" in texts:
            raise BrainError("The model is away.", "try later")
        rows = np.array([[len(text) + 1, text.count("a"), text.count("b"), 1.0] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    conn = connect(tmp_path / "text.sqlite")
    catalog.create(conn)
    yield conn
    conn.close()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "embeddings.sqlite") as cache:
        yield cache


def wanted(*texts: str) -> list[tuple[str, str]]:
    return [(chunk_id_of("counting", text), text) for text in texts]


def store_of(conn: sqlite3.Connection, folder: Path) -> VectorStore:
    return VectorStore(folder, "counting", 4, conn)


def test_each_text_is_embedded_once(conn: sqlite3.Connection, cache: Cache, tmp_path: Path) -> None:
    embedder, store = Counting(), store_of(conn, tmp_path)
    assert embed_missing(conn, store, cache, embedder, wanted("a", "b", "a")) == EmbedReport(embedded=2)
    assert embed_missing(conn, store, cache, embedder, wanted("b", "c")) == EmbedReport(embedded=1, already=1)
    assert embedder.asked == [["a", "b"], ["c"]]
    assert not conn.in_transaction
    for key, text in wanted("a", "b", "c"):
        assert np.array_equal(store.rows_of([key])[1], Counting().embed([text]))


def test_a_new_index_is_filled_from_the_cache(conn: sqlite3.Connection, cache: Cache, tmp_path: Path) -> None:
    embed_missing(conn, store_of(conn, tmp_path), cache, Counting(), wanted("a", "b"))
    (tmp_path / "anew").mkdir()
    fresh = connect(tmp_path / "anew" / "text.sqlite")
    catalog.create(fresh)
    embedder = Counting()
    store = store_of(fresh, tmp_path / "anew")
    assert embed_missing(fresh, store, cache, embedder, wanted("a", "b")) == EmbedReport(cached=2)
    assert embedder.asked == []
    assert store.count == 2
    fresh.close()


def test_a_cached_vector_that_cannot_be_one_is_made_again(
    conn: sqlite3.Connection, cache: Cache, tmp_path: Path
) -> None:
    (key, text), (other, _) = wanted("a", "b")
    cache.put_many("counting", [key], np.full((1, 4), np.nan, np.float32))
    cache.put_many("counting", [other], np.ones((1, 7), np.float32))
    store = store_of(conn, tmp_path)
    assert embed_missing(conn, store, cache, Counting(), wanted("a", "b")) == EmbedReport(embedded=2)
    assert np.array_equal(store.rows_of([key])[1], Counting().embed([text]))


def test_a_lost_vector_file_is_filled_again(conn: sqlite3.Connection, cache: Cache, tmp_path: Path) -> None:
    embed_missing(conn, store_of(conn, tmp_path), cache, Counting(), wanted("a", "b"))
    next(tmp_path.glob("vectors-*.f32")).unlink()
    assert embed_missing(conn, store_of(conn, tmp_path), cache, Counting(), wanted("a", "b")) == EmbedReport(cached=2)


def test_what_was_done_before_a_failure_stays(conn: sqlite3.Connection, cache: Cache, tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(TEXTS_PER_BATCH)]
    store = store_of(conn, tmp_path)
    with pytest.raises(BrainError, match="away"):
        embed_missing(conn, store, cache, Counting(), wanted(*texts, "fail"))
    assert store.count == TEXTS_PER_BATCH
    assert not conn.in_transaction


def test_a_stream_is_taken_in_batches_and_progress_is_told(
    conn: sqlite3.Connection, cache: Cache, tmp_path: Path
) -> None:
    embedder, told = Counting(), []
    stream = (pair for number in range(TEXTS_PER_BATCH + 3) for pair in wanted(f"text {number}"))
    embed_missing(conn, store_of(conn, tmp_path), cache, embedder, stream, told.append)
    assert [len(texts) for texts in embedder.asked] == [TEXTS_PER_BATCH, 3]
    assert told == [TEXTS_PER_BATCH, TEXTS_PER_BATCH + 3]


def test_a_callers_transaction_stays_the_callers(conn: sqlite3.Connection, cache: Cache, tmp_path: Path) -> None:
    store = store_of(conn, tmp_path)
    conn.execute("BEGIN IMMEDIATE")
    embed_missing(conn, store, cache, Counting(), wanted("a"))
    assert conn.in_transaction
    conn.execute("ROLLBACK")
    assert store.count == 0
    assert embed_missing(conn, store, cache, Counting(), wanted("a")) == EmbedReport(cached=1)


def test_an_embedder_of_another_space_is_refused(conn: sqlite3.Connection, cache: Cache, tmp_path: Path) -> None:
    embedder = Counting()
    with pytest.raises(BrainError, match="other"):
        embed_missing(conn, VectorStore(tmp_path, "other", 4, conn), cache, embedder, wanted("a"))
    assert embedder.asked == []
