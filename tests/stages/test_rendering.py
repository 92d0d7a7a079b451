"""The tree as pages: what stands on them, that they are ours alone, and that they cost a person nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brain.config import Folders
from brain.errors import UsageError
from brain.stages import rendering
from brain.stages.commit import recover
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

NOTES = {
    "Ada.md": "---\nkind: person\n---\n",
    "Work.md": '---\nkind: category\nimportance: 0.85\npart_of: "[[Ada]]"\n---\n',
    "Home.md": '---\nkind: category\nimportance: 0.9\npart_of: "[[Ada]]"\n---\n# Home\nWhere we *live*.\n',
    "Boat.md": """\
        ---
        kind: project
        importance: 0.7
        part_of: "[[Work]]"
        ---
        Prose.

        ## Atoms
        - (fact, superseded) Old. ^a-1
        - (fact, verified) It floats on [[Water]] %% unseen. ^a-2

        ## Related
        - depends_on:: [[Keel]] - it stands on it
        """,
    "Keel.md": '---\nkind: artifact\npart_of: "[[Boat]]"\n---\n',
    "Lone.md": "---\nkind: concept\n---\n",
    "Plain.md": "Nothing is owed.\n",
}
PAGES = {
    "Views/work.md": """\
---
generated: brain render
---
# Work

- **[[Work|Work]]** [category] imp 0.85
  - **[[Boat|Boat]]** [project] imp 0.70 — It floats on Water unseen.
    - _depends_on_ → [[Keel|Keel]]
    - **[[Keel|Keel]]** [artifact] imp 0.50
      - _depends_on_ ← [[Boat|Boat]]
""",
    "Views/home.md": """\
---
generated: brain render
---
# Home

- **[[Home|Home]]** [category] imp 0.90 — Where we *live*.
""",
    "Views/loose-ends.md": """\
---
generated: brain render
---
# Loose ends

Entities that are part of nothing.

- **[[Lone|Lone]]** [concept] imp 0.50
""",
    "Views/DIGEST.md": """\
---
generated: brain render
---
# Ada

7 notes: 2 category, 1 artifact, 1 concept, 1 note, 1 person, 1 project.

## Areas

- [[home|Home]] (0 notes)
- [[work|Work]] (2 notes)

## Most important

- **[[Boat|Boat]]** [project] imp 0.70 — It floats on Water unseen.
- **[[Keel|Keel]]** [artifact] imp 0.50
- **[[Lone|Lone]]** [concept] imp 0.50

[[loose-ends|1 loose end]]
""",
}


def views(vault: Vault) -> dict[str, str]:
    return {path: data.decode() for path, data in vault.bytes().items() if path.startswith("Views/")}


def notes_indexed(vault: Vault) -> list[str]:
    with vault.space.catalog() as conn:
        return [path for (path,) in conn.execute("SELECT path FROM note ORDER BY path")]


def test_the_tree_is_written_as_pages_that_are_no_notes(make: Make) -> None:
    vault = make(NOTES, owner="Ada")
    before = notes_indexed(vault)
    report = rendering.run(vault.ctx)
    assert not report.failed
    assert views(vault) == PAGES
    vault.index()
    assert notes_indexed(vault) == before


def test_a_second_run_writes_nothing_and_a_dry_run_neither(make: Make) -> None:
    vault = make(NOTES, owner="Ada")
    assert len(rendering.run(vault.ctx, dry_run=True).applied) == 4
    assert views(vault) == {}
    rendering.run(vault.ctx)
    again = rendering.run(vault.ctx)
    assert (again.receipts, again.notices) == ((), ())


def test_a_page_whose_area_is_gone_is_taken_away_and_comes_back_by_undo(make: Make) -> None:
    vault = make(NOTES, owner="Ada")
    rendering.run(vault.ctx)
    vault.write("Home.md", '---\nkind: category\npart_of: "[[Work]]"\n---\n')
    vault.index()
    assert rendering.run(vault.ctx, dry_run=True).applied
    assert "Views/home.md" in views(vault)
    report = rendering.run(vault.ctx)
    assert "Views/home.md" not in views(vault)
    (gone,) = [receipt.item for receipt in report.applied if receipt.patches[0].after is None]
    undo(vault.ctx, gone)
    assert views(vault)["Views/home.md"] == PAGES["Views/home.md"]
    assert recover(vault.ctx) == ()


def test_a_note_of_a_persons_in_the_folder_is_left_alone_and_named(make: Make) -> None:
    mine = {"Views/work.md": "My own page.\n", "Views/Other.md": "---\ngenerated: brain timeline\n---\nMine too.\n"}
    vault = make(NOTES | mine, owner="Ada")
    report = rendering.run(vault.ctx)
    assert report.notices == ("Views/work.md is a note of yours, so its page was not written; choose another place with folders.views.",)
    assert {path: views(vault)[path] for path in mine} == mine


def test_areas_of_one_name_have_pages_of_their_own(make: Make) -> None:
    tops = {f"{folder}/Digest.md": "x\n" for folder in ("a", "b")}
    parts = {f"{folder}/Part {folder}.md": f"part_of:: [[{folder}/Digest]]\n" for folder in ("a", "b")}
    vault = make({**tops, **parts})
    rendering.run(vault.ctx)
    assert sorted(views(vault)) == ["Views/DIGEST.md", "Views/digest-2.md", "Views/digest-3.md"]


def test_without_an_owner_the_areas_are_the_tops_and_a_ring_ends(make: Make) -> None:
    vault = make({"Top.md": "x\n", "A.md": "part_of:: [[Top]], [[B]]\n", "B.md": "part_of:: [[A]]\n"})
    rendering.run(vault.ctx)
    page = views(vault)["Views/top.md"]
    assert [line.strip().split("|")[1].split("]")[0] for line in page.splitlines() if "- **" in line] == ["Top", "A", "B"]


def test_nothing_is_written_through_a_link_or_without_a_folder(make: Make, tmp_path: Path) -> None:
    vault = make(NOTES, owner="Ada", folders=Folders(views=""))
    with pytest.raises(UsageError):
        rendering.run(vault.ctx)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = make({}, owner="Ada", folders=Folders(views="Out"))
    os.symlink(elsewhere, other.root / "Out")
    with pytest.raises(UsageError):
        rendering.run(other.ctx)
    assert list(elsewhere.iterdir()) == []


def test_a_bracket_in_a_title_does_not_end_the_link(make: Make) -> None:
    vault = make({"Ada.md": NOTES["Ada.md"], "C.md": '---\nkind: category\npart_of: "[[Ada]]"\ntitle: "a]b"\n---\n'}, owner="Ada")
    rendering.run(vault.ctx)
    assert "[[a-b|a)b]]" in vault.text("Views/DIGEST.md")
