"""Doctor's findings about the tree, and the repairs that they name: each reaches zero by its own command, and can be taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from brain.core.plan import CreateNote
from brain.doctor.checks import examine
from brain.doctor.repair import REPAIRS, repair
from brain.doctor.tree import REPAIRS as OF_TREE
from brain.stages.context import context_of
from brain.stages.report import RunReport
from brain.stages.undo import undo
from brain.sync.run import sync
from brain.sync.space import Space
from tests.doctor.conftest import Make, of, write
from tests.laws.support import NOW, space_of

OWNER = {"People/Ada.md": "---\ntype: entity\nkind: person\n---\n"}
TOP = {"Work.md": '---\nkind: category\npart_of: "[[Ada]]"\n---\n', "Boat.md": '---\nkind: project\npart_of: "[[Work]]"\n---\n'}


def owned(tmp_path: Path, engine: str, files: dict[str, str], owner: str | None = "Ada") -> Space:
    """A vault that has an owner, indexed."""
    for path, text in {**OWNER, **TOP, **files}.items():
        write(tmp_path / "vault", path, text)
    space = space_of(tmp_path / "vault", engine, "none")
    space = replace(space, config=replace(space.config, owner=owner))
    sync(space, now=NOW, embed=False)
    return space


def notes(space: Space) -> dict[str, str]:
    root = space.vault.root
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(root.rglob("*.md"))}


def repaired(space: Space, code: str, **how: bool) -> RunReport:
    report = repair(context_of(space, now=NOW), code, **how)
    assert not report.failed, report.failed
    return report


def test_every_fault_of_structure_has_its_repair() -> None:
    assert OF_TREE.items() <= REPAIRS.items()


CASES = [
    ("several-parents", {"Raft.md": "---\nkind: project\npart_of:\n  - \"[[Work]]\"\n  - \"[[Boat]]\"\n---\n"}, "Raft.md",
     '---\nkind: project\npart_of: "[[Boat]]"\n---\n'),
    ("several-parents", {"Home.md": TOP["Work.md"], "Raft.md": "---\nkind: project\n---\nPart of both.\n\n## Related\n- part_of:: [[Work]] - told first\n- part_of:: [[Home]] - told then\n"},
     "Raft.md", "---\nkind: project\n---\nPart of both.\n\n## Related\n- relates_to:: [[Work]] - told first\n- part_of:: [[Home]] - told then\n"),
    ("several-parents", {"Home.md": TOP["Work.md"], "Raft.md": "---\nkind: project\n---\npart_of:: [[Work]], [[Home]]\n"},
     "Raft.md", "---\nkind: project\n---\npart_of:: [[Home]]\n\n## Related\n- relates_to:: [[Work]]\n"),
    ("several-parents", {"Home.md": TOP["Work.md"], "Raft.md": "---\nkind: project\n---\nA [part_of:: [[Work]]] and a (part_of:: [[Home]]) too.\n"},
     "Raft.md", "---\nkind: project\n---\nA [relates_to:: [[Work]]] and a (part_of:: [[Home]]) too.\n"),
    ("unrooted-category", {"Lost.md": "---\nkind: category # mine\n---\n"}, "Lost.md", '---\nkind: category # mine\npart_of: "[[Ada]]"\n---\n'),
    ("category-under-note", {"Low.md": '---\nkind: category\nparent: "[[Boat]]"\n---\n'}, "Low.md",
     '---\nkind: category\nparent: "[[Ada]]"\n---\n\n## Related\n- [[Boat]]\n'),
    ("note-under-owner", {"Raft.md": '---\nkind: project\npart_of: "[[Ada]]"\n---\n'}, "Raft.md", '---\nkind: project\npart_of: "[[Projects]]"\n---\n'),
    ("note-under-owner", {"Day.md": "## Related\n- part_of:: [[Ada]] - hers\n"}, "Day.md", '---\npart_of: "[[Misc]]"\n---\n## Related\n- [[Ada]] - hers\n'),
    ("orphan-entity", {"Raft.md": "---\nkind: project\n---\nFloats.\n"}, "Raft.md", '---\nkind: project\npart_of: "[[Projects]]"\n---\nFloats.\n'),
    ("orphan-entity", {"Raft.md": "Floats.\n", "Projects.md": "A list.\n", "Mast.md": "---\nkind: project\n---\n"}, "Mast.md",
     '---\nkind: project\npart_of: "[[Projects (category)]]"\n---\n'),
    ("parent-ring", {"A.md": '---\nkind: project\npart_of: "[[B]]"\n---\n', "B.md": '---\nkind: project\npart_of: "[[A]]"\n---\n'}, "A.md",
     '---\nkind: project\npart_of: "[[Projects]]"\n---\n\n## Related\n- [[B]]\n'),
    ("redundant-relation", {"Raft.md": '---\nkind: project\npart_of: "[[Boat]]"\nrelated: ["[[Boat]]", "[[Work]]"]\n---\n\n## Related\n- relates_to:: [[Boat]] - as it is\n'},
     "Raft.md", '---\nkind: project\npart_of: "[[Boat]]"\nrelated: "[[Work]]"\n---\n\n## Related\n- [[Boat]] - as it is\n'),
    ("category-cross-link", {"Home.md": '---\nkind: category\npart_of: "[[Ada]]"\nrelated: "[[Work]]"\n---\n'}, "Home.md",
     '---\nkind: category\npart_of: "[[Ada]]"\n---\n\n## Related\n- [[Work]]\n'),
    ("backwards-relation", {"Bob.md": '---\nkind: person\npart_of: "[[Work]]"\n---\n\n## Related\n- created_by:: [[Boat]] - in spring\n'}, "Boat.md",
     '---\nkind: project\npart_of: "[[Work]]"\n---\n\n## Related\n- created_by:: [[Bob]] - in spring\n'),
]  # fmt: skip


@pytest.mark.parametrize(("code", "files", "path", "after"), CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)])
def test_a_finding_reaches_zero_by_its_own_command_and_can_be_taken_back(
    tmp_path: Path, engine: str, code: str, files: dict[str, str], path: str, after: str
) -> None:
    space = owned(tmp_path, engine, files)
    before = notes(space)
    found = of(space, code)
    assert found, examine(space)
    assert {finding.cure for finding in found} == {f"brain repair {code}"}
    assert repaired(space, code, dry_run=True).applied
    assert notes(space) == before
    report = repaired(space, code)
    assert notes(space)[path] == after
    assert before.keys() <= notes(space).keys()
    assert of(space, code) == []
    assert repaired(space, code).receipts == ()
    undo(context_of(space, now=NOW), report.run)
    assert notes(space) == before
    left_out = repaired(space, code)
    assert (left_out.receipts, left_out.declined > 0) == ((), True)


def test_a_category_is_made_once_under_the_owner_by_the_plan_that_needs_it_first(tmp_path: Path, engine: str) -> None:
    space = owned(tmp_path, engine, {f"P{n}.md": "---\nkind: project\n---\n" for n in range(3)} | {"Eve.md": "---\nkind: person\n---\n"})
    report = repaired(space, "orphan-entity")
    made = [edit.path for receipt in report.applied for edit in receipt.plan.edits if isinstance(edit, CreateNote)]
    assert sorted(made) == ["Memory/Categories/Projects.md", "Memory/Categories/Relationships.md"]
    assert notes(space)[made[0]].splitlines()[2:7] == ["type: entity", "kind: category", 'part_of: "[[Ada]]"', "importance: 0.85", "status: active"]
    assert [finding for finding in examine(space) if finding.code in OF_TREE] == []


def test_without_an_owner_nobody_owes_the_tree_anything(tmp_path: Path, engine: str) -> None:
    lone = {f"P{n:02}.md": '---\nkind: project\npart_of: "[[Boat]]"\n---\n' for n in range(25)}
    space = owned(tmp_path, engine, {**lone, "Low.md": '---\nkind: category\npart_of: "[[Boat]]"\n---\n', "Fact.md": "---\nkind: fact\n---\n"}, owner=None)
    assert [finding.code for finding in examine(space) if finding.code in OF_TREE or finding.code in ("flat-list", "thin-area")] == []


def test_without_an_owner_a_ring_is_cut_and_nobody_gets_another_parent(make: Make) -> None:
    space = make({"A.md": "part_of:: [[B]]\n", "B.md": '---\nparent: "[[A]]"\n---\n', "C.md": "part_of:: [[B]]\n"})
    (found,) = of(space, "parent-ring")
    assert (found.severity, found.path, found.message) == ("warning", "A.md", "It is part of itself, by way of B.md.")
    repaired(space, "parent-ring")
    assert notes(space)["B.md"] == "---\n---\n\n## Related\n- [[A]]\n"
    assert of(space, "parent-ring") == []


def test_a_note_that_cannot_take_the_change_is_left_and_said(tmp_path: Path, engine: str) -> None:
    odd = {"Raft.md": '---\nkind: project\npart_of: "[[Work]] and then [[Boat]]"\n---\n'}
    space = owned(tmp_path, engine, odd)
    report = repaired(space, "several-parents")
    assert report.notices == ("Raft.md was left as it is: the property part_of of Raft.md holds more than links.",)
    assert notes(space)["Raft.md"] == odd["Raft.md"]


def test_crowded_thin_and_wrong_places_are_good_to_know(tmp_path: Path, engine: str) -> None:
    parts = {f"W{n:02}.md": '---\nkind: concept\npart_of: "[[Work]]"\n---\n' for n in range(12)}
    pieces = {f"B{n:02}.md": '---\nkind: concept\npart_of: "[[Boat]]"\n---\n' for n in range(13)}
    home = {"Home.md": '---\nkind: category\npart_of: "[[Ada]]"\n---\n', "Said.md": '---\nkind: fact\npart_of: "[[Home]]"\n---\n', "More.md": '---\nkind: concept\npart_of: "[[Said]]"\n---\n'}
    space = owned(tmp_path, engine, {**parts, **pieces, **home})
    codes = ("oversized-category", "flat-list", "thin-area", "statement-with-parts")
    found = {f.code: (f.severity, f.path, f.cure) for f in examine(space) if f.code in codes}
    assert found == {
        "oversized-category": ("info", "Work.md", "brain subgroup Work.md --apply"),
        "flat-list": ("info", "Boat.md", "brain subgroup Boat.md --apply"),
        "thin-area": ("info", "Home.md", 'write the link of another category as part_of into "Home.md"'),
        "statement-with-parts": ("info", "Said.md", 'write kind: concept into "Said.md", or another part_of into its parts'),
    }


def test_a_parent_that_was_replaced_stands_for_the_one_that_replaces_it(tmp_path: Path, engine: str) -> None:
    space = owned(tmp_path, engine, {
        "Old.md": '---\nkind: project\nstatus: superseded\nsuperseded_by: "[[Boat]]"\n---\n', "Sail.md": '---\nkind: artifact\npart_of: "[[Old]]"\n---\n',
    })  # fmt: skip
    assert [finding for finding in examine(space) if finding.code in OF_TREE] == []
