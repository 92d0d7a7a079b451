"""Backups: one zip file each, verified by unpacking it before it gets its name, rotated by `keep`.

The vault is locked against other writers of brain while notes and journal are read; a person's editor does not know
the lock, so that a file that changes under the reading is read again.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from shlex import quote
from zipfile import is_zipfile

from brain.config import STATE_FOLDER
from brain.core.dates import instant_of
from brain.core.slug import slug
from brain.errors import BrainError, NotFound, UsageError
from brain.portability.archive import Archive, Manifest, give_new_name, opened_archive, unpack, write_archive
from brain.portability.belonging import belonging, is_journal, read_steady, sign_of
from brain.stages.commit import recover
from brain.stages.context import Context
from brain.vault.aside import beside, named
from brain.vault.journal_lines import whole_length
from brain.vault.layout import Layout

FOLDER = "backups"
BEFORE_RESTORE, BEFORE_CLEAR = "before-restore", "before-clear"
_CLOCKS_APART = timedelta(days=1)
_VERIFYING, _LEFT_AFTER_S = ".brain-verify-", 86_400.0
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:[ -].*)?\.zip")


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup in a folder: where it is, what it says of itself, its length; `why` says what is wrong with it."""

    path: Path
    at: str = ""
    label: str = ""
    files: int = 0
    bytes: int = 0
    of: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Backed:
    """A backup that was made and verified. `unsteady` changed in every reading; `removed` are older ones that rotation took."""

    backup: Backup
    left_out: dict[str, str] = field(default_factory=dict)
    unsteady: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def backups_folder(root: Path) -> Path:
    """Returns where the backups of a vault lie unless another folder is named."""
    return root / STATE_FOLDER / FOLDER


def make_backup(ctx: Context, *, label: str = "", keep: int | None = None, to: Path | None = None) -> Backed:
    """Makes a backup and verifies it by unpacking it into a temporary folder; then, with `keep`, removes older ones.

    Raises: UsageError for a label that is no name, and for another folder that is not there; BrainError when the disk
    refuses or what was written is not what was read; Locked.
    """
    root, folder = ctx.vault.root, (to or backups_folder(ctx.vault.root)).expanduser()
    name = _name(ctx, label)
    if to is not None and not folder.is_dir():  # a disk that is not mounted, or a slip
        raise UsageError(f"There is no folder {folder}.", f"mkdir -p {quote(str(folder))} makes it, or name another one with --to")
    recover(ctx)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder == backups_folder(root):
            _ignored(folder.parent / ".gitignore")
        _drop_left(folder)
        temporary = beside(folder / name, "begun")
        try:
            manifest, unsteady = _written(ctx, temporary, Manifest(ctx.at, label, sign_of(root), root.name), folder)
            verify(temporary)
            place = _free(folder, name)
            give_new_name(temporary, place)
        finally:
            temporary.unlink(missing_ok=True)
        removed = _rotated(folder, sign_of(root), keep, place) if keep is not None else ()
    except OSError as error:
        raise BrainError(f"The backup could not be written into {folder}: {error.strerror}.", "free disk space, or choose another folder with --to") from error
    return Backed(_described(place), manifest.left_out, unsteady, removed)


def verify(path: Path) -> Manifest:
    """Unpacks a backup into a temporary folder beside it and compares every hash. Raises: BrainError, UsageError."""
    with opened_archive(path) as archive, tempfile.TemporaryDirectory(prefix=_VERIFYING, dir=path.parent) as folder:
        unpack(archive, Path(folder))
        for entry in archive.manifest.files:
            if _sha256_of(Path(folder) / entry.path) != entry.sha256:
                raise BrainError(f"{entry.path} did not come back from the backup as it was put in.", "look at the disk, then run brain backup again")
        return archive.manifest


def left_in(folder: Path, now_s: float) -> list[Path]:
    """Returns what backups that were killed more than a day ago left in a folder: whole copies of notes, and of nobody's use."""
    found = [path for path in folder.glob(".brain-*") if path.name.startswith(_VERIFYING) or (named(path.name).kind == "begun" and path.is_file())]
    return sorted(path for path in found if not path.is_symlink() and now_s - path.stat().st_mtime > _LEFT_AFTER_S)


