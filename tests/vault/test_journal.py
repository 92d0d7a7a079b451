"""The journal keeps every record, in order, whatever was killed in between."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from brain.vault.journal import Journal, machine_id


def record(number: int, at: str = "2026-03-01T00:00:00.000000Z") -> dict[str, object]:
    return {"kind": "touched", "at": at, "ids": [str(number)]}


def test_records_come_back_in_order_of_time_then_machine(tmp_path: Path) -> None:
    one, two = Journal(tmp_path, "m-1"), Journal(tmp_path, "m-2")
    two.append([record(1, "2026-03-01T00:00:00.000000Z")])
    one.append([record(2, "2026-03-02T00:00:00.000000Z"), record(3, "2026-02-01T00:00:00.000000Z")])
    one.append([record(4, "2026-03-01T00:00:00.000000Z")])
    assert [r["ids"] for r in Journal(tmp_path, "m-3").records()] == [["3"], ["4"], ["1"], ["2"]]


def test_each_machine_and_month_has_its_own_file(tmp_path: Path) -> None:
    Journal(tmp_path, "m-1").append([record(1, "2026-03-01T00:00:00Z"), record(2, "2026-04-01T00:00:00Z")])
    assert sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.jsonl")) == ["m-1/2026-03.jsonl", "m-1/2026-04.jsonl"]


def test_a_torn_last_line_costs_only_itself(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "m-1")
    journal.append([record(1)])
    path = tmp_path / "m-1" / "2026-03.jsonl"
    path.write_bytes(path.read_bytes() + b'{"kind": "touc')
    assert [r["ids"] for r in journal.records()] == [["1"]]
    journal.append([record(2)])
    assert [r["ids"] for r in journal.records()] == [["1"], ["2"]]


def test_a_line_that_is_no_record_is_named_and_skipped(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "m-1")
    journal.append([record(1)])
    path = tmp_path / "m-1" / "2026-03.jsonl"
    path.write_bytes(b"not json\n" + path.read_bytes())
    assert [r["ids"] for r in journal.records()] == [["1"]]
    assert [(f.code, f.line) for f in journal.unreadable] == [("journal-line", 1)]


def test_undecodable_text_does_not_stop_an_append(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "m-1")
    journal.append([{"kind": "x", "at": "2026-03-01", "path": "a\udcff.md"}])
    assert len(journal.records()) == 1


def test_the_machine_id_is_made_once_and_kept_outside_the_vault(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    first = machine_id(environ)
    assert first.startswith("m-") and machine_id(environ) == first
    assert machine_id({"BRAIN_MACHINE": "desk"}) == "desk"


def test_a_machine_whose_id_file_holds_nothing_gets_an_id_that_stays(tmp_path: Path) -> None:
    path = tmp_path / "state" / "brain" / "machine"
    path.parent.mkdir(parents=True)
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    for damage in (b"", b"\n", b"\xff\xfe"):
        path.write_bytes(damage)
        first = machine_id(environ)
        assert first.startswith("m-") and machine_id(environ) == first
    assert [place.name for place in path.parent.iterdir()] == ["machine"]


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
def test_eight_first_starts_at_once_agree_on_the_id(tmp_path: Path) -> None:
    for start in range(60):
        environ = {"XDG_STATE_HOME": str(tmp_path / str(start))}
        assert len(set(at_once(8, environ))) == 1, start


def at_once(count: int, environ: dict[str, str]) -> list[str]:
    """Asks for the id in so many processes that wait for one signal."""
    (wait, go), (read, write) = os.pipe(), os.pipe()
    children = []
    for _ in range(count):
        children.append(os.fork())
        if children[-1] == 0:
            try:
                os.close(go)
                os.read(wait, 1)  # returns in all of them when the last holder of the other end is gone
                os.write(write, f"{machine_id(environ)}\n".encode())
                os._exit(0)
            finally:
                os._exit(9)
    os.close(go)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * count
    os.close(write)
    os.close(wait)
    with os.fdopen(read) as pipe:
        return pipe.read().split()


# Lines that were cut off


def test_an_append_after_a_torn_line_keeps_both_records_apart(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "m-1")
    path = tmp_path / "m-1" / "2026-03.jsonl"
    journal.append([record(1)])
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        journal.append([record(2)])
        assert [r["ids"] for r in journal.records()] == [["2"]] or cut == len(whole) - 1, cut


def test_a_line_counts_when_it_has_its_end_and_then_for_every_reader(tmp_path: Path) -> None:
    """Else a kill before the very last byte would leave a record that one reader counts and another does not."""
    journal = Journal(tmp_path, "m-1")
    journal.append([record(1)])
    path = tmp_path / "m-1" / "2026-03.jsonl"
    path.write_bytes(path.read_bytes() + json.dumps({**record(2), "machine": "m-1"}).encode())
    assert [r["ids"] for r in journal.records()] == [["1"]]
    journal.append([record(3)])
    assert [r["ids"] for r in journal.records()] == [["1"], ["2"], ["3"]]


def test_processes_that_append_at_once_keep_their_lines_apart(tmp_path: Path) -> None:
    children = []
    for number in range(6):
        children.append(os.fork())
        if children[-1] == 0:
            try:
                for _ in range(40):
                    Journal(tmp_path, "m-1").append([{**record(number), "words": "x" * 5000}], durable=False)
                os._exit(0)
            finally:
                os._exit(9)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * 6
    journal = Journal(tmp_path, "m-1")
    assert (len(journal.records()), journal.unreadable) == (240, [])
