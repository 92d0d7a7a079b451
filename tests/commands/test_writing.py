"""Commands that write: init, setup, add, the stages and undo."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from brain.config import load_config
from tests.commands.support import notes_of, run, spawn


def test_init_makes_a_vault_that_works(tmp_path: Path) -> None:
    ran = run("init", tmp_path / "new")
    assert ran.code == 0
    assert ran.out.splitlines() == sorted(ran.out.splitlines())
    assert all((tmp_path / "new" / path).is_file() for path in ran.out.splitlines())
    assert "brain setup --name" in ran.err
    assert run("index", tmp_path / "new").code == 0


def test_a_new_vault_has_nothing_to_put_right_before_and_after_its_first_maintain(tmp_path: Path) -> None:
    run("init", tmp_path)
    run("index", vault=tmp_path)
    for _ in range(2):
        looked = run("doctor", "--strict", vault=tmp_path)
        assert (looked.code, looked.out) == (0, "Nothing to put right.\n")
        done = run("maintain", "--json", vault=tmp_path)
        assert done.code == 0
    assert "- (decision, verified)" in (tmp_path / "Memory" / "Artifacts" / "Home Server.md").read_text("utf-8")


def test_init_inside_a_vault_says_that_both_read_the_notes(vault: Path) -> None:
    assert f"inside the vault {vault}" in run("init", "--adopt", vault / "New").err
    assert "lies inside" not in run("init", vault.parent / "Beside").err


def test_init_refuses_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "Mine.md").write_text("mine\n", "utf-8")
    ran = run("init", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "--adopt" in ran.err
    assert notes_of(tmp_path) == {"Mine.md": b"mine\n"}
    assert not (tmp_path / ".brain").exists()


def test_init_with_adopt_touches_no_note(tmp_path: Path) -> None:
    (tmp_path / "Mine.md").write_bytes(b"mine\r\n")
    before = (tmp_path / "Mine.md").stat()
    assert run("init", tmp_path, "--adopt").out.split() == [".brain/.gitignore", "brain.toml"]
    assert (tmp_path / "Mine.md").stat().st_mtime_ns == before.st_mtime_ns
    assert [path for path in notes_of(tmp_path) if path != "brain.toml"] == ["Mine.md"]
    assert run("init", tmp_path, "--adopt").out == ""


def test_setup_names_the_owner_and_keeps_the_comments(tmp_path: Path) -> None:
    run("init", tmp_path)
    before = (tmp_path / "brain.toml").read_text("utf-8").splitlines()
    ran = run("setup", "--name", "Ada Lovelace", vault=tmp_path)
    assert ran.out == "owner: Ada Lovelace\ncreated: Memory/People/Ada Lovelace.md\n"
    after = (tmp_path / "brain.toml").read_text("utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [(old, old.removeprefix("# ")) for old, _ in changed]
    assert len(changed) == 1
    assert load_config(tmp_path, environ={}).owner == "Ada Lovelace"
    assert run("tree", vault=tmp_path).out.startswith("Ada Lovelace [person]")


def test_setup_makes_the_note_of_the_owner_once_and_it_can_be_undone(vault: Path) -> None:
    run("setup", "--name", "Grace Hopper", vault=vault)
    assert run("setup", "--name", "Grace Hopper", vault=vault).out == "owner: Grace Hopper\n"
    assert (vault / "Memory" / "People" / "Grace Hopper.md").is_file()
    assert run("undo", vault=vault).code == 0
    assert not (vault / "Memory" / "People" / "Grace Hopper.md").exists()


def test_setup_takes_a_note_of_that_name_for_the_owners(vault: Path) -> None:
    before = notes_of(vault)
    assert run("setup", "--name", "house", vault=vault).out == "owner: house\n"
    assert {path for path, data in notes_of(vault).items() if before.get(path) != data} == {"brain.toml"}


def test_a_name_that_a_file_cannot_carry_is_the_title(vault: Path) -> None:
    run("setup", "--name", 'Ada "A": Countess #1', vault=vault)
    listed = run("list", "--kind", "person", "--json", vault=vault).json
    assert [note["title"] for note in listed] == ['Ada "A": Countess #1']
    assert load_config(vault, environ={}).owner == 'Ada "A": Countess #1'


def test_add_takes_words_from_the_command_a_file_and_standard_input(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "meeting.txt").write_text("Decided: [[Home Server]] gets a second disk.\n", "utf-8")
    given = (
        (["add", "Walked around the lake"], b"", "Walked around the lake"),
        (["add", "--file", tmp_path / "meeting.txt"], b"", "meeting"),
        (["add", "--file", "-"], "Grüße vom See\n".encode(), "Grüße vom See"),
    )
    for args, stdin, name in given:
        ran = run(*args, vault=vault, stdin=stdin)
        assert ran.code == 0, ran
        path = ran.out.splitlines()[0].removeprefix("added: ")
        assert path.startswith("Inbox/") and path.endswith(f" {name}.md")
        assert (vault / path).is_file()
    assert "second disk" in (vault / "Home Server.md").read_text("utf-8")


def test_add_only_puts_it_into_the_inbox_when_told_to(vault: Path) -> None:
    before = notes_of(vault)
    assert run("add", "Risk: [[Home Server]] has one disk.", "--no-walk", vault=vault).code == 0
    (new,) = notes_of(vault).keys() - before.keys()
    assert {path: data for path, data in notes_of(vault).items() if path != new} == before


def test_add_looks_first_with_dry_run(vault: Path) -> None:
    before = notes_of(vault)
    seen = run("add", "Risk: [[Home Server]] has one disk.", "--title", "Disk", "--dry-run", vault=vault).out
    assert re.search(r"^--- /dev/null\n\+\+\+ Inbox/\S+ Disk\.md$", seen, re.MULTILINE)
    assert "\n+Risk: [[Home Server]] has one disk.\n" in seen
    assert notes_of(vault) == before
    run("add", "Risk: [[Home Server]] has one disk.", "--title", "Disk", "--no-walk", vault=vault)
    (new,) = notes_of(vault).keys() - before.keys()
    written = notes_of(vault)[new].decode()
    assert [line for line in written.splitlines() if f"+{line}" not in seen] == []


def test_add_refuses_what_is_no_text(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff")
    assert run("add", "--file", tmp_path / "picture.png", vault=vault).code == 2
    assert run("add", "--file", tmp_path, vault=vault).code == 2
    assert run("add", "--file", "-", vault=vault, stdin=b"\xff\xfe").code == 2


def test_add_fetches_nothing_while_fetching_is_off(vault: Path) -> None:
    before = notes_of(vault)
    ran = run("add", "--url", "https://pages.invalid/a", vault=vault)
    assert (ran.code, ran.out) == (2, "")
    assert "fetch = true" in ran.err
    assert notes_of(vault) == before


def test_a_walk_is_seen_first_then_done_then_undone(vault: Path) -> None:
    run("add", "Risk: [[Home Server]] has one disk.", "--no-walk", vault=vault)
    before = notes_of(vault)
    seen = run("walk", "--dry-run", vault=vault)
    assert "+- (risk" in seen.out
    assert notes_of(vault) == before
    done = run("walk", "--json", vault=vault).json
    assert set(done) == {"stage", "run", "dry_run", "found", "waiting", "left_out", "notices", "applied", "held", "failed"}
    assert (done["stage"], done["dry_run"], done["failed"]) == ("walk", False, [])
    assert {"outcome", "because", "paths", "item"} == set(done["applied"][0])
    assert notes_of(vault) != before
    undone = run("undo", done["run"], "--json", vault=vault).json
    assert set(undone) == {"run", "undone", "paths", "left", "findings", "removed", "restored", "taken", "older", "diff", "dry_run"}
    assert notes_of(vault) == before


def test_undo_names_what_it_took_back(vault: Path) -> None:
    run("add", "Risk: [[Home Server]] has one disk.", "--no-walk", vault=vault)
    done = run("walk", "--json", vault=vault).json
    said = run("undo", vault=vault).out
    assert all(receipt["item"] in said and all(path in said for path in receipt["paths"]) for receipt in done["applied"])


def test_undo_leaves_what_a_person_changed_and_exits_1(vault: Path) -> None:
    run("add", "Risk: [[Home Server]] has one disk.", vault=vault)
    note = vault / "Home Server.md"
    note.write_text(note.read_text("utf-8").replace("has one disk", "has one slow disk"), "utf-8")
    ran = run("undo", vault=vault)
    assert ran.code == 1
    assert "not undone" in ran.out
    assert "one slow disk" in note.read_text("utf-8")


@pytest.mark.parametrize("stage", ["walk", "reconcile", "link"])
def test_a_stage_with_nothing_to_do_is_fine(vault: Path, stage: str) -> None:
    before = notes_of(vault)
    ran = run(stage, vault=vault)
    assert (ran.code, ran.err) == (0, "")
    assert {path: data for path, data in notes_of(vault).items() if path != "Memory/Review.md"} == before  # what it held is listed there


def test_maintain_reports_the_three_stages_in_order(vault: Path) -> None:
    reports = run("maintain", "--dry-run", "--json", vault=vault).json
    assert [report["stage"] for report in reports] == ["walk", "reconcile", "link"]


def test_commands_run_as_processes_of_their_own_too(tmp_path: Path) -> None:
    assert spawn("init", tmp_path / "v").code == 0
    added = spawn("add", "--file", "-", vault=tmp_path / "v", stdin=b"Fact: [[Home]] is where it begins.\n")
    assert (added.code, added.err) == (0, "")
    assert spawn("search", "begins", "--json", vault=tmp_path / "v").json["hits"]
    assert spawn("undo", vault=tmp_path / "v").code == 0
