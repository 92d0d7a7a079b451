"""Reading notes from disk. The writing half is `vault.write`; parsing is `vault.parse`.

Symlinks are never followed: a note is a regular file under the root.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from brain.config import Config
from brain.core.ids import sha256_hex
from brain.errors import BrainError, NotFound, UsageError
from brain.vault.layout import inside_path
from brain.vault.parse import decode


@dataclass(frozen=True, slots=True)
class Source:
    """One note as it was read: the bytes, their sha256 and the decoded text."""

    path: str
    data: bytes
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the vault's file system is asked to do in one step; what it cannot do is done in several."""

    exchange: bool = True
    rename_exclusively: bool = True
    link: bool = True


@dataclass(frozen=True, slots=True)
class Vault:
    """A folder of notes."""

    root: Path
    config: Config
    able: Abilities = Abilities()

    def read(self, path: str) -> Source:
        """Reads one note.

        Raises: NotFound when it is missing or no regular file; UsageError when the path leaves the vault.
        """
        data = read_regular(self.absolute(path), path)
        return Source(path, data, sha256_hex(data), decode(data)[0])

    def read_many(self, paths: Iterable[str]) -> dict[str, Source]:
        """Reads several notes; a missing one is left out."""
        found: dict[str, Source] = {}
        for path in sorted(set(paths)):
            try:
                found[path] = self.read(path)
            except NotFound:
                continue
        return found

    def exists(self, path: str) -> bool:
        """Tells whether exactly this path is there, as a file of any kind."""
        return os.path.lexists(self.root / path)

    def taken(self, path: str) -> str | None:
        """Returns the existing path that this one would collide with: itself, a case twin or an NFC twin."""
        folder, _, name = path.rpartition("/")
        wanted = _folded(name)
        actual = self._actual_folder(folder)
        if actual is None:
            return None
        for entry in sorted(os.listdir(self.root / actual)):
            if _folded(entry) == wanted:
                return f"{actual}/{entry}" if actual else entry
        return None

    def paths(self) -> list[str]:
        """Returns every note path, sorted."""
        from brain.vault.scan import scan

        return [seen.path for seen in scan(self.root, self.config).files]

    def absolute(self, path: str) -> Path:
        """Returns the place on disk, refusing paths that leave the vault by `..` or by a symlink.

        Raises: UsageError.
        """
        inside_path(path)
        here = self.root
        for segment in path.split("/")[:-1]:
            here = here / segment
            if here.is_symlink():
                raise UsageError(f"{path} goes through a link ({here.name}), which is not followed.", "name the real folder")
        return self.root / path

    def _actual_folder(self, folder: str) -> str | None:
        """Follows a folder path in the case it has on disk; None when a part is missing."""
        actual = ""
        for segment in folder.split("/") if folder else ():
            names = os.listdir(self.root / actual)
            match = segment if segment in names else next((n for n in sorted(names) if _folded(n) == _folded(segment)), None)
            if match is None or not (self.root / actual / match).is_dir():
                return None
            actual = f"{actual}/{match}" if actual else match
        return actual


def read_regular(place: Path, shown: str) -> bytes:
    """Reads a regular file without following a link.

    Raises: NotFound when it is not there or not a regular file; BrainError when it cannot be read.
    """
    try:
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"There is no note {shown}.", "brain list") from None
    except OSError as error:
        if place.is_symlink():
            raise NotFound(f"{shown} is a link, which is not followed.", "brain list") from error
        raise BrainError(f"{shown} cannot be read: {error.strerror}.", f'look at the permissions of "{shown}"') from error
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotFound(f"{shown} is not a regular file.", "brain list")
        try:
            return file.read()
        except OSError as error:
            raise BrainError(f"{shown} cannot be read: {error.strerror}.", f'look at "{shown}"') from error


def have_same_bytes(one: Path, other: Path) -> bool:
    """Tells whether two places are regular files of the same bytes; what cannot be read is like nothing."""
    try:
        return read_regular(one, one.name) == read_regular(other, other.name)
    except BrainError:
        return False


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable, where the system can do that for a folder."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
