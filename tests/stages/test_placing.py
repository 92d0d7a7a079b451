"""What walk, link and reconcile write keeps the tree: new notes are hung where they belong, and no second parent is made."""

from __future__ import annotations

import pytest

from brain.core.plan import Applied
from brain.core.tree import faults_of
from brain.stages import link, walk
from brain.stages.growing.forest import forest_of
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.merge import merge
from tests.stages.support import Vault
from tests.stages.teller import NONE, Teller, judged, related
from tests.stages.test_link_insight import HUB, INSIGHT, teaching

EPISODE = "---\ntype: episode\n---\n"
OWNER = {"Ada.md": "---\nkind: person\n---\n", "Work.md": '---\nkind: category\npart_of: "[[Ada]]"\n---\n'}


def faults(vault: Vault) -> list[tuple[str, str]]:
    with vault.space.catalog() as conn:
        return [(fault.code, fault.path) for fault in faults_of(forest_of(conn, vault.space.config.owner))]


def head(vault: Vault, path: str) -> list[str]:
    return [line for line in vault.text(path).splitlines() if line.startswith(("part_of", "kind", "importance"))]


def test_new_notes_are_hung_under_the_category_of_their_kind_which_the_same_plan_makes(make: Make) -> None:
    vault = make({**OWNER, "Inbox/E.md": EPISODE + "Person: [[Bob]] leads.\n\nFact: [[Tar]] is black.\n\nFact: [[Pitch]] is brown.\n"}, owner="Ada")
    before = vault.bytes()
    report = walk.run(vault.ctx)
    assert [len(receipt.plan.edits) for receipt in report.applied] == [6]
    assert head(vault, "Memory/People/Bob.md") == ["kind: person", 'part_of: "[[Relationships]]"']
    assert head(vault, "Memory/Concepts/Tar.md") == head(vault, "Memory/Concepts/Pitch.md") == ["kind: concept", 'part_of: "[[Knowledge]]"']
    assert head(vault, "Memory/Categories/Knowledge.md") == ["kind: category", 'part_of: "[[Ada]]"', "importance: 0.85"]
    assert faults(vault) == []
    item = next(record for record in vault.space.journal.records({"provenance"}) if record["item"].startswith("Memory/People/Bob.md|part_of|"))
    assert (item["quote"], item["reason"]) == ("Person: [[Bob]] leads.", "a note of kind person without another place")
    assert walk.run(vault.ctx).is_empty
    undo(vault.ctx, report.run)
    assert vault.bytes() == before


def test_a_second_episode_finds_the_category_that_the_first_one_made(make: Make) -> None:
    two = {f"Inbox/E{n}.md": f"{EPISODE}Fact: [[Tar {n}]] is black.\n" for n in (1, 2)}
    vault = make({**OWNER, **two}, owner="Ada")
    for dry_run in (True, False):
        report = walk.run(vault.ctx, dry_run=dry_run)
        made = [patch.path for receipt in report.applied for patch in receipt.patches if patch.path.startswith("Memory/Categories/")]
        assert made == ["Memory/Categories/Knowledge.md"] and not report.failed
    assert faults(vault) == []


def test_a_note_that_says_what_it_is_part_of_is_hung_there(make: Make) -> None:
    vault = make({**OWNER, "Boat.md": '---\nkind: project\npart_of: "[[Work]]"\n---\n', "Inbox/E.md": EPISODE + "[[Sail]] part_of:: [[Boat]] - sewn\n"}, owner="Ada")
    walk.run(vault.ctx)
    assert head(vault, "Memory/Concepts/Sail.md") == ["kind: concept"] and "- part_of:: [[Boat]] - sewn" in vault.text("Memory/Concepts/Sail.md")
    assert faults(vault) == []


def test_an_event_belongs_to_the_one_thing_that_it_is_related_to(make: Make) -> None:
    said = "Event: [[Launch]] is near.\n\n[[Launch]] about:: [[Boat]] - it floats\n\n[[Launch]] attended_by:: [[Ada]]\n"
    vault = make({**OWNER, "Boat.md": '---\nkind: project\npart_of: "[[Work]]"\n---\n', "Inbox/E.md": EPISODE + said}, owner="Ada")
    walk.run(vault.ctx)
    assert head(vault, "Memory/Events/Launch.md") == ["kind: event", 'part_of: "[[Boat]]"']
    assert faults(vault) == []


