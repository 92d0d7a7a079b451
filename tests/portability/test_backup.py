"""Backups: what is in them, that they are verified, how they are rotated, and that nothing unsafe is read."""

from __future__ import annotations

import json
import os
import stat
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from brain.core.ids import sha256_hex
from brain.errors import BrainError, NotFound, UsageError
from brain.facade import Brain
from brain.portability.archive import MANIFEST, Manifest, opened_archive, write_archive
from brain.portability.backup import verify
from tests.portability.support import brain_at, files_of, journal_of, make


@pytest.fixture
def brain(tmp_path: Path, engine: str) -> Brain:
    return make(tmp_path / "vault", engine, embed="none")


def test_it_is_a_zip_of_the_vault_that_a_person_can_open_without_brain(brain: Brain, tmp_path: Path) -> None:
    made = brain.backup()
    assert made is not None
    with zipfile.ZipFile(made.backup.path) as file:
        file.extractall(tmp_path / "out")
    (tmp_path / "out" / MANIFEST).unlink()
    assert files_of(tmp_path / "out") == files_of(brain.root)
    assert journal_of(tmp_path / "out") == journal_of(brain.root)
    assert not (tmp_path / "out" / ".brain" / "index").exists()


def test_an_attachment_over_the_limit_and_a_link_are_left_out_and_named(tmp_path: Path, engine: str) -> None:
    make(tmp_path / "vault", engine, embed="none")
    (tmp_path / "vault" / "brain.toml").write_text("[limits]\nbackup_file_bytes_max = 100\n", "utf-8")
    (tmp_path / "vault" / "away.md").symlink_to(tmp_path / "elsewhere.md")
    made = Brain.open(tmp_path / "vault", environ={"BRAIN_MACHINE": "m-test"}).backup()
    assert made is not None
    assert set(made.left_out) == {"sail.png", "away.md"}
    assert "limits.backup_file_bytes_max" in made.left_out["sail.png"]


def test_rotation_never_takes_a_labelled_one_the_newest_or_one_of_another_vault(brain: Brain, tmp_path: Path, engine: str) -> None:
    to = tmp_path / "backups"
    to.mkdir()
    other = make(tmp_path / "other", engine, embed="none")
    foreign = other.backup(to=to)
    labelled = brain.backup(to=to, label="before the move")
    plain = [brain.backup(to=to) for _ in range(3)]
    last = brain.backup(to=to, keep=2)
    assert foreign and labelled and last and all(plain)
    assert len(last.removed) == 2
    left = {backup.path for backup in brain.backups(to)}
    assert left == {foreign.backup.path, labelled.backup.path, plain[-1].backup.path, last.backup.path}  # type: ignore[union-attr]
    assert brain.backups(to)[0].path == last.backup.path


def test_one_is_made_only_when_the_newest_is_old_enough(brain: Brain) -> None:
    assert brain.backup(older_than_days=7) is not None
    assert brain.backup(older_than_days=7) is None
    assert brain.backup(older_than_days=0) is not None


@pytest.mark.parametrize("folder", [None, "Backups"])
def test_backups_are_not_in_backups(brain: Brain, folder: str | None) -> None:
    to = brain.root / folder if folder else None
    if to is not None:
        to.mkdir()
    first, second = brain.backup(to=to), brain.backup(to=to)
    assert first and second
    assert first.backup.files == second.backup.files


