"""Move: one parent each, no rings, categories in their places; a file that moves takes its links along."""

from __future__ import annotations

import pytest

from brain.errors import UsageError
from tests.stages.hands.conftest import Hold

TREE = {
    "Ada.md": "---\nkind: person\n---\n", "Work.md": "---\nkind: category\n---\n## Related\n- part_of:: [[Ada]]\n",
    "Boat.md": "---\nkind: project\n---\n## Related\n- part_of:: [[Work]] - she said so\n- depends_on:: [[Keel]]\n",
    "Keel.md": "part_of:: [[Boat]]\n", "Sail.md": "s\n",
}  # fmt: skip


def test_a_parent_is_written_where_none_was(hold: Hold) -> None:
    held = hold(TREE, owner="Ada")
    held.brain.move("Sail", "Boat")
    assert held.text("Sail.md") == "s\n\n## Related\n- part_of:: [[Boat]]\n"
    assert held.brain.move("Sail", "Boat").says == "Sail.md is part of Boat.md already"


def test_another_parent_takes_the_line_of_the_old_one(hold: Hold) -> None:
    held = hold(TREE, owner="Ada")
    held.brain.move("Boat", "Sail")
    assert held.text("Boat.md") == "---\nkind: project\n---\n## Related\n- part_of:: [[Sail]]\n- depends_on:: [[Keel]]\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\npart_of: '[[Boat]]' # why\n---\n", "---\npart_of: \"[[Sail]]\" # why\n---\n"),
        ("---\nparent:\n  - '[[Boat]]'\n---\n- part_of:: [[Work]]\n", "---\nparent:\n  - \"[[Sail]]\"\n---\n"),
        ("It is [part_of:: [[Boat]]] now.\n", "It is [part_of:: [[Sail]]] now.\n"),
        ("part_of:: [[Boat]]\r\n\r\nwords\r\n", "part_of:: [[Sail]]\r\n\r\nwords\r\n"),
        ("part_of:: [[Nowhere]]\n", "part_of:: [[Sail]]\n"),
    ],
)  # fmt: skip
def test_every_way_of_saying_part_of_is_changed_where_it_stands(hold: Hold, before: str, after: str) -> None:
    held = hold({**TREE, "X.md": before}, owner="Ada")
    held.brain.move("X", "Sail")
    assert held.text("X.md") == after
    assert {edge for edge in held.edges() if edge[0] == "X.md"} == {("X.md", "part_of", "Sail.md")}


@pytest.mark.parametrize(
    ("note", "parent", "why"),
    [
        ("Boat", "Keel", "ring"), ("Boat", "Boat", "itself"), ("Boat", "Ada", "Only categories"), ("Work", "Sail", "is a category"),
        ("Ada", "Sail", "owner"),
    ],
)  # fmt: skip
def test_the_tree_stays_a_tree(hold: Hold, note: str, parent: str, why: str) -> None:
    held = hold(TREE, owner="Ada")
    before = held.vault.bytes()
    with pytest.raises(UsageError, match=why):
        held.brain.move(note, parent)
    assert held.vault.bytes() == before


def test_a_note_can_be_taken_out_of_the_tree(hold: Hold) -> None:
    held = hold(TREE, owner="Ada")
    held.brain.move("Boat", top=True)
    assert held.text("Boat.md") == "---\nkind: project\n---\n## Related\n- depends_on:: [[Keel]]\n"
    assert held.brain.move("Boat", top=True).receipts == ()


def test_a_file_takes_its_links_along_in_both_directions(hold: Hold) -> None:
    held = hold({"d/A.md": "[[x]] [b](B.md) ![p](p.png) [[B]]\n", "d/B.md": "[a](A.md) [[A]]\n", "x.md": "[[d/A#h|t]]\n", "Inbox/E.md": "---\ntype: episode\n---\n[[d/A]]\n"})
    (held.vault.root / "d/p.png").write_bytes(b"p")
    held.brain.move("d/A", to="e/f")
    assert held.text("e/f/A.md") == "---\naliases: [d/A]\n---\n[[x]] [b](../../d/B.md) ![p](../../d/p.png) [[B]]\n"
    assert (held.text("d/B.md"), held.text("x.md")) == ("[a](../e/f/A.md) [[A]]\n", "[[e/f/A#h|t]]\n")
    assert held.brain.links("Inbox/E.md")[1][0].other == "e/f/A.md"


