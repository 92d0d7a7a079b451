"""A vault in which nothing changed is left alone, whatever lies in it: no lock, no write, the same generation."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator

import pytest

from brain.sync.change import changes_of_scan
from brain.sync.report import SyncReport
from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.journal import Journal
from brain.vault.scan import scan
from tests.laws.support import NOW, graph_rows, rebuilt_state, space_of, state_of
from tests.sync.support import generation, note_id, put


def big(space: Space) -> None:
    (space.vault.root / "odd.md").write_bytes(b"x" * (space.config.limits.note_bytes_max + 1))


def unreadable(space: Space) -> None:
    put(space, "odd.md", "secret\n")
    (space.vault.root / "odd.md").chmod(0)
    if os.access(space.vault.root / "odd.md", os.R_OK):
        pytest.skip("this user may read any file")


def not_text(space: Space) -> None:
    (space.vault.root / "odd.md").write_bytes(b"caf\xe9 \xff\xfe\x00\n")


def not_named_in_text(space: Space) -> None:
    with open(os.fsencode(space.vault.root) + b"/odd\xff.md", "wb") as file:
        file.write(b"x\n")


def torn_journal(space: Space) -> None:
    (space.journal.folder / "m-other").mkdir(parents=True)
    (space.journal.folder / "m-other" / "2026-05.jsonl").write_bytes(b'{"kind": "touched", "at": "2026-05-01T00:0')


def conflict_copy(space: Space) -> None:
    put(space, "A.sync-conflict-20260101-000000-ABC.md", "a\n")


def dangling_link(space: Space) -> None:
    (space.vault.root / "odd.md").symlink_to("nowhere.md")


def folder_named_like_a_note(space: Space) -> None:
    put(space, "odd.md/inside.md", "inside\n")


def pipe(space: Space) -> None:
    os.mkfifo(space.vault.root / "odd.md")


ODDITIES = [
    big, unreadable, not_text, not_named_in_text, torn_journal, conflict_copy, dangling_link, folder_named_like_a_note, pipe,
]  # fmt: skip


def files_of(space: Space) -> Iterator[tuple[str, int, int]]:
    """Everything under `.brain` with its numbers; a reader of SQLite may make and remove files beside the database."""
    for place in sorted(space.layout.state.rglob("*")):
        if not place.name.endswith(("-wal", "-shm")) and stat.S_ISREG(place.lstat().st_mode):
            yield str(place), place.stat().st_mtime_ns, place.stat().st_ino


@pytest.mark.parametrize("lay", ODDITIES)
@pytest.mark.parametrize("embed", ["none", "lexical"])
def test_nothing_changed_is_nothing_done(request: pytest.FixtureRequest, lay, embed: str) -> None:
    space = request.getfixturevalue("space" if embed == "none" else "lexical")
    put(space, "A.md", "See [[B]] and [[odd]].\n")
    sync(space, now=NOW)
    lay(space)
    first = sync(space, now=NOW)
    space.layout.lock_path.unlink()
    before = list(files_of(space))
    again = sync(space, now=NOW)
    assert (again.added, again.changed, again.removed, again.generation) == ((), (), (), first.generation)
    assert again.skipped == first.skipped
    assert not space.layout.lock_path.exists()
    assert list(files_of(space)) == before


@pytest.mark.parametrize("lay", [big, dangling_link, conflict_copy])
def test_what_is_set_aside_after_a_rebuild_is_settled_too(space: Space, lay) -> None:
    put(space, "A.md", "a\n")
    lay(space)
    first = sync(space, now=NOW)
    again = sync(space, now=NOW)
    assert first.rebuilt and (again.rebuilt, again.generation, again.skipped) == (False, first.generation, first.skipped)
    assert len(first.skipped) == 1


def test_what_is_set_aside_is_no_change_for_others_who_compare(space: Space) -> None:
    put(space, "A.md", "a\n")
    big(space)
    sync(space, now=NOW)
    with space.catalog() as conn:
        assert not changes_of_scan(conn, scan(space.vault.root, space.config))


def test_a_file_that_can_be_read_again_is_indexed(space: Space) -> None:
    put(space, "A.md", "a\n")
    big(space)
    assert list(sync(space, now=NOW).skipped) == ["odd.md"]
    put(space, "odd.md", "now it is small\n")
    report = sync(space, now=NOW)
    assert (report.added, report.skipped) == (("odd.md",), {})
    assert state_of(space) == rebuilt_state(space)


def test_a_note_that_grew_too_large_is_set_aside_once(space: Space) -> None:
    put(space, "odd.md", "small\n")
    sync(space, now=NOW)
    big(space)
    first = sync(space, now=NOW)
    assert (first.removed, first.notes, list(first.skipped)) == (("odd.md",), 0, ["odd.md"])
    assert sync(space, now=NOW).generation == first.generation
    assert state_of(space) == rebuilt_state(space)


def test_a_watcher_names_what_is_skipped_and_forgets_what_went(space: Space) -> None:
    put(space, "A.md", "a\n")
    first = sync(space, now=NOW)
    copy = "A.sync-conflict-20260101-000000-ABC.md"
    conflict_copy(space)
    report = sync(space, paths=[copy], now=NOW)
    assert (list(report.skipped), report.generation) == ([copy], first.generation)
    (space.vault.root / copy).unlink()
    assert sync(space, paths=[copy], now=NOW).skipped == {}
    assert sync(space, now=NOW).generation == first.generation


def test_a_folder_named_like_a_note_that_went_takes_its_notes_along(space: Space) -> None:
    put(space, "A.md", "a\n")
    put(space, "odd.md/inside.md", "inside\n")
    put(space, "odd.mdx/beside.md", "beside\n")
    assert sync(space, now=NOW).notes == 3
    (space.vault.root / "odd.md/inside.md").unlink()
    (space.vault.root / "odd.md").rmdir()
    assert sync(space, paths=["odd.md"], now=NOW).removed == ("odd.md/inside.md",)


def test_a_torn_line_is_folded_when_it_is_whole(space: Space) -> None:
    put(space, "A.md", "---\ncreated: 2025-01-01\n---\na\n")
    sync(space, now=NOW)
    before = graph_rows(space)["Note"]
    torn_journal(space)
    first = sync(space, now=NOW)
    with open(space.journal.folder / "m-other" / "2026-05.jsonl", "ab") as file:
        file.write(b'0:00Z", "ids": ["' + note_id(space, "A.md").encode() + b'"]}\n')
    assert sync(space, now=NOW).generation == first.generation + 1
    assert graph_rows(space)["Note"] != before
    assert state_of(space) == rebuilt_state(space)


def test_records_that_change_no_note_leave_the_graph_alone(space: Space) -> None:
    put(space, "A.md", "a\n")
    first = sync(space, now=NOW)
    written = space.graph_path.stat().st_mtime_ns
    Journal(space.journal.folder, "m-other").append([{"kind": "run_started", "at": "2026-05-31T00:00:00.000000Z", "run": "r-1"}])
    assert sync(space, now=NOW).generation == first.generation == generation(space)
    assert space.graph_path.stat().st_mtime_ns == written


def test_what_changed_is_looked_at_again_under_the_lock(space: Space) -> None:
    """A file goes, and another process syncs, while this one waits for the lock."""
    for name in ("A", "B", "C"):
        put(space, f"{name}.md", f"{name}\n")
    sync(space, now=NOW)
    put(space, "B.md", "an edit\n")
    put(space, "C.md", "an edit\n")
    other = space_of(space.vault.root, space.engine)
    reports: list[SyncReport] = []
    with other.lock.exclusive("a test"):
        thread = threading.Thread(target=lambda: reports.append(sync(space, now=NOW)))
        thread.start()
        time.sleep(0.5)
        (space.vault.root / "C.md").unlink()
        sync(other, paths=["B.md"], now=NOW)
    thread.join()
    assert [(report.changed, report.removed) for report in reports] == [((), ("C.md",))]
    assert state_of(space) == rebuilt_state(space)
