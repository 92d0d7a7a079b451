"""The vector file: exact answers, rows that survive a kill, and one space at a time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import BrainError, IndexBroken
from brain.index import catalog
from brain.index.database import connect
from brain.index.vectors import GATHER_MAX, ROWS_PER_BLOCK, VectorStore, sweep

DIMS = 8


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with_schema = opened(tmp_path)
    yield with_schema
    with_schema.close()


def opened(folder: Path) -> sqlite3.Connection:
    conn = connect(folder / "text.sqlite")
    catalog.create(conn)
    return conn


def unit(count: int, seed: int = 0, dims: int = DIMS) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dims)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def names(count: int, first: int = 0) -> list[str]:
    return [f"c-{number:05}" for number in range(first, first + count)]


def filled(conn: sqlite3.Connection, folder: Path, count: int, seed: int = 0) -> tuple[VectorStore, np.ndarray]:
    store, rows = VectorStore(folder, "small", DIMS, conn), unit(count, seed)
    conn.execute("BEGIN IMMEDIATE")
    store.add(names(count), rows)
    conn.execute("COMMIT")
    return store, rows


def brute_force(keys: list[str], rows: np.ndarray, query: np.ndarray, k: int) -> list[tuple[str, float]]:
    scored = [
        (key, float(row.astype(np.float64) @ query.astype(np.float64))) for key, row in zip(keys, rows, strict=True)
    ]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:k]


def same(expected: list[tuple[str, float]], found: list[tuple[str, float]]) -> bool:
    """Equal up to float32 rounding; names may differ only where cosines are equal within it."""
    cosines = dict(expected)
    return len(expected) == len(found) and all(
        abs(e - f) <= 1e-5 and abs(cosines.get(name, e) - f) <= 1e-5
        for (_, e), (name, f) in zip(expected, found, strict=True)
    )


@given(st.integers(0, 120), st.integers(0, 2**32 - 1), st.integers(0, 60), st.data())
def test_search_equals_brute_force(
    tmp_path_factory: pytest.TempPathFactory, count: int, seed: int, k: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("index")
    conn = opened(folder)
    store, rows = filled(conn, folder, count, seed)
    gone = set(data.draw(st.lists(st.sampled_from(names(count)), unique=True))) if count else set()
    store.forget(gone)
    alive = [(key, row) for key, row in zip(names(count), rows, strict=True) if key not in gone]
    query = unit(1, seed ^ 1)[0]
    everything = brute_force([key for key, _ in alive], np.array([row for _, row in alive]).reshape(-1, DIMS), query, k)
    assert same(everything, store.search(query, k))
    allowed = set(data.draw(st.lists(st.sampled_from(names(count)), unique=True))) if count else {"c-none"}
    within = [pair for pair in brute_force([key for key, _ in alive], np.array([row for _, row in alive]).reshape(-1, DIMS), query, count)
              if pair[0] in allowed][:k]  # fmt: skip
    assert same(within, store.search(query, k, allowed))
    conn.close()


def test_search_is_exact_over_several_blocks_and_under_a_wide_filter(conn: sqlite3.Connection, tmp_path: Path) -> None:
    count = ROWS_PER_BLOCK + 500
    store, rows = filled(conn, tmp_path, count)
    query = unit(1, 9)[0]
    assert same(brute_force(names(count), rows, query, 20), store.search(query, 20))
    allowed = set(names(count)[::2])
    assert len(allowed) > GATHER_MAX
    expected = [pair for pair in brute_force(names(count), rows, query, count) if pair[0] in allowed][:20]
    assert same(expected, store.search(query, 20, allowed))


def test_equal_cosines_come_in_the_order_of_their_names(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "small", DIMS, conn)
    row = unit(1)
    store.add(["c-z", "c-b", "c-y", "c-a"], np.repeat(row, 4, axis=0))
    assert [key for key, _ in store.search(row[0], 2)] == ["c-a", "c-b"]


def test_an_empty_index_finds_nothing(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "small", DIMS, conn)
    assert store.search(unit(1)[0], 5) == []
    assert store.count == 0
    assert store.rows_of(["c-1"])[0] == []
    assert list(tmp_path.glob("vectors-*")) == []


def test_known_chunks_are_not_added_twice(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 5)
    assert store.missing(["c-new", "c-00001", "c-new"]) == ["c-new"]
    assert store.add(["c-00001", "c-new", "c-new"], unit(3, 7)) == 1
    assert store.count == 6
    keys, found = store.rows_of(["c-new", "c-none", "c-00001"])
    assert keys == ["c-new", "c-00001"]
    assert np.array_equal(found, np.stack([unit(3, 7)[1], rows[1]]))


def test_a_rolled_back_addition_is_not_there_and_its_rows_are_never_named(
    conn: sqlite3.Connection, tmp_path: Path
) -> None:
    store, rows = filled(conn, tmp_path, 5)
    conn.execute("BEGIN IMMEDIATE")
    store.forget(["c-00004"])
    store.add(["c-lost"], unit(1, 3))
    conn.execute("ROLLBACK")
    store.add(["c-kept"], unit(1, 4))
    assert store.count == 6
    assert np.array_equal(store.rows_of(["c-00004", "c-kept"])[1], np.stack([rows[4], unit(1, 4)[0]]))
    assert store.search(unit(1, 3)[0], 1)[0][0] != "c-lost"
    assert store.dead == 1


KILLED = """
import os, sys
from pathlib import Path
import numpy as np
from brain.index.database import connect
from brain.index.vectors import VectorStore
folder = Path(sys.argv[1])
conn = connect(folder / "text.sqlite")
conn.execute("BEGIN IMMEDIATE")
store = VectorStore(folder, "small", 8, conn)
store.add(["c-killed"], np.eye(8, dtype=np.float32)[:1])
with open(next(folder.glob("vectors-*.f32")), "ab") as file:
    file.write(b"torn row")
    file.flush()
    os.kill(os.getpid(), 9)
