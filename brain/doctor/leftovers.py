"""Temporary files of writes that were cut off and that no open run knows: a journal was lost, or a syncer brought them.

They are named, with what may be in them: one may hold the only copy of somebody's save, and is a person's to look at.
Files of a run that is open are not listed; the next writing command puts them right.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from shlex import quote

from brain.core.finding import Finding
from brain.stages.record import Record
from brain.vault.aside import Temporary, named, owner_of, tag_of
from brain.vault.store import have_same_bytes

REMOVED_AFTER_S = 86_400
"""A repair deletes what holds nothing of its own once it is so old that no command of any machine still needs it."""


def leftovers(root: Path, paths: Iterable[str], open_intents: Iterable[Record]) -> Iterator[Finding]:
    """Yields a finding for each of these temporary files that belongs to no note of an open intent, by path."""
    awaited = {_place(file["path"]) for intent in open_intents for file in intent["files"]}
    for path in sorted(paths):
        temporary = named(path.rpartition("/")[2])
        if (path.rpartition("/")[0], temporary.tag) not in awaited:
            yield _finding(root, path, temporary)


def holds_nothing(root: Path, path: str) -> bool:
    """Tells whether a temporary file is an unfinished text of ours, or has the very bytes of the note it belongs to."""
    temporary = named(path.rpartition("/")[2])
    note = _note_of(root, path, temporary)
    return temporary.kind == "begun" or (note is not None and have_same_bytes(root / path, root / note))


def unverified(root: Path, folder: Path, now_s: float) -> Iterator[Finding]:
    """Yields a finding for each thing that a backup which was cut off left in the folder of backups: copies of notes, and of no use."""
    for place in sorted(folder.glob(".brain-*")):
        if not place.is_symlink() and now_s - place.stat().st_mtime >= REMOVED_AFTER_S:
            path = place.relative_to(root).as_posix()
            message = "A backup that was cut off left this behind; it holds copies of notes, and nothing reads it."
            yield Finding("stray-temporary", "info", path, 0, message, f"brain backup, which removes it, or rm -r {quote(path)}")


def _place(note: str) -> tuple[str, str | None]:
    folder, _, name = note.rpartition("/")
    return folder, tag_of(name)


def _finding(root: Path, path: str, temporary: Temporary) -> Finding:
    note = _note_of(root, path, temporary)
    size = os.lstat(root / path).st_size if os.path.lexists(root / path) else 0
    of = f" of {note}" if note else ""
    remove = f"rm {quote(path)}"
    if temporary.kind == "begun":
        message = f"A write{of} that was cut off left this unfinished text of ours ({size} bytes)."
        return Finding("stray-temporary", "info", path, 0, message, f"look at it, then {remove}")
    if note and have_same_bytes(root / path, root / note):
        message = f"A write{of} that was cut off left this file ({size} bytes); the note holds the same."
        return Finding("stray-temporary", "info", path, 0, message, remove)
    message = f"A write{of} that was cut off left this file ({size} bytes). It may be a save that is nowhere else."
    compare = f"compare it with {quote(note)}" if note else "look at it"
    return Finding("stray-temporary", "warning", path, 0, message, f"{compare}, keep what you want, then {remove}")


def _note_of(root: Path, path: str, temporary: Temporary) -> str | None:
    folder = PurePosixPath(path).parent
    try:
        owner = owner_of(temporary, os.listdir(root / folder))
    except OSError:
        return None
    return None if owner is None else (folder / owner).as_posix()
