"""The embedding cache: what was put comes back, also to other processes, and a broken file is only set aside."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import BrainError
from brain.index.embeddings import Cache


def rows(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 4)).astype(np.float32)


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["one", "two"]), st.text("abc", min_size=1)), st.integers(0, 2**31), max_size=20
    )
)
def test_what_was_put_comes_back_per_model(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[tuple[str, str], int]
) -> None:
    path = tmp_path_factory.mktemp("cache") / "embeddings.sqlite"
    with Cache(path) as cache:
        for (model, key), seed in entries.items():
            cache.put_many(model, [key], rows(1, seed))
    with Cache(path) as cache:
        for model in ("one", "two", "three"):
            expected = {key: rows(1, seed)[0] for (name, key), seed in entries.items() if name == model}
            found = cache.get_many(model, [*(key for _, key in entries), "absent"])
            assert expected.keys() == found.keys() == cache.known(model, [*(key for _, key in entries), "absent"])
            assert all(np.array_equal(found[key], vector) for key, vector in expected.items())


def test_thousands_of_hashes_are_asked_in_batches(tmp_path: Path) -> None:
    keys = [f"c-{number}" for number in range(3_000)]
    with Cache(tmp_path / "embeddings.sqlite") as cache:
        cache.put_many("m", keys, rows(3_000))
        found = cache.get_many("m", keys)
    assert np.array_equal(np.stack([found[key] for key in keys]), rows(3_000))


def test_a_later_vector_replaces_an_earlier_one(tmp_path: Path) -> None:
    with Cache(tmp_path / "embeddings.sqlite") as cache:
        cache.put_many("m", ["a"], rows(1, 1))
        cache.put_many("m", ["a"], rows(1, 2))
        assert np.array_equal(cache.get_many("m", ["a"])["a"], rows(1, 2)[0])


def test_a_batch_of_another_length_stores_nothing(tmp_path: Path) -> None:
    with Cache(tmp_path / "embeddings.sqlite") as cache:
        with pytest.raises(ValueError, match="zip"):
            cache.put_many("m", ["a", "b"], rows(1))
        assert cache.known("m", ["a", "b"]) == set()


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5_000])
def test_a_broken_file_is_set_aside_with_a_notice(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "embeddings.sqlite"
    path.write_bytes(content)
    with Cache(path) as cache:
        assert "moved to" in cache.notices[0]
        cache.put_many("m", ["a"], rows(1))
    assert (tmp_path / "embeddings.sqlite.broken").read_bytes() == content
    with Cache(path) as cache:
        assert cache.notices == []
        assert cache.known("m", ["a"]) == {"a"}


def test_a_file_that_breaks_while_open_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    with Cache(path) as cache:
        cache.put_many("m", [f"c-{number}" for number in range(2_000)], rows(2_000))
    with Cache(path) as cache:
        with open(path, "r+b") as file:
            file.seek(4_096)
            file.write(b"\xa5" * (path.stat().st_size - 4_096))
        cache.put_many("m", ["fresh"], rows(1, 3))
        assert np.array_equal(cache.get_many("m", ["fresh"])["fresh"], rows(1, 3)[0])
        assert len(cache.notices) == 1


def test_a_folder_that_cannot_be_used_is_said_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(BrainError, match="cannot be used") as caught:
        Cache(tmp_path / "file" / "embeddings.sqlite")
    assert "embeddings.sqlite" in caught.value.cure


PUTTING = """
import sys
from pathlib import Path
import numpy as np
from brain.index.embeddings import Cache
worker = int(sys.argv[2])
for round in range(10):
    with Cache(Path(sys.argv[1])) as cache:
        keys = [f"c-{worker}-{round}-{number}" for number in range(20)] + [f"shared-{round}"]
        cache.put_many("m", keys, np.full((21, 4), worker, np.float32))
        assert len(cache.get_many("m", keys)) == 21
        assert not cache.notices
"""


def test_processes_that_start_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", PUTTING, str(path), str(n)], cwd=Path(__file__).parents[2], stderr=subprocess.PIPE
        )
        for n in range(4)
    ]
    assert [worker.communicate(timeout=60)[1] for worker in workers] == [b""] * 4
    with Cache(path) as cache:
        keys = [f"c-{worker}-{turn}-{number}" for worker in range(4) for turn in range(10) for number in range(20)]
        assert cache.known("m", keys) == set(keys)


def test_pruning_lets_go_of_the_oldest_that_nobody_wants(tmp_path: Path) -> None:
    with Cache(tmp_path / "embeddings.sqlite") as cache:
        for key in "abcdef":
            cache.put_many("m", [key], rows(1))
        cache.put_many("m", ["a"], rows(1))  # put again: the youngest now
        assert cache.prune("m", ["b"], dead_max=2, rows_max=100) == 3
        assert cache.known("m", list("abcdef")) == {"a", "b", "f"}


def test_pruning_goes_on_where_the_last_one_stopped(tmp_path: Path) -> None:
    keys = [f"c-{number:02}" for number in range(10)]
    with Cache(tmp_path / "embeddings.sqlite") as cache:
        cache.put_many("m", keys, rows(10))
        assert [cache.prune("m", [], dead_max=1, rows_max=6) for _ in range(3)] == [6, 3, 0]
        assert cache.known("m", keys) == {"c-09"}


def test_other_models_share_one_allowance(tmp_path: Path) -> None:
    with Cache(tmp_path / "embeddings.sqlite") as cache:
        for model in ("old", "older", "m"):
            cache.put_many(model, ["a", "b"], rows(2))
        assert (cache.count("m"), cache.count_others("m")) == (2, 4)
        cache.prune("m", ["a", "b"], dead_max=3, rows_max=100)
        assert (cache.count("m"), cache.count("old"), cache.count("older")) == (2, 1, 2)


def test_a_file_that_is_mostly_empty_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    keys = [f"c-{number}" for number in range(2_000)]
    with Cache(path) as cache:
        cache.put_many("m", keys, np.ones((2_000, 384), np.float32))
    full = path.stat().st_size
    with Cache(path) as cache:
        cache.prune("m", keys[:10], dead_max=0, rows_max=10_000)
        assert np.array_equal(cache.get_many("m", keys[:1])[keys[0]], np.ones(384, np.float32))
    assert path.stat().st_size < full / 10


def test_a_file_in_use_by_another_process_is_pruned_and_shrinks_later(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    with Cache(path) as cache:
        cache.put_many("m", [f"c-{number}" for number in range(500)], np.ones((500, 384), np.float32))
        other = sqlite3.connect(path, isolation_level=None)
        reading = other.execute("SELECT hash FROM embedding")
        reading.fetchone()
        assert cache.prune("m", [], dead_max=0, rows_max=1_000) == 500
        reading.close()
        other.close()
        assert cache.count("m") == 0


def test_a_file_of_the_first_version_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    first = sqlite3.connect(path, isolation_level=None)
    first.execute("CREATE TABLE embedding(model TEXT, hash TEXT, vector BLOB NOT NULL, PRIMARY KEY(model, hash)) WITHOUT ROWID")
    first.execute("PRAGMA user_version=1")
    first.executemany("INSERT INTO embedding VALUES('m',?,?)", [(key, rows(1, seed).tobytes()) for seed, key in enumerate("abc")])
    first.close()
    with Cache(path) as cache:
        assert cache.notices == []
        assert np.array_equal(cache.get_many("m", ["b"])["b"], rows(1, 1)[0])
        cache.put_many("m", ["d"], rows(1))
        assert cache.count("m") == 4