"""


def test_a_kill_with_a_torn_row_loses_nothing_that_was_committed(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 5)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parents[2], capture_output=True
    )
    assert done.returncode == -9
    (file,) = tmp_path.glob("vectors-*.f32")
    assert file.stat().st_size % (4 * DIMS) == 8
    again = VectorStore(tmp_path, "small", DIMS, conn)
    assert again.count == 5
    assert same(brute_force(names(5), rows, rows[2], 5), again.search(rows[2], 9))
    again.add(["c-next"], unit(1, 5))
    assert file.stat().st_size == 7 * 4 * DIMS
    assert np.array_equal(again.rows_of(["c-next"])[1], unit(1, 5))
    assert same(brute_force([*names(5), "c-next"], np.vstack([rows, unit(1, 5)]), rows[2], 6), store.search(rows[2], 9))


def test_unnamed_rows_may_hold_anything(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 5)
    (file,) = tmp_path.glob("vectors-*.f32")
    with open(file, "ab") as handle:
        handle.write(np.full((3, DIMS), np.nan, "<f4").tobytes() + np.full((40, DIMS), 1e30, "<f4").tobytes())
    assert same(brute_force(names(5), rows, rows[0], 3), store.search(rows[0], 3))


def test_a_shortened_file_gives_up_only_the_rows_it_lost(conn: sqlite3.Connection, tmp_path: Path) -> None:
    _, rows = filled(conn, tmp_path, 5)
    (file,) = tmp_path.glob("vectors-*.f32")
    with open(file, "r+b") as handle:
        handle.truncate(3 * 4 * DIMS + 1)
    store = VectorStore(tmp_path, "small", DIMS, conn)
    assert sorted(key for key, _ in store.search(rows[0], 9)) == ["c-00000", "c-00001", "c-00002"]
    assert store.forget_lost() == 2
    assert store.missing(names(5)) == ["c-00003", "c-00004"]
    store.add(["c-00003", "c-00004"], rows[3:])
    assert same(brute_force(names(5), rows, rows[4], 5), store.search(rows[4], 5))


def test_a_deleted_file_is_said_with_a_cure_and_filled_again(conn: sqlite3.Connection, tmp_path: Path) -> None:
    filled(conn, tmp_path, 5)
    (file,) = tmp_path.glob("vectors-*.f32")
    file.unlink()
    store = VectorStore(tmp_path, "small", DIMS, conn)
    with pytest.raises(IndexBroken, match="gone") as caught:
        store.search(unit(1)[0], 3)
    assert caught.value.cure == "brain rebuild"
    store.add(["c-new"], unit(1, 2))
    assert [key for key, _ in store.search(unit(1, 2)[0], 3)] == ["c-new"]


def test_compacting_keeps_every_vector_and_frees_the_rest(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 100)
    gone = names(100)[::3]
    store.forget(gone)
    assert store.dead == 34
    alive = [(key, row) for key, row in zip(names(100), rows, strict=True) if key not in gone]
    conn.execute("UPDATE vector SET in_graph=1 WHERE hash='c-00050'")
    conn.execute("BEGIN IMMEDIATE")
    assert store.compact() == 34
    conn.execute("COMMIT")
    store.sweep()
    (file,) = tmp_path.glob("vectors-*.f32")
    assert file.stat().st_size == 66 * 4 * DIMS
    assert (store.count, store.dead) == (66, 0)
    assert conn.execute("SELECT hash FROM vector WHERE in_graph=1").fetchall() == [("c-00050",)]
    expected = brute_force([key for key, _ in alive], np.array([row for _, row in alive]), rows[0], 10)
    assert same(expected, store.search(rows[0], 10))


def test_a_reader_keeps_answering_while_a_writer_compacts(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 50)
    reading = connect(tmp_path / "text.sqlite")
    reader = VectorStore(tmp_path, "small", DIMS, reading)
    before = reader.search(rows[40], 3)
    conn.execute("BEGIN IMMEDIATE")
    store.forget(names(10))
    store.compact()
    assert reader.search(rows[40], 3) == before
    conn.execute("COMMIT")
    store.sweep()
    assert same(brute_force(names(50)[10:], rows[10:], rows[40], 3), reader.search(rows[40], 3))
    reading.close()


def test_a_rolled_back_compaction_changes_nothing(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 20)
    conn.execute("BEGIN IMMEDIATE")
    store.forget(names(5))
    store.compact()
    conn.execute("ROLLBACK")
    store.sweep()
    assert len(list(tmp_path.glob("vectors-*.f32"))) == 1
    assert same(brute_force(names(20), rows, rows[0], 20), store.search(rows[0], 20))


def test_files_are_not_swept_before_the_commit(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, _ = filled(conn, tmp_path, 5)
    conn.execute("BEGIN IMMEDIATE")
    store.compact()
    with pytest.raises(BrainError, match="after the commit"):
        store.sweep()
    conn.execute("ROLLBACK")


def test_a_new_index_never_takes_over_the_rows_of_an_old_one(tmp_path: Path) -> None:
    old = opened(tmp_path)
    _, rows = filled(old, tmp_path, 5)
    (tmp_path / "fresh").mkdir()
    fresh = opened(tmp_path / "fresh")
    store = VectorStore(tmp_path, "small", DIMS, fresh)
    store.add(["c-other"], unit(1, 8))
    assert same(brute_force(names(5), rows, rows[1], 5), VectorStore(tmp_path, "small", DIMS, old).search(rows[1], 9))
    assert [key for key, _ in store.search(rows[1], 9)] == ["c-other"]
    fresh.close()
    old.close()


@pytest.mark.parametrize(("model", "dims"), [("other", DIMS), ("small", DIMS * 2)])
def test_two_spaces_are_never_mixed(conn: sqlite3.Connection, tmp_path: Path, model: str, dims: int) -> None:
    filled(conn, tmp_path, 2)
    with pytest.raises(IndexBroken, match="cannot be compared") as caught:
        VectorStore(tmp_path, model, dims, conn)
    assert "small (8 dims)" in caught.value.message
    assert f"{model} ({dims} dims)" in caught.value.message
    assert caught.value.cure == "brain rebuild"


def test_a_query_of_another_length_is_refused(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, _ = filled(conn, tmp_path, 2)
    with pytest.raises(BrainError, match="4 dims, the index 8"):
        store.search(unit(1, dims=4)[0], 1)


@pytest.mark.parametrize("row", [np.zeros(DIMS), np.full(DIMS, np.nan), np.ones(DIMS), np.full(DIMS, np.inf)])
def test_rows_that_are_not_of_unit_length_are_not_stored(
    conn: sqlite3.Connection, tmp_path: Path, row: np.ndarray
) -> None:
    store = VectorStore(tmp_path, "small", DIMS, conn)
    with pytest.raises(BrainError, match="unit length"):
        store.add(["c-a", "c-b"], np.stack([unit(1)[0], row]).astype(np.float32))
    assert store.count == 0


def test_rows_of_another_shape_are_not_stored(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "small", DIMS, conn)
    for rows in (unit(2), unit(1, dims=4)):
        with pytest.raises(BrainError, match="shape"):
            store.add(["c-a"], rows)


def test_a_model_name_with_slashes_stays_inside_the_folder(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "index", "../../Org/Model:latest/384@host:1", DIMS, conn)
    store.add(["c-a"], unit(1))
    (file,) = tmp_path.rglob("*.f32")
    assert file.parent == tmp_path / "index"
    assert file.name.startswith("vectors-org-model-latest-384-host-1-")


def test_a_folder_that_cannot_be_written_is_said_with_a_cure(conn: sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    store = VectorStore(tmp_path / "file", "small", DIMS, conn)
    with pytest.raises(BrainError, match="cannot be written") as caught:
        store.add(["c-a"], unit(1))
    assert "brain index" in caught.value.cure


def test_a_reader_keeps_what_it_has_mapped_of_a_file_that_was_swept(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 50)
    reading = connect(tmp_path / "text.sqlite")
    reader = VectorStore(tmp_path, "small", DIMS, reading)
    before = reader.search(rows[40], 3)
    reading.execute("BEGIN")
    assert reading.execute("SELECT count(*) FROM vector").fetchone() == (50,)
    conn.execute("BEGIN IMMEDIATE")
    store.compact()
    conn.execute("COMMIT")
    store.sweep()
    assert reader.search(rows[40], 3) == before
    assert np.array_equal(reader.rows_of(["c-00007"])[1][0], rows[7])
    reading.close()


def test_rows_are_asked_again_when_a_writer_compacts_in_between(conn: sqlite3.Connection, tmp_path: Path) -> None:
    store, rows = filled(conn, tmp_path, 50)

    class Between:
        """The connection of a reader; a writer compacts just before it asks for row numbers."""

        def __init__(self) -> None:
            self.inner = connect(tmp_path / "text.sqlite")
            self.is_done = False

        def execute(self, sql: str, *params: object) -> sqlite3.Cursor:
            if "hash IN" in sql and not self.is_done:
                self.is_done = True
                conn.execute("BEGIN IMMEDIATE")
                store.forget(names(10))
                store.compact()
                conn.execute("COMMIT")
                store.sweep()
            return self.inner.execute(sql, *params)

    reading = Between()
    reader = VectorStore(tmp_path, "small", DIMS, reading)  # type: ignore[arg-type]
    assert np.array_equal(reader.rows_of(["c-00020"])[1][0], rows[20])
    assert reading.is_done
    reading.inner.close()


def test_a_sweep_takes_the_files_of_other_models_too(conn: sqlite3.Connection, tmp_path: Path) -> None:
    filled(conn, tmp_path, 3)
    (tmp_path / "vectors-another-0011.f32").write_bytes(b"x" * 64)
    sweep(conn, tmp_path)
    (left,) = tmp_path.glob("vectors-*.f32")
    assert left.name.startswith("vectors-small-")
    conn.execute("DELETE FROM meta")
    sweep(conn, tmp_path)
    assert list(tmp_path.glob("vectors-*.f32")) == []
