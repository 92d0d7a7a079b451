"""A backup brought back into the vault: nothing is lost by it, and the notes go back as one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.errors import NotFound
from brain.facade import Brain
from tests.portability.support import NOTES, files_of, is_walked, journal_of, make


@pytest.fixture
def brain(tmp_path: Path, engine: str) -> Brain:
    return make(tmp_path / "vault", engine, embed="none")


def backed(brain: Brain) -> str:
    made = brain.backup(label="good")
    assert made is not None
    return made.backup.path.name


def spoil(root: Path) -> None:
    (root / "Boat.md").write_text("nothing\n", "utf-8")
    (root / "Keel.md").unlink()
    (root / "sail.png").unlink()
    (root / "brain.toml").write_text("# other\n", "utf-8")
    (root / "New.md").write_text("# New\n", "utf-8")


def test_a_dry_run_says_what_would_change_and_changes_nothing(brain: Brain) -> None:
    name = backed(brain)
    spoil(brain.root)
    before = files_of(brain.root, but=("index", "lock"))
    restored = brain.restore(name, dry_run=True)
    assert sorted(receipt.patches[0].path for receipt in restored.report.applied) == ["Boat.md", "Keel.md"]
    assert (restored.added, restored.differing, restored.newer) == (("sail.png",), ("brain.toml",), ("New.md",))
    after = files_of(brain.root, but=("index", "lock"))
    assert {path: data for path, data in after.items() if path != ".brain/lock"} == {p: d for p, d in before.items() if p != ".brain/lock"}


def test_notes_come_back_and_what_is_newer_stays(brain: Brain) -> None:
    name, before = backed(brain), files_of(brain.root)
    spoil(brain.root)
    restored = brain.restore(name, dry_run=False)
    assert files_of(brain.root) == {**before, "brain.toml": b"# other\n", "New.md": b"# New\n"}
    assert restored.before is not None
    assert {backup.label for backup in brain.backups()} == {"good", "before-restore"}


def test_it_is_one_run_that_undo_takes_back(brain: Brain) -> None:
    name = backed(brain)
    spoil(brain.root)
    before = files_of(brain.root)
    brain.restore(name, dry_run=False)
    report = brain.undo()
    assert sorted(report.paths) == ["Boat.md", "Keel.md"]
    assert files_of(brain.root) == {**before, "sail.png": bytes(range(256))}


def test_lines_of_the_journal_come_back_and_none_is_cut(brain: Brain) -> None:
    name = backed(brain)
    journal = next((brain.root / ".brain" / "journal").rglob("*.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    own = b'{"at": "2026-06-01T00:00:00Z", "ids": [], "kind": "touched", "machine": "m-test"}\n'
    journal.write_bytes(b"".join(lines[2:]) + own)
    brain.restore(name, dry_run=False)
    after = b"".join(journal_of(brain.root).values()).splitlines(keepends=True)
    assert set(lines) | {own} <= set(after)
    brain.restore(name, dry_run=False)
    again = b"".join(journal_of(brain.root).values()).splitlines(keepends=True)
    assert all(again.count(line) == after.count(line) for line in (*lines, own))


def test_an_episode_that_was_walked_stays_walked_when_it_comes_back(brain: Brain) -> None:
    name = backed(brain)
    (brain.root / "Inbox/2026-05-02 talk.md").unlink()
    brain.restore(name, dry_run=False)
    assert is_walked(brain, "Inbox/2026-05-02 talk.md")
    assert brain.run_stage("walk").is_empty


def test_one_note_alone_comes_back(brain: Brain) -> None:
    name = backed(brain)
    spoil(brain.root)
    restored = brain.restore(name, notes=["Keel.md"], dry_run=False)
    assert (brain.root / "Keel.md").read_text("utf-8") == NOTES["Keel.md"]
    assert (brain.root / "Boat.md").read_text("utf-8") == "nothing\n"
    assert restored.added == ()
    with pytest.raises(NotFound, match="not in"):
        brain.restore(name, notes=["Nowhere.md"], dry_run=True)


def test_clearing_takes_what_is_derived_and_never_a_note(brain: Brain) -> None:
    before, history = files_of(brain.root), journal_of(brain.root)
    now = brain.space.clock.now()
    graph = list(brain.export(now=now))
    cleared = brain.clear()
    assert cleared.removed == (".brain/index",)
    assert (files_of(brain.root), journal_of(brain.root)) == (before, history)
    brain.index()
    assert list(brain.export(now=now)) == graph


def test_clearing_forgets_the_history_only_when_it_is_named_and_the_backup_has_it(brain: Brain, tmp_path: Path) -> None:
    before, history = files_of(brain.root), journal_of(brain.root)
    cleared = brain.clear(journal=True)
    assert ".brain/journal" in cleared.removed
    assert (files_of(brain.root), (brain.root / ".brain/journal").exists()) == (before, False)
    brain.restore_to(cleared.before.backup.path.name, tmp_path / "out")
    assert journal_of(tmp_path / "out") == history


def test_a_file_that_stands_where_a_folder_is_wanted_stays_and_keeps_nothing_else_back(brain: Brain) -> None:
    (brain.root / "pictures").mkdir()
    (brain.root / "pictures" / "a.png").write_bytes(b"a")
    name = backed(brain)
    spoil(brain.root)
    (brain.root / "pictures" / "a.png").unlink()
    (brain.root / "pictures").rmdir()
    (brain.root / "pictures").write_text("a file by now", "utf-8")
    restored = brain.restore(name, dry_run=False)
    assert "pictures/a.png" in restored.differing
    assert (brain.root / "pictures").read_text("utf-8") == "a file by now"
    assert (brain.root / "Keel.md").read_text("utf-8") == NOTES["Keel.md"]
