"""What the journal says about stages: its records as folds. Reads only; `commit` and `undo` append.

Record kinds, all with `at`: run_started, intended, landed, rolled_back, held, undone, declined, walked,
provenance, verdict. An intent without `landed` or `rolled_back` is a run that died.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from brain.config import Limits
from brain.core.ids import sha256_hex
from brain.vault.frontmatter import read_frontmatter
from brain.vault.journal import Journal
from brain.vault.parse import encode

Record = dict[str, Any]
KINDS = frozenset({
    "run_started", "intended", "landed", "rolled_back", "held", "undone", "declined", "walked", "provenance", "verdict",
})  # fmt: skip


@dataclass(slots=True)
class Ledger:
    """The fold of all stage records, oldest first."""

    intents: dict[str, Record] = field(default_factory=dict)
    """Item → its intent, in the order they were written."""
    landed: set[str] = field(default_factory=set)
    rolled_back: set[str] = field(default_factory=set)
    undoings: dict[str, list[str]] = field(default_factory=dict)
    """Item → the items of the undo runs that took it back; those that never landed took nothing back."""
    held: dict[str, Record] = field(default_factory=dict)
    """Decision → its record, unless it was declined or landed later."""
    refusals: list[Record] = field(default_factory=list)
    """What people took back, by the item of the undo run that did it."""
    walks: dict[str, list[Record]] = field(default_factory=dict)
    """Note id → what was walked of it."""

    @property
    def undone(self) -> set[str]:
        """Items that were taken back by an undo that landed."""
        return {item for item, within in self.undoings.items() if any(undo in self.landed for undo in within)}

    @property
    def declined(self) -> set[str]:
        """Decisions and items of provenance that a person took back."""
        landed = [record for record in self.refusals if record["within"] in self.landed]
        return {name for record in landed for name in (record["decision"], *record["items"])}

    @property
    def settled(self) -> set[str]:
        """Decisions that must not be planned again: held ones and declined ones."""
        return self.declined | set(self.held)

    def open_intents(self, machine: str) -> list[Record]:
        """Returns the intents of this machine that neither landed nor were rolled back, latest first."""
        closed = self.landed | self.rolled_back
        return [r for item, r in reversed(self.intents.items()) if item not in closed and r.get("machine") == machine]

    def standing(self) -> list[Record]:
        """Returns the intents that landed and were not undone, oldest first; undoing itself is none."""
        return [r for item, r in self.intents.items() if item in self.landed - self.undone and r["stage"] != "undo"]

    def walked(self, note_id: str) -> list[Record]:
        """Returns the walks of an episode that landed."""
        return [r for r in self.walks.get(note_id, ()) if r["item"] in self.landed]


def read_ledger(journal: Journal) -> Ledger:
    """Folds the journal of every machine."""
    ledger = Ledger()
    for record in journal.records(set(KINDS)):
        _take(ledger, record)
    return ledger


def body_sha256(text: str, limits: Limits) -> str:
    """Returns the sha256 of a note's text below its frontmatter: a stamp above does not change it."""
    return sha256_hex(encode(text[read_frontmatter(text, limits).end :]))


def _take(ledger: Ledger, record: Record) -> None:
    match record["kind"]:
        case "intended":  # after a conflict the same item may be tried again: what closed the first try does not close this one
            ledger.intents[record["item"]] = record
            ledger.rolled_back.discard(record["item"])
            ledger.landed.discard(record["item"])
        case "landed":
            ledger.landed.add(record["item"])
            ledger.held.pop(record["decision"], None)
        case "rolled_back":
            ledger.rolled_back.add(record["item"])
            ledger.landed.discard(record["item"])
        case "undone":
            ledger.undoings.setdefault(record["item"], []).append(record["within"])
        case "held":
            ledger.held.setdefault(record["decision"], record)
        case "declined":
            ledger.refusals.append(record)
        case "walked":
            ledger.walks.setdefault(record["id"], []).append(record)
        case _:
            pass
