"""How a file gets a name: in one step where the file system can, and never over another file.

Part of the writing half: only `vault.write` imports it (a test holds it). A file that has no room is kept beside the
note as a conflict copy. What is not ours is never removed, and no name is given twice.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import itertools
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from brain.core.ids import sha256_hex
from brain.errors import BrainError
from brain.vault.aside import as_copied, beside
from brain.vault.layout import SEGMENT_BYTES_MAX
from brain.vault.lease import is_being_written
from brain.vault.store import Vault, have_same_bytes, read_regular

_AT_FDCWD = -100
_NOREPLACE, _EXCHANGE = 1, 2
_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV, errno.EPERM, errno.EMLINK})
"""How a file system says that it does not know a way; what is really forbidden is refused on the next way too."""


def exchanged(vault: Vault, one: Path, other: Path) -> bool:
    """Lets two files change places in one step; False where that cannot be done."""
    return vault.able.exchange and _renamed(one, other, _EXCHANGE)


def moved_aside(place: Path) -> Path:
    """Takes a file from its path to a hidden name beside it, which is returned."""
    aside = beside(place, "aside")
    os.rename(place, aside)
    return aside


def give_name(vault: Vault, file: Path, place: Path) -> None:
    """Gives a whole file a name that nothing else has. Raises: FileExistsError."""
    if not _named_at_once(vault, file, place):
        _copied(file, place)


def give_back(vault: Vault, file: Path, place: Path) -> Path:
    """Gives a file that was set aside its path again, or a conflict copy's when that is taken; returns where its text is now."""
    try:
        give_name(vault, file, place)
    except FileExistsError:
        if not is_spare(file, place, place):
            return _keep_beside(vault, file, place)
        file.unlink()
    return place


def is_final(file: Path, place: Path, sha256s: set[str]) -> bool:
    """Tells whether a file set aside from `place` has one of these hashes, and nobody is about to write into it."""
    return digest(file) in sha256s and not is_being_written(file, beside(place, "begun")) and digest(file) in sha256s


def is_spare(file: Path, other: Path, place: Path) -> bool:
    """Tells whether nothing is lost with the name of a file set aside from `place`: `other` is the same, or holds the same."""
    with suppress(OSError):
        if os.path.samefile(file, other):
            return True
    return have_same_bytes(file, other) and not is_being_written(file, beside(place, "begun")) and have_same_bytes(file, other)


def digest(file: Path) -> str | None:
    """Returns the sha256 of a regular file; None for anything else, and for what cannot be read: it is nothing we know."""
    try:
        return sha256_hex(read_regular(file, file.name))
    except BrainError:
        return None


def _keep_beside(vault: Vault, file: Path, place: Path) -> Path:
    """Gives a file the first free name of a conflict copy of the note at `place`, and returns it."""
    for copy in _copy_names(place):
        try:
            if not _named_at_once(vault, file, copy):
                _claim(copy)
                os.rename(file, copy)
            return copy
        except FileExistsError:
            if is_spare(file, copy, place):  # a kill between the two steps of giving the name
                file.unlink()
                return copy
    raise AssertionError("numbers do not run out")


def _copy_names(place: Path) -> Iterator[Path]:
    for number in itertools.count(1):
        mark = f" (conflicted copy{'' if number == 1 else f' {number}'}){place.suffix}"
        stem = os.fsencode(place.stem)[: SEGMENT_BYTES_MAX - len(mark)]
        yield place.with_name(stem.decode("utf-8", "ignore") + mark)


def _named_at_once(vault: Vault, file: Path, place: Path) -> bool:
    if vault.able.rename_exclusively and _renamed(file, place, _NOREPLACE):
        return True
    if vault.able.link and _linked(file, place):
        file.unlink()
        return True
    return False


def _linked(file: Path, place: Path) -> bool:
    try:
        os.link(file, place, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        return False
    return True


def _claim(copy: Path) -> None:
    """Makes an empty file that a rename may cover: one left empty by a kill is as good. Raises: FileExistsError."""
    try:
        os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except FileExistsError:
        if not copy.is_file() or copy.is_symlink() or copy.stat().st_size:
            raise


def _copied(file: Path, place: Path) -> None:
    """Claims the name and fills it, as someone may be writing there too; until then the file's name says that it is copied."""
    source = as_copied(file)
    os.rename(file, source)
    try:
        _fill(place, source.read_bytes(), source.stat().st_mode & 0o777)
    except BaseException:
        os.rename(source, file)
        raise
    source.unlink()


def _fill(place: Path, data: bytes, mode: int) -> None:
    handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, mode)  # appending never covers another's words
    written = 0
    try:
        while written < len(data):
            written += os.write(handle, data[written:])
        os.fsync(handle)
    except BaseException:
        with suppress(OSError):
            if os.path.samestat(os.fstat(handle), place.lstat()) and place.read_bytes() == data[:written]:
                place.unlink()
        raise
    else:
        there = os.pread(handle, os.fstat(handle).st_size, 0)
        if there != data:  # someone wrote into the file just made: it is theirs, without our text at its end
            if there.endswith(data):
                os.ftruncate(handle, len(there) - len(data))
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
    finally:
        os.close(handle)


@functools.cache
def _renameat2() -> object | None:
    if sys.platform != "linux":
        return None
    try:
        return ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None


def _renamed(one: Path, other: Path, flag: int) -> bool:
    """Renames or exchanges two files in one step; False where the platform or file system cannot."""
    call = _renameat2()
    if call is None:
        return False
    result = call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), flag)  # type: ignore[operator]
    if result == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(other))
