"""Episodes in folders outside the vault: which there are, and what they say. Reads only; nothing there is ever written.

Links are not followed. What is no note, too large or unreadable is named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from brain.core.ids import sha256_hex
from brain.errors import BrainError
from brain.stages.context import Context
from brain.stages.reading.places import inboxes
from brain.stages.report import counted
from brain.vault.frontmatter import read_frontmatter
from brain.vault.layout import is_conflict_copy, is_note_name
from brain.vault.parse import decode, encode, parse_note
from brain.vault.store import read_regular

ORIGIN = "sibling"
SHOWN_MAX = 6


@dataclass(frozen=True, slots=True)
class Outside:
    """One episode outside: its name seen from the vault, the words below its frontmatter and their hash, its day if it states one."""

    name: str
    body: str
    sha256: str
    created: object


@dataclass(slots=True)
class Looking:
    """One look at the folders outside. `skipped` says what was not read, and why; `is_cut` that there were too many files."""

    ctx: Context
    skipped: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False

    def episodes(self) -> Iterator[Outside]:
        """Yields the episodes that can be read, by folder and path; the copies that another vault made of ours are none."""
        left, seen = self.ctx.config.limits.sibling_files_max, set[str]()
        for folder in self._folders():
            for name, place in self._files(folder):
                if name in seen:
                    continue  # one of the folders lies inside another
                if left <= 0:
                    self.is_cut = True
                    return
                left -= 1
                seen.add(name)
                found = self._read(name, place)
                if found is not None:
                    yield found

    def notices(self) -> list[str]:
        """Returns what a person should know of what was left out."""
        said = []
        if self.skipped:
            shown = ", ".join(f"{name} ({why})" for name, why in sorted(self.skipped.items())[:SHOWN_MAX])
            more = len(self.skipped) - SHOWN_MAX
            said.append(f"{counted(len(self.skipped), 'place')} outside the vault not read: {shown}{f' and {more} more' if more > 0 else ''}.")
        if self.is_cut:
            said.append("More files lie in the folders outside the vault than limits.sibling_files_max; the rest was not looked at.")
        return said

    def _folders(self) -> list[Path]:
        """The folders to read, each once, without those of the vault itself."""
        walk, root = self.ctx.config.walk, self.ctx.vault.root
        named = [(text, root / os.path.expanduser(text)) for text in walk.siblings] or list(self._beside(root, walk.discover))
        return list(dict.fromkeys(place for text, wanted in named if (place := self._usable(text, wanted)) is not None))

    def _usable(self, text: str, wanted: Path) -> Path | None:
        place, root = Path(os.path.realpath(wanted)), self.ctx.vault.root
        if place in {root / inbox for inbox in inboxes(self.ctx.config)}:
            return None
        if not os.path.isdir(place):  # which says no also where nobody may look
            self.skipped[text] = "no folder"
        elif place.is_relative_to(root):
            self.skipped[text] = "it lies inside this vault: name it in walk.inboxes"
        elif root.is_relative_to(place):
            self.skipped[text] = "it holds this vault"
        else:
            return place
        return None

    def _beside(self, root: Path, inboxes_there: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
        """The inboxes of the folders beside the vault."""
        for entry in self._entries(root.parent, "..") if inboxes_there else ():
            if entry.name.startswith(".") or entry.is_symlink() or not entry.is_dir() or Path(entry.path) == root:
                continue
            for inbox in inboxes_there:
                place = Path(entry.path) / inbox
                if os.path.isdir(place) and self._is_real(Path(entry.path), place):
                    yield f"../{entry.name}/{inbox}", place

    def _is_real(self, top: Path, place: Path) -> bool:
        is_real = os.path.realpath(place) == os.path.normpath(os.path.join(os.path.realpath(top), place.relative_to(top)))
        if not is_real:
            self.skipped[self._name(place)] = "a link, not followed"
        return is_real

    def _files(self, folder: Path) -> Iterator[tuple[str, Path]]:
        """The notes below a folder in path order; everything else is named."""
        open_ = [iter(self._entries(folder, self._name(folder)))]  # and no recursion: folders outside may lie as deep as they like
        while open_:
            entry = next(open_[-1], None)
            if entry is None:
                open_.pop()
                continue
            place = Path(entry.path)
            name = self._name(place)
            why = self._why_not(entry, name)
            if entry.name.startswith("."):
                continue
            if why is not None:
                self.skipped[name if name.isprintable() else name.encode("unicode_escape").decode()] = why
            elif entry.is_dir(follow_symlinks=False):
                open_.append(iter(self._entries(place, name)))
            else:
                yield name, place

    def _why_not(self, entry: os.DirEntry[str], name: str) -> str | None:
        """Returns why what lies there is neither a note to read nor a folder to look into."""
        if not name.isprintable() or "[[" in name:  # it would be a link of the note here
            return "its name cannot be written down"
        if entry.is_symlink():
            return "a link, not followed"
        is_note = is_note_name(entry.name) and not is_conflict_copy(entry.name)
        return None if is_note or entry.is_dir(follow_symlinks=False) else "no note"

    def _entries(self, folder: Path, name: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.skipped[name] = f"cannot be read: {error.strerror}"
            return []

    def _read(self, name: str, place: Path) -> Outside | None:
        limits = self.ctx.config.limits
        try:
            if place.lstat().st_size > limits.note_bytes_max:
                self.skipped[name] = "larger than limits.note_bytes_max"
                return None
            text = decode(read_regular(place, name))[0]
        except (OSError, BrainError) as error:
            self.skipped[name] = "cannot be read" if isinstance(error, BrainError) else f"cannot be read: {error.strerror}"
            return None
        properties = parse_note(place.name, text, limits).properties
        body = text[read_frontmatter(text, limits).end :].strip("\r\n")
        if properties.get("origin") == ORIGIN or not body.strip():
            return None
        return Outside(name, body, sha256_hex(encode(body)), properties.get("created"))

    def _name(self, place: Path) -> str:
        """A place as it is seen from the vault: the same on every machine where the folders lie alike."""
        return os.path.relpath(place, self.ctx.vault.root).replace(os.sep, "/")
