"""Markdown files below the vault's folder that are not notes, and why: what `scan` walks past. Reads no contents.

What `scan` names keeps its reason; the rest are in hidden or excluded folders, into which it does not look.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from brain.config import STATE_FOLDER, Config
from brain.vault.layout import is_note_name
from brain.vault.scan import excluder, scan

HIDDEN, BY_SETTINGS, TOO_LARGE, LINKED_FOLDER = (
    "hidden", "excluded by the settings", "larger than limits.note_bytes_max", "a link to a folder, not followed",
)  # fmt: skip
_NEVER_NOTES = (STATE_FOLDER, ".git")


@dataclass(frozen=True, slots=True)
class Excluded:
    """Path → why, sorted; `is_complete` is False when `limits.excluded_entries_max` ended the look."""

    files: dict[str, str]
    is_complete: bool

    @property
    def reasons(self) -> dict[str, int]:
        """How many files there are of each reason, most first."""
        return dict(sorted(Counter(self.files.values()).items(), key=lambda item: (-item[1], item[0])))


def excluded_files(root: Path, config: Config) -> Excluded:
    """Looks at every file name below the folder, at most `limits.excluded_entries_max` of them in hidden and excluded places."""
    seen = scan(root, config)
    found = {**seen.skipped, **{s.path: TOO_LARGE for s in seen.files if s.size > config.limits.note_bytes_max}}
    passed: list[tuple[str, str]] = []
    pending, is_excluded = [""], excluder(config.exclude)
    while pending:
        for path, entry in _entries(root, pending.pop()):
            if entry.is_symlink():
                if not path.startswith(".") and entry.is_dir():
                    found[path] = LINKED_FOLDER
            elif entry.name.startswith("."):
                passed.append((path, HIDDEN))
            elif entry.is_dir():
                if is_excluded(path):
                    passed.append((path, BY_SETTINGS))
                else:
                    pending.append(path)
    inside, is_complete = _notes_in(root, passed, config.limits.excluded_entries_max)
    return Excluded(dict(sorted({**inside, **found}.items())), is_complete)


def _notes_in(root: Path, places: list[tuple[str, str]], entries_max: int) -> tuple[dict[str, str], bool]:
    """Returns the note files in these places with the reason of the place."""
    found: dict[str, str] = {}
    left = entries_max
    pending = sorted(places, reverse=True)
    while pending:
        path, why = pending.pop()
        name = path.rsplit("/", 1)[-1]
        if name in _NEVER_NOTES:
            continue
        if is_note_name(name.lstrip(".")) and (root / path).is_file():
            found[path] = why
            continue
        for below, entry in _entries(root, path):
            left -= 1
            if left < 0:
                return found, False
            if entry.is_symlink():
                continue
            if entry.is_dir() or is_note_name(entry.name.lstrip(".")):
                pending.append((below, why))
    return found, True


def _entries(root: Path, folder: str) -> list[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(root / folder) as entries:
            return [(f"{folder}/{entry.name}" if folder else entry.name, entry) for entry in entries]
    except OSError:
        return []  # no folder, or one that cannot be read: `scan` names it where notes could be
