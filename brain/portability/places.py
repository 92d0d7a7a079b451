"""Where something that is to be erased stands: every file of a vault's folder, hidden ones too, and what backups hold. Reads only.

Left out is `.git`, which is looked at by git itself. Of a large file a part at a time is in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from brain.config import SETTINGS_FILE, STATE_FOLDER
from brain.errors import BrainError, NotFound, UsageError
from brain.portability.archive import MANIFEST, opened_archive
from brain.portability.backup import backups_folder
from brain.portability.belonging import is_journal, is_state
from brain.portability.erased import lines_with
from brain.portability.needles import Needles
from brain.stages.context import Context
from brain.vault.generated import is_view
from brain.vault.layout import is_note_name
from brain.vault.store import read_regular

Kind = Literal["note", "view", "journal", "discards", "backup", "index", "cache", "file", "stuck", "name"]
PART_BYTES = 1 << 22
MARKER = f"{STATE_FOLDER}/purging"
DERIVED = (f"{STATE_FOLDER}/index/", f"{STATE_FOLDER}/cache/")
WHOLE_BYTES_MAX = 100_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """A file and the lines in it (of a backup: none, and `inside` the files). `why` says why it cannot be erased there."""

    kind: Kind
    path: str
    lines: tuple[int, ...] = ()
    inside: tuple[str, ...] = ()
    why: str = ""


def find_places(ctx: Context, needles: Needles) -> tuple[Place, ...]:
    """Returns every place, by path. Raises: BrainError when a file cannot be read."""
    root = ctx.vault.root
    found = [place for path in files_of(root) if (place := _looked_at(ctx, root, path, needles)) is not None]
    names = [_named(path, needles) for path in files_of(root) if needles.in_text(given_name(path))]
    return tuple(sorted((*found, *names), key=lambda place: (place.path, place.kind)))


def files_of(root: Path) -> Iterator[str]:
    """Yields the plain files below a folder but for those of git; links are not followed."""
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in _entries(root / prefix):
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                pending.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path


def given_name(path: str) -> str:
    """Returns what somebody chose of a path: not the names that brain gives its own files."""
    if path == SETTINGS_FILE:
        return ""
    if not path.startswith(f"{STATE_FOLDER}/"):
        return path
    folder, _, rest = path.removeprefix(f"{STATE_FOLDER}/").partition("/")
    return rest.rpartition("/")[0] if folder == "journal" else rest if folder == "backups" else ""


def holds(place: Path, needles: Needles) -> bool:
    """Tells whether a file holds one of the forms, a part at a time."""
    overlap = max((len(form) for form in needles.forms), default=1)
    before = b""
    with open(place, "rb") as file:
        while part := file.read(PART_BYTES):
            if needles.within(before + part):
                return True
            before = (before + part)[-overlap:]
    return False


def is_note(path: str) -> bool:
    """Tells whether a path is one that the writing half of the vault may write to."""
    return is_note_name(path.rpartition("/")[2]) and not any(part.startswith(".") for part in path.split("/"))


def is_lines(path: str) -> bool:
    """Tells whether a file of brain is one of JSON lines."""
    return is_journal(path) or (path.startswith(f"{STATE_FOLDER}/discarded") and path.endswith(".jsonl"))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []  # gone since it was listed
    except OSError as error:
        raise BrainError(f"{folder} cannot be read: {error.strerror}.", "look at its permissions, then run the same command again") from error


def _looked_at(ctx: Context, root: Path, path: str, needles: Needles) -> Place | None:
    """A file that is gone since it was listed holds nothing: other programs go on, and those of a database come and go."""
    try:
        return _place(ctx, root, path, needles)
    except (FileNotFoundError, NotFound):
        return None
    except OSError as error:
        raise BrainError(f"{path} cannot be read: {error.strerror}.", "look at its permissions, then run the same command again") from error


def _named(path: str, needles: Needles) -> Place:
    if needles.in_text(given_name(path).rpartition("/")[0]):
        return Place("stuck", path, why="it is in the name of its folder: rename that")
    return Place("name", path) if is_note(path) else Place("stuck", path, why="it is in its name: rename it")


def _place(ctx: Context, root: Path, path: str, needles: Needles) -> Place | None:
    if path.startswith(DERIVED):
        kind: Kind = "cache" if path.startswith(DERIVED[1]) else "index"
        return Place(kind, path) if holds(root / path, needles) else None
    if path.endswith(".zip") and ((root / path).parent == backups_folder(root) or is_backup(root / path)):
        return _backup(root, path, needles)
    if is_lines(path):
        lines = lines_with(read_regular(root / path, path), needles)
        return Place("journal" if is_journal(path) else "discards", path, lines) if lines else None
    if is_note(path) and path in needles.paths:
        return Place("note", path)
    if is_note(path) and needles.in_text(path.rpartition("/")[2]) and not needles.in_text(path.rpartition("/")[0]):
        return Place("note", path, needles.lines(read_regular(root / path, path)))  # whose name it is in is made anew
    if not holds(root / path, needles):
        return None
    if (root / path).stat().st_size > WHOLE_BYTES_MAX:
        return Place("stuck", path, why=f"it is larger than {WHOLE_BYTES_MAX} bytes")
    data = read_regular(root / path, path)
    if is_note(path):
        return Place("view" if is_view(root, path, ctx.config.folders) else "note", path, needles.lines(data))
    return Place("stuck", path, why=why) if (why := _why_stuck(path, data)) else Place("file", path, needles.lines(data))


def _why_stuck(path: str, data: bytes) -> str:
    if path == SETTINGS_FILE:
        return "it holds settings: take it out there yourself"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is no text file: delete it, or take it out with the program that made it"
    return "it is no text file" if b"\0" in data else ""


def is_backup(place: Path) -> bool:
    """Tells whether a zip file is a backup of brain, wherever it lies; one that is damaged is one too."""
    try:
        with opened_archive(place):
            return True
    except (UsageError, NotFound):
        return False
    except BrainError:
        return True


def _backup(root: Path, path: str, needles: Needles) -> Place | None:
    try:
        with opened_archive(root / path) as archive:
            own = (MANIFEST, *(entry.path for entry in archive.manifest.files if is_state(entry.path)))
            if holds(root / path, needles) and not any(needles.in_text(name) for name in own):
                return Place("backup", path, inside=("its list of files",))
            inside = tuple(entry.path for entry in archive.manifest.files if is_meant(entry.path, archive.read(entry), needles))
            is_named = any(needles.in_text(text) for text in (archive.manifest.label, archive.manifest.vault, *archive.manifest.left_out))
    except BrainError as error:
        return Place("stuck", path, why=f"it is no backup that can be read, so that nobody can say what it holds: {error.message}")
    return Place("backup", path, inside=inside or ("its list of files",)) if inside or is_named else None


def is_meant(path: str, data: bytes, needles: Needles) -> bool:
    """Tells whether a file of a backup has to be changed."""
    if path in needles.paths or needles.in_text(given_name(path)):
        return True
    return bool(lines_with(data, needles)) if is_lines(path) else needles.within(data)
