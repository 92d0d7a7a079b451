"""`brain consolidate`: the diff first, the folds, their pages, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import notes_of, run

TEXT = "## Atoms\n- (fact, inferred) The boat leaks. ^a-1\n- (fact, inferred) The boat leaks ^a-2\n"


@pytest.fixture
def boat(tmp_path: Path, engine: str) -> Path:
    run("init", tmp_path, "--adopt", env={"BRAIN_ENGINE": engine})
    (tmp_path / "Boat.md").write_text(TEXT, "utf-8")
    run("index", vault=tmp_path)
    return tmp_path


def test_a_dry_run_prints_the_diff_and_writes_nothing(boat: Path) -> None:
    before = notes_of(boat)
    shown = run("consolidate", "--ceiling", 1, "--dry-run", vault=boat)
    assert shown.code == 0 and "-- (fact, inferred) The boat leaks ^a-2" in shown.out and "1 would change" in shown.out
    assert notes_of(boat) == before


def test_it_is_told_in_the_timeline_and_taken_back_by_undo(boat: Path) -> None:
    before = notes_of(boat)
    done = run("consolidate", "--ceiling", 1, "--json", vault=boat)
    assert done.code == 0 and done.json["stage"] == "consolidate"
    assert (boat / "Boat.md").read_text("utf-8") == "## Atoms\n- (fact, inferred) The boat leaks. ^a-1\n"
    (page,) = (boat / "Timeline").glob("* Consolidate.md")
    assert "stands for “The boat leaks” (^a-2)" in page.read_text("utf-8")
    assert run("undo", vault=boat).code == 0
    assert {path: data for path, data in notes_of(boat).items() if not path.startswith("Timeline/")} == before


@pytest.mark.parametrize("args", [[], ["--ceiling", 0], ["--ceiling", "many"]])
def test_a_ceiling_must_be_given(boat: Path, args: list[object]) -> None:
    assert run("consolidate", *args, vault=boat).code == 2
