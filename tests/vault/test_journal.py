"""The journal keeps every record, in order, whatever was killed in between."""

from __future__ import annotations

from pathlib import Path

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
