"""Watching: what changes on disk is in the index soon after, also what changed while the first sync ran."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from brain.sync.report import SyncReport
from brain.sync.space import Space
from brain.sync.watch import is_watched, watch, watched_paths
from tests.sync.support import note_id, put

WAIT_S = 20.0


def watching(space: Space, act: Callable[[SyncReport], None], until: Callable[[list[SyncReport]], bool]) -> list[SyncReport]:
    """Watches until the reports are enough; `act` is called with each of them."""
    reports: list[SyncReport] = []
    stop = threading.Event()

    def told(report: SyncReport) -> None:
        reports.append(report)
        act(report)

    thread = threading.Thread(target=lambda: watch(space, on_sync=told, stop=stop))
    thread.start()
    deadline = time.monotonic() + WAIT_S
    while not until(reports) and time.monotonic() < deadline:
        time.sleep(0.02)
    stop.set()
    thread.join()
    return reports


def test_a_change_made_while_the_first_sync_ran_is_not_missed(space: Space) -> None:
    put(space, "A.md", "a\n")
    reports = watching(space, lambda report: put(space, "B.md", "b\n") if report.rebuilt else None, lambda reports: len(reports) > 1)
    assert [report.added for report in reports] == [("A.md",), ("B.md",)]


def test_a_note_that_is_renamed_under_watch_keeps_its_id(space: Space) -> None:
    put(space, "A.md", "one unique line\n")
    ids: list[str] = []

    def rename(report: SyncReport) -> None:
        if report.rebuilt:
            ids.append(note_id(space, "A.md"))
            os.rename(space.vault.root / "A.md", space.vault.root / "Z.md")

    reports = watching(space, rename, lambda reports: len(reports) > 1)
    assert reports[1].moved == (("A.md", "Z.md"),)
    assert ids == [note_id(space, "Z.md")]


def test_a_batch_names_notes_and_nothing_else(tmp_path: Path) -> None:
    for name in ("A.md", "b.MD", "picture.png"):
        (tmp_path / name).write_text("x")
    (tmp_path / "dangling.md").symlink_to("nowhere")
    names = ("A.md", "b.MD", "picture.png", "dangling.md")
    assert watched_paths(tmp_path, [str(tmp_path / name) for name in names]) == ["A.md", "b.MD", "dangling.md"]


def test_folders_and_what_went_make_the_whole_vault_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    assert watched_paths(tmp_path, [str(tmp_path / "folder.md")]) is None
    assert watched_paths(tmp_path, [str(tmp_path / "gone.md")]) is None
    assert watched_paths(tmp_path, [str(tmp_path / "gone folder")]) is None


def test_hidden_places_and_places_outside_are_not_watched(tmp_path: Path) -> None:
    assert is_watched(tmp_path, str(tmp_path / "Deep" / "A.md"))
    for path in (tmp_path, tmp_path / ".brain" / "index" / "text.sqlite", tmp_path / "x" / ".A.md.swp", tmp_path.parent / "A.md"):
        assert not is_watched(tmp_path, str(path))
