"""The file of a backup: a plain zip of the vault's files under their own paths, and `.brain/backup.json` with every hash.

Whoever unzips it has the vault, without brain. It is read as what it is, a file from anywhere: a name that leads out
of the folder, a link, a device, a hash that does not fit, and a member that unpacks to more than it says are refused.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from brain.config import STATE_FOLDER
from brain.core.dates import instant_of
from brain.core.ids import sha256_hex
from brain.errors import BrainError, NotFound, UsageError
from brain.portability.belonging import TIME_NS_MAX, twofold, unsafe
from brain.vault.aside import beside
from brain.vault.store import sync_folder

MANIFEST = f"{STATE_FOLDER}/backup.json"
FORMAT, VERSION = "brain-backup", 1
MANIFEST_BYTES_MAX = 200_000_000
FILE_BYTES_MAX = 2_000_000_000
"""What may be in memory at once; a larger file comes out of a backup into a new folder."""
PART_BYTES = 1 << 20
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
        """Returns the bytes of a file. Raises: BrainError when they are not those that were put in, or too many."""
        if entry.bytes > FILE_BYTES_MAX:
            raise BrainError(f"{entry.path} is larger than {FILE_BYTES_MAX} bytes.", "brain restore FILE --to DIR unpacks it")
        return b"".join(self.parts(entry))

    def parts(self, entry: Entry) -> Iterator[bytes]:
        """Yields the bytes of a file, a part at a time. Raises: BrainError, after the last at the latest, when they are not those that were put in."""
        hashed, count = hashlib.sha256(), 0
        for part in _parts(self._zip, self.path, entry.path, entry.bytes):
            hashed.update(part)
            count += len(part)
            yield part
        if count != entry.bytes or hashed.hexdigest() != entry.sha256:
            raise _damaged(self.path, f"{entry.path} is not what was put in")

    def check(self, entry: Entry) -> None:
        """Compares length and hash of a file. Raises: BrainError."""
        for _ in self.parts(entry):
            continue


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
            manifest = _manifest(path, b"".join(_parts(file, path, MANIFEST, MANIFEST_BYTES_MAX)))
            if len(set(names)) < len(names) or sorted(names) != sorted([MANIFEST, *(entry.path for entry in manifest.files)]):
                raise _damaged(path, "its list of files is not that of its contents")
            if both := twofold(names):
                raise _damaged(path, f"{both} is a file and a folder in it")
            yield Archive(path, manifest, file)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.", "brain backup --list") from None
    except zipfile.BadZipFile:
        raise _no_backup(path) from None


def unpack(archive: Archive, folder: Path, is_wanted: Callable[[str], bool] = lambda _: True) -> int:
    """Writes the files of a backup into a folder of nobody else's; returns how many. Raises: BrainError, OSError."""
    entries = [entry for entry in archive.manifest.files if is_wanted(entry.path)]
    wanted, free = sum(entry.bytes for entry in entries), shutil.disk_usage(folder).free
    if wanted > free:
        raise BrainError(f"{archive.path.name} unpacks to {wanted} bytes, and {free} are free there.", "free disk space, or choose another folder")
    for entry in entries:
        place = folder / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        with open(place, "xb") as file:
            file.writelines(archive.parts(entry))
        os.utime(place, ns=(entry.mtime_ns, entry.mtime_ns))
    return len(entries)


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


def _put(target: zipfile.ZipFile, path: str, data: bytes, date: tuple[int, ...]) -> None:
    member = zipfile.ZipInfo(path, date)  # type: ignore[arg-type]  # six numbers, which a slice does not show
    member.external_attr, member.compress_type = (stat.S_IFREG | 0o644) << 16, zipfile.ZIP_DEFLATED
    target.writestr(member, data)


def _checked(path: Path, member: zipfile.ZipInfo) -> str:
    why = unsafe(member.orig_filename, MANIFEST)
    if why is None and stat.S_IFMT(member.external_attr >> 16) not in _PLAIN_FILES:
        why = "it is no plain file"
    if why:
        raise UsageError(f"{path.name} is not safe to read: {member.orig_filename!r}: {why}. Nothing was written.", "use another backup: brain backup --list")
    return member.orig_filename


def _parts(file: zipfile.ZipFile, path: Path, name: str, bytes_max: int) -> Iterator[bytes]:
    """Yields a member; one that unpacks to more than it says ends with a damage, and not with the memory."""
    left = bytes_max
    try:
        with file.open(name) as member:
            while part := member.read(PART_BYTES):
                left -= len(part)
                if left < 0:
                    raise _damaged(path, f"{name} unpacks to more than it says")
                yield part
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(path, f"{name}: {error}") from error


def _manifest(path: Path, data: bytes) -> Manifest:
    try:
        said: dict[str, Any] = json.loads(data)
        if said.pop("format") != FORMAT or said.pop("version") != VERSION:
            raise _no_backup(path)
        files = tuple(Entry(str(f["path"]), int(f["bytes"]), str(f["sha256"]), int(f["mtime_ns"])) for f in said.pop("files"))
        if any(entry.bytes < 0 or abs(entry.mtime_ns) > TIME_NS_MAX for entry in files):
            raise _no_backup(path)
        left_out = {str(name): str(why) for name, why in said.pop("left_out").items()}
        return Manifest(str(said["at"]), str(said["label"]), str(said["of"]), str(said["vault"]), files, left_out)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise _no_backup(path) from None


def _no_backup(path: Path) -> UsageError:
    return UsageError(f"{path.name} is no backup of brain, or not one of this version.", "brain backup --list")


def _damaged(path: Path, why: str) -> BrainError:
    return BrainError(f"{path.name} is damaged: {why}.", "use another backup: brain backup --list")
