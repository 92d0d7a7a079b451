"""Checks of the stores: index, graph, vectors, journal, and files of writes that were cut off."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from brain.doctor.checks import examine
from brain.doctor.repair import repair
from brain.doctor.state import status_of
from brain.stages.context import context_of
from brain.sync.run import sync
from brain.sync.space import Space
from tests.doctor.conftest import Make, die_half_way, of, write
from tests.laws.support import NOW, space_of

UNSHAPED = '{"kind": "landed", "at": "2026-01-01T00:00:00Z", "item": 5, "decision": "d-1"}'


def test_a_changed_file_puts_the_index_behind(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    (space.vault.root / "B.md").write_text("longer than before\n", "utf-8")
    (found,) = examine(space)
    assert (found.code, found.cure) == ("index-behind", "brain index")
    assert status_of(space).index == "behind"


def test_texts_without_a_vector_wait(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"}, embed="lexical")
    (found,) = of(space, "vectors-waiting")
    assert found.message.startswith("2 pieces")
    sync(space, now=NOW)
    assert examine(space) == ()


def test_a_missing_graph_is_behind(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    space.graph_path.unlink()
    assert {found.code for found in examine(space)} <= {"graph-behind", "index-behind"}
    assert examine(space)
    sync(space, now=NOW)
    assert examine(space) == ()


@pytest.mark.parametrize("store", ["catalog", "graph"])
def test_a_store_that_cannot_be_read_is_an_error_and_rebuild_cures_it(make: Make, store: str) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    place = space.layout.catalog_path if store == "catalog" else space.graph_path
    place.write_bytes(b"this is something else entirely\n" * 300)
    broken = of(space, "index-broken")
    assert [(found.severity, found.cure) for found in broken] == [("error", "brain rebuild")]
    sync(space, now=NOW, full=True)
    assert examine(space) == ()


def test_lines_of_the_journal_that_are_no_records_are_named_and_taken_out_by_what_it_says(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    good = '{"kind": "touched", "at": "2026-01-01T00:00:00Z", "ids": []}'
    place = journal_file(space, f'{good}\nnot a record\n{good}\n{{"kind": "landed"}}\n{UNSHAPED}\n{good[:20]}')
    (found,) = of(space, "journal-line")
    assert (found.severity, found.path, found.line) == ("warning", ".brain/journal/m-other/2026-01.jsonl", 2)
    assert [number for number in range(1, 7) if f"line {number}: " in found.message] == [2, 4, 5, 6]
    subprocess.run(["sh", "-c", found.cure.partition("then ")[2]], cwd=space.vault.root, check=True)
    assert place.read_text("utf-8").splitlines() == [good, good]
    assert of(space, "journal-line") == []
    sync(space, now=NOW)
    assert examine(space) == ()


def test_an_intent_whose_texts_are_not_what_they_say_is_named_and_not_taken_for_a_run_that_died(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    die_half_way(space)
    (place,) = space.layout.journal.glob("*/*.jsonl")
    place.write_text(place.read_text("utf-8").replace("changed", "altered"), "utf-8")
    (found,) = of(space, "journal-line")
    assert "damaged" in found.message and of(space, "interrupted-run") == []
    subprocess.run(["sh", "-c", found.cure.partition("then ")[2]], cwd=space.vault.root, check=True)
    assert of(space, "journal-line") == []


def test_a_journal_of_whole_records_is_in_order_without_its_last_line_end_too(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    journal_file(space, '{"kind": "touched", "at": "2026-01-01T00:00:00Z", "ids": []}')
    assert of(space, "journal-line") == []


def test_a_run_that_died_is_named_until_it_is_rolled_back(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    die_half_way(space)
    write(space.vault.root, ".brain-begun-x.tmp", "half")
    os.utime(space.vault.root / ".brain-begun-x.tmp", (0, 0))
    assert [found.cure for found in of(space, "interrupted-run")] == ["brain repair interrupted-run"]
    assert of(space, "stray-temporary") == []  # they are that run's, and go with it
    repair(context_of(space, now=NOW), "interrupted-run")
    assert of(space, "interrupted-run") == []
    assert (space.vault.root / "A.md").read_text("utf-8") == "[[B]]\n"


@pytest.mark.parametrize("place", [".brain-begun-x.tmp", "deep/.brain-1.tmp", ".brain/index/text.sqlite.new", ".brain/index/text.sqlite.new-wal"])
def test_a_file_of_a_write_that_was_cut_off_is_named_once_it_is_old(make: Make, place: str) -> None:
    space = make({"deep/A.md": "[[B]]\n", "B.md": "b\n"})
    write(space.vault.root, place, "half")
    os.utime(space.vault.root / place, (NOW.timestamp(), NOW.timestamp()))
    assert examine(space) == ()  # a command that is running may still need it
    os.utime(space.vault.root / place, (NOW.timestamp() - 7_200, NOW.timestamp() - 7_200))
    (found,) = examine(space)
    severity = "warning" if "-1." in place or "-x." in place else "info"  # whose name says nothing may be anything
    assert (found.code, found.severity, found.path) == ("stray-temporary", severity, place)
    subprocess.run(["sh", "-c", found.cure.partition("then ")[2]], cwd=space.vault.root, check=True)
    assert examine(space) == ()


def test_a_matrix_that_lost_rows_leaves_pieces_without_a_vector_until_the_next_index(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"}, embed="lexical")
    sync(space, now=NOW)
    (matrix,) = space.layout.index.glob("vectors-*.f32")
    os.truncate(matrix, matrix.stat().st_size // 2)
    (found,) = examine(space)
    assert (found.code, found.message, found.cure) == ("vectors-waiting", "1 piece of text without a vector yet.", "brain index")
    sync(space, now=NOW)
    assert examine(space) == ()


def test_vectors_that_the_graph_does_not_have_are_counted(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"}, embed="lexical")
    sync(space, now=NOW)
    with space.catalog() as conn:
        conn.execute("UPDATE vector SET in_graph=0")
    (found,) = examine(space)
    assert found.message == "2 vectors not in the graph yet."
    sync(space, now=NOW)
    assert examine(space) == ()


def test_a_full_text_index_that_misses_a_note_is_broken_and_rebuild_cures_it(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    with space.catalog() as conn:
        conn.execute("DELETE FROM text_doc WHERE nid=(SELECT nid FROM note WHERE path='B.md')")
    assert [(found.severity, found.cure) for found in of(space, "index-broken")] == [("error", "brain rebuild")]
    sync(space, now=NOW, full=True)
    assert examine(space) == ()


def test_a_vault_without_an_index_says_only_that(tmp_path: Path, engine: str) -> None:
    space = space_of(tmp_path, engine)
    assert [found.code for found in examine(space)] == ["not-indexed"]
    assert not any(tmp_path.iterdir())


def journal_file(space: Space, text: str) -> Path:
    place = space.layout.journal / "m-other" / "2026-01.jsonl"
    write(place.parent, place.name, text)
    return place
