"""Two runs at once, and folders that may not be written: nothing is said twice, nothing is lost, and nothing ends in a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.support import OFFLINE, ROOT, notes_of, run, spawn
from tests.commands.test_exits import read_only

EPISODE = "---\ntype: episode\ncreated: 2026-03-04\n---\n"
EPISODES = 8


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "Inbox").mkdir()
    (tmp_path / "Boat.md").write_text("Red.\n")
    for number in range(EPISODES):
        (tmp_path / "Inbox" / f"E{number}.md").write_text(f"{EPISODE}Risk: [[Boat]] leaks at plank {number}\nFact: [[Thing {number}]] is number {number}\n")
    assert run("index", vault=tmp_path).code == 0
    return tmp_path


def walking(vault: Path) -> subprocess.Popen[bytes]:
    env = {**os.environ, **OFFLINE, "BRAIN_LOCK_WAIT_S": "60", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-m", "cli", "--vault", str(vault), "walk"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


def test_two_walks_at_once_say_each_thing_once(vault: Path) -> None:
    runs = [walking(vault) for _ in range(2)]
    said = [process.communicate(timeout=200)[1].decode() for process in runs]
    assert "Traceback" not in "".join(said)
    assert run("walk", vault=vault).code == 0
    text = (vault / "Boat.md").read_text()
    assert [text.count(f"leaks at plank {number}") for number in range(EPISODES)] == [1] * EPISODES
    things = sorted(path.name for path in (vault / "Memory" / "Concepts").iterdir())
    assert things == [f"Thing {number}.md" for number in range(EPISODES)]
    assert all(path.read_text().count("\n- (") == 1 for path in (vault / "Memory" / "Concepts").iterdir())
    before = notes_of(vault)
    assert run("walk", vault=vault).code == 0 and notes_of(vault) == before


@pytest.mark.parametrize("folder", ["Inbox", "Memory"])
def test_a_folder_that_may_not_be_written_ends_in_a_clear_line_and_loses_nothing(vault: Path, folder: str) -> None:
    place = vault / folder
    place.mkdir(exist_ok=True)
    inside = {path: data for path, data in notes_of(vault).items() if path.startswith(f"{folder}/")}
    with read_only(place) as before_exec:
        done = spawn("walk", vault=vault, before=before_exec)
        assert "Traceback" not in done.err and (done.code == 0) == (folder == "Inbox")
        assert {path: data for path, data in notes_of(vault).items() if path.startswith(f"{folder}/")} == inside
    assert run("walk", vault=vault).code == 0
    text = (vault / "Boat.md").read_text()
    assert [text.count(f"leaks at plank {number}") for number in range(EPISODES)] == [1] * EPISODES
