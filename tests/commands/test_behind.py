"""What reading commands say when files changed since they were indexed, and when a folder is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import run

BEHIND = "the index is behind by 1 file: brain index\n"
READING = [["search", "laptop"], ["get", "House"], ["links", "House"], ["list"], ["tree"]]


@pytest.fixture
def edited(vault: Path) -> Path:
    """A vault in which one note changed since it was indexed."""
    run("index", vault=vault)
    (vault / "House.md").write_text("# House\n\nA zebra. [[Home Server]]\n", "utf-8")
    return vault


@pytest.mark.parametrize("args", READING, ids=" ".join)
def test_a_reading_command_says_once_that_the_index_is_behind(edited: Path, args: list[str]) -> None:
    ran = run(*args, vault=edited)
    assert (ran.code, ran.err) == (0, BEHIND) and ran.out
    run("index", vault=edited)
    assert run(*args, vault=edited).err == ""


@pytest.mark.parametrize("args", READING, ids=" ".join)
def test_json_stays_a_document_of_its_own(edited: Path, args: list[str]) -> None:
    ran = run(*args, "--json", vault=edited)
    assert ran.json and ran.err == BEHIND


def test_words_that_are_not_indexed_yet_are_not_found_and_the_reason_is_said(edited: Path) -> None:
    ran = run("search", "zebra", "--folder", "Projects", vault=edited)
    assert ran.code == 1 and BEHIND in ran.err


def test_a_note_that_was_renamed_is_not_found_and_the_reason_comes_first(vault: Path) -> None:
    run("index", vault=vault)
    (vault / "House.md").rename(vault / "Cottage.md")
    ran = run("get", "House", vault=vault)
    assert ran.code != 0
    assert ran.err.startswith("the index is behind by 2 files: brain index\nerror: ")


@pytest.mark.parametrize(("bound", "says"), [("5", False), ("6", True), ("0", False)])
def test_above_a_number_of_notes_nobody_looks(edited: Path, bound: str, says: bool) -> None:
    (edited / "brain.toml").write_text(f"[limits]\nlook_notes_max = {bound}\n", "utf-8")
    assert (BEHIND in run("list", vault=edited).err) is says


@pytest.mark.parametrize("args", [["search", "plan", "--folder", "Projcts"], ["list", "--folder", "projcts/"]], ids=" ".join)
def test_a_folder_that_is_none_is_said_with_the_one_that_was_meant(library: Path, args: list[str]) -> None:
    ran = run(*args, vault=library)
    assert ran.code == 1
    assert "No note lies in a folder" in ran.err and 'did you mean "Projects"?' in ran.err


def test_a_folder_that_is_one_is_not_remarked_upon(library: Path) -> None:
    for folder in ("Projects", "/projects/", ".", ""):
        assert "folder" not in run("search", "plan", "--folder", folder, vault=library).err
