"""Renames: identity follows the note, edited or not; what could be two notes is never guessed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from brain.core.dates import iso_utc
from brain.sync.alike import COMPARED_MAX
from brain.sync.moves import still_there
from brain.sync.report import SyncReport
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, graph_rows, rebuilt_state, state_of
from tests.sync.support import note_id, put, words


def rename(space: Space, old: str, new: str) -> None:
    (space.vault.root / new).parent.mkdir(parents=True, exist_ok=True)
    os.rename(space.vault.root / old, space.vault.root / new)


def save_anew(space: Space, path: str, text: str) -> None:
    """Saves as careful editors do: another file takes the place."""
    fresh = space.vault.root / ".saving"
    fresh.write_text(text, "utf-8")
    os.replace(fresh, space.vault.root / path)


def edit(space: Space, path: str, text: str) -> None:
    """Writes into the file that is there."""
    (space.vault.root / path).write_text(text, "utf-8")


@pytest.fixture
def known(space: Space) -> Space:
    """A vault with one note of forty words, indexed and touched once."""
    put(space, "Heron.md", words(0, 40))
    put(space, "Other.md", "See [[Heron]]. " + words(500, 40))
    sync(space, now=NOW)
    touch = {"kind": "touched", "at": iso_utc(NOW.replace(month=5)), "ids": [note_id(space, "Heron.md")]}
    space.journal.append([touch])
    sync(space, now=NOW)
    return space


def touched_on(space: Space, path: str) -> str:
    with space.catalog() as conn:
        return str(conn.execute("SELECT t.at FROM note n JOIN touch t ON t.id=n.id WHERE n.path=?", (path,)).fetchone()[0])


@pytest.mark.parametrize("save", [edit, save_anew])
def test_a_rename_with_a_small_edit_keeps_id_and_history(known: Space, save) -> None:
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "Birds/Grey heron.md")
    save(known, "Birds/Grey heron.md", words(0, 40) + " and one thing more")
    report = sync(known, now=NOW)
    assert report.moved == (("Heron.md", "Birds/Grey heron.md"),) and report.added == report.removed == ()
    assert note_id(known, "Birds/Grey heron.md") == before
    assert touched_on(known, "Birds/Grey heron.md") == iso_utc(NOW.replace(month=5))
    assert state_of(known) == rebuilt_state(known)


def test_a_rename_of_the_same_file_is_known_after_a_larger_edit_too(known: Space) -> None:
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "Grey heron.md")
    edit(known, "Grey heron.md", words(0, 40) + "\n\n" + words(100, 80))
    sync(known, now=NOW)
    assert note_id(known, "Grey heron.md") == before


def test_a_note_that_kept_its_name_in_another_folder_is_the_same_after_a_larger_edit(known: Space) -> None:
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "Birds/Heron.md")
    save_anew(known, "Birds/Heron.md", words(0, 40) + "\n\n" + words(100, 60))
    sync(known, now=NOW)
    assert note_id(known, "Birds/Heron.md") == before


def test_a_note_that_was_written_anew_under_another_name_is_another_note(known: Space) -> None:
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "Stork.md")
    save_anew(known, "Stork.md", words(200, 40))
    report = sync(known, now=NOW)
    assert (report.moved, report.added, report.removed) == ((), ("Stork.md",), ("Heron.md",))
    assert note_id(known, "Stork.md") != before
    assert state_of(known) == rebuilt_state(known)


def test_of_two_new_notes_that_it_could_be_none_is_guessed(known: Space) -> None:
    before = note_id(known, "Heron.md")
    (known.vault.root / "Heron.md").unlink()
    put(known, "B.md", words(0, 40) + " first ending")
    put(known, "C.md", words(0, 40) + " second ending")
    assert sync(known, now=NOW).moved == ()
    assert before not in (note_id(known, "B.md"), note_id(known, "C.md"))
    assert state_of(known) == rebuilt_state(known)


def test_of_two_old_notes_that_it_could_have_been_none_is_guessed(known: Space) -> None:
    put(known, "Twin.md", words(0, 39))
    sync(known, now=NOW)
    for path in ("Heron.md", "Twin.md"):
        (known.vault.root / path).unlink()
    put(known, "New.md", words(0, 41))
    assert sync(known, now=NOW).moved == ()


def test_a_new_note_from_the_form_that_a_deleted_one_had_is_not_its_rename(known: Space) -> None:
    form = words(700, 60)
    for day in range(1, 5):
        put(known, f"Days/2026-01-0{day}.md", f"{form}\nday {day}")
    sync(known, now=NOW)
    (known.vault.root / "Days/2026-01-01.md").unlink()
    put(known, "Days/2026-01-05.md", f"{form}\nday 5")
    report = sync(known, now=NOW)
    assert (report.moved, report.added, report.removed) == ((), ("Days/2026-01-05.md",), ("Days/2026-01-01.md",))


def test_the_best_is_taken_when_the_next_best_is_far_behind(known: Space) -> None:
    before = note_id(known, "Heron.md")
    (known.vault.root / "Heron.md").unlink()
    put(known, "B.md", words(0, 40) + " ending")
    put(known, "C.md", words(0, 20) + " " + words(300, 20))
    assert sync(known, now=NOW).moved == (("Heron.md", "B.md"),)
    assert note_id(known, "B.md") == before


def test_a_copy_is_not_a_rename(known: Space) -> None:
    before = note_id(known, "Heron.md")
    shutil.copy2(known.vault.root / "Heron.md", known.vault.root / "Copy.md")
    edit(known, "Heron.md", words(0, 40) + " and the first goes on")
    report = sync(known, now=NOW)
    assert (report.moved, report.added, report.changed) == ((), ("Copy.md",), ("Heron.md",))
    assert note_id(known, "Heron.md") == before != note_id(known, "Copy.md")
    assert state_of(known) == rebuilt_state(known)


def test_a_copy_made_by_renaming_the_old_file_leaves_the_id_where_the_text_is(known: Space) -> None:
    """Some editors keep a copy by renaming the old file, and write the note anew."""
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "Heron copy.md")
    edit(known, "Heron copy.md", words(0, 40) + " ")
    put(known, "Heron.md", words(0, 40) + " and more")
    assert sync(known, now=NOW).moved == ()
    assert note_id(known, "Heron.md") == before


@pytest.mark.parametrize("text", [words(0, 40), words(0, 40) + " and a small edit"])
def test_a_renamed_note_keeps_its_id_when_another_takes_its_old_path(known: Space, text: str) -> None:
    before, other = note_id(known, "Heron.md"), note_id(known, "Other.md")
    rename(known, "Heron.md", "Grey heron.md")
    edit(known, "Grey heron.md", text)
    put(known, "Heron.md", "Moved to [[Grey heron]].")
    report = sync(known, now=NOW)
    assert report.moved == (("Heron.md", "Grey heron.md"),) and report.added == ("Heron.md",)
    assert note_id(known, "Grey heron.md") == before
    assert note_id(known, "Heron.md") not in (before, other)
    assert len(graph_rows(known)["LINKS"]) == 2
    assert state_of(known) == rebuilt_state(known)


def test_a_case_only_rename_with_an_edit_keeps_the_id(known: Space) -> None:
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "heron.md")
    save_anew(known, "heron.md", "nothing that was there before")
    assert sync(known, now=NOW).moved == (("Heron.md", "heron.md"),)
    assert note_id(known, "heron.md") == before


def test_equal_notes_that_were_renamed_are_told_apart_by_their_files(space: Space) -> None:
    for name in ("A", "B"):
        put(space, f"{name}.md", "the same text")
    sync(space, now=NOW)
    before = [note_id(space, "A.md"), note_id(space, "B.md")]
    rename(space, "A.md", "Z.md")
    rename(space, "B.md", "Y.md")
    assert sync(space, now=NOW).moved == (("A.md", "Z.md"), ("B.md", "Y.md"))
    assert [note_id(space, "Z.md"), note_id(space, "Y.md")] == before


def test_a_note_with_an_id_of_its_own_is_not_taken_for_another(known: Space) -> None:
    before = note_id(known, "Heron.md")
    (known.vault.root / "Heron.md").unlink()
    put(known, "B.md", f"---\nid: n-mine\n---\n{words(0, 40)}")
    assert sync(known, now=NOW).moved == ()
    assert note_id(known, "B.md") == "n-mine" != before


def test_a_watcher_that_names_the_new_path_alone_sees_the_rename(known: Space) -> None:
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "Grey heron.md")
    edit(known, "Grey heron.md", words(0, 40) + " edited")
    assert sync(known, paths=["Grey heron.md"], now=NOW).moved == (("Heron.md", "Grey heron.md"),)
    assert note_id(known, "Grey heron.md") == before


def test_a_note_that_is_only_left_out_or_out_of_sight_has_not_moved(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to("B.md")
    reasons = {"Deep/er": "folder cannot be read: Permission denied", "big.md": "larger than 9 bytes", "link.md": "a link, not followed"}
    is_there = still_there(tmp_path, reasons)
    assert [is_there(path) for path in ("Deep/er/A.md", "Deep/er/x/A.md", "big.md")] == [True] * 3
    assert [is_there(path) for path in ("Deep/A.md", "Deep/erA.md", "link.md", "gone.md")] == [False] * 4


def test_a_note_that_grew_too_large_did_not_move_to_its_copy(known: Space) -> None:
    before = note_id(known, "Heron.md")
    shutil.copy2(known.vault.root / "Heron.md", known.vault.root / "Copy.md")
    edit(known, "Heron.md", "x" * (known.config.limits.note_bytes_max + 1))
    report = sync(known, now=NOW)
    assert (report.moved, report.removed, list(report.skipped)) == ((), ("Heron.md",), ["Heron.md"])
    assert note_id(known, "Copy.md") != before
    assert sync(known, full=True, now=NOW).moved == ()


def test_a_move_that_the_journal_has_is_followed_whatever_the_text(known: Space) -> None:
    before = note_id(known, "Heron.md")
    space = known
    space.journal.append([{"kind": "moved", "at": iso_utc(NOW), "from": "Heron.md", "to": "New.md", "id": before}])
    (space.vault.root / "Heron.md").unlink()
    put(space, "New.md", words(900, 40))
    assert sync(space, now=NOW).moved == (("Heron.md", "New.md"),)
    assert note_id(space, "New.md") == before
    assert [r["kind"] for r in space.journal.records({"moved"})] == ["moved"]
    assert state_of(space) == rebuilt_state(space)


def test_a_rebuild_follows_an_edited_note_as_a_sync_does(known: Space) -> None:
    before = note_id(known, "Heron.md")
    rename(known, "Heron.md", "Grey heron.md")
    save_anew(known, "Grey heron.md", words(0, 40) + " and one thing more")
    put(known, "Third.md", words(1_000, 30))
    report = sync(known, full=True, now=NOW)
    assert (report.moved, report.added) == ((("Heron.md", "Grey heron.md"),), ("Third.md",))
    assert note_id(known, "Grey heron.md") == before


def test_many_renames_with_edits_at_once_are_all_followed(space: Space) -> None:
    for number in range(40):
        put(space, f"Old/Note {number}.md", words(number * 60, 50))
    sync(space, now=NOW)
    before = {number: note_id(space, f"Old/Note {number}.md") for number in range(40)}
    rename(space, "Old", "New")
    for number in range(40):
        save_anew(space, f"New/Note {number}.md", words(number * 60, 50) + f" edited {number}")
    assert len(sync(space, now=NOW).moved) == 40
    assert before == {number: note_id(space, f"New/Note {number}.md") for number in range(40)}
    assert state_of(space) == rebuilt_state(space)


def renamed_everywhere(space: Space, count: int, same_files: int) -> SyncReport:
    """Renames and edits so many notes; the first `same_files` of them stay the same files."""
    for number in range(count):
        put(space, f"Old {number}.md", words(number * 60, 20))
    sync(space, now=NOW)
    for number in range(count):
        rename(space, f"Old {number}.md", f"New {number}.md")
        save = edit if number < same_files else save_anew
        save(space, f"New {number}.md", words(number * 60, 20) + f" edited {number}")
    return sync(space, now=NOW)


def test_too_many_to_compare_are_counted_and_said(space: Space) -> None:
    count = int(COMPARED_MAX**0.5) + 1
    report = renamed_everywhere(space, count, same_files=0)
    assert report.moved == () and len(report.added) == count
    assert [notice.split(" ", 1)[0] for notice in report.notices] == [str(count)]


def test_those_that_are_the_same_files_go_first_and_leave_few_enough(space: Space) -> None:
    count = int(COMPARED_MAX**0.5) + 1
    report = renamed_everywhere(space, count, same_files=count - 5)
    assert (len(report.moved), report.notices) == (count, ())
