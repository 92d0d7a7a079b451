"""A command that is killed leaves the vault free at once, whatever processes it had begun."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain.sync.rebuild import FILES_FOR_PROCESSES_MIN
from brain.vault.layout import Layout
from brain.vault.lock import VaultLock

WAIT_S = 60.0
pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are looked up in /proc"),
    pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="with one processor there are no workers"),
]


@pytest.fixture
def index(tmp_path: Path, engine: str) -> Iterator[subprocess.Popen[bytes]]:
    """A first index of a vault so large that worker processes parse it."""
    for number in range(FILES_FOR_PROCESSES_MIN * 2):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n\n" + "[[1]] some words of a note\n" * 200)
    command = [sys.executable, "-m", "cli", "--vault", str(tmp_path), "index"]
    env = {**os.environ, "BRAIN_ENGINE": engine, "BRAIN_EMBED_MODEL": "none"}
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield process
    process.kill()
    process.wait()


def test_workers_of_a_killed_index_do_not_hold_its_lock(tmp_path: Path, index: subprocess.Popen[bytes]) -> None:
    workers = workers_of(index)
    lock = VaultLock(Layout(tmp_path).lock_path, 0.0)
    index.send_signal(signal.SIGKILL)
    index.wait()
    with lock.exclusive("a test"):
        assert any(is_alive(pid) for pid in workers), "they ended before the lock was taken, so this shows nothing"
    until = time.monotonic() + WAIT_S
    while any(is_alive(pid) for pid in workers):  # and they do not outlive it for long
        assert time.monotonic() < until
        time.sleep(0.05)


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Waits until the processes that parse have begun to."""
    until = time.monotonic() + WAIT_S
    while process.poll() is None and time.monotonic() < until:
        workers = [pid for pid in children_of(process.pid) if is_at_work(pid)]
        if len(workers) > 1:
            return workers
        time.sleep(0.01)
    raise AssertionError(f"no workers were seen; the command ended with {process.poll()}")


def is_at_work(pid: int) -> bool:
    """Tells whether a worker has read notes: by then it is set up."""
    try:
        return int(next(line for line in Path(f"/proc/{pid}/io").read_text().splitlines() if line.startswith("rchar")).split()[1]) > 100_000
    except OSError:
        return False


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            continue
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
