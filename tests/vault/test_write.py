"""A write lands whole, over exactly what was read, or not at all."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

import pytest

from brain.config import Config
from brain.core.ids import sha256_hex
from brain.errors import NoteChanged, NotFound, UsageError
from brain.vault import write
from brain.vault.store import Vault
from brain.vault.write import create_note, remove_note, replace_note


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path, Config())


def leftovers(vault: Vault) -> list[str]:
    return sorted(p.name for p in vault.root.rglob("*") if p.name.startswith(".brain-"))


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


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "move-aside"])
def test_no_save_of_an_editor_is_lost_between_check_and_swap(vault: Vault, exchange: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the editor saved was never read by us, so it must stand in the folder afterwards."""
    if not exchange:
        monkeypatch.setattr(write, "_exchanged", lambda one, other: False)
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
