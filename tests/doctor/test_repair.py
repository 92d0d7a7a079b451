"""Repair: a code that has a plan is carried out, any other says what cures it."""

from __future__ import annotations

import pytest

from brain.doctor.codes import CODES
from brain.doctor.repair import REPAIRS, repair
from brain.errors import UsageError
from brain.stages.context import context_of
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