def test_without_an_owner_no_note_is_hung_anywhere(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Person: [[Bob]] leads.\n"})
    walk.run(vault.ctx)
    assert "part_of" not in vault.text("Memory/People/Bob.md")
    assert not [path for path in vault.bytes() if "Categories" in path]


@pytest.mark.parametrize(
    ("said", "written", "notice"),
    [
        ("[[Sail]] part_of:: [[Raft]] - moved", "- relates_to:: [[Raft]] - moved", ""),
        ("[[Sail]] part_of:: [[Boat]] - moved", "", ""),
        ("[[Sail]] relates_to:: [[Boat]] - near", "", ""),
        ("[[Boat]] relates_to:: [[Sail]] - near", "", ""),
        ("[[Boat]] part_of:: [[Sail]] - round", "", "Sail.md is part of Boat.md"),
        ("[[Raft]] part_of:: [[Ada]] - hers", "", "only categories are part of the owner"),
        ("[[Bob]] created_by:: [[Boat]] - in spring", "- created_by:: [[Bob]] - in spring", ""),
    ],
)  # fmt: skip
def test_an_edge_that_does_not_fit_is_turned_weakened_or_left_out(make: Make, said: str, written: str, notice: str) -> None:
    notes = {
        "Boat.md": '---\nkind: project\npart_of: "[[Work]]"\n---\n', "Raft.md": '---\nkind: project\npart_of: "[[Work]]"\n---\n',
        "Sail.md": '---\nkind: artifact\npart_of: "[[Boat]]"\n---\n', "Bob.md": '---\nkind: person\npart_of: "[[Work]]"\n---\n',
    }  # fmt: skip
    vault = make({**OWNER, **notes, "Inbox/E.md": f"{EPISODE}{said}\n"}, owner="Ada")
    report = walk.run(vault.ctx)
    assert [line for path in notes for line in vault.text(path).splitlines() if line.startswith("- ")] == ([written] if written else [])
    assert notice in " ".join(report.notices)
    assert faults(vault) == []
    assert walk.run(vault.ctx).is_empty


def test_two_parents_stated_in_one_episode_make_one(make: Make) -> None:
    vault = make({"A.md": "a\n", "B.md": "b\n", "Sail.md": "s\n", "Inbox/E.md": EPISODE + "[[Sail]] part_of:: [[A]] - so\n\n[[Sail]] part_of:: [[B]] - so\n\n[[A]] part_of:: [[Sail]] - so\n"})
    report = walk.run(vault.ctx)
    assert "- part_of:: [[A]] - so\n- relates_to:: [[B]] - so\n" in vault.text("Sail.md") and vault.text("A.md") == "a\n"
    assert "Sail.md is part of A.md" in " ".join(report.notices)


def test_a_model_s_relation_is_turned_and_does_not_double_the_tree(make: Make) -> None:
    notes = {"Boat.md": "---\nkind: project\n---\nBob built it: the Keel too.\n", "Bob.md": "---\nkind: person\n---\n", "Keel.md": "part_of:: [[Boat]]\n"}
    said = {("Boat", "Bob"): related("created_by", "Bob built it", direction="backward"), ("Boat", "Keel"): related("relates_to", "the Keel too")}
    vault = make(notes)
    link.run(judged(vault, Teller(lambda left, right: said.get((left.title, right.title), NONE))))
    assert "- created_by:: [[Bob]] - It says so." in vault.text("Boat.md")
    assert "relates_to" not in vault.text("Boat.md") + vault.text("Keel.md")


def test_a_sentence_that_relates_a_note_to_its_own_part_gets_no_line(make: Make) -> None:
    vault = make({"Boat.md": "It is said that the boat [relates_to:: [[Keel]]] in some way.\n", "Keel.md": "part_of:: [[Boat]]\n"})
    assert link.run(vault.ctx).is_empty


@pytest.mark.parametrize("two", ['---\ntype: paper\npart_of: "[[B]]"\n---\n', "---\ntype: paper\n---\n\n## Related\n- part_of:: [[B]] - then\n"])
def test_a_merge_keeps_one_parent(make: Make, two: str) -> None:
    vault = make({"One.md": "---\ntype: paper\ncreated: 2020-01-01\n---\n\n## Related\n- part_of:: [[A]] - first\n", "Two.md": two, "A.md": "a\n", "B.md": "b\n"})
    assert isinstance(merge(vault, "One.md", "Two.md"), Applied)
    assert faults(vault) == []
    assert "- part_of:: [[A]] - first" in vault.text("One.md")
    assert ("- relates_to:: [[B]] - then" in vault.text("One.md")) == ("Related" in two)


@pytest.mark.parametrize(("server", "parent"), [("The home server.\n", "Insights"), ('---\nkind: project\npart_of: "[[Work]]"\n---\nThe home server.\n', "Server")])
def test_an_insight_is_hung_on_its_hub_or_under_its_kind(make: Make, server: str, parent: str) -> None:
    vault = make({**OWNER, **HUB, "Server.md": server}, owner="Ada")
    report = link.run(judged(vault, teaching()))
    assert not report.failed and head(vault, INSIGHT) == ["kind: insight", f'part_of: "[[{parent}]]"']
    assert faults(vault) == []
    assert any(record["item"].startswith(f"{INSIGHT}|part_of|") for record in vault.space.journal.records({"provenance"}))
