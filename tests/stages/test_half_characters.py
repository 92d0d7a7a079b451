"""Half a character in a record, which no file can hold: the record counts for nothing, and what was to be written is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from brain.doctor.checks import examine
from brain.stages import walk
from brain.stages.ledger import read_ledger
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

HALF = "x\ud800"
NOTES = {"Boat.md": "# Boat\n", "Inbox/E.md": "---\ntype: episode\n---\nDecided: [[Boat]] is painted red\n"}


def damage(vault: Vault, name: str) -> None:
    """Puts half a character into the intent of the walk."""
    (place,) = vault.space.journal.folder.glob("*/*.jsonl")
    records: list[dict[str, Any]] = [json.loads(line) for line in place.read_text("utf-8").splitlines()]
    (intent,) = [record for record in records if record["kind"] == "intended" and record["stage"] == "walk"]
    holder = intent["files"][0] if name == "path" else intent
    holder[name] = f"{HALF}.md"
    place.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


@pytest.mark.parametrize("name", ["because", "run", "key", "item", "path"])
def test_an_intent_with_half_a_character_is_damaged_and_stops_nothing(make: Make, name: str) -> None:
    vault = make(NOTES)
    walk.run(vault.ctx)
    damage(vault, name)
    assert [damaged.kind for damaged in read_ledger(vault.ctx.journal).damaged] == ["intended"]
    assert "journal-line" in {finding.code for finding in examine(vault.space)}
    vault.write("Inbox/F.md", "---\ntype: episode\n---\nDecided: [[Boat]] is for sale\n")
    vault.index()
    (receipt,) = walk.run(vault.ctx).applied
    assert "for sale" in vault.text("Boat.md")
    undo(vault.ctx, receipt.item)
    assert "for sale" not in vault.text("Boat.md")
