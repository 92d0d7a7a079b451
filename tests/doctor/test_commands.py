"""`brain doctor` and `brain repair` as a person types them, and what a new vault has to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.doctor.codes import CODES
from brain.doctor.repair import REPAIRS
from tests.commands.support import notes_of, run

COPY = "A.sync-conflict-20260101-120000-ABCDEFG.md"


@pytest.fixture
def vault(tmp_path: Path, engine: str) -> Path:
    root = tmp_path / "vault"
    for path, text in {"A.md": "[[B]]\n", "B.md": "b\n", COPY: "[[B]]\n"}.items():
        root.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    assert run("index", vault=root, env={"BRAIN_ENGINE": engine}).code == 0
    return root


def test_a_new_vault_has_no_warning_after_its_first_words(tmp_path: Path, engine: str) -> None:
    root, env = tmp_path / "vault", {"BRAIN_ENGINE": engine, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    assert run("init", str(root), env=env).code == 0
    for words in ("Decision: [[Kitchen]] gets a blue door\n\nWe talked about it at length.", "Risk: [[Kitchen]] may flood\n"):
        assert run("add", words, vault=root, env=env).code == 0
    for command in (["walk"], ["reconcile"], ["link"], ["index"]):
        assert run(*command, vault=root, env=env).code == 0
    found = run("doctor", "--strict", "--json", vault=root, env=env)
    assert [finding for finding in found.json if finding["severity"] != "info"] == []
    assert found.code == 0


def test_the_list_has_every_plan_with_its_class(vault: Path) -> None:
    rows = run("repair", "--list", "--json", vault=vault).json
    assert [row["code"] for row in rows] == list(REPAIRS)
    assert {row["class"] for row in rows} == {"safe", "plan"}
    shown = run("repair", "--list", vault=vault).out
    assert all(code in shown for code in REPAIRS)


def test_safe_carries_out_what_is_certain_and_says_what_it_did(vault: Path) -> None:
    before = notes_of(vault)
    shown = run("repair", "--safe", "--dry-run", vault=vault)
    assert (shown.code, notes_of(vault)) == (0, before)
    assert "conflict-copy:" in shown.out and COPY in shown.out
    done = run("repair", "--safe", vault=vault)
    assert done.code == 0
    assert COPY not in notes_of(vault)
    assert run("repair", "--safe", vault=vault).out == "Nothing to repair.\n"
    assert run("undo", vault=vault).code == 0
    assert notes_of(vault) == before


def test_all_runs_every_plan_and_answers_by_code(vault: Path) -> None:
    done = run("repair", "--all", "--json", vault=vault)
    assert (done.code, list(done.json)) == (0, list(REPAIRS))


@pytest.mark.parametrize("args", [[], ["--safe", "--all"], ["bare-link", "--safe"], ["bare-link", "--list"]], ids=" ".join)
def test_one_thing_is_repaired_at_a_time(vault: Path, args: list[str]) -> None:
    ran = run("repair", *args, vault=vault)
    assert (ran.code, ran.err.splitlines()[-1]) == (2, "cure:  brain repair --list")


def test_what_is_looked_for_when_named_is_not_kept_for_the_brief_look(vault: Path) -> None:
    (vault / "Grey Harbour.md").write_text("[[A]]\n", "utf-8")
    (vault / "C.md").write_text("[[B]] at Grey Harbour.\n", "utf-8")
    run("index", vault=vault)
    named = run("doctor", "--code", "unlinked-mention", "--json", vault=vault).json
    assert [finding["path"] for finding in named] == ["C.md"]
    assert "unlinked-mention" not in run("doctor", "--brief", "--json", vault=vault).json["codes"]
    assert "unlinked-mention" not in {finding["code"] for finding in run("doctor", "--json", vault=vault).json}


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_can_be_asked_for(vault: Path, code: str) -> None:
    ran = run("doctor", "--code", code, "--strict", "--json", vault=vault)
    assert {finding["code"] for finding in ran.json} <= {code}
    assert ran.code == any(finding["severity"] in ("error", "warning") for finding in ran.json)


def test_the_brief_look_takes_no_look_anew(vault: Path) -> None:
    run("doctor", vault=vault)
    (vault / "D.md").write_text("---\na: [\n---\n", "utf-8")
    assert run("doctor", "--brief", vault=vault).out.startswith("1 warning; conflict-copy first (brain doctor, just now)")
    assert run("doctor", "--brief", "--probe", vault=vault).code == 2


def test_a_job_whose_program_is_gone_is_a_warning_of_the_whole_look(vault: Path, tmp_path: Path) -> None:
    from brain.schedule.job import Job, name_of, service_unit

    units = tmp_path / "config" / "systemd" / "user"
    units.mkdir(parents=True)
    job = Job(("/nowhere/brain",), str(vault), str(vault / "log"), 3, 0)
    (units / f"{name_of(str(vault))}.service").write_text(service_unit(job), "utf-8")
    found = run("doctor", "--json", vault=vault, env={"XDG_CONFIG_HOME": str(tmp_path / "config")}).json
    assert [finding["severity"] for finding in found if finding["code"] == "schedule-broken"] == ["warning"]
