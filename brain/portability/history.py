"""The journal of a vault and another copy of it, united: lines are added and none is taken away. Writes the journal only.

Of a file that both have, the lines that are missing are appended in their order. A line that is no record, and a
name that is none of a journal file, are not taken.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from brain.errors import BrainError
from brain.vault.journal_lines import record_of
from brain.vault.store import read_regular, sync_folder


@dataclass(frozen=True, slots=True)
class Missing:
    """The lines that a file of the journal lacks, in their order; `refused` more are no records."""

    name: str
    lines: tuple[bytes, ...]
    refused: int = 0


def missing_from(folder: Path, others: Mapping[str, Iterable[bytes]]) -> tuple[Missing, ...]:
    """Returns what the journal in `folder` lacks of file name → lines, by name; only what differs. Raises: BrainError."""
    found = [_missing(folder, name, lines) for name, lines in sorted(others.items())]
    return tuple(missing for missing in found if missing.lines or missing.refused)


def unite(folder: Path, missing: Iterable[Missing]) -> int:
    """Appends the lines durably, under the caller's lock; returns how many. Raises: BrainError when the disk refuses."""
    count = 0
    for of in missing:
        if of.lines:
            _append(folder / of.name, of.lines)
            count += len(of.lines)
    return count


def _missing(folder: Path, name: str, lines: Iterable[bytes]) -> Missing:
    place = folder / name
    if place.parent.is_symlink():
        raise BrainError(f"{place.parent} is a link, which is not followed.", "make it a folder")
    present = Counter(read_regular(place, name).split(b"\n")) if os.path.lexists(place) else Counter()
    wanted: list[bytes] = []
    refused = 0
    for line in lines:
        if not line.strip():
            continue
        if present[line]:
            present[line] -= 1
        elif isinstance(record_of(line), str):
            refused += 1
        else:
            wanted.append(line)
    return Missing(name, tuple(wanted), refused)


def _append(place: Path, lines: tuple[bytes, ...]) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            size = os.fstat(handle).st_size
            is_torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            data = (b"\n" if is_torn else b"") + b"\n".join(lines) + b"\n"
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        sync_folder(place.parent)
    except OSError as error:
        raise BrainError(f"The journal could not be written: {error.strerror}.", "free disk space or make .brain/ writable") from error
