"""Work that takes long: what is said when it begins and ends, and how it is stopped."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.commands.common import COUNT_TOLD_MIN
from tests.commands.support import ROOT, run, spawn
from tests.commands.test_exits import environment, on_terminal


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A vault of as many notes as are worth a line."""
    root = tmp_path / "shelf"
    root.mkdir()
    for number in range(COUNT_TOLD_MIN):
        (root / f"{number}.md").write_text(f"# Note {number}\n\nwords about {number}\n", "utf-8")
    return root


def test_long_work_says_off_a_terminal_that_it_begins_and_that_it_is_done(shelf: Path) -> None:
    ran = spawn("index", "--json", vault=shelf, env={"BRAIN_EMBED_MODEL": "lexical"})
    assert re.fullmatch(rf"indexing {COUNT_TOLD_MIN} notes …\nembedding {COUNT_TOLD_MIN} texts …\ndone in \d+ s\n", ran.err)
    assert ran.json["notes"] == COUNT_TOLD_MIN
    assert re.fullmatch(rf"indexing {COUNT_TOLD_MIN} notes …\n(embedding .*\n)?done in \d+ s\n", run("rebuild", vault=shelf).err)


def test_short_work_is_not_worth_a_line(shelf: Path) -> None:
    run("index", vault=shelf)
    (shelf / "New.md").write_text("new\n", "utf-8")
    for _ in range(2):
        assert run("index", vault=shelf).err == ""


def test_a_terminal_gets_the_same_lines_and_a_bar_besides(shelf: Path) -> None:
    said, code, data = on_terminal(["index"], shelf)
    assert code == 0
    assert f"indexing {COUNT_TOLD_MIN} notes …" in said and "done in" in said
    assert "\x1b[" in said and "\x1b" not in data
    assert "\x1b[" not in spawn("rebuild", vault=shelf).err


def test_stopping_a_watch_says_nothing_more_and_is_fine(vault: Path) -> None:
    def change() -> str:
        (vault / "New.md").write_text("new\n", "utf-8")
        return "7 notes, 1 added\n"

    run("index", vault=vault)
    assert watched(vault, "6 notes\n", then=change) == (f"watching {vault} (Ctrl-C stops)\n", "")


@pytest.mark.parametrize("args", [["walk"], ["maintain"], ["add", "Some words."], ["setup", "--name", "Ada"]], ids=" ".join)
def test_a_first_index_is_told_by_whatever_command_makes_it(shelf: Path, args: list[str]) -> None:
    ran = spawn(*args, vault=shelf)
    assert ran.code == 0
    assert f"indexing {COUNT_TOLD_MIN} notes …\n" in ran.err


def test_a_watch_tells_of_its_first_index_too(shelf: Path) -> None:
    said, out = watched(shelf, f"{COUNT_TOLD_MIN} notes, {COUNT_TOLD_MIN} added, index made anew (there was no index)\n")
    assert said.startswith(f"watching {shelf} (Ctrl-C stops)\nindexing {COUNT_TOLD_MIN} notes …\ndone in ")
    assert out == ""


def watched(vault: Path, first: str, *, then: Callable[[], str] | None = None) -> tuple[str, str]:
    """Watches until the first line has come, and the one after `then`, which returns it; stops it, and returns what else was said."""
    command = [sys.executable, "-m", "cli", "--vault", str(vault), "watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=ROOT, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == first
            time.sleep(1)  # until it listens
            if then is not None:
                line = then()
                assert process.stdout.readline() == line
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    return err, out
