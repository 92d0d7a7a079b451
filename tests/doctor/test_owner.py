"""The owner's own note, people and categories: what doctor finds of them, and that no cure it names is refused."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from brain.core.finding import Finding
from brain.doctor.checks import examine
from brain.errors import UsageError
from brain.facade import Brain
from brain.sync.run import sync
from brain.sync.space import Space
from tests.doctor.conftest import write
from tests.laws.support import NOW, space_of

PERSON = "---\nkind: person\n---\n"


def owned(tmp_path: Path, engine: str, files: dict[str, str], owner: str = "Ada") -> Space:
    for path, text in files.items():
        write(tmp_path / "vault", path, text)
    space = space_of(tmp_path / "vault", engine)
    space = replace(space, config=replace(space.config, owner=owner))
    sync(space, now=NOW, embed=False)
    return space


def found(space: Space, *codes: str) -> list[Finding]:
    return [finding for finding in examine(space) if finding.code in codes]


@pytest.mark.parametrize("text", [PERSON, f"{PERSON}Sings.\n", "---\nkind: person\nimportance: 1\n---\n", "---\nkind: person\naliases: [Ada]\n---\n"])
def test_the_owner_is_no_orphan_not_bare_and_not_empty(tmp_path: Path, engine: str, text: str) -> None:
    name = "Lovelace.md" if "aliases" in text else "People/Ada.md"
    space = owned(tmp_path, engine, {name: text, "Bo.md": PERSON, "Cy.md": f"{PERSON}Rows.\n"})
    assert [(f.code, f.path) for f in found(space, "orphan", "bare-entity", "empty-important", "owner-missing")] == [("bare-entity", "Bo.md"), ("orphan", "Cy.md")]


def test_an_owner_without_a_note_is_a_warning_that_setup_cures(tmp_path: Path, engine: str) -> None:
    space = owned(tmp_path, engine, {"Bo.md": PERSON}, owner="Ada O'Hara")
    (finding,) = found(space, "owner-missing")
    assert (finding.severity, shlex.split(finding.cure)) == ("warning", ["brain", "setup", "--name", "Ada O'Hara"])
    Brain(space).set_owner("Ada O'Hara")
    assert found(space, "owner-missing") == []


def test_what_cannot_be_forgotten_is_not_offered_to_be(tmp_path: Path, engine: str) -> None:
    pinned = "---\nkind: project\npinned: true\n---\n"
    space = owned(tmp_path, engine, {"Ada.md": PERSON, "Bo.md": PERSON, "Pinned.md": pinned, "Boat.md": "---\nkind: project\n---\n"})
    offered = {finding.path for finding in found(space, "bare-entity") if "brain forget" in finding.cure}
    assert offered == {"Boat.md"}
    for path in ("Bo.md", "Pinned.md"):
        with pytest.raises(UsageError):
            Brain(space).forget(path, dry_run=True)
    assert Brain(space).forget("Boat.md", dry_run=True).receipts


def test_notes_of_one_name_that_cannot_be_merged_are_told_apart(tmp_path: Path, engine: str) -> None:
    files = {
        "Ada.md": PERSON, "a/Boats.md": "---\nkind: category\n---\nx\n", "b/Boats.md": "about boats\n", "a/Fog.md": "f\n", "b/Fog.md": "g\n",
        "A/Ada.md": "---\nkind: person\n---\nx\n", "Keel.md": '---\npart_of: "[[A/Ada]]"\n---\n',
    }  # fmt: skip
    space = owned(tmp_path, engine, files)
    cures = {finding.path: finding.cure for finding in found(space, "duplicate-name")}
    assert "brain merge" not in cures["a/Boats.md"] and "distinct_from" in cures["a/Boats.md"]
    for cure in (cure for cure in cures.values() if cure.startswith("brain merge")):
        one, other = shlex.split(cure.partition(",")[0])[2:]
        assert Brain(space).merge(one, other, dry_run=True).receipts
    assert any(cure.startswith("brain merge") for cure in cures.values())


def test_an_orphan_is_cured_by_a_command_that_can_be_typed(tmp_path: Path, engine: str) -> None:
    space = owned(tmp_path, engine, {"Ada.md": PERSON, "d/Tom's boat.md": "x\n"})
    (finding,) = found(space, "orphan")
    assert shlex.split(finding.cure) == ["brain", "search", "Tom's boat"]


def test_a_broken_link_that_stands_twice_on_a_line_is_said_once(tmp_path: Path, engine: str) -> None:
    space = owned(tmp_path, engine, {"Ada.md": PERSON, "A.md": "[[x/Gone]] and [[x/Gone]]\n[[x/Gone]]\n"})
    assert [(finding.path, finding.line) for finding in found(space, "broken-link")] == [("A.md", 1), ("A.md", 2)]
