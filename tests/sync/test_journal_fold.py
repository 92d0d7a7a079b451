"""What the journal says is folded as a rebuild would fold it, whatever a line says and whoever rewrote the file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from brain.core.ids import note_id_of_path
from brain.doctor.checks import examine
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, graph_rows, rebuilt_state, state_of
from tests.sync.support import generation, put

AT = "2026-05-01T00:00:00Z"
NOTE = note_id_of_path("A.md")
HALF = "\ud800"
SOURCE = {
    "kind": "provenance", "at": AT, "item": "k", "plan": "p", "episode": "A.md", "line": 1, "quote": "q", "reason": "r", "judge": "rules/1",
}  # fmt: skip
MOVED = {"kind": "moved", "at": AT, "from": "X.md", "to": "A.md", "id": "n-1"}
BAD: list[dict[str, Any]] = [
    {"kind": "touched", "at": AT, "ids": 5}, {"kind": "touched", "at": AT, "ids": "n-1"}, {"kind": "touched", "at": AT, "ids": {"n-1": 1}},
    {"kind": "touched", "at": AT, "ids": [None, NOTE]}, {"kind": "touched", "at": AT, "ids": [HALF, NOTE]}, {"kind": "touched", "at": AT, "ids": ["\0"]},
    {"kind": "touched", "at": "soon", "ids": [NOTE]}, {"kind": "touched", "at": 5, "ids": [NOTE]}, {"kind": "touched", "at": None, "ids": [NOTE]},
    {"kind": "provenance", "at": "2026", "item": HALF}, SOURCE | {"item": HALF}, SOURCE | {"item": ["k"]}, SOURCE | {"at": "2026"},
    SOURCE | {"line": "1"}, SOURCE | {"plan": []}, {"kind": "provenance", "at": AT, "item": "k"},
    MOVED | {"from": 5, "to": [], "id": {}}, MOVED | {"id": None}, MOVED | {"id": HALF}, MOVED | {"to": ""}, MOVED | {"at": "x"}, MOVED | {"id": "\0001"},
    {"kind": "verdict", "at": AT, "plan": "p", "judges": 5}, {"kind": "maintained", "at": 5, "unfinished": ["x"]}, {"kind": 5, "at": AT},
]  # fmt: skip


def touched(*ids: str, at: str = AT) -> str:
    return json.dumps({"kind": "touched", "at": at, "ids": ids})


def write(space: Space, *lines: str) -> Path:
    place = space.journal.folder / "m-other" / "2026-05.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return place


def same_as_a_rebuild(space: Space) -> None:
    assert state_of(space) == rebuilt_state(space)


@pytest.mark.parametrize("bad", BAD, ids=json.dumps)
def test_a_record_of_a_wrong_shape_counts_for_nothing_and_doctor_names_it(space: Space, bad: dict[str, Any]) -> None:
    put(space, "A.md", "[[B]]\n\n## Atoms\n- (fact) It is so. ^k\n")
    put(space, "B.md", "b\n")
    sync(space, now=NOW)
    before = graph_rows(space)
    place = write(space, json.dumps(bad))
    sync(space, now=NOW)
    assert graph_rows(space) == before
    same_as_a_rebuild(space)
    write(space, json.dumps(bad), touched(NOTE))
    sync(space, now=NOW)
    same_as_a_rebuild(space)
    (found,) = examine(space)
    assert (found.code, found.path, found.line) == ("journal-line", ".brain/journal/m-other/2026-05.jsonl", 1)
    subprocess.run(["sh", "-c", found.cure.partition("then ")[2]], cwd=space.vault.root, check=True)
    sync(space, now=NOW)
    assert examine(space) == () and place.read_text("utf-8") == f"{touched(NOTE)}\n"
    assert "2026, 5, 1" in repr([row for row in graph_rows(space)["Note"] if NOTE in row])


def test_a_line_taken_out_and_a_longer_one_added_is_folded_as_by_a_rebuild(space: Space) -> None:
    put(space, "A.md", "a\n")
    place = write(space, touched("n-1"), "{ damaged", touched("n-2"))
    sync(space, now=NOW)
    subprocess.run(["sed", "-i", "2d", str(place)], check=True)
    with open(place, "a", encoding="utf-8") as file:
        file.write(touched(NOTE, "n-3", "n-4", "n-5") + "\n")
    sync(space, now=NOW)
    same_as_a_rebuild(space)
    assert "2026, 5, 1" in repr(graph_rows(space)["Note"])


def test_a_rewrite_of_equal_length_is_folded_anew(space: Space) -> None:
    put(space, "A.md", "a\n")
    write(space, touched(NOTE, at="2026-05-20T00:00:00Z"))
    sync(space, now=NOW)
    write(space, touched(NOTE, at="2026-05-10T00:00:00Z"))
    sync(space, now=NOW)
    same_as_a_rebuild(space)
    assert "2026, 5, 10" in repr(graph_rows(space)["Note"])


def test_a_line_put_before_the_others_is_folded(space: Space) -> None:
    put(space, "A.md", "a\n")
    write(space, touched("n-1"))
    sync(space, now=NOW)
    write(space, touched(NOTE), touched("n-1"))
    sync(space, now=NOW)
    same_as_a_rebuild(space)


def test_a_journal_that_says_the_same_in_another_file_is_nothing_to_sync_about(space: Space) -> None:
    put(space, "A.md", "a\n")
    place = write(space, touched(NOTE), "")
    sync(space, now=NOW)
    first = generation(space)
    data = place.read_bytes()
    place.unlink()
    place.write_bytes(data)
    sync(space, now=NOW)
    assert generation(space) == first
