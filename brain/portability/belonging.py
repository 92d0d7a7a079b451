"""What belongs to a vault when it is carried elsewhere: its files, its settings, its journal. Reads only.

Left out is what is made from these (the index, the embeddings), what other programs keep in hidden folders, and
`node_modules`. Links are not followed. Whatever else stays behind is named with its reason.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from brain.config import STATE_FOLDER
from brain.core.ids import short_hash
from brain.errors import BrainError
from brain.vault.layout import SEGMENT_BYTES_MAX, Layout, is_note_name
from brain.vault.store import read_regular

STATE_FILES = ("journal/*/*.jsonl", "discarded*.jsonl", ".gitignore")
NEVER = frozenset({"node_modules"})
TRIES_MAX = 4
TIME_NS_MAX = 1 << 62
"""A file system holds no later time, and none so much earlier."""
_DRIVE = re.compile(r"[A-Za-z]:")
_JOURNAL_NAME = re.compile(r"[^./\\\x00][^/\\\x00]*/[^./\\\x00][^/\\\x00]*\.jsonl")


@dataclass(frozen=True, slots=True)
class Belonging:
    """Paths of files relative to the vault, sorted; `left_out` maps a path → why it is not among them."""

    paths: tuple[str, ...]
    left_out: dict[str, str]


def belonging(layout: Layout, *, bytes_max: int) -> Belonging:
    """Returns what belongs to a vault. A file that is no note and larger than `bytes_max` is left out and named."""
    left_out: dict[str, str] = {}
    paths = [*_visible(layout.root, bytes_max, left_out), *state_files(layout)]
    return Belonging(tuple(sorted(paths)), left_out)


def state_files(layout: Layout) -> list[str]:
    """Returns the files below `.brain/` that no command can make anew."""
    found = [place for pattern in STATE_FILES for place in layout.state.glob(pattern) if place.is_file() and not place.is_symlink()]
    return sorted(place.relative_to(layout.root).as_posix() for place in found)


def is_journal(path: str) -> bool:
    """Tells whether a path of the vault is a file of the journal."""
    head = f"{STATE_FOLDER}/journal/"
    return path.startswith(head) and _JOURNAL_NAME.fullmatch(path[len(head) :]) is not None


def is_state(path: str) -> bool:
    """Tells whether a path is one that `state_files` can give."""
    name = path.removeprefix(f"{STATE_FOLDER}/")
    return is_journal(path) or (path != name and (name == ".gitignore" or (name.startswith("discarded") and name.endswith(".jsonl") and "/" not in name)))


def leads_out(path: str) -> str | None:
    """Returns why a path may not be written below a folder, whoever's file it is; None when it may.

    What a drive or a backslash mean is another system's to say: there they lead out, and here they are letters.
    """
    try:
        parts = [part.encode("utf-8") for part in path.split("/")]
    except UnicodeEncodeError:
        return "it is no text"
    if not path or path.startswith("/") or "\0" in path or _DRIVE.fullmatch(path.partition("/")[0]):
        return "it is no path inside a vault"
    if sys.platform == "win32" and (":" in path or "\\" in path):
        return "it is no path inside a vault"
    if any(part in (b"", b".", b"..") for part in parts):
        return "it has an empty, `.` or `..` part"
    return "a part of it is too long" if any(len(part) > SEGMENT_BYTES_MAX for part in parts) else None


def unsafe(path: str, *allowed: str) -> str | None:
    """Returns why a path may not be one of a file that is carried in; None when it may."""
    is_hidden = any(part.startswith(".") for part in path.split("/")) and path not in allowed and not is_state(path)
    return leads_out(path) or ("it has a hidden part" if is_hidden else None)


def twofold(paths: Iterable[str]) -> str | None:
    """Returns a path that is to be a file and a folder at once, None when there is none."""
    known = set(paths)
    folders = {path[:at] for path in known for at, letter in enumerate(path) if letter == "/"}
    return min(known & folders, default=None)


def sign_of(root: Path) -> str:
    """Returns the sign of a vault's place: backups of several vaults in one folder are told apart by it."""
    return short_hash("vault", str(root), length=12)


def read_steady(place: Path, shown: str) -> tuple[bytes, int, bool]:
    """Returns the bytes of a file, its time in ns, and whether it held still while it was read. Raises: NotFound, BrainError.

    What somebody is writing is read again, so that no half of it is taken for the whole.
    """
    for _ in range(TRIES_MAX):
        before = os.lstat(place) if place.exists() else None
        data = read_regular(place, shown)
        after = os.lstat(place) if place.exists() else None
        if before and after and _numbers(before) == _numbers(after) and len(data) == after.st_size:
            return data, after.st_mtime_ns, True
    return data, after.st_mtime_ns if after else 0, False


def _numbers(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino


def _visible(root: Path, bytes_max: int, left_out: dict[str, str]) -> Iterator[str]:
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in _entries(root, prefix, left_out):
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.name.startswith("."):
                continue
            if why := _why_left(entry, bytes_max) or leads_out(path):
                left_out[path.encode("utf-8", "replace").decode()] = why
            elif entry.is_dir(follow_symlinks=False):
                pending.append(path)
            else:
                yield path


def _entries(root: Path, prefix: str, left_out: dict[str, str]) -> list[os.DirEntry[str]]:
    """What is in a folder; one that may not be looked into is named, one that is gone since it was listed is not."""
    try:
        return sorted(os.scandir(root / prefix), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        if not prefix:
            raise BrainError(f"{root} cannot be read: {error.strerror}.", f'look at the permissions of "{root}"') from error
        left_out[prefix] = f"a folder that cannot be read: {error.strerror}"
        return []


def _why_left(entry: os.DirEntry[str], bytes_max: int) -> str | None:
    if not entry.name.isprintable() and entry.name.encode("utf-8", "replace").decode() != entry.name:
        return "its name is not UTF-8"
    if entry.is_symlink():
        return "a link, not followed"
    if entry.is_dir(follow_symlinks=False):
        return "made by a package manager" if entry.name in NEVER else None
    if not entry.is_file(follow_symlinks=False):
        return "no file"
    try:
        is_large = entry.stat(follow_symlinks=False).st_size > bytes_max and not is_note_name(entry.name)
    except OSError:
        return None  # gone since it was listed, which reading it says
    return f"larger than {bytes_max} bytes (limits.backup_file_bytes_max)" if is_large else None
