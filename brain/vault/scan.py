"""Walking the vault: which files are notes, and what stat says about them. Reads no contents, but for the first lines of what is written as a view.

Dot-folders and views (`vault.generated`) are skipped, links are never followed, sync-conflict copies are set aside and named.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from typing import NamedTuple

from brain.config import Config
from brain.vault.generated import is_view
from brain.vault.layout import is_conflict_copy, is_note_name

WHOLE_MAX = (1 << 63) - 1


class Seen(NamedTuple):
    """One note file: its path and the four numbers that tell whether it changed."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Scan:
    """Note files sorted by path; `skipped` maps a path that is no note → why."""

    files: tuple[Seen, ...]
    skipped: dict[str, str]


def seen_of(path: str, status: os.stat_result) -> Seen:
    """Returns the numbers of one file, each within what a signed 64-bit number holds: years beyond 2262, hashed inodes."""
    mtime, ctime, inode = status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    if -WHOLE_MAX <= mtime <= WHOLE_MAX and -WHOLE_MAX <= ctime <= WHOLE_MAX and inode <= WHOLE_MAX:
        return Seen(path, status.st_size, mtime, ctime, inode)
    return Seen(path, status.st_size, _within(mtime), _within(ctime), inode & WHOLE_MAX)


def _within(number: int) -> int:
    return max(-WHOLE_MAX, min(WHOLE_MAX, number))


def excluder(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Returns a test for paths that the settings exclude; a pattern without `*` is a folder or a file."""
    if not patterns:
        return lambda _: False
    parts = [translate(p) if any(c in p for c in "*?[") else re.escape(p.rstrip("/")) + r"(/.*)?\Z" for p in patterns]
    matcher = re.compile("|".join(f"(?:{part})" for part in parts))
    return lambda path: matcher.match(path) is not None


def scan(root: Path, config: Config) -> Scan:
    """Walks the whole vault.

    Raises: OSError when the root itself cannot be listed; an unreadable folder inside is skipped and named.
    """
    files: list[Seen] = []
    skipped: dict[str, str] = {}
    is_excluded = excluder(config.exclude)
    os.scandir(root).close()
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            entries = list(os.scandir(root / prefix if prefix else root))
        except OSError as error:
            skipped[prefix] = f"folder cannot be read: {error.strerror}"
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if not entry.name.isascii() and not _is_text(entry.name):
                skipped[path.encode("utf-8", "replace").decode()] = "its name is not UTF-8"
                continue
            if entry.is_symlink():
                if is_note_name(entry.name):
                    skipped[path] = "a link, not followed"
            elif entry.is_dir(follow_symlinks=False):
                if not is_excluded(path):
                    pending.append(path)
            elif is_note_name(entry.name) and not is_view(root, path, config.folders):
                _sort_note(path, entry, is_excluded, files, skipped)
    files.sort(key=lambda seen: seen.path)
    return Scan(tuple(files), skipped)


def look(root: Path, config: Config, path: str) -> Seen | str | None:
    """Looks at one path as `scan` would: the numbers, why it is skipped, or None when it is not there."""
    segments = path.split("/")
    if any(segment.startswith(".") for segment in segments) or not is_note_name(segments[-1]):
        return None
    place = root
    for segment in segments[:-1]:
        place = place / segment
        if place.is_symlink():
            return None
    try:
        status = os.lstat(root / path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return "a link, not followed" if stat.S_ISLNK(status.st_mode) else None
    is_excluded = excluder(config.exclude)
    if any(is_excluded("/".join(segments[:count])) for count in range(1, len(segments) + 1)):
        return "excluded by the settings"
    if is_conflict_copy(path):
        return "a sync-conflict copy"
    if is_view(root, path, config.folders):
        return None
    return seen_of(path, status)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _sort_note(
    path: str, entry: os.DirEntry[str], is_excluded: Callable[[str], bool], files: list[Seen], skipped: dict[str, str]
) -> None:
    if is_excluded(path):
        skipped[path] = "excluded by the settings"
    elif is_conflict_copy(path):
        skipped[path] = "a sync-conflict copy"
    else:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return  # gone between the listing and the stat: the next scan tells
        if stat.S_ISREG(status.st_mode):
            files.append(seen_of(path, status))