def test_a_file_that_was_damaged_later_is_refused_before_anything_is_written(brain: Brain, tmp_path: Path) -> None:
    made = brain.backup()
    assert made is not None
    data = bytearray(made.backup.path.read_bytes())
    data[60] ^= 0xFF
    made.backup.path.write_bytes(bytes(data))
    with pytest.raises(BrainError):
        verify(made.backup.path)
    with pytest.raises(BrainError):
        brain.restore_to(str(made.backup.path), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["vault"]


@pytest.mark.parametrize("name", ["/etc/passwd", "../out.md", "a/../../b.md", "C:/x.md", "a" * 300 + ".md", ".git/hooks/post-checkout", ".brain/index/x", "a//b.md"])
def test_a_name_that_leads_out_or_into_a_hidden_folder_is_refused(brain: Brain, tmp_path: Path, name: str) -> None:
    write_archive(tmp_path / "evil.zip", Manifest("2026-01-01T00:00:00Z", "", "", "v"), [(name, b"x", 0)])
    with pytest.raises(UsageError, match="not safe"):
        brain.restore_to(str(tmp_path / "evil.zip"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_a_link_and_a_device_are_refused(brain: Brain, tmp_path: Path, kind: int) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as file:
        member = zipfile.ZipInfo("a.md")
        member.external_attr = (kind | 0o777) << 16
        file.writestr(member, "/etc/passwd")
    with pytest.raises(UsageError, match="not safe"):
        brain.restore_to(str(tmp_path / "evil.zip"), tmp_path / "out")


def test_a_wrong_checksum_is_refused(brain: Brain, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as file:
        said = {"format": "brain-backup", "version": 1, "at": "", "label": "", "of": "", "vault": "", "left_out": {}}
        file.writestr("a.md", "other")
        file.writestr(MANIFEST, json.dumps({**said, "files": [{"path": "a.md", "bytes": 5, "sha256": "0" * 64, "mtime_ns": 0}]}))
    with pytest.raises(BrainError, match="damaged"):
        brain.restore_to(str(tmp_path / "evil.zip"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_is_no_backup_is_refused(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("no zip", "utf-8")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as file:
        file.writestr("a.md", "x")
    for name in ("a.zip", "b.zip"):
        with pytest.raises(UsageError, match="no backup"):
            brain.restore_to(str(tmp_path / name), tmp_path / "out")
    with pytest.raises(NotFound):
        brain.restore_to("nowhere", tmp_path / "out")


def test_the_time_of_every_file_is_kept(brain: Brain, tmp_path: Path) -> None:
    made = brain.backup()
    assert made is not None
    brain.restore_to(made.backup.path.name, tmp_path / "out")
    for path in files_of(brain.root):
        assert (tmp_path / "out" / path).stat().st_mtime_ns == (brain.root / path).stat().st_mtime_ns


def test_a_half_written_line_of_the_journal_is_left_out(brain: Brain) -> None:
    journal = next((brain.root / ".brain" / "journal").rglob("*.jsonl"))
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"kind": "touched", "at": "20')
    made = brain.backup()
    assert made is not None
    with opened_archive(made.backup.path) as archive:
        entry = next(entry for entry in archive.manifest.files if entry.path.endswith(journal.name))
        assert archive.read(entry) == whole


def test_a_vault_made_of_a_backup_has_the_same_graph(brain: Brain, tmp_path: Path, engine: str) -> None:
    made = brain.backup()
    assert made is not None
    brain.restore_to(made.backup.path.name, tmp_path / "out")
    other = brain_at(tmp_path / "out", engine, "none")
    other.index()
    now = brain.space.clock.now()
    assert list(other.export(now=now)) == list(brain.export(now=now))


def test_backups_are_kept_out_of_git_where_an_older_version_chose_what_is(brain: Brain) -> None:
    ignore = brain.root / ".brain" / ".gitignore"
    ignore.write_text("index/", "utf-8")
    for _ in range(2):
        brain.backup()
    assert ignore.read_text("utf-8") == "index/\nbackups/\n"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_is_refused(brain: Brain, tmp_path: Path) -> None:
    write_archive(tmp_path / "evil.zip", Manifest("", "", "", "v"), [("a.md", b"x", 0), ("a.md", b"y", 0)])
    with pytest.raises(BrainError, match="damaged"):
        brain.restore_to(str(tmp_path / "evil.zip"), tmp_path / "out")
    assert not (tmp_path / ".out.restoring").exists()


@pytest.mark.skipif(os.name == "nt", reason="such names lead out of a folder there")
@pytest.mark.parametrize("name", ["Q: what is it.md", "a\\b.md", "two\nlines.md"])
def test_a_name_that_only_some_systems_hold_is_in_a_backup_and_comes_back(brain: Brain, tmp_path: Path, name: str) -> None:
    (brain.root / name).write_text("x", "utf-8")
    made = brain.backup()
    assert made is not None
    brain.restore_to(str(made.backup.path), tmp_path / "out")
    assert (tmp_path / "out" / name).read_text("utf-8") == "x"


def hostile(place: Path, **said: object) -> Path:
    """A backup of one file, of which the list says something else."""
    entry = {"path": "a.md", "bytes": 1, "sha256": sha256_hex(b"x"), "mtime_ns": 0, **said}
    head = {"format": "brain-backup", "version": 1, "at": "", "label": "", "of": "", "vault": "", "left_out": {}}
    with zipfile.ZipFile(place, "w") as file:
        file.writestr("a.md", "x")
        file.writestr(MANIFEST, json.dumps({**head, "files": [entry]}))
    return place


@pytest.mark.parametrize("said", [{"mtime_ns": 10**30}, {"mtime_ns": float("inf")}, {"bytes": float("inf")}, {"bytes": -1}, {"bytes": None}])
def test_a_number_that_no_file_has_is_refused(brain: Brain, tmp_path: Path, said: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="no backup"):
        brain.restore_to(str(hostile(tmp_path / "evil.zip", **said)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_more_than_the_disk_holds_is_refused_before_it_is_unpacked(brain: Brain, tmp_path: Path) -> None:
    with pytest.raises(BrainError, match="are free there"):
        brain.restore_to(str(hostile(tmp_path / "bomb.zip", bytes=10**18)), tmp_path / "out")
    with pytest.raises(BrainError, match="larger than"):
        brain.restore(str(tmp_path / "bomb.zip"), dry_run=True)


def test_a_member_that_unpacks_to_more_than_it_says_is_left_at_once(brain: Brain, tmp_path: Path) -> None:
    with zipfile.ZipFile(hostile(tmp_path / "evil.zip"), "r") as file:
        said = file.read(MANIFEST)
    with zipfile.ZipFile(tmp_path / "evil.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.md", b"x" * 300_000_000)
        file.writestr(MANIFEST, said)
    tracemalloc.start()
    with pytest.raises(BrainError, match="more than it says"):
        brain.restore_to(str(tmp_path / "evil.zip"), tmp_path / "out")
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_a_file_and_a_folder_of_one_name_are_refused(brain: Brain, tmp_path: Path) -> None:
    write_archive(tmp_path / "evil.zip", Manifest("", "", "", "v"), [("a", b"x", 0), ("a/b.md", b"y", 0)])
    with pytest.raises(BrainError, match="a file and a folder"):
        brain.restore_to(str(tmp_path / "evil.zip"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_place_that_takes_no_folder_is_said(brain: Brain, tmp_path: Path) -> None:
    made = brain.backup()
    assert made is not None
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(BrainError, match="could not be written"):
        brain.restore_to(str(made.backup.path), tmp_path / "file" / "out")


def test_what_a_killed_backup_left_is_named_and_goes_with_the_next_one_after_a_day(brain: Brain) -> None:
    folder = brain.root / ".brain" / "backups"
    old, fresh = folder / ".brain-verify-old", folder / ".brain-verify-fresh"
    for place in (old, fresh):
        place.mkdir(parents=True)
        (place / "Keel.md").write_text("a copy", "utf-8")
    long_ago = brain.space.clock.now().timestamp() - 1e9
    os.utime(old, (long_ago, long_ago))
    found = [finding.path for finding in brain.doctor() if finding.code == "stray-temporary"]
    assert found == [".brain/backups/.brain-verify-old"]
    brain.backup()
    assert (old.exists(), fresh.exists()) == (False, True)


def test_a_backup_of_a_clock_that_was_ahead_does_not_put_off_the_next(brain: Brain) -> None:
    made = brain.backup()
    assert made is not None
    with opened_archive(made.backup.path) as archive:
        ahead = replace(archive.manifest, at="2099-01-01T00:00:00Z", files=())
    made.backup.path.unlink()
    write_archive(made.backup.path.with_name("2099-01-01T00-00-00Z.zip"), ahead, [])
    assert brain.backup(older_than_days=7) is not None
    assert brain.backup(older_than_days=7) is None
