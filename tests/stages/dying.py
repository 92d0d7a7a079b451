"""A run that is killed: a real child process that gets SIGKILL before a chosen line of the write path runs.

Lines are counted as the interpreter reaches them, so nothing of the product is replaced or told about it. Between
two lines there is at most one call to the operating system; where the disk did not change, dying is the same.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

Action = Callable[[], object]
OnLine = Callable[[int], None]
WRITE_PATH = ("brain/vault/write.py", "brain/vault/places.py", "brain/stages/commit.py")


@dataclass(frozen=True)
class Trail:
    """What a run to its end went through: how many lines, and before which of them it had changed the disk."""

    lines: int
    changes: tuple[int, ...]


def trail_of(action: Action, root: Path, *, meanwhile: Action | None = None, at: int = 0) -> Trail:
    """Runs `action` to its end in a child, with `meanwhile` before line `at`, and tells before which lines to kill it."""
    read, write = os.pipe()

    def body() -> None:
        changes: list[int] = []
        state = fingerprint(root)

        def look(line: int) -> None:
            nonlocal state
            if fingerprint(root) != state:
                changes.append(line)
            if line == at and meanwhile:
                meanwhile()
            state = fingerprint(root)

        lines = _traced(action, look)
        look(lines)
        os.write(write, " ".join(map(str, [lines, *changes])).encode())

    assert _exit_code_of(body) == 0
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        lines, *changes = map(int, pipe.read().split())
    return Trail(lines, tuple(changes))


def kill(action: Action, before: int, *, meanwhile: Action | None = None, at: int = 0) -> None:
    """Runs `action` in a child that is killed before a line (or at its end), with `meanwhile` before line `at`."""

    def look(line: int) -> None:
        if line == at and meanwhile:
            meanwhile()
        if line == before:
            os.kill(os.getpid(), signal.SIGKILL)

    assert _exit_code_of(lambda: look(_traced(action, look))) == -signal.SIGKILL


def fingerprint(folder: str | Path) -> tuple[tuple[str, int, int, int], ...]:
    """Every file under a folder but the lock, with the numbers that tell whether it changed."""
    found: list[tuple[str, int, int, int]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                found += [(entry.path, 0, 0, 0), *fingerprint(entry.path)]
            elif entry.name != "lock":
                found.append((entry.path, status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(sorted(found))


def _traced(action: Action, look: OnLine) -> int:
    """Counts the lines of the write path that `action` reaches, and calls `look` before each."""
    count = 0

    def on_line(_: FrameType, event: str, __: Any) -> Any:
        nonlocal count
        if event == "line":
            look(count)
            count += 1
        return on_line

    def on_call(frame: FrameType, _: str, __: Any) -> Any:
        return on_line if frame.f_code.co_filename.endswith(WRITE_PATH) else None

    sys.settrace(on_call)
    try:
        action()
    finally:
        sys.settrace(None)
    return count


def _exit_code_of(body: Action) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            body()
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
