"""The commands of a person's hands: what they print, that they change one thing, and that undo gives the bytes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import notes_of, run

HANDS = [
    ["rename", "House", "Home"], ["move", "Index", "House"], ["move", "Index", "--to", "Projects"], ["move", "Home Server", "--top"],
    ["retype", "Home Server", "concept", "--file"], ["describe", "Index", "What is where."], ["forget", "Index"], ["importance", "House", "0.5"],
    ["pin", "House"], ["tag", "House", "home", "#stone"], ["link", "House", "about", "Index", "--reason", "so"], ["unlink", "House", "Index"],
    ["merge", "Projects/Plan", "Archive/Plan.md"],
]  # fmt: skip


@pytest.mark.parametrize("words", HANDS, ids=lambda words: words[0])
def test_a_hand_is_shown_done_and_taken_back(vault: Path, words: list[str]) -> None:
    if words[0] == "unlink":
        run("link", "House", "about", "Index", vault=vault)
    before = notes_of(vault)
    rehearsed = run(*words, "--dry-run", vault=vault)
    assert rehearsed.code == 0
    assert "+++ " in rehearsed.out and "brain undo" not in rehearsed.out
    assert notes_of(vault) == before
    shown = run(*words, "--dry-run", "--json", vault=vault).json
    assert (shown["changed"], bool(shown["diff"]), shown["hand"]) == (False, True, words[0])
    done = run(*words, vault=vault)
    assert done.code == 0
    assert notes_of(vault) != before
    undone = run(*done.out.strip().splitlines()[-1].split()[1:3], vault=vault)
    assert undone.code == 0, undone
    assert notes_of(vault) == before


def test_the_same_once_more_says_that_there_is_nothing_to_do(vault: Path) -> None:
    run("pin", "House", vault=vault)
    again = run("pin", "House", vault=vault)
    assert (again.code, again.out) == (0, "nothing to do: House.md is pinned already\n")
    assert run("pin", "House", "--json", vault=vault).json["changed"] is False


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["pin", "Hose"], 1, '"House.md"'), (["pin", "Plan"], 1, "Archive/Plan.md, Projects/Plan.md"), (["retype", "House", "persn"], 2, '"person"'),
        (["link", "House", "abot", "Index"], 2, '"about"'), (["link", "House", "about"], 2, "three parts"), (["importance", "House", "x"], 2, "not a valid float"),
        (["importance", "House", "2"], 2, "0 to 1"), (["rename", "House", "../out"], 2, "--to FOLDER"), (["move", "House"], 2, "--to FOLDER"),
        (["move", "House", "Index", "--top"], 2, "one of the two"), (["merge", "House", "Index", "--into", "Evil"], 2, "neither"),
        (["split", "House"], 1, "nothing to take apart"), (["forget", "House"], 2, "Home Server.md would hang"), (["link", "--reason", "x"], 2, "three parts"),
    ],
)  # fmt: skip
def test_an_error_says_what_to_type_and_changes_nothing(vault: Path, words: list[str], code: int, said: str) -> None:
    before = notes_of(vault)
    ran = run(*words, vault=vault)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "cure:" in ran.err
    assert notes_of(vault) == before


def test_a_split_gives_two_notes_back(vault: Path) -> None:
    before = notes_of(vault)
    run("merge", "Projects/Plan", "Archive/Plan", vault=vault)
    assert "Archive/Plan.md" in run("split", "Archive/Plan", "--dry-run", vault=vault).out
    assert run("split", "Archive/Plan", "--json", vault=vault).json["report"]["left"] == []
    assert notes_of(vault) == before


def test_a_description_can_come_from_standard_input(vault: Path) -> None:
    run("describe", "Index", "-", vault=vault, stdin="From a pipe.\n")
    assert "From a pipe." in (vault / "Index.md").read_text()


def test_an_editor_changes_the_file_itself_and_it_is_indexed(vault: Path) -> None:
    editor = vault.parent / "editor"
    editor.write_text('#!/bin/sh\necho "quagga" >> "$1"\n')
    editor.chmod(0o755)
    ran = run("edit", "House", vault=vault, env={"VISUAL": "", "EDITOR": str(editor)})
    assert (ran.code, ran.err) == (0, "House.md was changed and indexed\n")
    assert "House.md" in run("search", "quagga", vault=vault).out


@pytest.mark.parametrize(("editor", "said"), [("", "No editor is set"), ("/nowhere/vi", "cannot be started"), ("false", "ended with 1")])
def test_without_a_working_editor_edit_says_what_to_do(vault: Path, editor: str, said: str) -> None:
    ran = run("edit", "House", vault=vault, env={"VISUAL": "", "EDITOR": editor})
    assert ran.code == 2
    assert said in ran.err and "cure:" in ran.err


def test_link_without_words_is_the_stage(vault: Path) -> None:
    assert run("link", "--dry-run", vault=vault).out.startswith("link: ")


@pytest.mark.parametrize("words", [("House", "-1"), ("-1", "--dry-run", "House"), ("House", "-0.5", "--json"), ("House", "--", "-1")])
def test_an_importance_below_zero_is_a_number_and_no_option(vault: Path, words: tuple[str, ...]) -> None:
    ran = run("importance", *words, vault=vault)
    assert (ran.code, ran.out) == (2, "")
    if words[0] == "House":
        assert "it goes from 0 to 1" in ran.err and "House.md" in ran.err
    assert "No such option '--of'" in run("importance", "House", "--of", vault=vault).err
