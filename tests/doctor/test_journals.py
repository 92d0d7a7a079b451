"""The journal as files: whose they are, whether they can be written, whether they came along."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from brain.core.dates import iso_utc
from brain.doctor.checks import examine
from brain.stages import undo, walk
from brain.stages.context import context_of
from brain.sync.space import Space
from brain.vault.journal import Journal
from tests.doctor.conftest import Make, index, of, write
from tests.laws.support import NOW

EPISODE = "---\ntype: episode\n---\nDecision: [[A]] stays blue\n"
MONTH = iso_utc(NOW)[:7]


def lines_of(space: Space, machine: str, said: str | None = None, at: str = iso_utc(NOW)) -> Path:
    """Adds a line to the journal of a machine, which may name another one."""
    Journal(space.journal.folder, said or machine).append([{"kind": "touched", "at": at, "ids": ["n-1"]}])
    place = space.journal.folder / (said or machine) / f"{MONTH}.jsonl"
    if said:
        (space.journal.folder / machine).mkdir()
        place = place.rename(space.journal.folder / machine / place.name)
    return place


def typed(space: Space, command: str) -> None:
    subprocess.run(["sh", "-c", command], cwd=space.vault.root, check=True)


def test_lines_of_another_machine_are_parted_by_the_command_that_is_named(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    lines_of(space, "m-here", said="m-there")
    (found,) = of(space, "journal-machine")
    assert found.severity == "warning" and "m-there" in found.message
    typed(space, found.cure)
    index(space)
    assert examine(space) == ()


def test_a_copy_that_a_syncer_left_is_a_second_machine_under_one_name(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    place = lines_of(space, "m-test")
    shutil.copy(place, place.with_name(f"{MONTH}.sync-conflict-20260101-120000-ABCDEFG.jsonl"))
    (found,) = of(space, "journal-machine")
    typed(space, found.cure.partition("folder: ")[2])
    index(space)
    assert examine(space) == ()


def test_a_day_to_come_is_a_clock_that_is_wrong(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    lines_of(space, "m-test", at=iso_utc(NOW + timedelta(hours=20)))
    index(space)
    assert of(space, "journal-ahead") == []  # zones, and clocks that differ
    lines_of(space, "m-test", at=iso_utc(NOW + timedelta(days=3)))
    (found,) = of(space, "journal-ahead")
    assert found.severity == "warning"
    later = replace(space, clock=Later(4))
    assert of(later, "journal-ahead") == []


class Later:
    """So many days after the time of the tests."""

    def __init__(self, days: float) -> None:
        self.days = days

    def now(self):  # type: ignore[no-untyped-def]
        return NOW + timedelta(days=self.days)


@pytest.mark.skipif(os.access("/", os.W_OK), reason="who may write everywhere is refused nowhere")
def test_a_journal_that_cannot_be_written_is_an_error(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    lines_of(space, "m-test").chmod(0o444)
    (found,) = of(space, "journal-unwritable")
    assert found.severity == "error"
    typed(space, found.cure)
    assert of(space, "journal-unwritable") == []


def test_an_episode_that_two_machines_walked_is_undone_on_one(make: Make) -> None:
    space = make({"A.md": "a\n", "Inbox/E.md": EPISODE})
    walk.run(context_of(space, now=NOW))
    here = space.journal.folder / "m-test"
    there = space.journal.folder / "m-other"
    shutil.move(here, there)  # what the other machine did before its journal came here
    for place in there.glob("*.jsonl"):
        text = place.read_text("utf-8")
        place.write_text(text.replace('"machine": "m-test"', '"machine": "m-other"').replace("r-2026", "r-there-2026"), "utf-8")
    write(space.vault.root, "Inbox/E.md", EPISODE)
    write(space.vault.root, "A.md", "a\n")
    record = there.glob("*.jsonl").__next__().rename(space.vault.root / "later.jsonl")
    index(space)
    walk.run(context_of(space, now=NOW + timedelta(hours=1)))
    record.rename(there / f"{MONTH}.jsonl")
    index(space)
    (found,) = of(space, "walked-twice")
    assert (found.severity, found.path) == ("info", "Inbox/E.md")
    undo.undo(context_of(space, now=NOW + timedelta(hours=2)), re.findall(r"brain undo (\S+),", found.cure)[0])
    index(space)
    assert of(space, "walked-twice") == []


def test_an_episode_that_one_machine_walked_is_fine(make: Make) -> None:
    space = make({"A.md": "a\n", "Inbox/E.md": EPISODE})
    walk.run(context_of(space, now=NOW))
    assert of(space, "walked-twice") == []


def test_notes_that_came_without_their_journal_say_so_until_it_is_there(make: Make, tmp_path: Path) -> None:
    space = make({"A.md": "a\n", "Inbox/E.md": EPISODE})
    walk.run(context_of(space, now=NOW))
    assert of(space, "journal-missing") == []
    shutil.move(space.journal.folder, tmp_path / "left behind")
    index(space)
    (found,) = of(space, "journal-missing")
    assert (found.severity, found.path) == ("warning", ".brain/journal")
    assert "brain wrote 1 claim and walked 1 episode here" in found.message
    shutil.move(tmp_path / "left behind", space.journal.folder)
    index(space)
    assert of(space, "journal-missing") == []


@pytest.mark.parametrize("name", [".gitignore", ".stignore"])
@pytest.mark.parametrize("line", [".brain/", "/.brain", ".brain/**", ".brain/journal"])
def test_a_list_that_leaves_the_journal_out_is_named_with_what_to_write(make: Make, name: str, line: str) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n", name: f"# mine\n{line}\n"})
    assert of(space, "journal-ignored") == []  # there is no journal yet
    lines_of(space, "m-test")
    index(space)
    (found,) = of(space, "journal-ignored")
    assert (found.severity, found.path, found.line) == ("info", name, 2)
    write(space.vault.root, name, "# mine\n.brain/index/\n.brain/cache/\n")
    assert of(space, "journal-ignored") == []
