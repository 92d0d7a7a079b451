"""Merge and split by hand: people and folders allowed, one parent each, and taken apart again."""

from __future__ import annotations

import pytest

from brain.errors import NotFound, UsageError
from tests.stages.hands.conftest import Hold

PEOPLE = {
    "a/Ann.md": "---\nkind: person\n---\nann\n\nsails\n\nmuch\n", "b/Anna.md": "---\nkind: person\nrole: smith\n---\nanna\n\n## Atoms\n- (fact, verified) sails ^a-1\n",
    "U.md": "[[Anna|her]]\n",
}  # fmt: skip


def test_a_person_may_join_people_of_two_folders(hold: Hold) -> None:
    held = hold(PEOPLE)
    held.brain.merge("Ann", "Anna")
    assert held.text("U.md") == "[[Ann|her]]\n"
    assert held.brain.get("b/Anna", touch=False).note.superseded_by == "a/Ann.md"
    assert "- (fact, verified) sails ^a-1" in held.text("a/Ann.md")


def test_the_first_stays_unless_another_one_is_named(hold: Hold) -> None:
    held = hold(PEOPLE)
    held.brain.merge("Ann", "Anna", into="Anna")
    assert held.brain.get("a/Ann", touch=False).note.superseded_by == "b/Anna.md"


def test_the_same_merge_once_more_has_nothing_to_do(hold: Hold) -> None:
    held = hold(PEOPLE)
    held.brain.merge("Ann", "Anna")
    assert held.brain.merge("a/Ann", "b/Anna.md").receipts == ()


def test_a_merge_that_was_taken_back_is_not_made_by_a_stage(hold: Hold) -> None:
    held = hold({"A.md": "---\ndoi: 10.1000/1\n---\n", "B.md": "---\ndoi: 10.1000/1\n---\n"})
    held.brain.merge("A", "B")
    held.brain.split("B")
    assert held.brain.run_stage("reconcile").applied == ()


def test_a_merge_is_taken_apart_after_edits_elsewhere(hold: Hold) -> None:
    held = hold(PEOPLE)
    held.brain.merge("Ann", "Anna")
    held.write("U.md", held.text("U.md") + "later\n")
    held.write("a/Ann.md", held.text("a/Ann.md").replace("ann\n", "ann, more of her\n", 1))
    split = held.brain.split("Anna")
    assert split.report.left == ()
    assert held.text("b/Anna.md") == PEOPLE["b/Anna.md"]
    assert held.text("U.md") == "[[Anna|her]]\nlater\n"
    assert "more of her" in held.text("a/Ann.md")
    assert "^a-1" not in held.text("a/Ann.md")


def test_what_stands_in_the_way_is_named_and_nothing_is_half_done(hold: Hold) -> None:
    held = hold(PEOPLE)
    held.brain.merge("Ann", "Anna")
    later = held.brain.rename("Ann", "Annabel")
    before = held.vault.bytes()
    split = held.brain.split("Anna")
    assert {left.path for left in split.report.left} <= {"a/Ann.md", "U.md"}
    assert f"brain undo {later.receipts[0].item} first" in split.report.left[0].why
    assert held.vault.bytes() == before
    held.brain.undo(later.run)
    held.brain.split("Anna")
    assert {path: held.text(path) for path in PEOPLE} == PEOPLE


def test_a_rehearsal_of_a_split_shows_it_and_changes_nothing(hold: Hold) -> None:
    held = hold(PEOPLE)
    held.brain.merge("Ann", "Anna")
    before = held.vault.bytes()
    assert {patch.path for patch in held.brain.split("Anna", dry_run=True).patches} == set(PEOPLE)
    assert held.vault.bytes() == before


def test_a_note_that_was_never_absorbed_is_no_split(hold: Hold) -> None:
    held = hold(PEOPLE)
    with pytest.raises(NotFound, match="nothing to take apart"):
        held.brain.split("Ann")
    held.brain.merge("Ann", "Anna")
    with pytest.raises(UsageError) as refused:
        held.brain.split("a/Ann")
    assert refused.value.cure == 'brain split "b/Anna.md"'


@pytest.mark.parametrize(("one", "other"), [("A", "A"), ("A", "E"), ("A", "Cat"), ("A", "Gone")])
def test_what_is_not_one_thing_is_refused(hold: Hold, one: str, other: str) -> None:
    held = hold({"A.md": "a\n", "E.md": "---\ntype: episode\n---\n", "Cat.md": "---\nkind: category\n---\n", "Gone.md": "---\nstatus: archived\n---\n"})
    before = held.vault.bytes()
    with pytest.raises(UsageError) as refused:
        held.brain.merge(one, other)
    assert refused.value.cure
    assert held.vault.bytes() == before


