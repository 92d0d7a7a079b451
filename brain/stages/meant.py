"""Which run or item an undo is about, in words for a person: the command or stage it came from, when, and its notes. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.config import zone_of
from brain.core.dates import instant_of
from brain.core.plan import VIEWS
from brain.stages.context import Context
from brain.stages.ledger import Ledger
from brain.stages.record import Record

_COMMANDS = {"owner": "setup", "confirm": "stale"}
"""Beginnings of keys that are not called as the command that makes them is."""


@dataclass(frozen=True, slots=True)
class Meant:
    """A run, or one item of it. `at` is ISO in UTC; `when` is the time in the zone of the vault, with the day unless that is today."""

    name: str
    command: str
    at: str
    when: str
    paths: tuple[str, ...]


def meant_by(ctx: Context, name: str, intents: Sequence[Record]) -> Meant | None:
    """Describes what is taken back under a name, from its intents, oldest first; None when there are none."""
    if not intents:
        return None
    at = str(intents[0]["at"])
    commands = dict.fromkeys(_command(intent) for intent in intents)
    paths = dict.fromkeys(str(file["path"]) for intent in intents for file in intent["files"])
    return Meant(name, ", ".join(commands), at, _when(ctx, at), tuple(paths))


def standing_runs(ledger: Ledger) -> list[str]:
    """Returns the runs that are not taken back and that changed notes, the latest first; undoings and views are none of them."""
    return list(dict.fromkeys(str(intent["run"]) for intent in reversed(ledger.standing()) if _is_of_a_run(intent)))


def older_than(ctx: Context, ledger: Ledger, run: str) -> Meant | None:
    """Describes the run before a run, of those that an undo could take back instead."""
    runs = standing_runs(ledger)
    before = runs[runs.index(run) + 1 :] if run in runs else []
    return meant_by(ctx, before[0], [intent for intent in ledger.standing() if intent["run"] == before[0]]) if before else None


def last_undoing(ledger: Ledger) -> str | None:
    """Returns the latest run of an undo, or of a split, that stands."""
    return next((str(intent["run"]) for intent in reversed(ledger.standing()) if intent["stage"] == "undo" and intent["files"]), None)


def _is_of_a_run(intent: Record) -> bool:
    return bool(intent["files"]) and intent["stage"] not in ("undo", *VIEWS)


def _command(intent: Record) -> str:
    """A stage is a command by itself; a change by hand begins its key with the name of the hand."""
    head = str(intent["key"]).partition("|")[0]
    return _COMMANDS.get(head, head) if intent["stage"] == "edit" and head.isalpha() else str(intent["stage"])


def _when(ctx: Context, at: str) -> str:
    moment = instant_of(at)
    if moment is None:
        return at
    local = moment.astimezone(zone_of(ctx.config))
    return f"{local:%H:%M}" if local.date().isoformat() == ctx.today else f"{local:%Y-%m-%d %H:%M}"
