"""Doctor with much to say, a schedule where there is no scheduler, and an option in the wrong place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import run


@pytest.fixture
def broken(vault: Path) -> Path:
    """A vault with 25 links that lead nowhere, besides what the others have."""
    (vault / "House.md").write_text("".join(f"[[No{number}/where]]\n" for number in range(25)), "utf-8")
    run("index", vault=vault)
    return vault


def test_at_most_20_findings_of_one_code_are_shown_and_the_others_counted(broken: Path) -> None:
    total = sum(f["code"] == "broken-link" and f["severity"] == "warning" for f in run("doctor", "--json", vault=broken).json)
    said = run("doctor", vault=broken).out
    assert total > 20
    assert sum(line.startswith("warning broken-link ") for line in said.splitlines()) == 20
    assert f"    and {total - 20} more: brain doctor --code broken-link\n" in said


def test_one_code_is_shown_whole_and_alone(broken: Path) -> None:
    findings = [f for f in run("doctor", "--json", vault=broken).json if f["code"] == "broken-link"]
    assert run("doctor", "--code", "broken-link", "--json", vault=broken).json == findings
    said = run("doctor", "--code", "broken-link", vault=broken).out
    assert sum(" broken-link " in line for line in said.splitlines()) == len(findings) and "more:" not in said


@pytest.mark.parametrize("level", ["error", "warning", "info"])
def test_one_level_is_shown_alone(broken: Path, level: str) -> None:
    (broken / "Bad.md").write_text("---\n- no keys\n---\n", "utf-8")
    run("index", vault=broken)
    findings = run("doctor", "--json", vault=broken).json
    ran = run("doctor", "--level", level, "--json", vault=broken)
    assert ran.json == [f for f in findings if f["severity"] == level] != []
    assert ran.code == (1 if level == "error" else 0)


def test_a_code_or_level_that_is_none_is_a_slip(library: Path) -> None:
    assert 'did you mean "broken-link"' in run("doctor", "--code", "broken-lnk", vault=library).err
    assert run("doctor", "--level", "eror", vault=library).code == 2
    assert run("doctor", "--brief", "--level", "error", vault=library).code == 2


def test_the_vault_behind_the_command_is_answered_with_its_place(library: Path) -> None:
    ran = run("status", "--vault", library)
    assert (ran.code, ran.out) == (2, "")
    assert "put --vault before the command: brain --vault DIR status" in ran.err


@pytest.mark.parametrize("verb", ["show", "remove"])
def test_without_a_scheduler_nothing_is_scheduled(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    ran = run("schedule", verb, vault=library, env={"PATH": str(tmp_path)})
    assert (ran.code, ran.out, ran.err) == (0, "Nothing is scheduled.\n", "")
    assert run("schedule", "show", "--json", vault=library, env={"PATH": str(tmp_path)}).json["installed"] is None
    assert run("schedule", "install", vault=library, env={"PATH": str(tmp_path)}).code == 2
