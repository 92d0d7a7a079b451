"""Who has a file open for writing is told apart from who reads it, and from who is done."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from brain.vault.lease import WRITER_WAIT_S, is_being_written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "A.md").write_text("words")
    if not is_told(tmp_path):
        pytest.skip("this file system does not tell")
    return tmp_path / "A.md"


def is_told(folder: Path) -> bool:
    with open(folder / "open", "w"):
        return is_being_written(folder / "open", folder / "probe")


def test_a_closed_file_is_nobodys(file: Path) -> None:
    assert not is_being_written(file, file.with_name("probe"))
    assert sorted(place.name for place in file.parent.iterdir()) == ["A.md", "open"]


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_a_file_open_for_writing_is_somebodys(file: Path, mode: str) -> None:
    with open(file, mode):
        began = time.monotonic()
        assert is_being_written(file, file.with_name("probe"))
        assert time.monotonic() - began >= WRITER_WAIT_S
    assert not is_being_written(file, file.with_name("probe"))


def test_readers_do_not_count(file: Path) -> None:
    with open(file):
        assert not is_being_written(file, file.with_name("probe"))


def test_a_save_that_ends_soon_is_waited_for(file: Path) -> None:
    held = open(file, "a")  # noqa: SIM115
    threading.Timer(WRITER_WAIT_S / 5, held.close).start()
    assert not is_being_written(file, file.with_name("probe"))
    assert held.closed


def test_a_link_is_not_followed(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to(file)
    with open(file, "a"):
        assert not is_being_written(link, file.with_name("probe"))
