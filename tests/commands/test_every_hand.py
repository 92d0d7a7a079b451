"""Every command that changes notes, on a vault that somebody else keeps: done, and taken back to the byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.commands.support import notes_of, run

HANDS: tuple[tuple[object, ...], ...] = (
    ("add", "--no-walk", "Decided: [[North Star]] is read every Monday."),
    ("walk",),
    ("reconcile",),
    ("link",),
    ("consolidate", "--ceiling", 1),
    ("merge", "Skills", "Patterns"),
    ("split", "Patterns"),
    ("move", "Gotchas", "Memories"),
    ("move", "Gotchas", "--to", "thinking"),
    ("rename", "North Star", "Pole Star"),
    ("retype", "Patterns", "concept"),
    ("describe", "Gotchas", "What has bitten us."),
    ("tag", "Gotchas", "bites", "often"),
    ("importance", "Gotchas", "0.9"),
    ("pin", "Gotchas"),
    ("pin", "Gotchas", "--off"),
    ("forget", "Gotchas"),
    ("forget", "Gotchas", "--back"),
    ("link", "Gotchas", "depends_on", "Skills", "--reason", "what we know keeps us from it"),
    ("unlink", "Gotchas", "Skills"),
    ("stale", "--confirm", "Skills"),
    ("correct", "The agent is Codex.", "--was", "Claude Code", "--becomes", "Codex", "--authority", "House rules", "--apply"),
    ("propose", "--title", "A new way", "--bm25", "50", "Boats are kept dry."),
    ("reorganize",),
    ("subgroup", "--apply"),
    ("repair", "--all"),
    ("prune", "--yes"),
    ("render",),
    ("maintain", "--once"),
)
DERIVED = ("Views/", "Memory/Review.md")
"""What is written anew from the notes and the journal, and is no note."""


@pytest.fixture
def mind(tmp_path: Path, fixtures: Path, engine: str) -> Path:
    vault = tmp_path / "mind"
    if not (fixtures / "vaults" / "obsidian-mind").is_dir():
        pytest.skip("that vault is not here")
    shutil.copytree(fixtures / "vaults" / "obsidian-mind", vault)
    (vault / "House rules.md").write_text("We use Codex.\n", "utf-8")
    run("init", vault, "--adopt", env={"BRAIN_ENGINE": engine})
    run("setup", "--name", "Ada Lovelace", vault=vault)
    run("index", "--no-embed", vault=vault)
    return vault


def kept(vault: Path) -> dict[str, bytes]:
    return {path: data for path, data in notes_of(vault).items() if not path.startswith(DERIVED)}


def test_each_hand_is_done_and_all_are_taken_back_to_the_byte(mind: Path) -> None:
    start = kept(mind)
    changed = set()
    for hand in HANDS:
        before = kept(mind)
        done = run(*hand, vault=mind)
        assert done.code in (0, 1), (hand, done.out, done.err)
        changed |= {hand[0]} if kept(mind) != before else set()
    assert changed >= {"add", "walk", "merge", "move", "rename", "retype", "describe", "tag", "importance", "pin", "forget", "link", "unlink", "correct"}
    for _ in range(2 * len(HANDS)):
        if kept(mind) == start:
            break
        assert run("undo", vault=mind).code == 0
    assert kept(mind) == start
