"""What belongs to a vault when it is carried elsewhere: its files, its settings, its journal. Reads only.

Left out is what is made from these (the index, the embeddings), what other programs keep in hidden folders, and
`node_modules`. Links are not followed. Whatever else stays behind is named with its reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from brain.config import STATE_FOLDER
from brain.core.ids import short_hash
from brain.vault.layout import Layout, is_note_name
from brain.vault.store import read_regular

STATE_FILES = ("journal/*/*.jsonl", "discarded*.jsonl", ".gitignore")
NEVER = frozenset({"node_modules"})
TRIES_MAX = 4
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
        for entry in sorted(os.scandir(root / prefix), key=lambda entry: entry.name):
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.name.startswith("."):
                continue
            if why := _why_left(entry, bytes_max):
                left_out[path.encode("utf-8", "replace").decode()] = why
            elif entry.is_dir(follow_symlinks=False):
                pending.append(path)
            else:
                yield path


def _why_left(entry: os.DirEntry[str], bytes_max: int) -> str | None:
    if not entry.name.isprintable() and entry.name.encode("utf-8", "replace").decode() != entry.name:
        return "its name is not UTF-8"
    if entry.is_symlink():
        return "a link, not followed"
    if entry.is_dir(follow_symlinks=False):
        return "made by a package manager" if entry.name in NEVER else None
    if not entry.is_file(follow_symlinks=False):
        return "no file"
    is_large = entry.stat(follow_symlinks=False).st_size > bytes_max and not is_note_name(entry.name)
    return f"larger than {bytes_max} bytes (limits.backup_file_bytes_max)" if is_large else None
