"""What is kept of the journal changes how long reading it takes, and nothing that is read."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import BrainError
from brain.vault.journal import Journal
from brain.vault.short import Short

KINDS = {"moved", "run_started", "intended", "landed", "rolled_back", "held", "answered"}
FILES = [{"path": "A.md", "before_sha256": "1", "after_sha256": "2", "before": "a text", "hunks": [[0, 1, "x"]]}]
SOURCES = [{"item": "a-1", "quote": "words", "line": 3}]


def check(record: dict[str, object]) -> str | None:
    """Stands for a stage's rules: an intent without files is unsound."""
    return "no files" if record["kind"] == "intended" and not record["files"] else None


def intent(number: int, at: str = "2026-03-01T00:00:00Z", *, files: list[object] | None = None) -> dict[str, object]:
    return {
        "kind": "intended", "at": at, "run": "r", "item": f"r.{number}", "decision": f"d-{number}", "stage": "walk", "key": "caf\udce9 \u2028",
        "because": "it says so", "files": FILES if files is None else files, "provenance": SOURCES,
    }  # fmt: skip


def pair(folder: Path) -> tuple[Journal, Journal]:
    """One journal read whole, and the same with an index that keeps whatever it can."""
    index = folder / "index" / "journal.sqlite"
    index.parent.mkdir()
    return Journal(folder / "journal", "m-1"), Journal(folder / "journal", "m-1", index, tail_bytes_min=0)


def read(journal: Journal) -> object:
    """All that can be read of a journal, as plain values."""
    wanted = (KINDS, {"moved"}, {"intended", "touched"}, {"landed", "later"})
    return [json.dumps(journal.records(kinds), sort_keys=True) for kinds in wanted], json.dumps(journal.checked(KINDS, check), sort_keys=True)


# The law


def append(folder: Path, random: Callable[[int], int]) -> None:
    at = f"2026-{1 + random(3):02d}-01T00:00:{random(2):02d}Z"
    number = random(9)
    records = [
        intent(number, at), intent(number, at, files=[]), {"kind": "landed", "at": at, "item": f"r.{number}", "decision": "d"},
        {"kind": "touched", "at": at, "ids": ["n"]}, {"kind": "moved", "at": at, "from": "a", "to": "b", "id": "n"},
        {"kind": "later", "at": at, "x": [1]}, {"kind": "held", "at": at, "decision": "d", "edits": []},
    ]  # fmt: skip
    Journal(folder / "journal", f"m-{random(2)}").append([records[random(len(records))] for _ in range(1 + random(3))], durable=False)


def tear(folder: Path, random: Callable[[int], int]) -> None:
    with open(some(folder, random), "ab") as file:
        file.write([b'{"kind": "landed", "at": "2026-', b"\n\n", b"not json\n", b"[]\n", b'{"kind": "intended"}\n'][random(5)])


def cut(folder: Path, random: Callable[[int], int]) -> None:
    path = some(folder, random)
    os.truncate(path, random(path.stat().st_size + 1))


def alter(folder: Path, random: Callable[[int], int]) -> None:
    """A person edits the middle of a file: as many bytes as before, and others."""
    path = some(folder, random)
    path.write_bytes(path.read_bytes().replace(b'"landed"', b'"lended"', 1 + random(2)))


def merge(folder: Path, random: Callable[[int], int]) -> None:
    """A syncer puts another machine's file in place, with other lines first."""
    path = some(folder, random)
    fresh = path.with_suffix(".fresh")
    fresh.write_bytes(b'{"kind": "run_started", "at": "2026-01-01", "run": "r"}\n' + path.read_bytes())
    os.replace(fresh, path)


def lose(folder: Path, random: Callable[[int], int]) -> None:
    some(folder, random).unlink()


