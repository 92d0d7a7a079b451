"""One writer or many readers; a waiter gets a clear word, never a hang."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from brain.errors import Locked
from brain.vault.lock import VaultLock

HOLD = """
import sys, time
from pathlib import Path
from brain.vault.lock import VaultLock
lock = VaultLock(Path(sys.argv[1]), 1.0)
with (lock.exclusive if sys.argv[2] == 'x' else lock.shared)('test holder'):
    print('held', flush=True)
    sys.stdin.readline()
"""


def holder(path: Path, how: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate("\n", timeout=10)


def test_a_second_writer_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    process = holder(tmp_path / "lock", "x")
    with pytest.raises(Locked, match=rf"process {process.pid} \(test holder\)"), VaultLock(tmp_path / "lock", 0.1).exclusive("me"):
        pass
    end(process)
    with VaultLock(tmp_path / "lock", 0.1).exclusive("me"):
        pass


def test_readers_share_and_keep_a_writer_out(tmp_path: Path) -> None:
    process = holder(tmp_path / "lock", "s")
    with VaultLock(tmp_path / "lock", 0.1).shared("me"):
        pass
    with pytest.raises(Locked), VaultLock(tmp_path / "lock", 0.1).exclusive("me"):
        pass
    end(process)


def test_a_killed_holder_leaves_the_lock_free(tmp_path: Path) -> None:
    process = holder(tmp_path / "lock", "x")
    process.kill()
    process.wait()
    with VaultLock(tmp_path / "lock", 0.5).exclusive("me"):
        pass


def test_the_lock_is_reentrant_in_one_process(tmp_path: Path) -> None:
    lock = VaultLock(tmp_path / "lock", 0.1)
    with lock.exclusive("outer"), lock.exclusive("inner"), lock.shared("reading"):
        pass
    with lock.exclusive("again"):
        pass


def test_a_reader_cannot_become_a_writer(tmp_path: Path) -> None:
    lock = VaultLock(tmp_path / "lock", 0.1)
    with lock.shared("reading"), pytest.raises(AssertionError), lock.exclusive("writing"):
        pass


GREEDY = """
import sys, time
from pathlib import Path
from brain.vault.lock import VaultLock
lock = VaultLock(Path(sys.argv[1]), 1.0)
while True:
    with lock.exclusive('many plans'):
        print('held', flush=True)
        time.sleep(0.3)
"""


def test_a_run_of_many_plans_lets_those_that_wait_have_the_lock_between_two_of_them(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", GREEDY, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    try:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        with VaultLock(tmp_path / "lock", 4.0).shared("a reader"):
            pass
    finally:
        process.kill()
        process.communicate()
