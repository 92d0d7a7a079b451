"""`brain split`: a merge is taken apart again, also after later edits elsewhere; what stands in the way is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from brain.core.plan import Patch
from brain.errors import BrainError, NotFound, UsageError
from brain.stages.context import Context
from brain.stages.hands.hand import Hand
from brain.stages.ledger import Ledger, read_ledger
from brain.stages.record import Record, patches_of
from brain.stages.timeline import told_of_undo
from brain.stages.undo import NotUndone, UndoReport, rehearsed, undo
from brain.vault.parse import decode, parse_note

SAME = "|same_entity|"


@dataclass(frozen=True, slots=True)
class Split:
    """What taking a merge apart did, or would do: then `patches` has it. `merged` is the item of the merge."""

    path: str
    merged: str
    report: UndoReport
    patches: tuple[Patch, ...] = ()
    dry_run: bool = False


def split(ctx: Context, path: str, *, dry_run: bool = False) -> Split:
    """Undoes the merge in which a note was absorbed.

    Raises: NotFound when there was none of which the journal knows; UsageError for a note that others were merged into.
    """
    note = Hand(ctx, "split", dry_run=True).read(path).note
    ledger = read_ledger(ctx.journal)
    names = _paths_of(ctx, path)
    found = [intent for intent in ledger.standing() if intent["stage"] != "undo" and any(gone in names for gone in _absorbed(ctx, intent))]
    if not found:
        _explain(ctx, ledger, path, note.status)
    item = str(found[-1]["item"])
    if dry_run:
        patches, left = rehearsed(ctx, item)
        return Split(path, item, _told(ledger, UndoReport("", () if left else (item,), tuple(patch.path for patch in patches), left)), patches, True)
    report = undo(ctx, item)
    told_of_undo(ctx, report)
    return Split(path, item, _told(ledger, report))


def _explain(ctx: Context, ledger: Ledger, path: str, status: str) -> None:
    """Raises: UsageError naming what was merged into this note; NotFound."""
    names = _paths_of(ctx, path)
    taken_in = [gone for intent in ledger.standing() for gone in _absorbed(ctx, intent) if any(patch.path in names for patch in _patches(intent)) and gone not in names]
    if taken_in and status != "superseded":
        shown = ", ".join(dict.fromkeys(taken_in))
        raise UsageError(f"{path} was not absorbed; it took in {shown}.", f'brain split "{taken_in[-1]}"')
    why = "and no merge of it is in the journal" if status == "superseded" else "so there is nothing to take apart"
    raise NotFound(f"{path} is {status}, {why}.", "brain runs")


def _absorbed(ctx: Context, intent: Record) -> Iterator[str]:
    """Yields the notes that an item made forward to another one in a merge."""
    if not any(SAME in source["item"] for source in intent["provenance"]):
        return
    for patch in _patches(intent):
        if patch.before is not None and patch.after is not None:
            was, now = (parse_note(patch.path, decode(data)[0], ctx.config.limits).status for data in (patch.before, patch.after))
            if now == "superseded" != was:
                yield patch.path


def _patches(intent: Record) -> tuple[Patch, ...]:
    try:
        return patches_of(intent)
    except BrainError:
        return ()  # a damaged record: undo of it says so


def _paths_of(ctx: Context, path: str) -> set[str]:
    """Returns the paths that a note has had, as the journal knows them."""
    known = {path}
    for record in reversed(ctx.journal.records({"moved"})):
        if record.get("to") in known and isinstance(record.get("from"), str):
            known.add(record["from"])
    return known


def _told(ledger: Ledger, report: UndoReport) -> UndoReport:
    """Returns the report with the runs that wrote to what stands in the way."""
    return replace(report, left=tuple(_with_cause(ledger, left) for left in report.left))


def _with_cause(ledger: Ledger, left: NotUndone) -> NotUndone:
    later = [intent for intent in ledger.standing() if left.path in {file["path"] for file in intent["files"]}]
    after = [str(intent["item"]) for intent in later[next((n for n, one in enumerate(later) if one["item"] == left.item), -1) + 1 :]]
    cure = f"brain undo {after[-1]} first" if after else f'put "{left.path}" back as it was, or take the lines out with brain edit'
    return replace(left, why=f"{left.why}; {cure}")
