"""Whatever moment a run is killed at, and whoever saves meanwhile: no words of a person are lost, none of ours are half there."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from brain.core.plan import Patch
from brain.errors import UsageError
from brain.stages.commit import land, recover
from brain.stages.context import Context
from brain.stages.ledger import read_ledger
from brain.stages.record import file_records
from brain.vault.aside import TEMPORARY
from brain.vault.store import Abilities
from tests.stages.dying import Trail, kill, trail_of
from tests.stages.support import Vault, bare_vault

ITEM = "r-2026-05-01-aaaaaa.0"
BEFORE, AFTER, SAVED = b"# Ada\n\nA line.\n", b"# Ada\n\nA line.\nAnd one of ours.\n", b"# Ada\n\nA person's line.\n"
SHORTER = b"# Ada\n"
"""A save that takes lines away: our text begins with it, as with all that a note was before."""
PATCHES = {
    "replace": Patch("People/Ada.md", BEFORE, AFTER), "create": Patch("People/Ada.md", None, AFTER),
    "remove": Patch("People/Ada.md", BEFORE, None),
}  # fmt: skip
FILE_SYSTEMS = {
    "all-at-once": Abilities(), "no-exchange": Abilities(exchange=False),
    "links-only": Abilities(exchange=False, rename_exclusively=False),
    "nothing": Abilities(exchange=False, rename_exclusively=False, link=False),
}  # fmt: skip
INTENT = {"run": ITEM.partition(".")[0], "item": ITEM, "decision": "d-1", "stage": "edit", "key": "k", "because": "b", "provenance": []}


@dataclass(frozen=True)
class Case:
    """One write, on one kind of file system, beside one kind of editor."""

    patch: Patch
    able: Abilities
    is_in_place: bool
    saved: bytes

    def vault(self, root: Path) -> Vault:
        """A fresh vault in which the write has not begun."""
        shutil.rmtree(root, ignore_errors=True)
        notes = {"Other.md": "another note\n"} | ({} if self.patch.before is None else {self.patch.path: self.patch.before.decode()})
        vault = bare_vault(root, notes)
        (root / "People").mkdir(exist_ok=True)
        return replace(vault, space=replace(vault.space, vault=replace(vault.space.vault, able=self.able)))

    def write(self, ctx: Context) -> None:
        """What is killed."""
        intent = {"kind": "intended", "at": ctx.at, **INTENT, "files": file_records([self.patch])}
        with suppress(UsageError):  # the name was taken: an outcome, not a fault
            land(ctx, intent, [self.patch], [])

    def save(self, root: Path) -> None:
        """What an editor does."""
        place = root / self.patch.path
        if self.is_in_place:
            place.write_bytes(self.saved)
        else:
            other = root / ".editor"
            other.write_bytes(self.saved)
            os.replace(other, place)


CASES = [
    pytest.param(Case(patch, able, is_in_place, saved), id=f"{name}-{system}-{'in-place' if is_in_place else 'replaced'}")
    for name, patch in PATCHES.items()
    for system, able in FILE_SYSTEMS.items()
    for is_in_place, saved in ((False, SAVED), (True, SHORTER))
]


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: thousands of durable writes would mostly wait for the disk."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory)) if os.access(memory, os.W_OK) else tmp_path
    write = Case(PATCHES["replace"], Abilities(), False, SAVED)
    write.write(write.vault(folder / "vault").ctx)  # what is made on first use and kept must not count as lines of the child
    yield folder / "vault"
    shutil.rmtree(folder)


@pytest.mark.parametrize("case", CASES)
def test_a_run_killed_before_any_line_loses_nothing_with_a_save_before_any_line(case: Case, root: Path) -> None:
    plain = trail(case, root)
    for death in plain.changes:
        check(case, died(case, root, death), has_saved=False, at=f"death {death}")
        vault = died(case, root, death)
        case.save(root)
        check(case, vault, has_saved=True, at=f"death {death}, then a save")
    seen: set[tuple[int, tuple[int, ...]]] = set()
    for save in range(plain.lines):
        run = trail(case, root, save)
        check_end(case, root, at=f"save {save}")
        rest = tuple(line for line in run.changes if line > save)
        if (run.lines, rest) in seen:
            continue  # the same run as with a save one line before
        seen.add((run.lines, rest))
        for death in rest:
            check(case, died(case, root, death, save), has_saved=True, at=f"save {save}, death {death}")


@pytest.mark.parametrize("case", [case for case in CASES if "replaced" in str(case.id) and "create" not in str(case.id)])
def test_a_note_that_is_deleted_before_any_line_is_gone_or_whole(case: Case, root: Path) -> None:
    for line in range(trail(case, root).lines):
        vault = case.vault(root)
        trail_of(partial(case.write, vault.ctx), root, meanwhile=partial((root / case.patch.path).unlink, missing_ok=True), at=line)
        check_end(case, root, at=f"deleted {line}", has_saved=False)
        assert recover(vault.ctx) == (), line


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell who has a file open")
@pytest.mark.parametrize("case", [case for case in CASES if "replaced" in str(case.id) and "create" not in str(case.id) and "nothing" not in str(case.id)])
def test_what_an_editor_writes_into_a_file_that_it_has_open_is_not_lost(case: Case, root: Path) -> None:
    """It opened the file before the run began, and writes only when that is over, or dead and recovered from."""
    for death in (None, *trail(case, root).changes):
        vault = case.vault(root)
        with open(root / case.patch.path, "ab", buffering=0) as held:
            if death is None:
                trail_of(partial(case.write, vault.ctx), root)
            else:
                kill(partial(case.write, vault.ctx), death)
                recover(vault.ctx)
            held.write(b"late words")
        assert any(b"late words" in data for data in notes_of(root).values()), death
        assert recover(vault.ctx) == () and list(root.rglob(TEMPORARY)) == [], death


def trail(case: Case, root: Path, save: int | None = None) -> Trail:
    vault = case.vault(root)
    meanwhile = None if save is None else lambda: case.save(root)
    return trail_of(lambda: case.write(vault.ctx), root, meanwhile=meanwhile, at=save or 0)


def died(case: Case, root: Path, death: int, save: int | None = None) -> Vault:
    vault = case.vault(root)
    meanwhile = None if save is None else lambda: case.save(root)
    kill(lambda: case.write(vault.ctx), death, meanwhile=meanwhile, at=save or 0)
    return vault


def check(case: Case, vault: Vault, *, has_saved: bool, at: str) -> None:
    """What must hold once a run that died was recovered from."""
    path, patch = case.patch.path, case.patch
    has_landed = ITEM in read_ledger(vault.space.journal).landed
    findings = recover(vault.ctx)
    notes = check_end(case, vault.root, at=at, has_saved=has_saved)
    copies = [name for name, data in notes.items() if name != path and data == case.saved]
    if has_saved:
        assert all(any(copy in finding.message for finding in findings) for copy in copies), at
    else:
        assert (notes.get(path), findings) == ((patch.after if has_landed else patch.before), ()), at
    assert recover(vault.ctx) == () and notes_of(vault.root) == notes, at


def check_end(case: Case, root: Path, *, at: str, has_saved: bool = True) -> dict[str, bytes]:
    """What must hold at the end, whatever happened: nothing half, nothing lying about, and the save is there."""
    notes = notes_of(root)
    assert [place.name for place in root.rglob(TEMPORARY)] == [], at
    assert set(notes.values()) <= {case.patch.before, case.patch.after, case.saved}, at
    assert not has_saved or case.saved in notes.values(), at
    return notes


def notes_of(root: Path) -> dict[str, bytes]:
    notes = {place.relative_to(root).as_posix(): place.read_bytes() for place in sorted(root.rglob("*.md"))}
    assert notes.pop("Other.md") == b"another note\n"
    return notes


MANY = (Patch("New.md", None, b"new\n"), Patch("People/Ada.md", BEFORE, AFTER), Patch("People/Bob.md", b"bob\n", None))


def test_a_plan_over_several_files_lands_whole_or_not_at_all_whatever_line_it_dies_before(root: Path) -> None:
    def fresh() -> Vault:
        shutil.rmtree(root, ignore_errors=True)
        return bare_vault(root, {"People/Ada.md": BEFORE.decode(), "People/Bob.md": "bob\n"})

    def write(vault: Vault) -> object:
        return land(vault.ctx, {"kind": "intended", "at": vault.ctx.at, **INTENT, "files": file_records(MANY)}, MANY, [])

    vault = fresh()
    before = vault.bytes()
    outcomes = set()
    for death in trail_of(partial(write, vault), root).changes:
        vault = fresh()
        kill(partial(write, vault), death)
        has_landed = ITEM in read_ledger(vault.space.journal).landed
        assert recover(vault.ctx) == () and list(root.rglob(TEMPORARY)) == [], death
        assert vault.bytes() == ({"New.md": b"new\n", "People/Ada.md": AFTER} if has_landed else before), death
        outcomes.add(has_landed)
    assert outcomes == {True, False}
