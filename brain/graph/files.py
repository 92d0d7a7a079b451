"""A graph file and what the engine keeps beside it: where they are, moving them aside, taking them away. Loads no engine."""

from __future__ import annotations

import os
import re
from pathlib import Path

QUARANTINED_MAX = 3
_SIBLINGS = (".wal", ".shadow", ".tmp", ".checkpoint", ".wal.checkpoint")


def log_of(path: Path) -> Path:
    """Returns the place of the log beside a graph file: what was changed and is not yet written into the file."""
    return _sibling(path, ".wal")


def remove_graph(path: Path) -> None:
    """Deletes a graph file and all that belongs to it; a missing one is fine."""
    for part in (*(_sibling(path, suffix) for suffix in _SIBLINGS), path):
        part.unlink(missing_ok=True)


def quarantine(path: Path) -> Path | None:
    """Moves a graph file aside with all that belongs to it, keeping the last three; returns its new path.

    None when there was nothing to move.
    """
    numbers = sorted(_quarantined(path))
    aside = _sibling(path, f".broken-{(numbers or [0])[-1] + 1}")
    is_moved = False
    for suffix in (*_SIBLINGS, ""):
        part = _sibling(path, suffix)
        if part.exists():
            os.replace(part, _sibling(aside, suffix))
            is_moved = True
    if not is_moved:
        return None
    for number in numbers[: max(0, len(numbers) + 1 - QUARANTINED_MAX)]:
        remove_graph(_sibling(path, f".broken-{number}"))
    return aside


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _quarantined(path: Path) -> set[int]:
    pattern = re.compile(re.escape(path.name) + r"\.broken-(\d+)(?:\..*)?")
    if not path.parent.is_dir():
        return set()
    return {int(match[1]) for entry in path.parent.iterdir() if (match := pattern.fullmatch(entry.name))}
