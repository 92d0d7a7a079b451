"""The lines of a journal file: which are records, and where each lies. Reads only.

A line counts once it has its end: before that it may be in the middle of being written, or was torn by a kill.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]

_REQUIRED: dict[str, tuple[str, ...]] = {
    "touched": ("ids",), "moved": ("from", "to", "id"), "run_started": ("run",), "intended": ("item", "run", "decision", "stage", "files"),
    "landed": ("item", "decision"), "rolled_back": ("item",), "undone": ("item", "within"),
    "declined": ("decision", "items", "within"), "held": ("decision",), "walked": ("id", "item", "sha256", "body_sha256"),
    "provenance": ("item",),
}  # fmt: skip


class Piece(NamedTuple):
    """A line of a file: `number` from 1 on, its `length` in bytes from byte `start` on; `record` None: it is none."""

    number: int
    start: int
    length: int
    record: Record | None


def pieces_of(path: Path, start: int = 0, number: int = 0) -> Iterator[Piece]:
    """Yields the lines that are whole and not blank, from byte `start` on, which follows line `number`."""
    with open(path, "rb") as file:
        file.seek(start)
        data = file.read()
    for line in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]:
        number += 1
        if line.strip():
            yield Piece(number, start, len(line), _record_of(line))
        start += len(line) + 1


def is_record(record: Record) -> bool:
    """Tells whether a record has what its kind is read for; a kind of a later version is fine."""
    return isinstance(record.get("kind"), str) and all(name in record for name in ("at", *_REQUIRED.get(record["kind"], ())))


def _record_of(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and is_record(record) else None
