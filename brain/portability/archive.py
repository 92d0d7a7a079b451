"""The file of a backup: a plain zip of the vault's files under their own paths, and `.brain/backup.json` with every hash.

Whoever unzips it has the vault, without brain. It is read as what it is, a file from anywhere: a name that leads out
of the folder, a link, a device, a hash that does not fit, and a member that unpacks to more than it says are refused.
"""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from brain.config import STATE_FOLDER
from brain.core.dates import instant_of
from brain.core.ids import sha256_hex
from brain.errors import BrainError, NotFound, UsageError
from brain.portability.belonging import is_state
from brain.vault.aside import beside
from brain.vault.store import sync_folder

MANIFEST = f"{STATE_FOLDER}/backup.json"
FORMAT, VERSION = "brain-backup", 1
MANIFEST_BYTES_MAX = 200_000_000
_PLAIN_FILES = (0, stat.S_IFREG)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a backup: its path in the vault, its length, hash and time."""

    path: str
    bytes: int
    sha256: str
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself. `of` is the sign of the vault's place; `left_out` maps a path → why it is not in it."""

    at: str
    label: str
    of: str
    vault: str
    files: tuple[Entry, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup that is open: what it says of itself, and its files one by one."""

    path: Path
    manifest: Manifest
    _zip: zipfile.ZipFile

    def read(self, entry: Entry) -> bytes:
        """Returns the bytes of a file. Raises: BrainError when they are not those that were put in."""
        data = _member(self._zip, self.path, entry.path, entry.bytes)
        if len(data) != entry.bytes or sha256_hex(data) != entry.sha256:
            raise _damaged(self.path, f"{entry.path} is not what was put in")
        return data


def write_archive(place: Path, manifest: Manifest, files: Iterable[tuple[str, bytes, int]]) -> Manifest:
    """Writes a new archive of (path, bytes, time in ns) and returns its manifest. Raises: OSError when the disk refuses."""
    entries: list[Entry] = []
    moment = instant_of(manifest.at)
    date = (max(moment.year, 1980), *moment.timetuple()[1:6]) if moment else (1980, 1, 1, 0, 0, 0)
    with open(place, "xb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
            for path, data, mtime_ns in files:
                _put(target, path, data, date)
                entries.append(Entry(path, len(data), sha256_hex(data), mtime_ns))
            whole = Manifest(manifest.at, manifest.label, manifest.of, manifest.vault, tuple(entries), manifest.left_out)
            said = {"format": FORMAT, "version": VERSION, **asdict(whole)}
            _put(target, MANIFEST, (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode("utf-8"), date)
        file.flush()
        os.fsync(file.fileno())
    return whole


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """Opens a backup and checks everything but the bytes. Raises: NotFound, UsageError when it is none or not safe, BrainError."""
    try:
        with zipfile.ZipFile(path) as file:
            names = [_checked(path, member) for member in file.infolist()]
            if MANIFEST not in names:
                raise _no_backup(path)
            manifest = _manifest(path, _member(file, path, MANIFEST, MANIFEST_BYTES_MAX))
            if len(set(names)) < len(names) or sorted(names) != sorted([MANIFEST, *(entry.path for entry in manifest.files)]):
                raise _damaged(path, "its list of files is not that of its contents")
            yield Archive(path, manifest, file)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.", "brain backup --list") from None
    except zipfile.BadZipFile:
        raise _no_backup(path) from None


def unpack(archive: Archive, folder: Path, is_wanted: Callable[[str], bool] = lambda _: True) -> int:
    """Writes the files of a backup into a folder of nobody else's; returns how many. Raises: BrainError, OSError."""
    count = 0
    for entry in archive.manifest.files:
        if not is_wanted(entry.path):
            continue
        place = folder / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        with open(place, "xb") as file:
            file.write(archive.read(entry))
        os.utime(place, ns=(entry.mtime_ns, entry.mtime_ns))
        count += 1
    return count


def give_new_name(temporary: Path, place: Path) -> None:
    """Gives a whole file its name, which nothing else may have. Raises: UsageError, OSError."""
    try:
        os.link(temporary, place)
        temporary.unlink()
    except FileExistsError:
        raise UsageError(f"{place} is there already.", "name another file, or move that one away") from None
    except OSError:  # no links here
        if place.exists():
            raise UsageError(f"{place} is there already.", "name another file, or move that one away") from None
        os.rename(temporary, place)
    sync_folder(place.parent)


def add_file(root: Path, path: str, data: bytes, mtime_ns: int | None = None) -> None:
    """Writes a file of a vault that is no note and that is not there. Raises: UsageError when it is, or lies behind a link; BrainError."""
    place = root
    for part in path.split("/")[:-1]:
        place = place / part
        if place.is_symlink():
            raise UsageError(f"{path} goes through a link ({part}), which is not followed.", "name the real folder")
    place = root / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary = beside(place, "begun")
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if mtime_ns is not None:
                os.utime(temporary, ns=(mtime_ns, mtime_ns))
            give_new_name(temporary, place)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise BrainError(f"{path} could not be written: {error.strerror}.", f'look at the permissions of "{path}"') from error


def unsafe(path: str) -> str | None:
    """Returns why a path may not be written below a folder; None when it may."""
    if not path or path.startswith("/") or "\\" in path or "\0" in path or path[1:2] == ":":
        return "it is no path inside a vault"
    if any(part in ("", ".", "..") for part in path.split("/")):
        return "it has an empty, `.` or `..` part"
    is_hidden = any(part.startswith(".") for part in path.split("/"))
    return "it has a hidden part" if is_hidden and path != MANIFEST and not is_state(path) else None


def _put(target: zipfile.ZipFile, path: str, data: bytes, date: tuple[int, ...]) -> None:
    member = zipfile.ZipInfo(path, date)  # type: ignore[arg-type]  # six numbers, which a slice does not show
    member.external_attr, member.compress_type = (stat.S_IFREG | 0o644) << 16, zipfile.ZIP_DEFLATED
    target.writestr(member, data)


def _checked(path: Path, member: zipfile.ZipInfo) -> str:
    why = unsafe(member.orig_filename)
    if why is None and stat.S_IFMT(member.external_attr >> 16) not in _PLAIN_FILES:
        why = "it is no plain file"
    if why:
        raise UsageError(f"{path.name} is not safe to read: {member.orig_filename!r}: {why}. Nothing was written.", "use another backup: brain backup --list")
    return member.orig_filename


def _member(file: zipfile.ZipFile, path: Path, name: str, bytes_max: int) -> bytes:
    try:
        with file.open(name) as member:
            return member.read(bytes_max + 1)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise _damaged(path, f"{name}: {error}") from error
    except Exception as error:
        if type(error).__module__ == "zlib":
            raise _damaged(path, f"{name}: {error}") from error
        raise


def _manifest(path: Path, data: bytes) -> Manifest:
    try:
        said: dict[str, Any] = json.loads(data)
        if said.pop("format") != FORMAT or said.pop("version") != VERSION:
            raise _no_backup(path)
        files = tuple(Entry(str(f["path"]), int(f["bytes"]), str(f["sha256"]), int(f["mtime_ns"])) for f in said.pop("files"))
        left_out = {str(name): str(why) for name, why in said.pop("left_out").items()}
        return Manifest(str(said["at"]), str(said["label"]), str(said["of"]), str(said["vault"]), files, left_out)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _no_backup(path) from None


def _no_backup(path: Path) -> UsageError:
    return UsageError(f"{path.name} is no backup of brain, or not one of this version.", "brain backup --list")


def _damaged(path: Path, why: str) -> BrainError:
    return BrainError(f"{path.name} is damaged: {why}.", "use another backup: brain backup --list")
