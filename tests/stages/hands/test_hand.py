"""A hand's plans are one run: when a later one cannot be carried out, the earlier ones are taken back."""

from __future__ import annotations

import pytest

from brain.core.plan import CreateNote, SetField
from brain.errors import NoteChanged, UsageError
from brain.stages.hands.hand import Hand
from tests.stages.hands.conftest import Hold


def test_what_cannot_be_finished_is_taken_back(hold: Hold) -> None:
    held = hold({"A.md": "a\n", "B.md": "b\n"})
    before = held.vault.bytes()
    hand = Hand(held.vault.ctx, "pin")
    plans = [hand.plan(path, "so", [hand.read(path)], [SetField(path, "pinned", True)]) for path in ("A.md", "B.md")]
    held.write("B.md", "changed meanwhile\n")
    with pytest.raises(NoteChanged, match=r"B\.md"):
        hand.carry_out(plans, "so")
    assert held.vault.bytes() == {**before, "B.md": b"changed meanwhile\n"}


def test_what_is_refused_in_a_rehearsal_takes_nothing_back(hold: Hold) -> None:
    held = hold({"A.md": "a\n"})
    held.brain.pin("A")
    before = held.vault.bytes()
    hand = Hand(held.vault.ctx, "pin", dry_run=True)
    taken = hand.plan("A", "so", [], [CreateNote("A.md", "other")])
    with pytest.raises(UsageError, match="there already"):
        hand.carry_out([hand.plan("A", "so", [hand.read("A.md")], [SetField("A.md", "x", 1)]), taken], "so")
    assert held.vault.bytes() == before


def test_a_folder_that_the_settings_name_keeps_its_name(hold: Hold) -> None:
    held = hold({"Memory/Insights/A.md": "a\n"})
    for folder in ("Memory", "Memory/Insights"):
        with pytest.raises(UsageError, match="settings"):
            held.brain.rename(folder, "Else")
