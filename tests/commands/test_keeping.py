"""The commands that keep, carry and erase, as a person meets them."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

from tests.commands.support import notes_of, run


def test_a_backup_is_made_listed_and_brought_back(vault: Path, tmp_path: Path) -> None:
    made = run("backup", "--label", "First one", vault=vault)
    assert made.code == 0
    assert "verified" in made.out
    (listed,) = run("backup", "--list", "--json", vault=vault).json
    assert (listed["label"], listed["why"]) == ("First one", "")
    name = Path(listed["path"]).name
    before = notes_of(vault)
    (vault / "House.md").write_text("gone\n", "utf-8")
    shown = run("restore", name, vault=vault)
    assert "-gone" in shown.out
    assert (vault / "House.md").read_text("utf-8") == "gone\n"
    assert run("restore", name, "--yes", vault=vault).code == 0
    assert notes_of(vault) == before
    assert run("undo", vault=vault).code == 0
    assert (vault / "House.md").read_text("utf-8") == "gone\n"
    assert run("restore", name, "--to", tmp_path / "new", vault=vault).code == 0
    assert notes_of(tmp_path / "new") == before
    assert run("restore", name, "--to", tmp_path / "new", vault=vault).code == 2


def test_a_backup_that_is_not_due_is_not_made(vault: Path) -> None:
    assert run("backup", "--if-older-than", 7, vault=vault).out != ""
    again = run("backup", "--if-older-than", 7, vault=vault)
    assert (again.code, again.out) == (0, "")
    assert "not older" in again.err


def test_clear_wants_the_name_of_the_vault(vault: Path) -> None:
    before = notes_of(vault)
    assert run("clear", vault=vault, stdin="no\n").code == 2
    assert (vault / ".brain" / "index").exists()
    assert run("clear", vault=vault, stdin="vault\n").code == 0
    assert not (vault / ".brain" / "index").exists()
    assert notes_of(vault) == before
    assert run("clear", "--yes", vault=vault).code == 0


def test_an_export_goes_into_a_new_file_and_over_none(vault: Path, tmp_path: Path) -> None:
    for kind in ("jsonl", "graphml", "cypher", "canvas"):
        assert run("export", "--format", kind, "--output", tmp_path / kind, vault=vault).code == 0
        assert (tmp_path / kind).stat().st_size > 100
    assert run("export", "--output", tmp_path / "jsonl", vault=vault).code == 2
    assert run("export", "--format", "csv", vault=vault).code == 2
    assert run("export", "--format", "csv", "--output", tmp_path / "csv", vault=vault).code == 0
    assert (tmp_path / "csv" / "nodes-Note.csv").exists()
    assert run("export", "--format", "csv", "--full", vault=vault).code == 2
    now = ("--now", "2026-01-31")
    assert run("export", *now, "--output", tmp_path / "same", vault=vault).code == 0
    assert (tmp_path / "same").read_text("utf-8") == run("export", *now, vault=vault).out


def test_an_import_says_what_it_kept(vault: Path, tmp_path: Path) -> None:
    assert run("export", "--full", "--output", tmp_path / "b.jsonl", vault=vault).code == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "House.md").write_text("# My house\n", "utf-8")
    imported = run("import", tmp_path / "b.jsonl", "--json", vault=tmp_path / "other")
    assert imported.code == 1
    assert imported.json["differing"] == ["House.md"]
    assert notes_of(tmp_path / "other") == {**notes_of(vault), "House.md": b"# My house\n"}


def test_purge_shows_first_and_names_the_commits_that_hold_it_still(vault: Path) -> None:
    for args in (["init", "-q"], ["add", "House.md"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(vault), *args], check=True, capture_output=True)
    shown = run("purge", "Where everything stands", vault=vault)
    assert shown.code == 0
    assert "House.md (line 3)" in shown.out
    assert b"Where everything stands" in notes_of(vault)["House.md"]
    done = run("purge", "-", "--yes", "--json", vault=vault, stdin="Where everything stands\n")
    assert done.code == 0
    assert done.json["left"] == []
    assert len(done.json["commits"]) == 1
    assert (vault / "House.md").read_text("utf-8") == "# House\n\n: [[Home Server]].\n"
    found = [path for path in vault.rglob("*") if path.is_file() and ".git" not in path.parts and b"Where everything stands" in path.read_bytes()]
    assert found == []


def test_purge_wants_a_text_or_a_note(vault: Path) -> None:
    assert run("purge", vault=vault).code == 2
    assert run("purge", "a text", "--note", "House", vault=vault).code == 2
    assert run("purge", "--note", "Nobody", "--yes", vault=vault).code == 1


def test_every_place_of_an_erased_note_is_in_the_json(vault: Path) -> None:
    shown = run("purge", "--note", "House", "--json", vault=vault)
    assert {"kind", "path", "lines", "inside", "why"} == set(json.loads(shown.out)["places"][0])
    assert "House.md" in {place["path"] for place in shown.json["places"]}


def test_a_rehearsed_restore_names_the_very_command_that_does_it(vault: Path) -> None:
    assert run("backup", vault=vault).code == 0
    name = Path(run("backup", "--list", "--json", vault=vault).json[0]["path"]).name
    before = notes_of(vault)
    for note in ("House.md", "Home Server.md"):
        (vault / note).write_text("gone\n", "utf-8")
    shown = run("restore", name, "--note", "Home Server.md", vault=vault)
    cure = next(line for line in shown.out.splitlines() if "--yes" in line).partition(" does it")[0]
    assert cure == f"brain --vault {vault} restore {name} --note 'Home Server.md' --yes"
    assert run(*shlex.split(cure)[1:]).code == 0
    assert notes_of(vault) == {**before, "House.md": b"gone\n"}


def test_a_vault_without_a_backup_says_so(vault: Path) -> None:
    ran = run("backup", "--list", vault=vault)
    assert (ran.code, ran.out) == (0, f"there is no backup in {vault / '.brain' / 'backups'}: brain backup makes one\n")
    assert run("backup", "--list", "--json", vault=vault).json == []


def test_a_backup_makes_no_folder_that_a_person_names(vault: Path, tmp_path: Path) -> None:
    away = tmp_path / "no disk" / "backups"
    ran = run("backup", "--to", away, vault=vault)
    assert ran.code == 2 and f"There is no folder {away}" in ran.err and f"mkdir -p '{away}'" in ran.err
    assert not away.parent.exists()
    away.mkdir(parents=True)
    assert run("backup", "--to", away, vault=vault).code == 0
