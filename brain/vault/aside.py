"""Temporary files beside notes. Their names say what they hold and for which note, so that a kill loses nothing.

`begun`: a text of ours, perhaps unfinished; nobody else ever writes there. `aside`: a whole file while it changes
places with a note: our text, or what stood at the note's path, which may be a save that nobody has read yet.
`copied`: a whole file while it is copied to its path, where the file system cannot give it that name in one step.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal, get_args

from brain.core.ids import short_hash
from brain.vault.layout import is_note_name

Kind = Literal["begun", "aside", "copied"]
KINDS: tuple[str, ...] = get_args(Kind)
TEMPORARY = ".brain-*.tmp"
"""The names of all of them: hidden, so that no scan takes one for a note."""


@dataclass(frozen=True, slots=True)
class Temporary:
    """One temporary file: what its name says. `kind` and `tag` are None for a name that is not ours."""

    name: str
    kind: str | None
    tag: str | None


def beside(place: Path, kind: Kind) -> Path:
    """Returns a fresh hidden name beside a note, for a file of that kind."""
    return place.with_name(f".brain-{kind}-{tag_of(place.name)}-{secrets.token_hex(6)}.tmp")


def as_copied(file: Path) -> Path:
    """Returns the name of a file that was set aside while it is copied to its path."""
    return file.with_name(file.name.replace("-aside-", "-copied-", 1))


def temporaries_of(place: Path, kind: Kind) -> list[Path]:
    """Returns the regular files of that kind that belong to the note at `place`, the newest last."""
    try:
        entries = [entry for entry in os.scandir(place.parent) if entry.is_file(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    mine = [entry for entry in entries if (found := named(entry.name)).kind == kind and found.tag == tag_of(place.name)]
    return [place.with_name(entry.name) for entry in sorted(mine, key=lambda entry: (entry.stat().st_mtime_ns, entry.name))]


def named(name: str) -> Temporary:
    """Returns what the name of a file says."""
    if not fnmatch(name, TEMPORARY):
        return Temporary(name, None, None)
    kind, _, rest = name.removeprefix(".brain-").partition("-")
    tag, _, random = rest.removesuffix(".tmp").partition("-")
    return Temporary(name, kind, tag) if kind in KINDS and tag and random else Temporary(name, None, None)


def owner_of(temporary: Temporary, names: list[str]) -> str | None:
    """Returns which of a folder's file names is the note that a temporary file belongs to."""
    return next((name for name in sorted(names) if is_note_name(name) and tag_of(name) == temporary.tag), None)


def tag_of(name: str) -> str:
    """Returns the sign of a note's file name: short, whatever the length of the name."""
    return short_hash("aside", name, length=8)
