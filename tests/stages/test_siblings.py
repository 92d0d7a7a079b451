"""Walk: episodes of folders outside the vault are read once, never written, and name no path of this vault."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain.config import Limits, load_config
from brain.core.plan import Applied
from brain.errors import UsageError
from brain.outside import Walk, mark_of
from brain.stages import walk
from brain.stages.report import RunReport
from brain.stages.siblings import as_data
from brain.stages.undo import undo
from brain.vault.parse import parse_note
from tests.stages.conftest import Make
from tests.stages.support import Vault

THERE = "../Work/Inbox"
CALL = "---\ntype: episode\ncreated: 2026-03-04\n---\nRisk: [[Boat]] leaks\n"
COPY = "Inbox/2026-03-04 call (Work).md"


def outside(vault_folder: Path, name: str, text: str) -> Path:
    place = vault_folder / "Work" / "Inbox" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return place


def beside(make: Make, tmp_path: Path, text: str = CALL, **more: object) -> tuple[Vault, Path]:
    """A vault with a note and, beside it, a folder with one episode that it reads."""
    there = outside(tmp_path, "2026-03-04 call.md", text)
    return make({"Memory/Boat.md": "Red.\n"}, **{"walk": Walk(siblings=(THERE,)), **more}), there


def texts(report: RunReport) -> str:
    return "\n".join(report.notices)


# Provenance, and nothing is written outside


def test_an_episode_outside_is_read_from_a_note_here_that_names_it(make: Make, tmp_path: Path) -> None:
    vault, there = beside(make, tmp_path)
    before = (there.read_bytes(), there.stat().st_mtime_ns, sorted(os.listdir(there.parent)))
    report = walk.run(vault.ctx)
    assert "- (risk, verified) Boat leaks [[2026-03-04 call (Work)]] ^a-" in vault.text("Memory/Boat.md")
    note = parse_note(COPY, vault.text(COPY), Limits())
    assert (note.properties["source"], note.properties["origin"], note.properties["created"]) == (f"{THERE}/2026-03-04 call.md", "sibling", "2026-03-04")
    (source,) = [source for receipt in report.receipts if isinstance(receipt, Applied) for source in receipt.plan.provenance]
    assert source.episode == COPY and source.quote == vault.text(COPY).splitlines()[source.line - 1] == "Risk: [[Boat]] leaks"
    assert (there.read_bytes(), there.stat().st_mtime_ns, sorted(os.listdir(there.parent))) == before


def test_it_is_read_once_until_its_words_change(make: Make, tmp_path: Path) -> None:
    vault, there = beside(make, tmp_path)
    walk.run(vault.ctx)
    assert walk.run(vault.ctx).is_empty
    there.write_text(CALL.replace("type: episode", "type: episode\nbrain_processed: 2026-05-01"), "utf-8")
    assert walk.run(vault.ctx).is_empty
    there.write_text(CALL + "Fact: [[Boat]] is red\n", "utf-8")
    walk.run(vault.ctx)
    assert vault.text("Memory/Boat.md").count("\n- (") == 2 and vault.text(COPY).count("Fact:") == 1
    assert sorted(os.listdir(vault.root / "Inbox")) == [COPY.removeprefix("Inbox/")]
    assert walk.run(vault.ctx).is_empty


def test_a_note_here_that_a_person_changed_stays_theirs(make: Make, tmp_path: Path) -> None:
    vault, there = beside(make, tmp_path)
    walk.run(vault.ctx)
    mine = vault.text(COPY) + "I was there.\n"
    vault.write(COPY, mine)
    vault.index()
    there.write_text(CALL + "Fact: [[Boat]] is red\n", "utf-8")
    report = walk.run(vault.ctx)
    assert COPY in texts(report) and "I was there." in vault.text(COPY) and "Fact:" not in vault.text(COPY)


def test_what_a_person_deletes_or_takes_back_is_not_read_again(make: Make, tmp_path: Path) -> None:
    vault, _ = beside(make, tmp_path)
    before = vault.bytes()
    run = walk.run(vault.ctx).run
    undo(vault.ctx, run)
    assert vault.bytes() == before
    assert walk.run(vault.ctx).is_empty and vault.bytes() == before


def test_a_dry_run_shows_what_it_would_write_and_writes_nothing(make: Make, tmp_path: Path) -> None:
    vault, _ = beside(make, tmp_path)
    before = vault.bytes()
    shown = walk.run(vault.ctx, dry_run=True)
    assert vault.bytes() == before
    done = walk.run(vault.ctx)
    as_shown = {patch.path for receipt in shown.applied for patch in receipt.patches}
    assert as_shown == {patch.path for receipt in done.applied for patch in receipt.patches} == {COPY, "Memory/Boat.md"}


def test_the_limit_takes_own_episodes_first_and_counts_the_rest(make: Make, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        outside(tmp_path, name, CALL)
    vault = make({"Inbox/Own.md": CALL, "Memory/Boat.md": "Red.\n"}, walk=Walk(siblings=(THERE,)))
    report = walk.run(vault.ctx, limit=2)
    assert report.left_out == 1 and sorted(os.listdir(vault.root / "Inbox")) == ["Own.md", "a (Work).md"]
    walk.run(vault.ctx, limit=2)
    assert walk.run(vault.ctx, limit=2).is_empty


def test_two_vaults_that_read_each_other_do_not_pass_copies_on(make: Make, tmp_path: Path) -> None:
    outside(tmp_path, "copy.md", CALL.replace("type: episode", "type: episode\norigin: sibling"))
    vault = make({"Memory/Boat.md": "Red.\n"}, walk=Walk(siblings=(THERE,)))
    assert walk.run(vault.ctx).is_empty and not (vault.root / "Inbox").exists()


# Words from outside are data


@pytest.mark.parametrize(
    "line",
    [
        "Risk: [[Memory/Boat]] leaks", "Risk: [[Boat.md]] leaks", "Risk: [[../Memory/Boat|Boat]] leaks", "Risk: [it](Memory/Boat.md) leaks", "Risk: [it](<Boat.md>) leaks",
        "Risk: [[Memory\\Boat]] leaks", "Risk: [[a [[Memory/Boat]] leaks", "Risk: [[Boat.MD#Part]] leaks",
    ],
)  # fmt: skip
def test_words_from_outside_name_no_path(line: str, make: Make, tmp_path: Path) -> None:
    assert parse_note("E.md", as_data(line), Limits()).links == ()
    vault, _ = beside(make, tmp_path, CALL.replace("Risk: [[Boat]] leaks", line))
    walk.run(vault.ctx)
    assert vault.text("Memory/Boat.md") == "Red.\n" and not (vault.root / "Memory" / "Concepts").exists()


def test_a_section_of_claims_outside_makes_no_atoms_here() -> None:
    note = parse_note("E.md", as_data("## Atoms\n- (fact) mine ^a-1\n\n## Related\n- works_at:: [[X]]\n"), Limits())
    assert note.atoms == () and [heading.text for heading in note.headings] == []


def test_frontmatter_outside_gives_no_id_and_no_name(make: Make, tmp_path: Path) -> None:
    vault, _ = beside(make, tmp_path, CALL.replace("type: episode", "type: episode\nid: n-taken\naliases: [Boat]"))
    walk.run(vault.ctx)
    assert "n-taken" not in vault.text(COPY) and "aliases" not in vault.text(COPY) and "leaks" in vault.text("Memory/Boat.md")


def test_a_file_outside_takes_no_link_from_a_note_here(make: Make, tmp_path: Path) -> None:
    outside(tmp_path, "Boat.md", CALL)
    vault = make({"Memory/Boat.md": "Red.\n", "Memory/Boat (Work).md": "Blue.\n"}, walk=Walk(siblings=(THERE,)))
    walk.run(vault.ctx)
    assert os.listdir(vault.root / "Inbox") == ["Boat (Work) 2.md"] and "leaks" in vault.text("Memory/Boat.md")


# What is not read is named


def test_links_files_that_are_no_notes_large_and_unreadable_ones_are_named(make: Make, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Risk: [[Boat]] is secret\n")
    vault, there = beside(make, tmp_path, limits=Limits(note_bytes_max=200))
    (there.parent / "link.md").symlink_to(tmp_path / "secret.md")
    (there.parent / "all").symlink_to(tmp_path)
    (there.parent / "photo.jpg").write_bytes(b"\xff\xd8")
    outside(tmp_path, "large.md", "x" * 201)
    os.mkfifo(there.parent / "pipe.md")
    said = texts(walk.run(vault.ctx))
    for name, why in (("link.md", "a link"), ("all", "a link"), ("photo.jpg", "no note"), ("large.md", "limits.note_bytes_max"), ("pipe.md", "cannot be read")):
        assert f"{THERE}/{name} ({why}" in said or f"{THERE}/{name} (larger than {why}" in said
    assert "secret" not in vault.text("Memory/Boat.md") and os.listdir(vault.root / "Inbox") == [COPY.removeprefix("Inbox/")]


@pytest.mark.parametrize(("folder", "why"), [("../Nowhere", "no folder"), ("Memory", "name it in walk.inboxes"), ("..", "it holds this vault")])
def test_a_folder_that_cannot_be_read_is_named_and_the_walk_goes_on(folder: str, why: str, make: Make) -> None:
    vault = make({"Memory/Boat.md": "Red.\n", "Inbox/Own.md": CALL}, walk=Walk(siblings=(folder,)))
    assert why in texts(walk.run(vault.ctx)) and "leaks" in vault.text("Memory/Boat.md")


def test_more_files_than_the_limit_are_said(make: Make, tmp_path: Path) -> None:
    outside(tmp_path, "a.md", CALL)
    vault, _ = beside(make, tmp_path, limits=Limits(sibling_files_max=1))
    assert "limits.sibling_files_max" in texts(walk.run(vault.ctx)) and len(os.listdir(vault.root / "Inbox")) == 1


# Who may name a folder outside


def test_inboxes_of_folders_beside_the_vault_are_found_when_the_environment_says_so(make: Make, tmp_path: Path) -> None:
    there = outside(tmp_path, "2026-03-04 call.md", CALL)
    (tmp_path / "Linked").symlink_to(there.parent.parent)
    (tmp_path / "Third").mkdir()
    (tmp_path / "Third" / "Inbox").symlink_to(there.parent)
    found = load_config(tmp_path / "vault", environ={"DISCOVER_SIBLING_VAULTS": "1", "SIBLING_INBOX_SUBDIRS": f"Log{os.pathsep}Inbox"}).walk
    vault = make({"Memory/Boat.md": "Red.\n"}, walk=found)
    report = walk.run(vault.ctx)
    assert os.listdir(vault.root / "Inbox") == [COPY.removeprefix("Inbox/")]
    assert "../Third/Inbox (a link, not followed)" in texts(report)


def test_a_list_of_folders_turns_looking_for_them_off(tmp_path: Path) -> None:
    found = load_config(tmp_path, environ={"DISCOVER_SIBLING_VAULTS": "1", "BRAIN_WALK_INBOXES": f"../A{os.pathsep}/b/Inbox"}).walk
    assert (found.siblings, found.discover) == (("../A", "/b/Inbox"), ())


def test_a_vault_does_not_read_outside_itself_by_its_own_word(make: Make, tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "brain.toml").write_text(f'[walk]\nsiblings = ["{THERE}"]\n')
    outside(tmp_path, "2026-03-04 call.md", CALL)
    found = load_config(root, environ={}).walk
    word = mark_of((THERE,), root)
    vault = make({"Memory/Boat.md": "Red.\n"}, walk=found)
    assert f"BRAIN_WALK_ALLOW={word}" in texts(walk.run(vault.ctx)) and not (root / "Inbox").exists()
    assert load_config(root, environ={"BRAIN_WALK_ALLOW": f"other, {word}"}).walk.siblings == (THERE,)
    (root / "brain.toml").write_text('[walk]\nsiblings = ["/etc"]\n')
    assert load_config(root, environ={"BRAIN_WALK_ALLOW": word}).walk.siblings == ()


@pytest.mark.parametrize(("name", "text"), [("DISCOVER_SIBLING_VAULTS", "maybe"), ("SIBLING_INBOX_SUBDIRS", "../up"), ("BRAIN_WALK_INBOXES", "a\x00b")])
def test_a_variable_that_says_nothing_usable_is_named(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=name):
        load_config(tmp_path, environ={"DISCOVER_SIBLING_VAULTS": "1", name: text})


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder that holds more folders inside each other than Python calls functions."""
    top = tmp_path / "Work" / "Inbox" / "deep"
    top.mkdir(parents=True)
    for _ in range(1_200):
        top.rename(top.with_name("a"))
        top.mkdir()
        top.with_name("a").rename(top / "a")
    yield top
    while (top / "a").exists():  # what takes temporary folders away calls itself for each
        (top / "a").rename(top.with_name("a"))
        shutil.rmtree(top)
        top.with_name("a").rename(top)