def test_a_move_beside_a_note_of_the_same_name_leaves_every_link_where_it_led(hold: Hold) -> None:
    held = hold({"d/A.md": "1\n", "e/A.md": "2\n", "e/k.md": "[[A]]\n", "f/k2.md": "[[d/A]]\n"})
    held.brain.move("d/A", to="/")
    assert {link.other for link in held.brain.links("e/k.md")[1]} == {"e/A.md"}
    assert {link.other for link in held.brain.links("f/k2.md")[1]} == {"A.md"}


def test_a_taken_place_gives_the_note_no_new_parent_either(hold: Hold) -> None:
    held = hold({"A.md": "a\n", "d/a.md": "other\n", "P.md": "p\n"})
    with pytest.raises(UsageError, match=r"d/a\.md"):
        held.brain.move("A.md", "P", to="d")
    assert held.text("A.md") == "a\n"


def test_a_parent_and_a_folder_are_one_run(hold: Hold) -> None:
    held = hold({"A.md": "a\n", "P.md": "p\n"})
    before = held.vault.bytes()
    done = held.brain.move("A", "P", to="d")
    assert ("d/A.md", "part_of", "P.md") in held.edges()
    held.brain.undo(done.run)
    assert held.vault.bytes() == before


@pytest.mark.parametrize("folder", ["../out", "a:b", ".hidden", "x/../y"])
def test_a_folder_outside_or_impossible_is_refused(hold: Hold, folder: str) -> None:
    with pytest.raises(UsageError):
        hold({"A.md": "a\n"}).brain.move("A", to=folder)


def test_a_ring_by_way_of_a_superseded_note_is_refused(hold: Hold) -> None:
    held = hold({"A.md": "- part_of:: [[Old]]\n", "Old.md": "---\nstatus: superseded\nsuperseded_by: \"[[B]]\"\n---\n", "B.md": "b\n"})
    with pytest.raises(UsageError, match="ring"):
        held.brain.move("B", "A")


@pytest.mark.parametrize("line", ["- part_of:: [[P]]\n  - my own words\n", "- (part_of:: [[P]]) see [[K]]\n"])
def test_words_that_are_no_part_of_the_relation_stay(hold: Hold, line: str) -> None:
    held = hold({"A.md": f"## Related\n{line}", "P.md": "", "K.md": "", "Q.md": ""})
    held.brain.move("A", "Q")
    assert held.text("A.md") == f"## Related\n{line}".replace("[[P]]", "[[Q]]")
    held.brain.move("A", top=True)
    assert held.edges() == set() and line.partition("]]")[2] in held.text("A.md")


def test_an_undo_takes_the_folders_away_that_were_made(hold: Hold) -> None:
    held = hold({"A.md": "a\n"})
    (held.vault.root / "Mine").mkdir()
    run = held.brain.move("A", to="Mine/New/Deep").run
    back = held.brain.undo(run).run
    assert (held.vault.root / "Mine").is_dir() and not (held.vault.root / "Mine/New").exists()
    held.brain.undo(back)
    assert (held.vault.root / "Mine/New/Deep/A.md").is_file()


@pytest.mark.parametrize(("folder", "why"), [("/etc", "absolute"), ("../outside", "outside the vault"), ("x/../../out", "outside the vault")])
def test_a_folder_that_is_none_of_the_vault_is_refused_with_the_reason(hold: Hold, folder: str, why: str) -> None:
    held = hold({"A.md": "a\n"})
    with pytest.raises(UsageError, match=why):
        held.brain.move("A", to=folder)
    assert held.text("A.md") == "a\n"
    held.brain.move("A", to="d")
    assert held.brain.move("A", to="/").says == "d/A.md is now A.md"


def test_who_wants_a_note_under_the_owner_is_told_of_a_category_that_takes_it(hold: Hold) -> None:
    person = {"Ada.md": "---\nkind: person\n---\n", "Boat.md": "---\nkind: project\n---\n"}
    held = hold(person, owner="Ada")
    with pytest.raises(UsageError) as refused:
        held.brain.move("Boat", "Ada")
    assert 'part_of: "[[Ada]]"' in refused.value.cure and '"Boat.md" "Ada' not in refused.value.cure
    held.write("Areas.md", '---\nkind: category\npart_of: "[[Ada]]"\n---\n')
    held.write("A group.md", '---\nkind: category\npart_of: "[[Areas]]"\n---\n')
    with pytest.raises(UsageError) as refused:
        held.brain.move("Boat", "Ada")
    assert refused.value.cure == 'brain move "Boat.md" "Areas.md"'
    held.brain.move("Boat.md", "Areas.md")
    assert ("Boat.md", "part_of", "Areas.md") in held.edges()
