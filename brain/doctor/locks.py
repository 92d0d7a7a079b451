"""Checks of the locks: whether one has been held for so long that nobody can be at work. Takes none for longer than a look.

A lock is the kernel's, so that it ends with the process that held it: a lock file that lies there is no lock. What
can be known is that somebody holds it now, since when it was last taken, and who wrote into it then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from brain.config import STATE_FOLDER
from brain.core.finding import Finding
from brain.errors import BrainError, Locked
from brain.sync.space import Space
from brain.vault.lock import VaultLock

HELD_HOURS_MAX = {"lock": 2, "maintain.lock": 24}
"""A rebuild of the largest vaults takes minutes; a night with a language model hours."""


def stuck_locks(space: Space) -> Iterator[Finding]:
    """Locks that are held now and were taken too long ago."""
    for name, hours_max in HELD_HOURS_MAX.items():
        place = space.layout.state / name
        hours = _held_hours(place, space.clock.now().timestamp())
        if hours is not None and hours > hours_max:
            pid, _, purpose = place.read_text("utf-8", "replace").strip().partition(" ")
            path = f"{STATE_FOLDER}/{name}"
            message = f"It is held for {hours:.0f} hours by process {pid} ({purpose}), {_state_of(pid)}."
            yield Finding("stuck-lock", "warning", path, 0, message, _cure(pid, path))


def _held_hours(place: Path, now: float) -> float | None:
    """Returns how long ago a lock was taken that somebody holds; None for one that is free."""
    try:
        taken = place.stat().st_mtime
        with VaultLock(place, 0.0).shared("a look"):
            return None
    except Locked:
        return (now - taken) / 3600
    except (OSError, BrainError):
        return None  # there is none, or it cannot be looked at


def _state_of(pid: str) -> str:
    return "which is running" if _runs(pid) else "which is not running here: another machine, or a process that it left behind"


def _cure(pid: str, path: str) -> str:
    return f"look what it does: ps -fp {pid}; end it when it is stuck: kill {pid}" if _runs(pid) else f"find who has it open: fuser -v {path}"


def _runs(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (ValueError, OSError, OverflowError):
        return False
    return True