def test_folders_outside_may_lie_as_deep_as_they_like(make: Make, tmp_path: Path, deep: Path) -> None:
    vault, _ = beside(make, tmp_path)
    walk.run(vault.ctx)
    assert (vault.root / COPY).is_file() and (deep / "a").exists()


def test_a_folder_inside_another_one_is_read_once(make: Make, tmp_path: Path) -> None:
    vault, _ = beside(make, tmp_path, walk=Walk(siblings=("../Work", THERE)))
    walk.run(vault.ctx)
    assert len(os.listdir(vault.root / "Inbox")) == 1 and walk.run(vault.ctx).is_empty


def test_a_file_outside_cannot_link_a_note_by_its_name(make: Make, tmp_path: Path) -> None:
    vault, _ = beside(make, tmp_path)
    outside(tmp_path, "[[Boat]].md", "words of another\n")
    report = walk.run(vault.ctx)
    assert os.listdir(vault.root / "Inbox") == [COPY.partition("/")[2]] and "its name cannot be written down" in texts(report)


def test_a_place_that_cannot_even_be_asked_for_is_named(make: Make, tmp_path: Path) -> None:
    vault, _ = beside(make, tmp_path, walk=Walk(siblings=(f"../{'x' * 300}", THERE)))
    assert "(no folder)" in texts(walk.run(vault.ctx)) and (vault.root / COPY).is_file()
