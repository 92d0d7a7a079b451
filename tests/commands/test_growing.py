"""The commands of the tree as a person types them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import notes_of, run

NOTES = {
    "Ada.md": "---\nkind: person\n---\n",
    "Work.md": '---\nkind: category\npart_of: "[[Ada]]"\n---\n',
    "Garden.md": '---\nkind: category\npart_of: "[[Ada]]"\n---\n',
    "Boat.md": '---\nkind: project\npart_of: "[[Work]]"\n---\n\n## Atoms\n- (fact, verified) It floats. ^a-1\n',
    "Garden hose.md": '---\nkind: artifact\nimportance: 0.1\ncreated: 2001-01-01\npart_of: "[[Work]]"\n---\n',
    "Lost.md": "---\nkind: project\n---\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        (tmp_path / path).write_text(text)
    (tmp_path / "brain.toml").write_text('owner = "Ada"\n')
    assert run("index", vault=tmp_path).code == 0
    return tmp_path


def test_notes_without_a_tree_are_told_how_to_start_one(tmp_path: Path) -> None:
    (tmp_path / "Boat.md").write_text("It floats.\n", "utf-8")
    run("index", vault=tmp_path)
    bare = run("tree", vault=tmp_path)
    assert bare.code == 0 and bare.err.count("\n") == 1
    assert 'brain setup --name "YOU"' in bare.err and "brain move NOTE PARENT" in bare.err
    run("setup", "--name", "Ada", vault=tmp_path)
    assert run("tree", vault=tmp_path).err == ""


def test_the_tree_shows_claims_marks_what_has_faded_and_leaves_out_what_is_asked_to(vault: Path) -> None:
    shown = run("tree", "--atoms", vault=vault)
    assert shown.out == (
        "Ada [person] imp 0.50\n├── Garden [category] imp 0.50\n└── Work [category] imp 0.50\n    ├── Boat [project] imp 0.50\n"
        "    │       (fact) It floats.\n    └── Garden hose [artifact] imp 0.10 faded\n1 notes stand outside the tree (no part_of to or from them).\n"
    )
    fresh = run("tree", "Work", "--min-weight", "0.5", "--json", vault=vault).json
    assert [child["title"] for child in fresh["branches"][0]["children"]] == ["Boat"]
    assert "Garden" in run("tree", "--kind", "artifact", vault=vault).out and "Boat" not in run("tree", "--kind", "artifact", vault=vault).out
    assert run("tree", "--kind", "boat", vault=vault).code == 2


def test_a_repair_is_shown_done_and_taken_back(vault: Path) -> None:
    before = notes_of(vault)
    assert "brain repair orphan-entity" in run("doctor", vault=vault).out
    assert "+part_of: " in run("repair", "orphan-entity", "--dry-run", vault=vault).out and notes_of(vault) == before
    assert run("repair", "orphan-entity", vault=vault).code == 0
    assert run("doctor", "--code", "orphan-entity", vault=vault).out == "Nothing to put right.\n"
    assert run("undo", vault=vault).code == 0
    assert notes_of(vault) == before


def test_a_better_place_waits_for_a_person(vault: Path) -> None:
    report = run("reorganize", "--json", vault=vault).json
    assert (report["found"], len(report["held"])) == (2, 1)
    assert "Garden hose.md fits into Garden.md" in run("review", vault=vault).out
    assert run("review", "accept", "--all", vault=vault).code == 0
    assert 'part_of: "[[Garden]]"' in (vault / "Garden hose.md").read_text()


def test_groups_are_written_with_apply_and_pages_by_render(vault: Path) -> None:
    for number in range(14):
        (vault / f"P{number:02}.md").write_text(f'---\nkind: concept\npart_of: "[[Garden]]"\ntags: [{"red" if number % 2 else "blue"}]\n---\n')
    assert "flat-list" not in (found := run("doctor", vault=vault).out) and "brain index" in found
    assert run("index", vault=vault).code == 0
    assert "brain subgroup Garden.md --apply" in run("doctor", vault=vault).out
    assert "Red" in run("subgroup", "Garden", "--apply", "--dry-run", vault=vault).out
    assert run("subgroup", "Garden", "--apply", vault=vault).code == 0
    assert "oversized-category" not in run("doctor", vault=vault).out
    assert run("render", vault=vault).code == 0
    assert (vault / "Views" / "garden.md").read_text().startswith("---\ngenerated: brain render\n---\n# Garden\n")
    assert "0 changed" in run("render", vault=vault).out
    assert run("subgroup", "Nobody", vault=vault).code != 0
