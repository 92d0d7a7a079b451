"""A write lands whole, over exactly what was read, or not at all."""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from brain.config import Config
from brain.core.ids import sha256_hex
from brain.errors import NoteChanged, NotFound, UsageError
from brain.vault.aside import beside, named, temporaries_of
from brain.vault.layout import is_conflict_copy
from brain.vault.store import Abilities, Vault
from brain.vault.write import create_note, remove_note, replace_note, rescue

FILE_SYSTEMS = {
    "all-at-once": Abilities(), "no-exchange": Abilities(exchange=False),
    "links-only": Abilities(exchange=False, rename_exclusively=False),
    "nothing": Abilities(exchange=False, rename_exclusively=False, link=False),
}  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path, Config())


def leftovers(vault: Vault) -> list[str]:
    return sorted(p.name for p in vault.root.rglob("*") if p.name.startswith(".brain-"))


def notes(vault: Vault) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(vault.root.glob("*.md"))}


def test_a_new_note_is_written_with_its_folders(vault: Vault) -> None:
    create_note(vault, "People/Ada.md", b"one\n")
    assert (vault.root / "People/Ada.md").read_bytes() == b"one\n"
    assert leftovers(vault) == []


def test_a_taken_name_is_refused_and_nothing_changes(vault: Vault) -> None:
    create_note(vault, "A.md", b"first\n")
    with pytest.raises(UsageError, match=r"A\.md is there already"):
        create_note(vault, "A.md", b"second\n")
    assert (vault.root / "A.md").read_bytes() == b"first\n"


@pytest.mark.parametrize(("there", "wanted"), [("hermes.md", "Hermes.md"), ("Caf\u00e9.md", "Cafe\u0301.md")])
def test_a_case_or_unicode_twin_is_refused(vault: Vault, there: str, wanted: str) -> None:
    create_note(vault, there, b"x")
    with pytest.raises(UsageError):
        create_note(vault, wanted, b"y")


def test_a_replaced_note_keeps_its_permissions(vault: Vault) -> None:
    create_note(vault, "A.md", b"old")
    os.chmod(vault.root / "A.md", 0o640)
    replace_note(vault, "A.md", b"new", sha256_hex(b"old"))
    assert (vault.root / "A.md").read_bytes() == b"new"
    assert (vault.root / "A.md").stat().st_mode & 0o777 == 0o640
    assert leftovers(vault) == []


def test_a_note_that_changed_since_it_was_read_is_left_alone(vault: Vault) -> None:
    create_note(vault, "A.md", b"theirs")
    with pytest.raises(NoteChanged):
        replace_note(vault, "A.md", b"ours", sha256_hex(b"what we read"))
    with pytest.raises(NoteChanged):
        remove_note(vault, "A.md", sha256_hex(b"what we read"))
    assert (vault.root / "A.md").read_bytes() == b"theirs"
    assert leftovers(vault) == []


@pytest.mark.parametrize("able", FILE_SYSTEMS.values(), ids=FILE_SYSTEMS)
def test_no_save_of_an_editor_is_lost_between_check_and_swap(vault: Vault, able: Abilities) -> None:
    """What the editor saved was never read by us, so it must stand in the folder afterwards."""
    vault = replace(vault, able=able)
    place, other = vault.root / "A.md", vault.root / "editor.tmp"
    for round_number in range(150):
        place.write_bytes(b"before")
        other.write_bytes(b"editor")
        go = threading.Event()

        def save(delay: int = round_number % 30, go: threading.Event = go) -> None:
            go.wait()
            for _ in range(delay * 40):
                pass
            os.replace(other, place)

        thread = threading.Thread(target=save)
        thread.start()
        go.set()
        with contextlib.suppress(NoteChanged, NotFound):
            replace_note(vault, "A.md", b"ours", sha256_hex(b"before"))
        thread.join()
        assert b"editor" in {path.read_bytes() for path in vault.root.glob("*.md")}
        for path in vault.root.glob("*(conflicted copy)*"):
            path.unlink()


@pytest.mark.parametrize(
    "path",
    ["../out.md", "/etc/x.md", "a/../../x.md", ".hidden/x.md", "a//b.md", "CON.md", "a\x00.md", "x.txt", "~/x.md", "a/nul.md",
     "name?.md", "", "a" * 300 + ".md"],
)  # fmt: skip
def test_paths_that_are_no_notes_are_refused(vault: Vault, path: str) -> None:
    with pytest.raises(UsageError):
        create_note(vault, path, b"x")
    assert list(vault.root.rglob("*")) == []


