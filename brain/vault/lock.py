"""The one lock of a vault, on `.brain/lock`: many readers of the graph, or one writer.

Never on a database file itself: the engine's POSIX lock is dropped when the same process opens that
file again. Never held during a model call. portalocker does the platform's part.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from brain.errors import BrainError, Locked

POLL_S = 0.02
LONG_HOLD_S = 0.2
"""Who held the lock alone for longer lets those that wait have it before taking it again."""


class VaultLock:
    """A shared or exclusive lock; re-entrant within one process and thread-safe."""

    def __init__(self, path: Path, wait_s: float) -> None:
        self._path = path
        self._wait_s = wait_s
        self._guard = threading.RLock()
        self._depth = 0
        self._is_exclusive = False
        self._file: IO[str] | None = None
        self._taken_at = self._free_since = 0.0

    @contextmanager
    def exclusive(self, purpose: str) -> Iterator[None]:
        """Holds the lock alone.

        Raises: Locked when it is not free within the wait limit; the message names the holder.
        """
        with self._held(purpose, exclusive=True):
            yield

    @contextmanager
    def shared(self, purpose: str) -> Iterator[None]:
        """Holds the lock beside other readers. Raises: Locked."""
        with self._held(purpose, exclusive=False):
            yield

    @contextmanager
    def _held(self, purpose: str, *, exclusive: bool) -> Iterator[None]:
        if not self._guard.acquire(timeout=self._wait_s):
            raise Locked("Another thread of this process holds the vault.", "try again in a moment")
        try:
            if self._depth == 0:
                self._take(purpose, exclusive=exclusive)
            elif exclusive and not self._is_exclusive:
                raise AssertionError("a shared lock cannot become exclusive: take the exclusive one first")
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._release()
        finally:
            self._guard.release()

    def _take(self, purpose: str, *, exclusive: bool) -> None:
        import portalocker

        flags = (portalocker.LOCK_EX if exclusive else portalocker.LOCK_SH) | portalocker.LOCK_NB
        self._let_others_in()
        file = self._opened(exclusive=exclusive)
        deadline = time.monotonic() + self._wait_s
        while True:
            try:
                portalocker.lock(file, flags)
                break
            except (portalocker.LockException, portalocker.AlreadyLocked):
                if time.monotonic() >= deadline:
                    holder = self._holder()
                    file.close()
                    raise Locked(
                        f"The vault is in use by {holder} (waited {self._wait_s:g} s).", "try again, or end that process"
                    ) from None
                time.sleep(POLL_S)
        if exclusive:
            file.seek(0)
            file.truncate()
            file.write(f"{os.getpid()} {purpose}\n")
            file.flush()
        self._file, self._is_exclusive = file, exclusive
        self._taken_at = time.monotonic()

    def _let_others_in(self) -> None:
        """Waits as long as others sleep between two tries, after a long hold that has only just ended: a run of many plans
        would else take the lock again each time before anyone who waits is awake."""
        is_just_free = time.monotonic() - self._free_since < 2 * POLL_S
        if self._free_since - self._taken_at > LONG_HOLD_S and is_just_free:
            time.sleep(2 * POLL_S)

    def descriptor(self) -> int | None:
        """Returns the open lock file's number, for a forked worker to close: else it would hold the lock beyond us."""
        return None if self._file is None else self._file.fileno()

    def _opened(self, *, exclusive: bool) -> IO[str]:
        if not exclusive and self._path.exists() and not os.access(self._path, os.W_OK):
            return open(self._path, encoding="utf-8")  # a vault that may only be read can be shared
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return open(self._path, "a+", encoding="utf-8")
        except OSError as error:
            message = f"The vault cannot be locked: {self._path} cannot be opened ({error.strerror})."
            raise BrainError(message, "make the vault's .brain folder writable, then run the command again") from error

    def _release(self) -> None:
        import portalocker

        assert self._file is not None
        portalocker.unlock(self._file)
        self._file.close()
        self._file, self._is_exclusive = None, False
        self._free_since = time.monotonic()

    def _holder(self) -> str:
        try:
            pid, _, purpose = self._path.read_text("utf-8").strip().partition(" ")
        except OSError:
            return "another process"
        return f"process {pid} ({purpose or 'reading'})" if pid.isdigit() else "another process"
