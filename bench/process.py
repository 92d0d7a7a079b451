"""Runs commands as a person would and says what they cost: wall time, CPU, memory, exit code, output."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RSS_UNIT = 1024 if sys.platform != "darwin" else 1
SAMPLE_S = 0.1


@dataclass(frozen=True, slots=True)
class Ran:
    """One finished command. `peak_bytes` is its largest process, `tree_bytes` all of them together (Linux, else 0)."""

    code: int
    wall_s: float
    cpu_s: float
    peak_bytes: int
    tree_bytes: int
    stdout: str
    stderr: str


def brain(*words: str) -> list[str]:
    """Returns the command line of `brain`, the installed one beside this Python when there is one."""
    installed = Path(sys.executable).with_name("brain")
    return [str(installed), *words] if installed.exists() else [sys.executable, "-m", "cli", *words]


def bench(module: str, *words: str) -> list[str]:
    """Returns the command line of a module of this folder."""
    return [sys.executable, "-m", f"bench.{module}", *words]


def environment(**changes: str) -> dict[str, str]:
    """Returns this environment with offline models, no vault of its own, and the changes."""
    kept = {name: value for name, value in os.environ.items() if name not in ("BRAIN_VAULT", "VAULT_ROOT")}
    return {**kept, "HF_HUB_OFFLINE": "1", "NO_COLOR": "1", "PYTHONPATH": str(ROOT), **changes}


def run(command: Sequence[str], *, env: Mapping[str, str], kill_after_s: float | None = None) -> Ran:
    """Runs a command to its end, or kills its whole group with SIGKILL after so many seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err, env=dict(env), cwd=ROOT, start_new_session=True)
        sampler = TreeSampler(child.pid)
        timer = threading.Timer(kill_after_s, _kill_group, (child.pid,)) if kill_after_s is not None else None
        if timer:
            timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
            _kill_group(child.pid)  # a killed parent must not leave workers behind
        return Ran(
            child.returncode, wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * RSS_UNIT, sampler.stop(), _text(out), _text(err)
        )


def must(command: Sequence[str], *, env: Mapping[str, str], codes: Sequence[int] = (0,)) -> Ran:
    """Runs a command that has to end with one of these codes.

    Raises: RuntimeError with what the command said.
    """
    ran = run(command, env=env)
    if ran.code not in codes:
        raise RuntimeError(f"{' '.join(command)} ended with {ran.code}\n{ran.stderr[-2000:] or ran.stdout[-2000:]}")
    return ran


class TreeSampler:
    """Adds up the proportional memory of a process and its descendants until stopped."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._loop, daemon=True)
        if Path("/proc/self/smaps_rollup").exists():
            self._thread.start()

    def stop(self) -> int:
        """Returns the largest sum seen, in bytes."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        return self._peak

    def _loop(self) -> None:
        while not self._stopped.wait(SAMPLE_S):
            self._peak = max(self._peak, sum(_proportional_bytes(pid) for pid in _family(self._pid)))


def _family(pid: int) -> list[int]:
    found, pending = [], [pid]
    while pending:
        current = pending.pop()
        found.append(current)
        try:
            tasks = list(Path(f"/proc/{current}/task").iterdir())
            for task in tasks:
                pending += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue  # it ended while we looked
    return found


def _proportional_bytes(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return 0
    return 0


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _text(file: object) -> str:
    file.seek(0)  # type: ignore[attr-defined]
    data: bytes = file.read()  # type: ignore[attr-defined]
    return data.decode("utf-8", "replace")


def own_peak_bytes() -> int:
    """Returns the peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