def test_a_folder_that_is_a_link_is_not_followed(vault: Vault, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (vault.root / "Link").symlink_to(outside, target_is_directory=True)
    with pytest.raises(UsageError, match="link"):
        create_note(vault, "Link/x.md", b"x")
    assert list(outside.iterdir()) == []


def test_a_note_that_is_a_link_is_not_read(vault: Vault, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("outside") / "secret.md"
    secret.write_text("secret")
    (vault.root / "A.md").symlink_to(secret)
    with pytest.raises(NotFound):
        vault.read("A.md")


@pytest.mark.parametrize("able", FILE_SYSTEMS.values(), ids=FILE_SYSTEMS)
def test_a_note_is_made_replaced_and_removed_on_every_kind_of_file_system(vault: Vault, able: Abilities) -> None:
    vault = replace(vault, able=able)
    create_note(vault, "A.md", b"one")
    replace_note(vault, "A.md", b"two", sha256_hex(b"one"))
    assert (notes(vault), leftovers(vault)) == ({"A.md": b"two"}, [])
    remove_note(vault, "A.md", sha256_hex(b"two"))
    assert (notes(vault), leftovers(vault)) == ({}, [])


@pytest.mark.parametrize("able", FILE_SYSTEMS.values(), ids=FILE_SYSTEMS)
def test_a_save_that_has_no_room_is_kept_beside_under_a_name_of_its_own(vault: Vault, able: Abilities) -> None:
    vault = replace(vault, able=able)
    there = {"A.md": b"newer", "A (conflicted copy).md": b"an older copy", "A (conflicted copy 2).md": b"another"}
    for name, data in there.items():
        (vault.root / name).write_bytes(data)
    beside(vault.root / "A.md", "aside").write_bytes(b"a save")
    assert rescue(vault, "A.md", b"before", b"after") == ("A (conflicted copy 3).md",)
    assert (notes(vault), leftovers(vault)) == (there | {"A (conflicted copy 3).md": b"a save"}, [])


def test_a_save_that_is_kept_beside_already_is_not_kept_twice(vault: Vault) -> None:
    """A kill between linking the copy and unlinking the temporary file."""
    (vault.root / "A.md").write_bytes(b"newer")
    file = beside(vault.root / "A.md", "aside")
    file.write_bytes(b"a save")
    os.link(file, vault.root / "A (conflicted copy).md")
    rescue(vault, "A.md", b"before", b"after")
    assert (notes(vault), leftovers(vault)) == ({"A.md": b"newer", "A (conflicted copy).md": b"a save"}, [])


def test_the_newest_of_several_saves_gets_the_place(vault: Vault) -> None:
    for number, data in enumerate((b"old save", b"new save")):
        file = beside(vault.root / "A.md", "aside")
        file.write_bytes(data)
        os.utime(file, (number, number))
    assert set(rescue(vault, "A.md", b"before", b"after")) == {"A.md", "A (conflicted copy).md"}
    assert (notes(vault), leftovers(vault)) == ({"A.md": b"new save", "A (conflicted copy).md": b"old save"}, [])


@pytest.mark.parametrize("stem", ["a" * 252, "\u00e9" * 126], ids=["ascii", "accents"])
def test_a_copy_of_a_note_with_the_longest_name_has_a_name_that_fits(vault: Vault, stem: str) -> None:
    (vault.root / f"{stem}.md").write_bytes(b"newer")
    beside(vault.root / f"{stem}.md", "aside").write_bytes(b"a save")
    (copy,) = rescue(vault, f"{stem}.md", b"before", b"after")
    assert is_conflict_copy(copy) and (vault.root / copy).read_bytes() == b"a save"


@pytest.mark.parametrize(
    ("there", "is_kept"), [(b"a new note", True), (b"before, and a line more", False), (b"after, and a line more", True)], ids=["new", "longer", "other"]
)
def test_what_stood_there_is_kept_when_someone_took_its_place_who_may_not_have_seen_it(vault: Vault, there: bytes, is_kept: bool) -> None:
    """A kill after the old file was moved aside and before the new one had its name: for a time nothing was there."""
    place = vault.root / "A.md"
    place.write_bytes(there)
    beside(place, "aside").write_bytes(b"before")
    beside(place, "aside").write_bytes(b"after")
    rescue(vault, "A.md", b"before", b"after")
    assert (notes(vault), leftovers(vault)) == ({"A.md": there} | ({"A (conflicted copy).md": b"before"} if is_kept else {}), [])


def test_what_was_replaced_in_one_step_is_not_kept_beside_what_was_made_of_it(vault: Vault) -> None:
    place = vault.root / "A.md"
    place.write_bytes(b"after, changed by someone who saw it")
    beside(place, "aside").write_bytes(b"before")
    assert rescue(vault, "A.md", b"before", b"after") == ()
    assert notes(vault) == {"A.md": b"after, changed by someone who saw it"}


def test_what_belongs_to_another_note_is_left_alone(vault: Vault) -> None:
    (vault.root / "A.md").write_bytes(b"before")
    other = [beside(vault.root / "B.md", "aside"), beside(vault.root / "B.md", "begun"), vault.root / ".brain-0001.tmp"]
    for file in other:
        file.write_bytes(b"words")
    assert rescue(vault, "A.md", b"before", b"after") == ()
    assert leftovers(vault) == sorted(file.name for file in other)


HALF = b"x" * 4096
"""What a killed write of more leaves: whole blocks."""


@pytest.mark.parametrize(
    ("there", "before", "left"),
    [
        (b"", None, {}), (HALF, None, {}), (HALF, b"before", {"A.md": b"before"}), (b"x" * 100, None, {"A.md": b"x" * 100}),
        (b"theirs" + HALF + b"rest", None, {"A.md": b"theirs"}),
    ],
    ids=["claimed", "begun", "begun-over-a-note", "a-person's", "after-a-person's"],
)  # fmt: skip
def test_a_begun_copy_is_taken_away_and_a_save_into_it_is_not(vault: Vault, there: bytes, before: bytes | None, left: dict[str, bytes]) -> None:
    place = vault.root / "A.md"
    place.write_bytes(there)
    beside(place, "copied").write_bytes(HALF + b"rest")
    if before is not None:
        beside(place, "aside").write_bytes(before)
    rescue(vault, "A.md", before, HALF + b"rest")
    assert (notes(vault), leftovers(vault)) == (left, [])


def test_the_name_of_a_temporary_file_says_what_it_is_and_whose(vault: Vault) -> None:
    place = vault.root / ("a" * 252 + ".md")
    file = beside(place, "aside")
    file.write_bytes(b"x")
    assert (named(file.name).kind, temporaries_of(place, "aside"), temporaries_of(place, "begun")) == ("aside", [file], [])
    assert {named(name).kind for name in (".brain-0001.tmp", ".brain-aside-.tmp", ".brain-other-1-2.tmp", "A.md")} == {None}
