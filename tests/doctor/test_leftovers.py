"""What a cut-off write left is named with its note, its size and what to do; nothing is removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.core.plan import SetField
from brain.doctor.leftovers import leftovers
from brain.stages.commit import recover
from brain.stages.ledger import read_ledger
from brain.vault.aside import TEMPORARY, Kind, beside
from tests.stages.support import bare_vault
from tests.stages.test_commit import die_after


def left(root: Path, note: str, kind: Kind, data: bytes) -> str:
    file = beside(root / note, kind)
    file.write_bytes(data)
    return file.relative_to(root).as_posix()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "People").mkdir()
    (tmp_path / "People/Ada O'Hara.md").write_bytes(b"as it is")
    return tmp_path


def test_a_save_that_may_be_nowhere_else_is_a_warning_that_names_its_note(root: Path) -> None:
    path = left(root, "People/Ada O'Hara.md", "aside", b"a person's words")
    (finding,) = leftovers(root, [path], [])
    assert (finding.code, finding.severity, finding.path) == ("stray-temporary", "warning", path)
    assert "of People/Ada O'Hara.md that was cut off" in finding.message and "(16 bytes)" in finding.message
    assert finding.cure.startswith("compare it with 'People/Ada O'\"'\"'Hara.md'") and finding.cure.endswith(f"rm {path}")


@pytest.mark.parametrize(("kind", "data"), [("aside", b"as it is"), ("copied", b"as it is"), ("begun", b"as")])
def test_what_holds_nothing_of_its_own_is_only_mentioned(root: Path, kind: Kind, data: bytes) -> None:
    (finding,) = leftovers(root, [left(root, "People/Ada O'Hara.md", kind, data)], [])
    assert finding.severity == "info" and "Ada O'Hara.md" in finding.message and "rm " in finding.cure


def test_a_file_whose_note_is_gone_or_whose_name_says_nothing_is_named_all_the_same(root: Path) -> None:
    (root / ".brain-0001.tmp").write_bytes(b"x")
    paths = [left(root, "People/Gone.md", "aside", b"words"), ".brain-0001.tmp", "Away/.brain-0002.tmp"]
    found = list(leftovers(root, paths, []))
    assert [finding.path for finding in found] == sorted(paths)
    assert all("look at it, keep what you want" in finding.cure for finding in found)
    assert (root / paths[0]).exists()


def test_files_of_an_open_run_are_not_listed_and_are_gone_once_it_is_recovered_from(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path / "vault", {"A.md": "a\n", "B.md": "b\n"})
    die_after(vault, 1, SetField("A.md", "x", 1))
    own, stray = left(vault.root, "A.md", "aside", b"a\n"), left(vault.root, "B.md", "aside", b"words")
    intents = read_ledger(vault.space.journal).open_intents("m-test")
    assert [finding.path for finding in leftovers(vault.root, [own, stray], intents)] == [stray]
    recover(vault.ctx)
    assert [place.name for place in vault.root.glob(TEMPORARY)] == [stray]
