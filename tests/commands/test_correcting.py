"""`brain correct`, `stale` and `asof`: shown first, written by a word, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import notes_of, run


@pytest.fixture
def server(tmp_path: Path, engine: str) -> Path:
    run("init", tmp_path, "--adopt", env={"BRAIN_ENGINE": engine, "BRAIN_EMBED_MODEL": "none"})
    (tmp_path / "Server.md").write_text("Runs Debian 13.\n", "utf-8")
    (tmp_path / "Network.md").write_text("The server has Debian 12.\n", "utf-8")
    (tmp_path / "Boat.md").write_text("---\ncreated: 2020-01-01\n---\n## Atoms\n- (fact) Will be painted. ^a-1\n", "utf-8")
    run("index", "--no-embed", vault=tmp_path)
    return tmp_path


CORRECT = ("correct", "The server runs Debian 13.", "--was", "Debian 12", "--becomes", "Debian 13")


def correct(vault: Path, *more: object) -> object:
    return run(*CORRECT, *more, vault=vault, env={"BRAIN_EMBED_MODEL": "none"})


def test_the_places_and_the_diff_are_shown_first(server: Path) -> None:
    before = notes_of(server)
    shown = correct(server, "--authority", "Server")
    assert shown.code == 0 and "+The server has Debian 13." in shown.out and "1 would change" in shown.out  # type: ignore[attr-defined]
    assert notes_of(server) == before


def test_it_is_written_by_a_word_and_taken_back_by_undo(server: Path) -> None:
    before = notes_of(server)
    assert correct(server, "--authority", "Server", "--apply").code == 0  # type: ignore[attr-defined]
    assert (server / "Network.md").read_text("utf-8") == "The server has Debian 13.\n"
    assert run("undo", vault=server).code == 0
    assert {path: data for path, data in notes_of(server).items() if not path.startswith("Timeline/")} == before


def test_without_authority_it_says_what_is_missing(server: Path) -> None:
    shown = correct(server, "--apply")
    assert "--authority NOTE" in shown.out and (server / "Network.md").read_text("utf-8") == "The server has Debian 12.\n"  # type: ignore[attr-defined]


def test_new_words_without_old_ones_are_refused(server: Path) -> None:
    assert run("correct", "x", "--becomes", "y", vault=server).code == 2


def test_a_stale_claim_is_listed_with_its_cure(server: Path) -> None:
    listed = run("stale", vault=server)
    assert listed.code == 1 and "Boat.md:5: Will be painted." in listed.out and 'brain edit "Boat.md"' in listed.out
    assert run("stale", "--json", vault=server).json[0]["path"] == "Boat.md"


def test_a_note_is_confirmed_once_a_day(server: Path) -> None:
    assert run("stale", "--confirm", "Boat", vault=server).code == 0
    assert "last_confirmed: " in (server / "Boat.md").read_text("utf-8")
    assert "confirmed today already" in run("stale", "--confirm", "Boat", vault=server).out


def test_a_note_and_a_search_as_of_a_day(server: Path) -> None:
    assert "Will be painted." in run("asof", "2021-01-01", "get", "Boat", vault=server).out
    assert "is younger" in run("asof", "2019-01-01", "get", "Boat", vault=server).out
    assert run("asof", "2019-01-01", "search", "painted", "--json", vault=server).code == 1
    assert run("asof", "2021-01-01", "search", "painted", vault=server).code == 0
    assert run("asof", "yesterday", "get", "Boat", vault=server).code == 2
    assert run("asof", "yesterday", "tree", vault=server).code == 2
    assert run("asof", "2019-01-01", "tree", "Boat", vault=server).code == 2
    assert "Boat" in run("asof", "2021-01-01", "tree", "Boat", vault=server).out