def _drop_left(folder: Path) -> None:
    for path in left_in(folder, time.time()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _sha256_of(place: Path) -> str:
    with open(place, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def backups(folder: Path) -> tuple[Backup, ...]:
    """Returns the backups in a folder, the newest first; those that cannot be read say why."""
    found = [_described(path) for path in folder.glob("*.zip") if path.is_file() and _NAME.fullmatch(path.name)]
    return tuple(sorted(found, key=lambda backup: (backup.at or backup.path.name[:20], backup.path.name), reverse=True))


def is_due(ctx: Context, days: float, folder: Path) -> bool:
    """Tells whether the newest backup of this vault is older than so many days, or there is none.

    In the vault's own folder the names say it: opening a backup of 100,000 notes takes seconds, every night.
    """
    if folder == backups_folder(ctx.vault.root):
        told = (instant_of(_told(path)) for path in folder.glob("*.zip") if _NAME.fullmatch(path.name) and is_zipfile(path))
        past = [moment for moment in told if moment is not None and moment <= ctx.now + _CLOCKS_APART]
        return not past or ctx.now - max(past) > timedelta(days=days)
    sign = sign_of(ctx.vault.root)
    for path in sorted((path for path in folder.glob("*.zip") if _NAME.fullmatch(path.name)), reverse=True):
        backup = _described(path)
        moment = instant_of(backup.at) if backup.of == sign else None
        if moment is not None and moment <= ctx.now + _CLOCKS_APART:  # a later one was made by a clock that was wrong
            return ctx.now - moment > timedelta(days=days)
    return True


def _told(path: Path) -> str:
    """Returns the instant in a backup's name as ISO text."""
    return f"{path.name[:10]}T{path.name[11:19].replace('-', ':')}Z"


def found_backup(root: Path, name: str) -> Path:
    """Returns the file that a person means: a path, or a name in the folder of backups. Raises: NotFound."""
    for place in (Path(name).expanduser(), backups_folder(root) / name, backups_folder(root) / f"{name}.zip"):
        if place.is_file():
            return place
    raise NotFound(f"There is no backup {name}.", "brain backup --list")


def _written(ctx: Context, temporary: Path, manifest: Manifest, folder: Path) -> tuple[Manifest, tuple[str, ...]]:
    unsteady: list[str] = []
    with ctx.lock.shared("backup"):
        what = belonging(Layout(ctx.vault.root), bytes_max=ctx.config.limits.backup_file_bytes_max)
        left_out = dict(what.left_out)
        others = {path.resolve() for path in folder.glob("*.zip") if _NAME.fullmatch(path.name)}  # one backup is not in the next
        paths = tuple(path for path in what.paths if ctx.vault.root / path not in others)
        files = _read(ctx.vault.root, paths, left_out, unsteady.append)
        whole = write_archive(temporary, replace(manifest, left_out=left_out), files)
    return whole, tuple(unsteady)


def _read(root: Path, paths: tuple[str, ...], left_out: dict[str, str], is_unsteady: Callable[[str], object]) -> Iterator[tuple[str, bytes, int]]:
    for path in paths:
        try:
            data, mtime_ns, is_steady = read_steady(root / path, path)
        except NotFound:
            continue  # deleted since it was listed
        except BrainError as error:
            left_out[path] = error.message
            continue
        if is_journal(path):  # it only grows, so that its whole lines are one state of it
            data = data[: whole_length(data)]
        elif not is_steady:
            is_unsteady(path)
        yield path, data, mtime_ns


def _name(ctx: Context, label: str) -> str:
    if label != label.strip() or not label.isprintable() or len(label) > 60:
        raise UsageError("A label is a short line of text.", 'brain backup --label "before the move"')
    stem = ctx.at[:19].replace(":", "-") + "Z"
    return f"{stem} {slug(label)}.zip" if label else f"{stem}.zip"


def _ignored(path: Path) -> None:
    """Keeps the backups out of git where an older version wrote what is to be ignored; without that file nothing is ignored."""
    if path.is_symlink() or not path.is_file():
        return
    with open(path, "r+b") as file:
        text = file.read()
        if f"{FOLDER}/".encode() not in text.split():
            file.write((b"" if not text or text.endswith(b"\n") else b"\n") + f"{FOLDER}/\n".encode())


def _free(folder: Path, name: str) -> Path:
    """Two backups in one second: the later one gets a number."""
    number, place = 1, folder / name
    while place.exists():
        number += 1
        place = folder / f"{name[:-4]}-{number}.zip"
    return place


def _rotated(folder: Path, sign: str, keep: int, newest: Path) -> tuple[str, ...]:
    """Removes what is older than the newest `keep` without a label; of this vault only, and never one that cannot be read."""
    plain = [backup for backup in backups(folder) if backup.of == sign and not backup.label and not backup.why]
    spare = [backup.path for backup in plain[max(keep, 1) :] if backup.path != newest]
    for path in spare:
        path.unlink()
    return tuple(sorted(path.name for path in spare))


def _described(path: Path) -> Backup:
    try:
        with opened_archive(path) as archive:
            return _of(archive)
    except BrainError as error:
        return Backup(path, bytes=path.stat().st_size, why=error.message)


def _of(archive: Archive) -> Backup:
    said = archive.manifest
    return Backup(archive.path, said.at, said.label, len(said.files), archive.path.stat().st_size, said.of)
