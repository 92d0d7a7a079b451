"""Repair: a code that has a plan is carried out, any other says what cures it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from brain.core.plan import Applied
from brain.doctor.codes import CODES
from brain.doctor.repair import REPAIRS, SAFE, classes, repair
from brain.errors import UsageError
from brain.stages.context import context_of
from brain.stages.undo import undo
from brain.sync.space import Space
from brain.vault.aside import beside
from tests.doctor.conftest import Make, die_half_way, index, of, write
from tests.laws.support import NOW


def test_every_repair_is_of_a_known_code_and_every_cure_that_names_one_exists() -> None:
    assert REPAIRS.keys() <= CODES.keys()
    assert {name for name, code in CODES.items() if code.cure == f"brain repair {name}"} == set(REPAIRS)


@pytest.mark.parametrize("code", sorted(CODES.keys() - REPAIRS.keys()))
def test_a_code_without_a_plan_says_what_cures_it_and_changes_nothing(make: Make, code: str) -> None:
    space = make({"A.md": "[[B]]\n"})
    with pytest.raises(UsageError) as caught:
        repair(context_of(space, now=NOW), code)
    assert caught.value.cure == CODES[code].cure


def test_a_word_that_is_no_code_names_the_nearest(make: Make) -> None:
    with pytest.raises(UsageError) as caught:
        repair(context_of(make({"A.md": "x\n"}), now=NOW), "bare-lnk")
    assert '"bare-link"' in caught.value.cure


def test_bare_links_are_cured_by_what_the_finding_says(make: Make) -> None:
    space = make({"A.md": "[[Plan]]\n", "x/Plan.md": "x\n"})
    write(space.vault.root, "y/Plan.md", "y\n")
    (found,) = of(space, "bare-link")
    assert repair(context_of(space, now=NOW), found.cure.removeprefix("brain repair ")).failed == ()
    index(space)
    assert of(space, "bare-link") == of(space, "ambiguous-link") == []


def test_a_run_that_died_is_shown_first_and_then_rolled_back(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    die_half_way(space)
    shown = repair(context_of(space, now=NOW), "interrupted-run", dry_run=True)
    assert (shown.found, shown.notices) == (1, ("Would be rolled back: r-1.x: A.md.",))
    assert space.vault.read("A.md").text == "[[B]] changed\n"
    done = repair(context_of(space, now=NOW), "interrupted-run")
    assert (done.found, done.notices) == (1, ("Rolled back: r-1.x: A.md.",))
    assert space.vault.read("A.md").text == "[[B]]\n"
    assert repair(context_of(space, now=NOW), "interrupted-run").found == 0


def test_a_note_that_a_person_wrote_since_a_run_died_is_left_and_named(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    die_half_way(space)
    write(space.vault.root, "A.md", "mine\n")
    said = " ".join(repair(context_of(space, now=NOW), "interrupted-run").notices)
    assert "it was left as it is" in said
    assert space.vault.read("A.md").text == "mine\n"


def test_every_repair_has_a_class_and_what_died_half_way_comes_first() -> None:
    assert classes().keys() == REPAIRS.keys()
    assert {code for code, class_ in classes().items() if class_ == "safe"} == SAFE
    assert next(iter(classes())) == "interrupted-run"


COPY = "A.sync-conflict-20260101-120000-ABCDEFG.md"


def test_a_copy_of_the_same_bytes_is_taken_away_and_undo_brings_it_back(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n", COPY: "[[B]]\n"})
    (found,) = of(space, "conflict-copy")
    assert found.cure == "brain repair conflict-copy"
    shown = repair(context_of(space, now=NOW), "conflict-copy", dry_run=True)
    assert (len(shown.applied), space.vault.exists(COPY)) == (1, True)
    done = repair(context_of(space, now=NOW), "conflict-copy")
    assert (len(done.applied), space.vault.exists(COPY)) == (1, False)
    index(space)
    assert of(space, "conflict-copy") == []
    undo(context_of(space, now=NOW), done.run)
    assert (space.vault.root / COPY).read_text("utf-8") == "[[B]]\n"


def test_a_copy_that_says_something_else_stays_and_is_named_with_a_way_to_merge(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n", COPY: "mine\n", "C.sync-conflict-20260101-120000-ABCDEFG.md": "c\n"})
    done = repair(context_of(space, now=NOW), "conflict-copy")
    assert (done.found, done.waiting, done.receipts) == (2, 2, ())
    assert f"git merge-file -p A.md OLDER {COPY}" in done.notices[0]
    assert "there is no C.md beside it" in done.notices[1]
    assert (space.vault.root / COPY).read_text("utf-8") == "mine\n"


def test_a_copy_that_is_written_meanwhile_is_left(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n", COPY: "[[B]]\n"})
    write(space.vault.root, COPY, "mine\n")  # after doctor looked
    assert repair(context_of(space, now=NOW), "conflict-copy").receipts == ()
    assert (space.vault.root / COPY).read_text("utf-8") == "mine\n"


def strays(space: Space, age_s: float) -> dict[str, Path]:
    """Leaves one file of each kind beside A.md and in the index."""
    note = space.vault.root / "A.md"
    found = {"begun": beside(note, "begun"), "same": beside(note, "aside"), "save": beside(note, "aside"), "index": space.layout.index / "text.sqlite.new"}
    for name, place in found.items():
        place.write_bytes(note.read_bytes() if name == "same" else b"words")
        os.utime(place, (NOW.timestamp() - age_s,) * 2)
    return found


def test_what_holds_nothing_of_its_own_is_deleted_after_a_day_and_a_save_never(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    left = strays(space, 90_000)
    cures = {finding.path: finding.cure for finding in of(space, "stray-temporary")}
    assert sorted(cures.values())[:3] == ["brain repair stray-temporary"] * 3
    shown = repair(context_of(space, now=NOW), "stray-temporary", dry_run=True)
    assert (shown.found, [place.exists() for place in left.values()]) == (3, [True] * 4)
    assert repair(context_of(space, now=NOW), "stray-temporary").found == 3
    assert [name for name, place in left.items() if place.exists()] == ["save"]
    (found,) = of(space, "stray-temporary")
    assert found.severity == "warning" and "keep what you want" in found.cure


def test_what_is_younger_than_a_day_or_belongs_to_an_open_run_is_left(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    young = strays(space, 80_000)
    assert repair(context_of(space, now=NOW), "stray-temporary").found == 0
    die_half_way(space)
    for place in young.values():
        os.utime(place, (0, 0))
    assert repair(context_of(space, now=NOW), "stray-temporary").found == 0
    assert all(place.exists() for place in young.values())


def test_a_second_copy_through_a_link_is_not_followed(make: Make, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    shutil.copy(make({"A.md": "x\n"}).vault.root / "A.md", away / COPY)
    space = make({"B.md": "b\n"})
    (space.vault.root / "linked").symlink_to(away)
    done = repair(context_of(space, now=NOW), "conflict-copy")
    assert not any(isinstance(receipt, Applied) for receipt in done.receipts)
    assert (away / COPY).exists()
