"""The lines of a journal file: which are records, and where each lies. Reads only.

A line counts once it has its end: before that it may be in the middle of being written, or was torn by a kill.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from brain.vault.journal_shapes import flaw_of, holds_half

Record = dict[str, Any]


class Piece(NamedTuple):
    """A line of a file: `number` from 1 on, its `length` in bytes from byte `start` on; `record` None: it is none."""

    number: int
    start: int
    length: int
    record: Record | None


def pieces_of(path: Path, start: int = 0, number: int = 0) -> Iterator[Piece]:
    """Yields the lines of a file that are whole and not blank, from byte `start` on, which follows line `number`."""
    with open(path, "rb") as file:
        file.seek(start)
        data = file.read()
    return pieces_in(data, start, number)


def pieces_in(data: bytes, start: int = 0, number: int = 0) -> Iterator[Piece]:
    """Yields the lines of what was read of a file from byte `start` on, as `pieces_of` does."""
    for line in data[: whole_length(data)].split(b"\n")[:-1]:
        number += 1
        if line.strip():
            found = record_of(line)
            yield Piece(number, start, len(line), None if isinstance(found, str) else found)
        start += len(line) + 1


def whole_length(data: bytes) -> int:
    """Returns how many bytes are whole lines: the last one may still be being written."""
    return data.rfind(b"\n") + 1


def record_of(line: bytes) -> Record | str:
    """Returns the record on a line, or why there is none."""
    try:
        text = line.decode("utf-8-sig")
        record = json.loads(text)
    except (ValueError, RecursionError):
        return "it was cut off in mid-write, or damaged"
    if not isinstance(record, dict):
        return "it is no record"
    return flaw_of(record) or ("it holds half a character" if holds_half(text, record) else record)
