"""Locks: a file that lies there is no lock, and one that is held too long names who holds it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain.doctor.checks import examine
from brain.doctor.locks import stuck_locks
from tests.doctor.conftest import Make
from tests.laws.support import NOW

HOLD = """
import sys
from pathlib import Path
from brain.vault.lock import VaultLock
with VaultLock(Path(sys.argv[1]), 5).exclusive("a long walk"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(place: Path, hours: float) -> Iterator[subprocess.Popen[str]]:
    """Lets another process hold a lock that it took so many hours ago."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    os.utime(place, (NOW.timestamp() - hours * 3600,) * 2)
    try:
        yield process
    finally:
        process.communicate("")


@pytest.mark.parametrize(("name", "hours"), [("lock", 3), ("maintain.lock", 30)])
def test_a_lock_that_is_held_too_long_names_who_holds_it_and_passes_when_that_ends(make: Make, name: str, hours: float) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    place = space.layout.state / name
    with held(place, hours) as process:
        (found,) = stuck_locks(space)
        assert (found.code, found.severity, found.path) == ("stuck-lock", "warning", f".brain/{name}")
        assert f"for {hours} hours by process {process.pid} (a long walk), which is running" in found.message
        assert found.cure.endswith(f"kill {process.pid}")
    assert list(stuck_locks(space)) == []


@pytest.mark.parametrize(("name", "hours"), [("lock", 1), ("maintain.lock", 10)])
def test_a_lock_of_somebody_at_work_is_fine(make: Make, name: str, hours: float) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    with held(space.layout.state / name, hours):
        assert list(stuck_locks(space)) == []


def test_an_old_lock_file_is_no_lock(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    (space.layout.state / "maintain.lock").write_text("999999 maintain\n")
    for name in ("lock", "maintain.lock"):
        os.utime(space.layout.state / name, (0, 0))
    assert examine(space) == ()
    assert (space.layout.state / "maintain.lock").read_text() == "999999 maintain\n"
