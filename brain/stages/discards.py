"""`.brain/discarded.jsonl`: the candidates that were not written, with why, so that none is lost. Not a note, and not the journal.

The file is never followed when it is a link, and is set aside as `discarded.1.jsonl` once it is full.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from brain.config import STATE_FOLDER
from brain.core.proposal import Candidate
from brain.errors import BrainError, NotFound, UsageError
from brain.stages.context import Context
from brain.stages.deciding import Similar
from brain.vault.store import read_regular

NAME, OLDER, IGNORED = "discarded.jsonl", "discarded.1.jsonl", "discarded*.jsonl"
LOG_BYTES_MAX = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Beside:
    """A note that a candidate was compared with: its hash then, and how alike they were."""

    path: str
    sha256: str
    score: float


@dataclass(frozen=True, slots=True)
class Discarded:
    """One candidate that was not written; `number` counts from the latest."""

    number: int
    at: str
    why: str
    candidate: Candidate
    similar: tuple[Beside, ...]


@dataclass(frozen=True, slots=True)
class Discards:
    """All of them, the latest first, and how many lines could not be read."""

    entries: tuple[Discarded, ...]
    unreadable: int

    def entry(self, number: int) -> Discarded:
        """Returns one of them by its number. Raises: NotFound."""
        if not 1 <= number <= len(self.entries):
            raise NotFound(f"There is no discarded candidate {number}; there are {len(self.entries)}.", "brain discards list")
        return self.entries[number - 1]


def keep(ctx: Context, candidate: Candidate, why: str, similar: Sequence[Similar]) -> None:
    """Appends a candidate that was not written. Raises: BrainError when the file is a link or the disk refuses, Locked."""
    beside = [asdict(Beside(known.path, known.source.sha256, round(known.likeness, 4))) for known in similar]
    record = {"at": ctx.at, "why": why, "candidate": asdict(candidate), "similar": beside}
    line = json.dumps(record, ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace") + b"\n"
    folder = ctx.vault.root / STATE_FOLDER
    with ctx.lock.exclusive("propose"):
        try:
            folder.mkdir(exist_ok=True)
            _append(folder, line)
            _ignored(folder / ".gitignore")
        except OSError as error:
            raise BrainError(f"{STATE_FOLDER}/{NAME} could not be written: {error.strerror}.", f"look at {STATE_FOLDER}/{NAME}: it must be a plain file") from error


def discards(ctx: Context) -> Discards:
    """Reads the file and the one before it, latest first. Raises: BrainError when one cannot be read."""
    entries: list[Discarded] = []
    unreadable = 0
    for name in (NAME, OLDER):
        for line in reversed(_lines(ctx.vault.root / STATE_FOLDER / name, name)):
            found = _read(len(entries) + 1, line)
            entries += [found] if found else []
            unreadable += found is None
    return Discards(tuple(entries), unreadable)


def _append(folder: Path, line: bytes) -> None:
    path = folder / NAME
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags, 0o600)
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise UsageError(f"{STATE_FOLDER}/{NAME} is not a file.", "move it away, then run it again")
    if status.st_size and status.st_size + len(line) > LOG_BYTES_MAX:
        os.close(handle)
        os.replace(path, folder / OLDER)
        handle = os.open(path, flags, 0o600)
        status = os.fstat(handle)
    try:
        is_torn = status.st_size > 0 and os.pread(handle, 1, status.st_size - 1) != b"\n"
        data = b"\n" + line if is_torn else line
        while data:
            data = data[os.write(handle, data) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _ignored(path: Path) -> None:
    """Names the file in `.brain/.gitignore`, once, where there is one."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return  # no such file: nothing here is ignored
    with os.fdopen(handle, "r+b") as file:
        text = file.read()
        if IGNORED.encode() not in text.split():
            file.write((b"" if not text or text.endswith(b"\n") else b"\n") + f"{IGNORED}\n".encode())


def _lines(path: Path, shown: str) -> list[bytes]:
    try:
        data = read_regular(path, shown)
    except NotFound:
        return []
    return [line for line in data.split(b"\n") if line.strip()]


def _read(number: int, line: bytes) -> Discarded | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not all(isinstance(record.get(name), str) for name in ("at", "why")):
        return None
    candidate, similar = _candidate(record.get("candidate")), record.get("similar")
    if candidate is None or not isinstance(similar, list):
        return None
    beside = [found for item in similar if (found := _beside(item)) is not None]
    return Discarded(number, record["at"], record["why"], candidate, tuple(beside)) if len(beside) == len(similar) else None


def _candidate(value: Any) -> Candidate | None:
    names = {field.name for field in fields(Candidate)}
    if not isinstance(value, dict) or value.keys() != names or not all(item is None or isinstance(item, str) for item in value.values()):
        return None
    return Candidate(**value) if value["title"] is not None and value["body"] is not None else None


def _beside(value: Any) -> Beside | None:
    if not isinstance(value, dict) or value.keys() != {field.name for field in fields(Beside)}:
        return None
    is_number = isinstance(value["score"], int | float) and not isinstance(value["score"], bool)
    return Beside(**value) if isinstance(value["path"], str) and isinstance(value["sha256"], str) and is_number else None
