"""Which Markdown files are no notes, and that status and doctor count alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.support import run

REASONS = {
    ".hidden.md": "hidden",
    ".obsidian/templates/Day.md": "hidden",
    "Projects/.trash/Old.md": "hidden",
    "node_modules/left/README.md": "excluded by the settings",
    "Drafts/a/b.md": "excluded by the settings",
    "Plan.sync-conflict-20260101-120000-ABCDEFG.md": "a sync-conflict copy",
    "Huge.md": "larger than limits.note_bytes_max",
    "Linked.md": "a link, not followed",
    "Elsewhere": "a link to a folder, not followed",
}


@pytest.fixture
def cluttered(vault: Path, tmp_path: Path) -> Path:
    (vault / "brain.toml").write_text("exclude = ['node_modules', 'Drafts/**']\n[limits]\nnote_bytes_max = 5000\n", "utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Not ours.md").write_text("not ours\n", "utf-8")
    for path in REASONS:
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        if path not in ("Linked.md", "Elsewhere"):
            (vault / path).write_text("x" * 6000 if path == "Huge.md" else "words\n", "utf-8")
    os.symlink(outside / "Not ours.md", vault / "Linked.md")
    os.symlink(outside, vault / "Elsewhere")
    for path in (".obsidian/app.json", ".git/notes.md", "Projects/picture.png"):  # none of them is a note that was left out
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text("{}", "utf-8")
    run("index", vault=vault)
    return vault


def test_every_markdown_file_that_is_no_note_is_listed_with_the_reason(cluttered: Path) -> None:
    found = run("status", "--excluded", "--json", vault=cluttered).json
    assert found == {"files": dict(sorted(REASONS.items())), "is_complete": True}
    lines = run("status", "--excluded", vault=cluttered).out.splitlines()
    assert lines == [f"{path}: {why}" for path, why in sorted(REASONS.items())]


def test_status_counts_them_by_reason(cluttered: Path) -> None:
    status = run("status", "--json", vault=cluttered).json
    assert status["excluded"] == {
        "hidden": 3, "excluded by the settings": 2, "a link to a folder, not followed": 1, "a link, not followed": 1, "a sync-conflict copy": 1,
        "larger than limits.note_bytes_max": 1,
    }  # fmt: skip
    assert status["excluded_is_complete"] is True
    assert "left out   9: hidden (3), excluded by the settings (2)" in run("status", vault=cluttered).out


def test_a_vault_without_any_says_so(library: Path) -> None:
    assert run("status", "--excluded", vault=library).out == "Every Markdown file of this folder is a note.\n"
    assert "left out" not in run("status", vault=library).out


def test_a_look_that_its_limit_ended_says_at_least(cluttered: Path) -> None:
    with open(cluttered / "brain.toml", "a", encoding="utf-8") as settings:
        settings.write("excluded_entries_max = 1\n")
    status = run("status", "--json", vault=cluttered).json
    assert status["excluded_is_complete"] is False
    assert "left out   at least" in run("status", vault=cluttered).out
    assert "limits.excluded_entries_max" in run("status", "--excluded", vault=cluttered).out


def test_status_and_doctor_count_broken_links_alike(vault: Path) -> None:
    (vault / "LICENSE").write_text("free\n", "utf-8")
    (vault / "Projects" / "pictures").mkdir()
    before = run("status", "--json", vault=vault).json["counts"]["links"]
    (vault / "Links.md").write_text("[a](LICENSE) [b](Projects/pictures) [[Nowhere]] [c](Gone/Note.md) [[House]]\n", "utf-8")
    run("index", vault=vault)
    links = run("status", "--json", vault=vault).json["counts"]["links"]
    found = [finding for finding in run("doctor", "--json", vault=vault).json if finding["code"] == "broken-link"]
    assert links["broken"] == len(found) == before["broken"] + 2
    assert links["asset"] == before.get("asset", 0) + 2