def damage_index(folder: Path, random: Callable[[int], int]) -> None:
    index = folder / "index" / "journal.sqlite"
    if index.exists():
        data = index.read_bytes()
        index.write_bytes([b"", b"no database", data[: len(data) // 2]][random(3)])


def lose_index(folder: Path, random: Callable[[int], int]) -> None:
    (folder / "index" / "journal.sqlite").unlink(missing_ok=True)


def some(folder: Path, random: Callable[[int], int]) -> Path:
    paths = sorted((folder / "journal").glob("*/*.jsonl"))
    if not paths:
        append(folder, random)
        paths = sorted((folder / "journal").glob("*/*.jsonl"))
    return paths[random(len(paths))]


@given(st.data())
def test_whatever_happens_to_the_files_the_index_changes_nothing_that_is_read(data: st.DataObject) -> None:
    def random(below: int) -> int:
        return data.draw(st.integers(0, below - 1))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, indexed = pair(folder)
        for _ in range(data.draw(st.integers(1, 12))):
            for step in data.draw(st.lists(st.sampled_from([append, append, tear, cut, alter, merge, lose, damage_index, lose_index]), max_size=3)):
                step(folder, random)
            if random(3):
                indexed.keep_short(check)
            assert read(indexed) == read(plain)


# What it is for


def test_what_is_kept_is_not_read_again(tmp_path: Path) -> None:
    """The line behind a kept record is replaced so that the file looks the same: only what is asked of it is missed."""
    _, journal = pair(tmp_path)
    journal.append([intent(1)])
    journal.keep_short(check)
    (record,) = journal.records({"intended"})
    path = next((tmp_path / "journal").glob("*/*.jsonl"))
    path.write_bytes(b"x" * path.stat().st_size)
    assert isinstance(record, Short)
    assert (record["item"], [file["path"] for file in record["files"]]) == ("r.1", ["A.md"])
    with pytest.raises(BrainError, match="The journal changed while it was read"):
        record["provenance"]


def test_a_kept_intent_is_like_the_whole_one_however_it_is_asked(tmp_path: Path) -> None:
    plain, journal = pair(tmp_path)
    journal.append([intent(1)])
    journal.keep_short(check)
    (whole,) = plain.records({"intended"})

    def short() -> dict[str, object]:
        (record,) = journal.records({"intended"})
        assert isinstance(record, Short)
        return record

    assert (short() == whole, whole == short(), short() != whole) == (True, True, False)
    assert short()["provenance"] == SOURCES and short().get("provenance") == SOURCES and "provenance" in short()
    assert (short().get("none"), "none" in short(), len(short())) == (None, False, len(whole))
    assert {**short()} == dict(short()) == dict(short().items()) == whole and sorted(short()) == sorted(short().keys()) == sorted(whole)
    assert json.dumps(short(), sort_keys=True) == json.dumps(whole, sort_keys=True) and eval(repr(short())) == whole
    assert short()["files"] == FILES and short()["files"][0]["before"] == "a text" and "hunks" in short()["files"][0]
    with pytest.raises(KeyError):
        short()["none"]


def test_an_unsound_record_is_checked_at_each_reading(tmp_path: Path) -> None:
    _, journal = pair(tmp_path)
    journal.append([intent(1), intent(2, files=[])])
    journal.keep_short(check)
    found = journal.checked({"intended"}, lambda _: "looked at")
    assert [(record["item"], why) for record, why in found] == [("r.1", None), ("r.2", "looked at")]


def test_a_short_tail_is_left_in_its_file(tmp_path: Path) -> None:
    index = tmp_path / "index" / "journal.sqlite"
    index.parent.mkdir()
    journal = Journal(tmp_path / "journal", "m-1", index)
    journal.append([intent(1)])
    journal.keep_short(check)
    assert sqlite3.connect(index).execute("SELECT count(*) FROM file").fetchone() == (0,)
    journal.append([intent(number) for number in range(300)])
    journal.keep_short(check)
    assert sqlite3.connect(index).execute("SELECT lines FROM file").fetchone() == (301,)


def test_nothing_is_written_where_there_is_no_index(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", "m-1", tmp_path / "index" / "journal.sqlite", tail_bytes_min=0)
    journal.append([intent(1)])
    journal.keep_short(check)
    assert not (tmp_path / "index").exists()


def test_an_index_that_another_process_writes_is_left_to_it(tmp_path: Path) -> None:
    plain, journal = pair(tmp_path)
    journal.append([intent(1)])
    journal.keep_short(check)
    journal.append([intent(2)])
    assert journal.index is not None
    other = sqlite3.connect(journal.index, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.keep_short(check)
    assert read(journal) == read(plain)
    other.execute("ROLLBACK")
