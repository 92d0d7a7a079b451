"""A line of the journal that a kill cut off is said once, and is nothing to sync about."""

from __future__ import annotations

from pathlib import Path

from brain.doctor.checks import examine
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, rebuilt_state, space_of, state_of

TOUCH = {"kind": "touched", "at": "2026-06-01T00:00:00Z", "ids": ["n"]}


def torn(root: Path, engine: str) -> Space:
    root.mkdir()
    (root / "A.md").write_text("a\n")
    space = space_of(root, engine)
    space.journal.append([TOUCH])
    with open(space.journal.folder / "m-test" / "2026-06.jsonl", "ab") as file:
        file.write(b'{"kind": "touched", "at": "2026-06-02T00')
    return space


def test_a_torn_last_line_does_not_make_each_sync_think_that_something_changed(tmp_path: Path, engine: str) -> None:
    space = torn(tmp_path / "vault", engine)
    first = sync(space, now=NOW)
    assert [sync(space, now=NOW).generation for _ in range(2)] == [first.generation] * 2
    assert state_of(space) == rebuilt_state(space)


def test_a_torn_line_is_one_finding_before_and_after_the_next_append(tmp_path: Path, engine: str) -> None:
    space = torn(tmp_path / "vault", engine)
    sync(space, now=NOW)
    for _ in range(2):
        (finding,) = [finding for finding in examine(space) if finding.code == "journal-line"]
        assert (finding.path, finding.line) == (".brain/journal/m-test/2026-06.jsonl", 2)
        space.journal.append([TOUCH])
        sync(space, now=NOW)
    assert len(space.journal.records({"touched"})) == 3
    assert state_of(space) == rebuilt_state(space)
