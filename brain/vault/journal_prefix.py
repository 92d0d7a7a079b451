"""Whether a journal file still begins as it did: what was made of its first bytes counts for as long as it does. Reads only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from brain.core.ids import sha256_hex


@dataclass(frozen=True, slots=True)
class Prefix:
    """The first bytes of a file: how many, their hash, and what stat said of the file before they were read."""

    bytes: int
    sha256: str
    numbers: str


NO_PREFIX = Prefix(0, sha256_hex(b""), "")
"""What is known of a file that was never read."""


def begins_so(path: Path, prefix: Prefix) -> bool:
    """Tells whether a file begins with these bytes; when stat says the same as then, it is not read."""
    return numbers_of(path) == prefix.numbers or digest_of(path, prefix.bytes) == prefix.sha256


def numbers_of(path: Path) -> str:
    """Returns what tells one state of a file from another without reading it; empty when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def digest_of(path: Path, size: int) -> str:
    """Returns the hash of the first bytes of a file; empty when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return sha256_hex(file.read(size))
    except OSError:
        return ""
