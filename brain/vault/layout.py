"""Where things lie under a vault, and which paths may be notes. Paths only: reads and writes nothing.

A note path is vault-relative, `/`-separated, ends in `.md` (any case) and has no hidden segment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from brain.config import STATE_FOLDER
from brain.errors import UsageError

NOTE_SUFFIX = ".md"
_CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}(-\w+)?|\((?:[^()]*['’]s )?conflicted copy[^()]*\)|\(Case Conflict[^()]*\)", re.IGNORECASE
)
_RESERVED = re.compile(r"^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$", re.IGNORECASE)
_FORBIDDEN_CHARACTERS = re.compile(r'[\x00-\x1f\x7f<>:"\\|?*]')
SEGMENT_BYTES_MAX = 255


@dataclass(frozen=True, slots=True)
class Layout:
    """The fixed places under one vault root."""

    root: Path

    @property
    def state(self) -> Path:
        """`.brain/`: everything that is not a note or a setting."""
        return self.root / STATE_FOLDER

    @property
    def index(self) -> Path:
        """Derived and disposable; `brain rebuild` makes it anew."""
        return self.state / "index"

    @property
    def catalog_path(self) -> Path:
        """The catalog and full-text database."""
        return self.index / "text.sqlite"

    def graph_path(self, engine: str) -> Path:
        """The graph file; the engine is in the name because their files are incompatible."""
        return self.index / f"graph-{engine}.kuzu"

    @property
    def cache_path(self) -> Path:
        """Embeddings by model and text hash: disposable, but kept by a rebuild."""
        return self.state / "cache" / "embeddings.sqlite"

    @property
    def journal(self) -> Path:
        """Append-only truth that cannot live in prose."""
        return self.state / "journal"

    @property
    def lock_path(self) -> Path:
        """The one lock file, beside the index and never the database itself."""
        return self.state / "lock"

    @property
    def held_path(self) -> Path:
        """Where a displaced file is kept until its hash is verified."""
        return self.state / "held"


def is_note_name(name: str) -> bool:
    """Tells whether a file name is a note's, whatever the case of its suffix."""
    return name.lower().endswith(NOTE_SUFFIX) and not name.startswith(".")


def is_conflict_copy(path: str) -> bool:
    """Tells whether a sync tool made this file beside the real note (Syncthing, Dropbox, iCloud forms)."""
    return _CONFLICT.search(path.rsplit("/", 1)[-1]) is not None


def checked_note_path(path: str) -> str:
    """Returns the path when it may name a note.

    Raises: UsageError for absolute paths, `..`, hidden or reserved segments, control or forbidden
    characters, over-long segments and other suffixes. Purely lexical: links are checked by the store.
    """
    reason = _path_fault(path)
    if reason:
        raise UsageError(f"{path!r} cannot be a note: {reason}.", "give a path inside the vault, such as Folder/Name.md")
    return path


def inside_path(path: str) -> str:
    """Returns the path when it stays inside the vault and out of hidden folders, whatever its characters.

    For notes that are there already: a person may have named them as their own file system allows.
    Raises: UsageError.
    """
    reason = _leaving_fault(path)
    if reason:
        raise UsageError(f"{path!r} cannot be a note: {reason}.", "give a path inside the vault, such as Folder/Name.md")
    return path


def _leaving_fault(path: str) -> str | None:
    if not path or path.startswith("/") or "\x00" in path:
        return "it is not a path inside the vault"
    for segment in path.split("/"):
        if segment in ("", ".", ".."):
            return "it has an empty, `.` or `..` part"
        if segment.startswith("."):
            return "it has a hidden part"
    return None if is_note_name(path.rsplit("/", 1)[-1]) else "it does not end in .md"


def _path_fault(path: str) -> str | None:
    if path.startswith("~"):
        return "it is not a path inside the vault"
    for segment in path.split("/"):
        if _FORBIDDEN_CHARACTERS.search(segment):
            return "it has a character that not every file system can hold"
        if _RESERVED.match(segment) or segment.endswith((" ", ".")):
            return "it has a name that not every file system can hold"
        if len(segment.encode("utf-8", "surrogateescape")) > SEGMENT_BYTES_MAX:
            return "a part of it is too long"
    return _leaving_fault(path)
