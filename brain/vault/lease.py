"""Whether anybody has a file open for writing, where the system tells: Linux does, on its own file systems.

A file that was set aside has no name that others know. Once nobody has it open for writing, its bytes are final;
before that, what an editor that opened it earlier writes after it was looked at would be lost with it.
Source: fcntl(2), F_SETLEASE: a read lease is refused while the file is open for writing anywhere.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

WRITER_WAIT_S = 0.25
"""An editor that saves closes the file within milliseconds; who keeps it open longer is at work on it."""
POLL_S = 0.002

_tells: dict[int, bool] = {}
"""Device → whether leases can be had there; a network file system may refuse all."""


def is_being_written(file: Path, probe: Path) -> bool:
    """Tells whether a regular file is open for writing, and stays so; `probe` is a free name in the same folder.

    False where the system does not tell.
    """
    device = file.parent.stat().st_dev
    if device not in _tells:
        _tells[device] = _is_leased(probe)
    until = time.monotonic() + WRITER_WAIT_S
    while _tells[device] and _lease(file) is False:
        if time.monotonic() >= until:
            return True
        time.sleep(POLL_S)
    return False


def _is_leased(probe: Path) -> bool:
    """Tries it on a file that nobody else has open."""
    probe.touch(exist_ok=False)
    try:
        return _lease(probe) is True
    finally:
        probe.unlink()


def _lease(file: Path) -> bool | None:
    """Takes a read lease and gives it back; False when someone writes, None when the system does not tell."""
    try:
        import fcntl

        take, why = fcntl.F_SETLEASE, fcntl.F_SETSIG
    except (ImportError, AttributeError):
        return None
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.fcntl(handle, why, signal.SIGURG)  # who breaks the lease meanwhile must not end this process: this one is ignored
        fcntl.fcntl(handle, take, fcntl.F_RDLCK)
        fcntl.fcntl(handle, take, fcntl.F_UNLCK)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return None
    finally:
        os.close(handle)