@pytest.mark.parametrize("said", ["## Related\n- part_of:: [[Q]]\n", "---\nparent: '[[Q]]'\n---\n", "Now [part_of:: [[Q]]] of it.\n"])
@pytest.mark.parametrize("own", ["part_of:: [[P]]\n", "---\npart_of: '[[P]]'\n---\n"])
def test_one_note_has_one_parent(hold: Hold, own: str, said: str) -> None:
    held = hold({"A.md": own, "B.md": said, "P.md": "p\n", "Q.md": "q\n"})
    held.brain.merge("A", "B")
    assert {edge for edge in held.edges() if edge[:2] == ("A.md", "part_of")} == {("A.md", "part_of", "P.md")}


def test_a_part_of_a_part_does_not_make_a_ring(hold: Hold) -> None:
    held = hold({"A.md": "a\n", "X.md": "part_of:: [[A]]\n", "B.md": "## Related\n- part_of:: [[X]]\n"})
    with pytest.raises(UsageError, match=r"X\.md stands between"):
        held.brain.merge("B", "A")
    done = held.brain.merge("A", "B")
    assert any("X.md stays with B.md" in notice for notice in done.notices)
    assert {edge for edge in held.edges() if edge[1] == "part_of"} == {("X.md", "part_of", "A.md"), ("B.md", "part_of", "X.md")}


@pytest.mark.parametrize("head", ["", "---\nid: n-ann\n---\n"])
def test_undo_says_where_a_note_was_moved_to(hold: Hold, head: str) -> None:
    held = hold({"A.md": f"{head}a\n", "B.md": "b\n"})
    run = held.brain.merge("A", "B").run
    held.brain.move("A", to="Far")
    (left,) = held.brain.undo(run).left
    assert left.why == "it was moved since: put it back there first, it is Far/A.md now"


def test_undo_says_so_when_a_person_moved_it(hold: Hold) -> None:
    held = hold({"A.md": "a\n", "B.md": "b\n"})
    run = held.brain.merge("A", "B").run
    (held.vault.root / "A.md").rename(held.vault.root / "Z.md")
    held.brain.index(embed=False)
    assert "it is Z.md now" in held.brain.undo(run).left[0].why


def test_the_cure_for_a_category_and_a_note_can_be_typed(hold: Hold) -> None:
    held = hold({"C.md": "---\nkind: category\n---\n", "N.md": "---\nkind: concept\n---\n"})
    for one, other in (("C", "N"), ("N", "C")):
        with pytest.raises(UsageError) as refused:
            held.brain.merge(one, other)
        assert refused.value.cure == 'brain move "N.md" "C.md"'


def test_the_owner_is_not_absorbed_by_a_note_that_is_part_of_something(hold: Hold) -> None:
    held = hold({"Ann.md": "x\n", "B.md": "- part_of:: [[P]]\n", "P.md": "p\n"}, owner="Ann")
    with pytest.raises(UsageError, match="root of the tree"):
        held.brain.merge("B", "Ann")
    held.brain.merge("Ann", "B")
    assert held.edges() == {("B.md", "part_of", "P.md")}, "it stays with the note that forwards"


def test_a_note_with_a_namesake_forwards_where_it_says(hold: Hold) -> None:
    held = hold({"Mast.md": "m\n", "Sub/Mast.md": "other\n", "Boat.md": "b\n"})
    held.brain.merge("Boat", "Mast.md")
    assert held.brain.merge("Boat", "Mast.md").receipts == ()
    with pytest.raises(UsageError) as refused:
        held.brain.describe("Mast.md", "x")
    assert refused.value.cure == 'brain get "Boat.md"'


def test_the_owner_is_a_person_before_a_namesake(hold: Hold) -> None:
    held = hold({"Ann.md": "---\nkind: person\n---\n", "Old/Ann.md": "her page\n", "T.md": "t\n"}, owner="Ann")
    with pytest.raises(UsageError, match="Only categories"):
        held.brain.move("T", "Ann.md")


@pytest.mark.parametrize(("status", "is_named"), [("in-progress", True), ("[draft]", True), ("active", False), ("stale", False)])
def test_a_status_of_a_persons_own_that_gives_way_is_named(hold: Hold, status: str, is_named: bool) -> None:
    held = hold({"A.md": "a\n", "B.md": f"---\nstatus: {status}\n---\nb\n"})
    said = " ".join(held.brain.merge("A", "B").notices)
    assert (f"status differs: B.md is superseded in place of {status.strip('[]')}" in said) is is_named
