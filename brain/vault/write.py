"""The writing half of the store: atomic, durable, and only over exactly what was read.

A new text is written under a name of its own (`vault.aside`) and then changes places with the note: on Linux in
one step, elsewhere by moving the old file aside and giving the new one the free name (`vault.places`). What was
displaced is kept until its hash is verified and nobody has it open, and a save that nobody has read is never
removed: it goes back to its path, or beside it as a conflict copy. A kill at any moment leaves files from which
`rescue` and the journal can tell what is whose. Only `stages.commit`, `stages.undo` and `init` may import this
module (a test holds it).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from brain.core.ids import sha256_hex
from brain.errors import BrainError, NoteChanged, NotFound, UsageError
from brain.vault.aside import beside, temporaries_of
from brain.vault.layout import checked_note_path
from brain.vault.places import digest, exchanged, give_back, give_name, is_final, is_spare, moved_aside
from brain.vault.store import Vault, read_regular, sync_folder

WRITTEN_AT_ONCE_BYTES = 512
"""A write that is killed ends at a block's end: a begun copy has a multiple of this many bytes."""


def create_note(vault: Vault, path: str, data: bytes) -> None:
    """Writes a new note, claiming its name exclusively.

    Raises: UsageError when the name or a case twin is taken; BrainError when the disk refuses.
    """
    place = vault.absolute(checked_note_path(path))
    twin = vault.taken(path)
    if twin is not None:
        raise UsageError(f"{path} cannot be created: {twin} is there already.", f'brain get "{twin}"')
    with _disk_errors(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        whole = _written_beside(place, data, mode=None)
        try:
            give_name(vault, whole, place)
        except FileExistsError:
            raise UsageError(f"{path} was created by someone else meanwhile.", "run the command again") from None
        finally:
            whole.unlink(missing_ok=True)
        sync_folder(place.parent)


def replace_note(vault: Vault, path: str, data: bytes, expected_sha256: str) -> None:
    """Replaces a note's bytes when, and only when, it still is what was read.

    Raises: NotFound; NoteChanged (the file is as someone else left it); BrainError when the disk refuses.
    """
    place = vault.absolute(path)
    with _disk_errors(path):
        if sha256_hex(read_regular(place, path)) != expected_sha256:
            raise NoteChanged(path)
        whole = _written_beside(place, data, mode=place.lstat().st_mode & 0o777)
        try:
            _swap_in(vault, whole, place, path, expected_sha256)
        finally:
            _let_go(vault, whole, place, {expected_sha256, sha256_hex(data)})
        sync_folder(place.parent)


def remove_note(vault: Vault, path: str, expected_sha256: str) -> None:
    """Takes a note away (undo of a creation, the source of a move) when it still is what was read.

    Raises: NotFound; NoteChanged; BrainError when the disk refuses.
    """
    place = vault.absolute(path)
    with _disk_errors(path):
        if sha256_hex(read_regular(place, path)) != expected_sha256:
            raise NoteChanged(path)
        aside = moved_aside(place)
        if not is_final(aside, place, {expected_sha256}):
            give_back(vault, aside, place)
            raise NoteChanged(path)
        aside.unlink()
        sync_folder(place.parent)


def remove_empty_folder(vault: Vault, folder: str) -> None:
    """Takes away a folder that holds nothing; one that holds anything, or is gone, stays as it is."""
    with suppress(OSError):  # the operating system itself refuses while anything is in it
        os.rmdir(vault.root / folder)


def rescue(vault: Vault, path: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Clears the temporary files that a write of this note left when it died, and returns where saves of others are now.

    `before` and `after` are the two texts of that write; the caller holds the lock. A save is what is neither: it goes
    back to the note's path when that is missing or holds only our text, else beside it. A note that stands only in a
    temporary file is put in its place. Raises: BrainError when the disk refuses.
    """
    place = vault.absolute(path)
    known = {sha256_hex(text) for text in (before, after) if text is not None}
    with _disk_errors(path):
        for file in temporaries_of(place, "begun"):
            file.unlink()
        for file in temporaries_of(place, "copied"):
            _without_half_copy(vault, file, path)
        files = temporaries_of(place, "aside")
        texts = {digest(file) for file in files}
        saves = [file for file in files if not is_final(file, place, known) and not is_spare(file, place, place)]
        kept = [_returned(vault, file, place, after) for file in reversed(saves)]
        for file in sorted(set(files) - set(saves)):
            if before is None or digest(file) != sha256_hex(before):
                _let_go(vault, file, place, known)
            elif after is None or sha256_hex(after) in texts or not os.path.lexists(place):
                kept.append(_kept_unless_repeated(vault, file, place, known))  # for a time the note was not at its path
            else:
                file.unlink()
    return tuple(sorted({where.relative_to(vault.root).as_posix() for where in kept}))


def _swap_in(vault: Vault, whole: Path, place: Path, path: str, expected_sha256: str) -> None:
    """Leaves the new bytes at `place`, or what stands there now and NoteChanged."""
    if exchanged(vault, whole, place):
        if not is_final(whole, place, {expected_sha256}):
            exchanged(vault, whole, place)
            raise NoteChanged(path)
        return
    aside = moved_aside(place)
    try:
        if not is_final(aside, place, {expected_sha256}):
            raise NoteChanged(path)
        give_name(vault, whole, place)
    except FileExistsError:
        _kept_unless_repeated(vault, aside, place, set())
        raise NoteChanged(path) from None
    except BaseException:
        give_back(vault, aside, place)
        raise
    aside.unlink()


def _let_go(vault: Vault, file: Path, place: Path, known: set[str]) -> None:
    """Removes a temporary file when its text is known or stands at `place`; a save of someone else is given back."""
    if not os.path.lexists(file):
        return
    if is_final(file, place, known) or is_spare(file, place, place):
        file.unlink()
    else:
        give_back(vault, file, place)


def _returned(vault: Vault, file: Path, place: Path, after: bytes | None) -> Path:
    """Puts a save back in the place of the text of ours that displaced it, or wherever there is room for it."""
    if after is not None and digest(place) == sha256_hex(after):
        path = place.relative_to(vault.root).as_posix()
        with suppress(NotFound, NoteChanged):  # someone was there meanwhile: then both are kept
            replace_note(vault, path, read_regular(file, path), sha256_hex(after))
    return give_back(vault, file, place)


def _kept_unless_repeated(vault: Vault, file: Path, place: Path, known: set[str]) -> Path:
    """Keeps what stood at `place` before somebody wrote there who may not have seen it, unless it is all in what they wrote.

    What stands at `place` by now is nobody's when it is `known`.
    """
    there = read_regular(place, place.name) if os.path.lexists(place) else None
    if there is not None and (sha256_hex(there) in known or read_regular(file, file.name) in there):
        file.unlink()
        return place
    return give_back(vault, file, place)


def _without_half_copy(vault: Vault, file: Path, path: str) -> None:
    """Takes away what a killed copying of `file` left at its note's path; the file counts as set aside again."""
    place, data = vault.absolute(path), file.read_bytes()
    with suppress(NotFound, NoteChanged):  # nothing there, or nothing of ours any more
        there = read_regular(place, path)
        if there != data and there.endswith(data):
            os.truncate(place, len(there) - len(data))
        elif there != data and data.startswith(there) and len(there) % WRITTEN_AT_ONCE_BYTES == 0:
            remove_note(vault, path, sha256_hex(there))
    os.rename(file, beside(place, "aside"))


def _written_beside(place: Path, data: bytes, *, mode: int | None) -> Path:
    """Writes a text under a name of its own; only when it is whole and on disk its name says that it may be used."""
    begun = beside(place, "begun")
    try:
        with open(begun, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(begun, mode)
        whole = beside(place, "aside")
        os.rename(begun, whole)
    except BaseException:
        begun.unlink(missing_ok=True)
        raise
    return whole


@contextmanager
def _disk_errors(path: str) -> Iterator[None]:
    """Turns what the operating system refuses into a sentence with a cure."""
    try:
        yield
    except FileNotFoundError:  # it was there when it was read, and so was its folder
        raise NoteChanged(path) from None
    except OSError as error:
        cures = {errno.ENOSPC: "free some disk space and run the command again", errno.EROFS: "make the vault writable"}
        cure = cures.get(error.errno or 0, f'look at the permissions of "{path}"')
        raise BrainError(f"{path} could not be written: {error.strerror}.", cure) from error
