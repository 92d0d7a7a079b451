"""The writing half of the store: atomic, durable, and only over exactly what was read.

The displaced file is kept until its hash is verified; on a mismatch it is put back and NoteChanged
is raised. On Linux the two files change places in one step (renameat2 EXCHANGE), so an editor that
saves at the same moment cannot lose a byte; elsewhere the old file is first moved aside and the new
one linked in exclusively, with the same check. Only `stages.commit`, `stages.undo` and `init` may
import this module (a test holds it).
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from brain.core.ids import sha256_hex
from brain.errors import BrainError, NoteChanged, UsageError
from brain.vault.layout import checked_note_path
from brain.vault.store import Vault, read_regular

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


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
        temporary = _written_beside(place, data, mode=None)
        try:
            os.link(temporary, place)
        except FileExistsError:
            raise UsageError(f"{path} was created by someone else meanwhile.", "run the command again") from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
                raise
            _copied_exclusively(place, data)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(place.parent)


def replace_note(vault: Vault, path: str, data: bytes, expected_sha256: str) -> None:
    """Replaces a note's bytes when, and only when, it still is what was read.

    Raises: NoteChanged (the file is as someone else left it); BrainError when the disk refuses.
    """
    place = vault.absolute(path)
    with _disk_errors(path):
        if sha256_hex(read_regular(place, path)) != expected_sha256:
            raise NoteChanged(path)
        temporary = _written_beside(place, data, mode=os.stat(place).st_mode & 0o777)
        try:
            _swapped_in(place, temporary, path, expected_sha256)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(place.parent)


def remove_note(vault: Vault, path: str, expected_sha256: str) -> None:
    """Takes a note away (undo of a creation, the source of a move) when it still is what was read.

    Raises: NoteChanged; BrainError when the disk refuses.
    """
    place = vault.absolute(path)
    with _disk_errors(path):
        if sha256_hex(read_regular(place, path)) != expected_sha256:
            raise NoteChanged(path)
        aside = _beside(place)
        os.rename(place, aside)
        if sha256_hex(read_regular(aside, path)) != expected_sha256:
            os.rename(aside, place)
            raise NoteChanged(path)
        aside.unlink()
        _sync_folder(place.parent)


def _swapped_in(place: Path, temporary: Path, path: str, expected_sha256: str) -> None:
    """Leaves the new bytes at `place`, or the old ones and NoteChanged."""
    if _exchanged(temporary, place):
        if sha256_hex(read_regular(temporary, path)) != expected_sha256:
            _exchanged(temporary, place)
            raise NoteChanged(path)
        return
    aside = _beside(place)
    os.rename(place, aside)
    try:
        if sha256_hex(read_regular(aside, path)) != expected_sha256:
            raise NoteChanged(path)
        os.link(temporary, place)
    except FileExistsError:
        _kept_beside(aside, place)
        raise NoteChanged(path) from None
    except BaseException:
        if not os.path.lexists(place):
            os.rename(aside, place)
        raise
    aside.unlink()


def _kept_beside(aside: Path, place: Path) -> None:
    """Keeps the displaced text as a conflict copy when an editor wrote the path in between."""
    os.rename(aside, place.with_name(f"{place.stem} (conflicted copy){place.suffix}"))


@functools.cache
def _renameat2() -> object | None:
    if sys.platform != "linux":
        return None
    try:
        return ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None


def _exchanged(one: Path, other: Path) -> bool:
    """Swaps two files in one step; False where the platform or file system cannot."""
    call = _renameat2()
    if call is None:
        return False
    result = call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)  # type: ignore[operator]
    if result == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV):
        return False
    raise OSError(code, os.strerror(code), str(other))


def _beside(place: Path) -> Path:
    """A hidden, unique neighbour that no scan takes for a note."""
    return place.with_name(f".brain-{secrets.token_hex(6)}.tmp")


def _written_beside(place: Path, data: bytes, *, mode: int | None) -> Path:
    temporary = _beside(place)
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _copied_exclusively(place: Path, data: bytes) -> None:
    """For file systems without hard links: claim the name, then fill it."""
    try:
        with open(place, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise UsageError(f"{place.name} was created by someone else meanwhile.", "run the command again") from None


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _disk_errors(path: str) -> Iterator[None]:
    """Turns what the operating system refuses into a sentence with a cure."""
    try:
        yield
    except OSError as error:
        cures = {errno.ENOSPC: "free some disk space and run the command again", errno.EROFS: "make the vault writable"}
        cure = cures.get(error.errno or 0, f'look at the permissions of "{path}"')
        raise BrainError(f"{path} could not be written: {error.strerror}.", cure) from error
