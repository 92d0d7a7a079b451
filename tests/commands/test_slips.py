"""A slip is answered with what was likely meant, and with where to find all there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import notes_of, run

KINDS = "person, organization, project"


@pytest.mark.parametrize(
    ("args", "code", "meant"),
    [
        (["serch", "x"], 2, '"search"'),
        (["stat"], 2, '"status"'),
        (["get", "Home Sever"], 1, '"Home Server.md"'),
        (["links", "hoem server"], 1, '"Home Server.md"'),
        (["tree", "Basment box"], 1, '"Home Server.md"'),
        (["get", "Projcts/Plan"], 1, '"Projects/Plan.md"'),
        (["get", "[[Plam]]"], 1, '"Archive/Plan.md"'),
        (["cypher", "--name", "orphan"], 1, '"orphans"'),
        (["search", "x", "--kind", "persn"], 2, '"person"'),
        (["list", "--kind", "note", "--kind", "projct"], 2, '"project"'),
        (["list", "--status", "activ"], 2, '"active"'),
        (["search", "x", "--mode", "hybird"], 2, '"hybrid"'),
        (["cypher", "RETURN 1", "--format", "jsn"], 2, '"json"'),
        (["cypher", "MATCH (n:Note) RETURN n.titel"], 2, '"title"'),
        (["search", "x", "--limt", "3"], 2, "--limit"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_slip_is_answered_with_what_was_meant(library: Path, args: list[str], code: int, meant: str) -> None:
    ran = run(*args, vault=library)
    assert (ran.code, ran.out) == (code, "")
    assert "did you mean" in ran.err.lower()
    assert meant in ran.err


def test_what_is_like_nothing_is_answered_with_where_to_look(library: Path) -> None:
    for args, where in ((["zebra"], "brain --help"), (["get", "xylophone"], "brain list"), (["cypher", "--name", "zebra"], "orphans")):
        ran = run(*args, vault=library)
        assert "did you mean" not in ran.err
        assert where in ran.err


def test_at_most_three_notes_are_named(vault: Path) -> None:
    for number in range(5):
        (vault / f"Journal {number}.md").write_text("a day\n", "utf-8")
    run("index", vault=vault)
    assert run("get", "Journal 9", vault=vault).err.count(".md") == 3


@pytest.mark.parametrize("kind", ["Person", "people", "open question", "Open-Question", "company"])
def test_a_kind_may_be_written_as_people_do(library: Path, kind: str) -> None:
    assert run("list", "--kind", kind, vault=library).code == 1  # understood, and there is none


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("ownr = 'Ada'", '"owner"'), ("[embed]\nmodle = 'x'", '"model"'), ("[limit]\nlock_wait_s = 1", '"limits"'),
        ("lock_wait_s = 1", "[limits]"), ("engine = 'kuzuu'", '"kuzu"'),
    ],
)  # fmt: skip
def test_a_setting_that_is_none_is_answered_with_the_nearest(vault: Path, line: str, meant: str) -> None:
    (vault / "brain.toml").write_text(f"{line}\n", "utf-8")
    ran = run("status", vault=vault, env={"BRAIN_ENGINE": ""})
    assert (ran.code, ran.out) == (2, "")
    assert meant in ran.err


def test_a_folder_that_is_not_there_is_answered_with_its_neighbour(vault: Path) -> None:
    ran = run("index", vault.parent / "vualt")
    assert ran.code == 1
    assert 'did you mean "vault"?' in ran.err


def test_a_file_is_no_vault_and_the_one_it_lies_in_is_named(vault: Path, tmp_path: Path) -> None:
    ran = run("index", vault / "House.md")
    assert (ran.code, ran.out) == (2, "")
    assert f'brain --vault "{vault}" index' in ran.err
    (tmp_path / "alone.md").write_text("alone\n", "utf-8")
    assert f'brain --vault "{tmp_path}" index' in run("index", tmp_path / "alone.md").err
    assert not (tmp_path / ".brain").exists()


def test_a_folder_inside_a_vault_is_not_made_a_second_one_by_a_slip(vault: Path) -> None:
    before = notes_of(vault)
    for ran in (run("index", vault / "Projects"), run("index", vault=vault / "Projects"), run("index", env={"BRAIN_VAULT": str(vault / "Projects")})):
        assert (ran.code, ran.out) == (2, "")
        assert f"lies inside the vault {vault}" in ran.err
        assert "--adopt" in ran.err
    assert notes_of(vault) == before
    assert not (vault / "Projects" / ".brain").exists()


def test_it_becomes_one_when_a_person_says_so(vault: Path) -> None:
    assert run("init", "--adopt", vault / "Projects").code == 0
    assert run("index", vault / "Projects", "--json").json["notes"] == 1


def test_a_name_of_several_words_needs_no_quotes(library: Path) -> None:
    assert run("get", "Home", "Server", vault=library).out == run("get", "Home Server", vault=library).out
    assert run("links", "Basement", "box", vault=library).out.startswith("Home Server.md")
    assert run("tree", "Home", "Server", vault=library).out.startswith("Home Server [project]")


@pytest.mark.parametrize("args", [["get", ""], ["links", " "], ["tree", " "]], ids=" ".join)
def test_an_empty_name_is_no_note(library: Path, args: list[str]) -> None:
    ran = run(*args, vault=library)
    assert (ran.code, ran.out) == (1, "")
    assert "There is no note" in ran.err


def test_an_option_without_its_value_leads_to_the_help_of_its_command(library: Path) -> None:
    assert run("search", "a", "--tag", vault=library).err.endswith("cure:  brain search --help\n")


def test_a_number_that_is_none_is_called_so(library: Path) -> None:
    assert "'x' is not a valid number." in run("list", "--limit", "x", vault=library).err
