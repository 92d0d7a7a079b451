"""What commands that work tell a person: the notes they wrote, what they made and removed, what was left out, and the way back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands.support import notes_of, run

SLIP = "Fact: [[Ada Lovelce]] wrote the first program."


@pytest.fixture
def known(vault: Path) -> Path:
    """A vault in which Ada Lovelace has a note, with one episode waiting that spells her name otherwise."""
    (vault / "Ada Lovelace.md").write_text("---\nkind: person\n---\nShe counts.\n", "utf-8")
    run("add", "--no-walk", f"{SLIP}\nRisk: [[Home Server]] has one disk.", vault=vault)
    return vault


def new_note(vault: Path, before: dict[str, bytes]) -> str:
    (path,) = [path for path in notes_of(vault) if path not in before and path != "Memory/Review.md"]
    return path


@pytest.mark.parametrize("command", ["walk", "maintain"])
def test_a_run_names_the_notes_it_wrote_and_asks_about_a_new_one_that_is_nearly_known(known: Path, command: str) -> None:
    before = notes_of(known)
    said = run(command, vault=known).out.splitlines()
    path = new_note(known, before)
    assert f"        new: {path} (is it Ada Lovelace?)" in said
    assert "        wrote: Home Server.md" in said
    assert not any(line.startswith("        wrote: ") and line.endswith(path) for line in said)


def test_adding_names_the_notes_that_walking_wrote(vault: Path) -> None:
    before = notes_of(vault)
    said = run("add", "Fact: [[Xylophone]] has bars of wood.", vault=vault).out
    episode, made = sorted(path for path in notes_of(vault) if path not in before)
    assert f"added: {episode}\n" in said and f"        new: {made}\n" in said and f"        wrote: {episode}\n" in said


@pytest.mark.parametrize(
    ("made", "known", "meant"),
    [
        ("Ada", "Canada", None), ("Ada", "Ada Lovelace", "Ada Lovelace"), ("Lovelace", "Lovelaces", "Lovelaces"), ("Boat", "Zebra", None),
        ("Basment box", "Home", "Basement box"),
    ],
)  # fmt: skip
def test_a_new_name_is_asked_about_only_when_it_may_be_a_known_one(vault: Path, made: str, known: str, meant: str | None) -> None:
    (vault / f"{known}.md").write_text("known\n", "utf-8")
    said = run("add", f"Fact: [[{made}]] is of wood.", vault=vault).out
    (line,) = [line for line in said.splitlines() if line.startswith("        new: ")]
    assert line.endswith(f"{made}.md" + (f" (is it {meant}?)" if meant else ""))


def test_a_rehearsal_names_the_new_notes_too(known: Path) -> None:
    before = notes_of(known)
    said = run("walk", "--dry-run", vault=known).out
    assert re.search(r"^    would be new: \S.*Ada Lovelce\.md \(is it Ada Lovelace\?\)$", said, re.M)
    assert notes_of(known) == before


def test_a_rehearsal_of_add_says_that_walking_is_not_shown(vault: Path) -> None:
    before = notes_of(vault)
    assert "walking" in run("add", SLIP, "--dry-run", vault=vault).err
    assert run("add", SLIP, "--dry-run", "--no-walk", vault=vault).err == ""
    assert notes_of(vault) == before


def test_an_undo_says_what_it_removed_and_what_takes_it_back(vault: Path) -> None:
    run("add", "--no-walk", SLIP, vault=vault)
    before = notes_of(vault)
    run("walk", vault=vault)
    after = notes_of(vault)
    made = next(path for path in after if path not in before)
    said = run("undo", vault=vault).out
    assert f"    removed: {made}\n" in said and f"as it was before: {made}" not in said
    assert "    as it was before: Inbox/" in said
    assert notes_of(vault) == before
    again = re.search(r"brain undo (\S+) takes it back", said)
    assert again
    done = run("undo", again[1], vault=vault).out
    assert "removed: " not in done and f"    as it was before: {made}\n" not in done and f"    put back: {made}\n" in done
    assert notes_of(vault) == after


@pytest.mark.parametrize("command", ["index", "rebuild"])
def test_files_that_the_settings_exclude_are_one_line_and_what_cannot_be_read_is_named(vault: Path, command: str) -> None:
    (vault / "brain.toml").write_text("exclude = ['Templates/*.md']\n", "utf-8")
    (vault / "Templates").mkdir()
    for number in range(12):
        (vault / "Templates" / f"T{number}.md").write_text("a\n", "utf-8")
    (vault / "Plan.sync-conflict-20260101-120000-ABCDEFG.md").write_text("b\n", "utf-8")
    said = [line for line in run(command, vault=vault).out.splitlines() if "skipped:" in line]
    assert said == [
        "    skipped: Plan.sync-conflict-20260101-120000-ABCDEFG.md: a sync-conflict copy",
        "    skipped: 12 files: excluded by the settings (brain status --excluded)",
    ]
    assert "skipped: 12 files" in run("index", vault=vault).out


def test_what_was_accepted_and_taken_back_names_the_undo_that_does_it_again(vault: Path) -> None:
    text = "---\nkind: person\nemail: ada@example.org\n---\n"
    (vault / "Ada Lind.md").write_text(f"{text}she sails\n", "utf-8")
    (vault / "Lind, Ada.md").write_text(f"{text}she rows\n", "utf-8")
    run("reconcile", vault=vault)
    (item,) = [item for item in run("review", "--json", vault=vault).json["open"] if "Ada Lind.md" in item["because"]]
    assert run("review", "accept", item["id"], vault=vault).code == 0
    accepted = notes_of(vault)
    asked = run("review", "accept", item["id"], vault=vault)
    done = re.search(r"brain undo (\S+) takes the decision back", asked.err)
    assert asked.code == 1 and done
    assert run("undo", done[1], vault=vault).code == 0
    asked = run("review", "accept", item["id"], vault=vault)
    again = re.search(r"brain undo (\S+) does it again", asked.err)
    assert asked.code == 1 and again
    assert run("undo", again[1], vault=vault).code == 0
    assert {path: data for path, data in notes_of(vault).items() if path != "Memory/Review.md"} == {
        path: data for path, data in accepted.items() if path != "Memory/Review.md"
    }
