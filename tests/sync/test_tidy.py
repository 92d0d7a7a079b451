"""What stands in no note is let go of: names at once, rows of the matrix and vectors of the cache when they are many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from brain.index.embeddings import Cache
from brain.index.vectors import VectorStore
from brain.sync.embedding import settle, vector_store
from brain.sync.run import sync
from brain.sync.space import Space
from brain.sync.tidy import KEPT_SPARED, ROWS_SPARED
from brain.vault.lock import VaultLock
from tests.laws.support import NOW, rebuilt_state, state_of
from tests.sync.support import generation, put, words


def unit(count: int, dims: int) -> np.ndarray:
    rows = np.random.default_rng(7).standard_normal((count, dims)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def model(space: Space) -> tuple[str, int]:
    embedder = space.embedder()
    assert embedder is not None
    return embedder.model, embedder.dims


def with_dead_rows(space: Space, count: int) -> None:
    """Leaves rows in the matrix that nothing names, as many edits do."""
    name, dims = model(space)
    with space.catalog() as conn:
        store = VectorStore(space.layout.index, name, dims, conn)
        keys = [f"c-dead-{number}" for number in range(count)]
        store.add(keys, unit(count, dims))
        store.forget(keys)


def with_spare_vectors(space: Space, count: int, of: str, prefix: str = "c-spare") -> None:
    dims = model(space)[1]
    rows = unit(1, dims).repeat(count, axis=0)
    with Cache(space.layout.cache_path) as cache:
        cache.put_many(of, [f"{prefix}-{number:06}" for number in range(count)], rows)


def rows_of_matrix(space: Space) -> tuple[int, int]:
    """How many rows the matrix has, and how many of them are named."""
    with space.catalog() as conn:
        store = vector_store(space, conn)
        assert store is not None
        return store.rows, store.count


def test_a_text_that_stands_nowhere_any_more_is_found_no_more(lexical: Space) -> None:
    put(lexical, "A.md", words(0, 30))
    put(lexical, "B.md", words(0, 30).replace("word3", "other"))
    sync(lexical, now=NOW)
    with lexical.catalog() as conn:
        (old,) = conn.execute("SELECT hash FROM chunk JOIN note USING(nid) WHERE path='A.md'").fetchone()
        query = vector_store(lexical, conn).rows_of([old])[1][0]
    put(lexical, "A.md", words(100, 30))
    sync(lexical, now=NOW)
    with lexical.catalog() as conn:
        assert old not in [chunk for chunk, _ in vector_store(lexical, conn).search(query, 10)]
    put(lexical, "A.md", words(0, 30))
    report = sync(lexical, now=NOW)
    assert (report.embedded, report.from_cache) == (0, 1)
    assert state_of(lexical) == rebuilt_state(lexical)


def test_a_text_that_stands_in_another_note_keeps_its_vector(lexical: Space) -> None:
    put(lexical, "A.md", "# T\n" + words(0, 30))
    put(lexical, "B.md", "# T\n" + words(0, 30))
    assert sync(lexical, now=NOW).embedded == 1
    (lexical.vault.root / "A.md").unlink()
    assert sync(lexical, now=NOW).embedded == 0
    assert rows_of_matrix(lexical) == (1, 1)


def test_a_matrix_with_many_dead_rows_is_copied(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    with_dead_rows(lexical, ROWS_SPARED)
    put(lexical, "B.md", "a stork\n")
    sync(lexical, now=NOW)
    assert rows_of_matrix(lexical) == (ROWS_SPARED + 2, 2)
    with_dead_rows(lexical, 1)
    put(lexical, "B.md", "a stork and an ibis\n")
    sync(lexical, now=NOW)
    assert rows_of_matrix(lexical) == (2, 2)
    assert len(list(lexical.layout.index.glob("vectors-*.f32"))) == 1
    assert state_of(lexical) == rebuilt_state(lexical)


def test_a_reader_that_has_the_matrix_mapped_answers_on(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    put(lexical, "B.md", "a stork\n")
    sync(lexical, now=NOW)
    name, dims = model(lexical)
    with lexical.catalog() as reading:
        reader = VectorStore(lexical.layout.index, name, dims, reading)
        (heron,) = reading.execute("SELECT hash FROM chunk JOIN note USING(nid) WHERE path='A.md'").fetchone()
        query = reader.rows_of([heron])[1][0]
        before = reader.search(query, 2)
        reading.execute("BEGIN")  # a search that is under way: it sees the catalog as it was
        assert reading.execute("SELECT count(*) FROM vector").fetchone() == (2,)
        with_dead_rows(lexical, ROWS_SPARED + 500)
        put(lexical, "C.md", "an ibis\n")
        sync(lexical, now=NOW)
        assert rows_of_matrix(lexical) == (3, 3)
        assert reader.search(query, 2) == before
        assert np.array_equal(reader.rows_of([heron])[1][0], query)
        reading.execute("COMMIT")
        assert reader.search(query, 1) == before[:1]


def test_a_rebuild_leaves_the_one_matrix_that_is_named(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    with_dead_rows(lexical, 10)
    sync(lexical, full=True, now=NOW)
    assert rows_of_matrix(lexical) == (1, 1)
    assert len(list(lexical.layout.index.glob("vectors-*.f32"))) == 1


def test_the_cache_keeps_what_may_come_back_and_lets_go_of_the_oldest_beyond_that(lexical: Space) -> None:
    name, _ = model(lexical)
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    with_spare_vectors(lexical, KEPT_SPARED, name)
    put(lexical, "B.md", "a stork\n")
    sync(lexical, now=NOW)
    with Cache(lexical.layout.cache_path) as cache:
        assert cache.count(name) == KEPT_SPARED + 2
    with_spare_vectors(lexical, 10, name, "c-later")
    put(lexical, "C.md", "an ibis\n")
    sync(lexical, now=NOW)
    with Cache(lexical.layout.cache_path) as cache:
        assert cache.count(name) <= 3 + (KEPT_SPARED + 3) // 2
        assert len(cache.known(name, [f"c-later-{number:06}" for number in range(10)])) == 10
        assert cache.known(name, ["c-spare-000000"]) == set()
    assert sync(lexical, full=True, now=NOW).embedded == 0


def test_vectors_of_other_models_are_kept_up_to_the_same_number(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    with_spare_vectors(lexical, KEPT_SPARED + 5, "another")
    put(lexical, "B.md", "a stork\n")
    sync(lexical, now=NOW)
    with Cache(lexical.layout.cache_path) as cache:
        assert cache.count("another") == (KEPT_SPARED + 2) // 2
        assert cache.count(model(lexical)[0]) == 2


def test_a_sync_of_nothing_new_tidies_nothing(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    with_dead_rows(lexical, ROWS_SPARED + 500)
    before = generation(lexical)
    assert sync(lexical, now=NOW).generation == before
    assert rows_of_matrix(lexical) == (ROWS_SPARED + 501, 1)


def test_a_vault_that_another_process_holds_is_tidied_later(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    with_dead_rows(lexical, ROWS_SPARED + 500)
    waits_little = replace(lexical, lock=VaultLock(lexical.layout.lock_path, wait_s=0.05))
    with VaultLock(lexical.layout.lock_path, wait_s=1.0).exclusive("another process"):
        assert settle(waits_little, generation(lexical)) == ()
    assert rows_of_matrix(lexical) == (ROWS_SPARED + 501, 1)
    assert settle(lexical, generation(lexical)) == ()
    assert rows_of_matrix(lexical) == (1, 1)
