"""The files and folders of a vault by name, notes or not: what a link may lead to besides notes. Reads no contents.

A target is looked for as editors do: beside its source, from the root, then by the end of its path or its
bare name anywhere, letter case and Unicode form aside.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from brain.core.ids import fold
from brain.vault.aside import TEMPORARY


@dataclass(frozen=True, slots=True)
class Files:
    """Folded paths under their folded last name; `temporaries` are files of writes that were cut off."""

    root: Path
    files: dict[str, list[str]]
    folders: frozenset[str]
    temporaries: tuple[str, ...]

    def holds(self, source: str, target: str) -> bool:
        """Tells whether `target`, written in the note at `source`, names a file or folder; `target` may lack its `.md`."""
        plain = target.partition("?")[0]
        return any(self._leads(source, name) for name in dict.fromkeys((target, plain, f"{target}.md")) if name)

    def _leads(self, source: str, name: str) -> bool:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
        rooted = posixpath.normpath(name.lstrip("/"))
        inside = [place for place in (beside, rooted) if place.split("/")[0] not in ("", ".", "..")]
        whole = {fold(place) for place in inside}
        if whole & self.folders or any(path in whole or path.endswith(f"/{fold(rooted)}") for path in self._called(rooted)):
            return True
        return any(os.path.lexists(self.root / place) for place in inside)  # behind a link, or in a hidden folder

    def _called(self, path: str) -> list[str]:
        return self.files.get(fold(path.rsplit("/", 1)[-1]), [])


def files_of(root: Path) -> Files:
    """Walks the vault; hidden files and folders are left out, links are named and not followed."""
    files: dict[str, list[str]] = {}
    folders: set[str] = set()
    temporaries: list[str] = []
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in _entries(root / prefix):
            path = f"{prefix}{entry.name}"
            if fnmatch(entry.name, TEMPORARY):
                temporaries.append(path)
            elif entry.name.startswith("."):
                continue
            elif entry.is_dir(follow_symlinks=False):
                folders.add(fold(path))
                pending.append(f"{path}/")
            else:
                files.setdefault(fold(entry.name), []).append(fold(path))
    return Files(root, files, frozenset(folders), tuple(sorted(temporaries)))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []  # `scan` names a folder that cannot be read
