"""An export written into a file or a folder: whole or not at all, and never over something that is there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from brain.errors import BrainError, UsageError
from brain.portability.archive import give_new_name
from brain.vault.aside import beside


def write_lines(place: Path, lines: Iterable[str]) -> None:
    """Writes lines into a new file as they come. Raises: UsageError when it is there, BrainError when the disk refuses."""
    place = _free(place)
    temporary = beside(place, "begun")
    try:
        with open(temporary, "x", encoding="utf-8", errors="replace", newline="\n") as file:
            for line in lines:
                file.write(line if line.endswith("\n") else f"{line}\n")
            file.flush()
            os.fsync(file.fileno())
        give_new_name(temporary, place)
    except OSError as error:
        raise _refused(place, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_folder(place: Path, fill: Callable[[Path], dict[str, int]]) -> dict[str, int]:
    """Makes a new folder and lets it be filled. Raises: UsageError when it is there, BrainError when the disk refuses."""
    place = _free(place)
    begun = beside(place, "begun")
    try:
        begun.mkdir(parents=True)
        counts = fill(begun)
        os.rename(begun, place)
        return counts
    except OSError as error:
        raise _refused(place, error) from error
    finally:
        shutil.rmtree(begun, ignore_errors=True)


def _free(place: Path) -> Path:
    place = place.expanduser().absolute()
    if os.path.lexists(place):
        raise UsageError(f"{place} is there already.", "name another one, or move that away")
    return place


def _refused(place: Path, error: OSError) -> BrainError:
    return BrainError(f"{place} could not be written: {error.strerror}.", "choose another place with --output")
