"""What a person meets of forgetting: numbers, names and days; archiving only by a word for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import run

OLD = "---\ncreated: 2001-01-01\nimportance: 0\n---\nold words\n"


@pytest.fixture
def vault(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRAIN_ENGINE", engine)
    root = tmp_path / "vault"
    root.mkdir()
    (root / "Old.md").write_text(OLD, "utf-8")
    (root / "Next.md").write_text("---\ncreated: 2999-01-01\nimportance: 0\n---\n", "utf-8")
    assert run("index", "--no-embed", vault=root).code == 0
    return root


def test_decay_names_what_fades_next_with_its_days(vault: Path) -> None:
    shown = run("decay", vault=vault)
    assert shown.code == 0
    assert "faded      1, 0 of them not yet now" in shown.out
    assert "Next.md [note]" in shown.out
    later = run("decay", "--at", "3000-01-01", "--dry-run", "--json", vault=vault).json
    assert (later["faded"], later["fading"], later["next"][0]["path"]) == (2, 1, "Next.md")


def test_decay_prints_the_half_lives_without_a_vault() -> None:
    assert "| fact, open_question | 21 days |" in run("decay", "--table").out
    assert run("decay", "--table", "--json").json["half_life_days"]["category"] is None


def test_a_slip_in_the_date_is_named(vault: Path) -> None:
    shown = run("decay", "--at", "someday", vault=vault)
    assert (shown.code, "is no date" in shown.err) == (2, True)


def test_reinforce_makes_a_note_fresh(vault: Path) -> None:
    assert run("reinforce", "Old", vault=vault).out == "Old.md: 0.000 -> 1.000\n"
    assert run("status", "--json", vault=vault).json["memory"]["touched"] == ["Old.md"]
    assert run("reinforce", "Nobody", vault=vault).code == 1


def test_prune_archives_nothing_without_a_word_for_it(vault: Path) -> None:
    refused = run("prune", vault=vault)
    assert (refused.code, "brain prune --yes" in refused.err) == (2, True)
    looked = run("prune", "--dry-run", vault=vault)
    assert "status: archived" in looked.out
    assert (vault / "Old.md").read_text("utf-8") == OLD


def test_prune_archives_and_undo_takes_it_back(vault: Path) -> None:
    assert run("prune", "--yes", vault=vault).code == 0
    assert "status: archived" in (vault / "Old.md").read_text("utf-8")
    assert "archived" in run("status", vault=vault).out
    assert run("undo", vault=vault).code == 0
    assert (vault / "Old.md").read_text("utf-8") == OLD
