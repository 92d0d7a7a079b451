"""What the journal says about stages: its records as folds. Reads only; `commit` and `undo` append.

Record kinds, all with `at`: run_started, intended, landed, rolled_back, held, closed, undone, declined, walked,
provenance, verdict. An intent without `landed` or `rolled_back` is a run that died. What an undo took back
counts as declined, until that undo is taken back itself. A record that cannot be read for what it is counts
for nothing, and is named in `damaged`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from brain.config import Limits
from brain.core.finding import Finding
from brain.core.ids import sha256_hex
from brain.errors import BrainError
from brain.stages.record import Record as Record
from brain.stages.record import patches_of
from brain.stages.shape import fault_of
from brain.vault.frontmatter import read_frontmatter
from brain.vault.journal import Journal
from brain.vault.parse import encode

KINDS = frozenset({"run_started", "intended", "landed", "rolled_back", "held", "closed", "undone", "declined", "walked"})

State = Literal["landed", "rolled_back", "undone", "open"]


@dataclass(frozen=True, slots=True)
class Damaged:
    """A record that cannot be used; `item` and `run` are what it says of itself, empty when that is no text."""

    kind: str
    item: str
    run: str
    why: str

    @property
    def finding(self) -> Finding:
        """The observation for a person."""
        of = f" of {self.item}" if self.item else ""
        return Finding("journal-line", "warning", "", 0, f"A `{self.kind}` record{of} in the journal cannot be used: {self.why}.", "brain doctor")


@dataclass(frozen=True, slots=True)
class RunItem:
    """One item of a run and what became of it; `paths` are the notes it wrote, sorted."""

    item: str
    state: State
    because: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run: its stage, when it started (ISO, UTC), its items in order."""

    run: str
    stage: str
    started: str
    items: tuple[RunItem, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A claim or relation that was taken back: its id, the words it came from, the item of the undo run."""

    item: str
    quote: str
    undoing: str

    @property
    def what(self) -> str:
        """What it is, in a word."""
        return "relation" if "|" in self.item else "claim"


@dataclass(slots=True)
class Ledger:
    """The fold of all stage records, oldest first."""

    intents: dict[str, Record] = field(default_factory=dict)
    """Item → its intent, in the order they were written."""
    landed: set[str] = field(default_factory=set)
    rolled_back: set[str] = field(default_factory=set)
    undone: dict[str, str] = field(default_factory=dict)
    """Item → the item of the undo run that took it back, and that was not taken back itself."""
    declines: dict[str, str] = field(default_factory=dict)
    """Decision or item of provenance that a person took back → the item of the undo run that did it."""
    held: dict[str, Record] = field(default_factory=dict)
    """Decision → its record, unless it was declined, closed or carried out later."""
    decided: set[str] = field(default_factory=set)
    """Held decisions that a person had carried out."""
    started: dict[str, Record] = field(default_factory=dict)
    """Run → its record."""
    damaged: list[Damaged] = field(default_factory=list)
    _undoings: dict[str, list[str]] = field(default_factory=dict)
    _refusals: list[Record] = field(default_factory=list)
    _walks: dict[str, list[tuple[int, Record]]] = field(default_factory=dict)
    _made: dict[str, int] = field(default_factory=dict)
    """Path → the place in the journal where a note was last created there."""

    @property
    def declined(self) -> set[str]:
        """Decisions and items of provenance that a person took back."""
        return set(self.declines)

    @property
    def settled(self) -> set[str]:
        """Decisions that must not be planned again: those that wait for a person or that a person made."""
        return {*self.declines, *self.held, *self.decided}

    def open_intents(self, machine: str) -> list[Record]:
        """Returns the intents of this machine that neither landed nor were rolled back, latest first."""
        return [record for record in reversed(_open(self)) if record.get("machine") == machine]

    def standing(self) -> list[Record]:
        """Returns the intents that landed and were not undone, oldest first; those of undo runs too."""
        return [record for item, record in self.intents.items() if item in self.landed and item not in self.undone]

    def walked(self, note_id: str) -> list[Record]:
        """Returns the walks of an episode that landed; those of another note, that was at its path before, do not count."""
        walks = self._walks.get(note_id, ())
        return [record for place, record in walks if record["item"] in self.landed and place > self._made.get(record["path"], -1)]

    def items_of(self, note_id: str) -> set[str]:
        """Returns what the walks of an episode ever made: ids of claims, relations and actions."""
        walks = (self.intents.get(walk["item"], _NO_INTENT) for walk in self.walked(note_id))
        return {source["item"] for intent in walks for source in intent["provenance"]}

    def taken_back(self, note_id: str) -> list[TakenBack]:
        """Returns what people took back of the walks of an episode."""
        undone = [(walk["item"], self.undone[walk["item"]]) for walk in self.walked(note_id) if walk["item"] in self.undone]
        return [
            TakenBack(source["item"], str(source.get("quote")), undoing)
            for item, undoing in undone
            for source in self.intents.get(item, _NO_INTENT)["provenance"]
        ]


_NO_INTENT: Record = {"provenance": []}


def read_ledger(journal: Journal) -> Ledger:
    """Folds the journal of every machine."""
    ledger = Ledger()
    for place, (record, fault) in enumerate(journal.checked(set(KINDS), fault_of)):
        if fault is None:
            _take(ledger, place, record)
        else:
            ledger.damaged.append(_damaged(record, fault))
    root = journal.folder.parent.parent
    for record in _open(ledger):
        fault = _unusable(root, record)
        if fault is not None:
            del ledger.intents[record["item"]]
            ledger.damaged.append(_damaged(record, fault))
    _settle(ledger)
    return ledger


def runs_of(ledger: Ledger) -> tuple[RunEntry, ...]:
    """Folds a ledger into its runs, oldest first; a run that planned nothing it could write has no items."""
    items: dict[str, list[RunItem]] = {run: [] for run in ledger.started}
    first: dict[str, Record] = dict(ledger.started)
    for item, intent in ledger.intents.items():
        first.setdefault(intent["run"], intent)
        paths = tuple(sorted(file["path"] for file in intent["files"]))
        items.setdefault(intent["run"], []).append(RunItem(item, state_of(ledger, item), intent["because"], paths))
    runs = [RunEntry(run, first[run]["stage"], first[run]["at"], tuple(found)) for run, found in items.items()]
    return tuple(sorted(runs, key=lambda entry: entry.started))


def state_of(ledger: Ledger, item: str) -> State:
    """Returns what became of an item."""
    if item in ledger.undone:
        return "undone"
    return "landed" if item in ledger.landed else "rolled_back" if item in ledger.rolled_back else "open"


def body_sha256(text: str, limits: Limits) -> str:
    """Returns the sha256 of a note's text below its frontmatter: a stamp above does not change it."""
    return sha256_hex(encode(text[read_frontmatter(text, limits).end :]))


def misleading(root: Path, path: str) -> str | None:
    """Returns why a path of a record leads to no file of the vault: through a link, or to nothing a disk can hold."""
    here = root
    for segment in path.split("/")[:-1]:
        here = here / segment
        if os.path.islink(here):
            return f"{path} goes through a link, which is not followed"
    try:
        os.lstat(root / path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return f"{path[:80]} is no path of a file"
    return None


def _take(ledger: Ledger, place: int, record: Record) -> None:
    match record["kind"]:
        case "run_started":
            ledger.started.setdefault(record["run"], record)
        case "intended":  # after a conflict the same item may be tried again: what closed the first try does not close this one
            ledger.intents[record["item"]] = record
            ledger.rolled_back.discard(record["item"])
            ledger.landed.discard(record["item"])
        case "landed":
            ledger.landed.add(record["item"])
            if ledger.held.pop(record["decision"], None) is not None:
                ledger.decided.add(record["decision"])
            ledger._made |= dict.fromkeys(_created(ledger.intents.get(record["item"])), place)
        case "rolled_back":
            ledger.rolled_back.add(record["item"])
            ledger.landed.discard(record["item"])
        case "undone":
            ledger._undoings.setdefault(record["item"], []).append(record["within"])
        case "held":
            ledger.held.setdefault(record["decision"], record)
        case "closed":
            ledger.held.pop(record["decision"], None)
        case "declined":
            ledger._refusals.append(record)
        case "walked":
            ledger._walks.setdefault(record["id"], []).append((place, record))
        case _:
            pass


def _created(intent: Record | None) -> list[str]:
    """Returns the paths at which an item made new notes: neither moved there, nor put back there, nor brought with their history."""
    if intent is None or intent["stage"] in ("undo", "import", "restore") or any(file["after_sha256"] is None for file in intent["files"]):
        return []
    return [file["path"] for file in intent["files"] if file["before_sha256"] is None]


def _settle(ledger: Ledger) -> None:
    """Tells which undoings hold: an undo that was undone itself took nothing back."""
    ledger.undone = _holding(ledger)
    for record in ledger._refusals:
        if record["within"] in ledger.landed and record["within"] not in ledger.undone:
            ledger.declines |= dict.fromkeys((record["decision"], *record["items"]), record["within"])
    ledger.held = {decision: record for decision, record in ledger.held.items() if decision not in ledger.declines}


def _holding(ledger: Ledger) -> dict[str, str]:
    known: dict[str, str | None] = {}
    waiting = list(reversed(ledger._undoings))  # an undo of an undo is later than it, so one pass is the rule
    while waiting:
        left = []
        for item in waiting:
            landed = [within for within in ledger._undoings[item] if within in ledger.landed and _is_undo(ledger, within, item)]
            if any(within in ledger._undoings and within not in known for within in landed):
                left.append(item)
            else:
                known[item] = next((within for within in reversed(landed) if known.get(within) is None), None)
        if len(left) == len(waiting):
            break  # records that undo each other in a ring: none of them counts
        waiting = left
    return {item: within for item, within in known.items() if within is not None}


def _is_undo(ledger: Ledger, within: str, item: str) -> bool:
    intent = ledger.intents.get(within)
    return intent is None or (intent["stage"] == "undo" and intent["key"] == item)


def _open(ledger: Ledger) -> list[Record]:
    closed = ledger.landed | ledger.rolled_back
    return [record for item, record in ledger.intents.items() if item not in closed]


def _unusable(root: Path, intent: Record) -> str | None:
    """Returns why an intent that is open cannot be rolled back: its texts are damaged, or a path leads elsewhere."""
    try:
        patches_of(intent)
    except BrainError as error:
        return error.message.rstrip(".")
    return next((fault for file in intent["files"] if (fault := misleading(root, file["path"]))), None)


def _damaged(record: Mapping[str, Any], why: str) -> Damaged:
    item, run = (value if isinstance(value := record.get(name), str) else "" for name in ("item", "run"))
    return Damaged(record["kind"], item, run, why)
