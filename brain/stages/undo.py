"""Undo: takes back what a run, or one item of it, did to the notes. Writes through `commit.land` only.

A file that still is what the item made of it gets its bytes back. A file that changed since gets the item's
lines taken out, where no later change touches them; when that is not possible for one file of an item, no
file of the item is touched, and the report says why, with what changed since. What was undone counts as
declined: the next night does not do it again, and a walked episode stays walked. An undo is a run too: taking
that back does the item again, and withdraws the decline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from brain.core.finding import Finding
from brain.core.plan import Applied, Patch, Plan
from brain.errors import BrainError, NotFound, UsageError
from brain.stages.commit import drop_new_folders, land, recover
from brain.stages.context import Context, Reading
from brain.stages.diff import diff_of
from brain.stages.ledger import Damaged, Ledger, misleading, read_ledger
from brain.stages.meant import Meant, last_undoing, meant_by, older_than, standing_runs
from brain.stages.record import Record, file_records, patches_of
from brain.stages.reversing import NotUndone as NotUndone
from brain.stages.reversing import reverse_of


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did. `paths` are the notes that were changed, `run` the undo's own id.

    Of the notes `removed` are gone now, and `restored` were gone before. `taken` is what was to be taken back; when that
    was not possible as a whole, `older` is the run before it. A rehearsal (`dry_run`) has no run, and a `diff` instead.
    """

    run: str
    undone: tuple[str, ...]
    paths: tuple[str, ...]
    left: tuple[NotUndone, ...] = ()
    findings: tuple[Finding, ...] = ()
    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    taken: Meant | None = None
    older: Meant | None = None
    diff: str = ""
    dry_run: bool = False


def undo(ctx: Context, target: str | None = None) -> UndoReport:
    """Takes back the last run, the run `target`, or the one item `target`; later items first.

    A `target` that is an undo, or an item of one, is done again.
    Raises: NotFound when there is nothing of that name to take back; BrainError, Locked.
    """
    findings = recover(ctx)
    run = ctx.new_run()
    with ctx.lock.exclusive("undo"):
        ledger = read_ledger(ctx.journal)
        target = next(iter(standing_runs(ledger)), None) if target is None else target
        wanted, left = _wanted(ledger, target)
        done, patches = _each(wanted, left, lambda intent: _undo_item(ctx, run, intent))
    if patches:
        ctx.sync(sorted({patch.path for patch in patches}))
    report = _report(ctx, ledger, target, wanted, done, patches, left)
    return replace(report, run=run, findings=(*findings, *report.findings))


def rehearse(ctx: Context, target: str | None = None) -> UndoReport:
    """Returns what `undo` would do, with the diff; writes nothing. Raises: NotFound."""
    ledger = read_ledger(ctx.journal)
    target = next(iter(standing_runs(ledger)), None) if target is None else target
    wanted, left = _wanted(ledger, target)
    done, patches = _each(wanted, left, _rehearsing(ctx))
    changes = tuple(patch for patch in _joined(patches) if patch.before != patch.after)
    diff = diff_of([Applied(str(target), Plan("undo", str(target), {}, (), f"{target} is taken back"), changes)]) if changes else ""
    return replace(_report(ctx, ledger, target, wanted, done, patches, left), diff=diff, dry_run=True)


def _each(wanted: Sequence[Record], left: list[NotUndone], take: Callable[[Record], list[Patch] | NotUndone]) -> tuple[list[str], list[Patch]]:
    """Takes back items, later ones first; returns those that were and all that it changed, and adds the others to `left`."""
    done: list[str] = []
    patches: list[Patch] = []
    for intent in reversed(wanted):
        outcome = take(intent)
        if isinstance(outcome, NotUndone):
            left.append(outcome)
        else:
            done.append(intent["item"])
            patches += outcome
    return done, patches


def _report(
    ctx: Context, ledger: Ledger, target: str | None, wanted: Sequence[Record], done: Sequence[str], patches: Sequence[Patch], left: Sequence[NotUndone]
) -> UndoReport:
    changes = sorted(_joined(patches), key=lambda patch: patch.path)
    name = str(target)
    return UndoReport(
        "", tuple(done), tuple(patch.path for patch in changes), tuple(left), tuple(damaged.finding for damaged in ledger.damaged),
        tuple(patch.path for patch in changes if patch.before is not None and patch.after is None),
        tuple(patch.path for patch in changes if patch.before is None and patch.after is not None),
        meant_by(ctx, name, wanted), older_than(ctx, ledger, name) if left else None,
    )  # fmt: skip


def _joined(patches: Sequence[Patch]) -> tuple[Patch, ...]:
    """Makes one patch of all that follow each other on a path."""
    joined: dict[str, Patch] = {}
    for patch in patches:
        first = joined.get(patch.path, patch)
        joined[patch.path] = Patch(patch.path, first.before, patch.after)
    return tuple(joined.values())


def _wanted(ledger: Ledger, target: str | None) -> tuple[list[Record], list[NotUndone]]:
    """Returns the intents to take back, oldest first, and those of that name that cannot be read. Raises: NotFound."""
    wanted = [intent for intent in ledger.standing() if target in (intent["run"], intent["item"])]
    damaged = [_unreadable(record) for record in ledger.damaged if record.kind == "intended" and target in (record.run, record.item)]
    if not wanted and not damaged:
        raise NotFound(*_nothing(ledger, target))
    return wanted, damaged


def _nothing(ledger: Ledger, target: str | None) -> tuple[str, str]:
    if target is None:
        last = last_undoing(ledger)
        return "There is nothing to undo.", f"brain undo {last} takes the last undo or split back; brain runs" if last else "brain runs"
    undoings = sorted({undoing for item, undoing in ledger.undone.items() if target in (item, ledger.intents.get(item, {}).get("run"))})
    if undoings:
        return f"{target} was undone already.", f"brain undo {undoings[0]}, to do that again"
    if any(target in (record["run"], record["item"]) for record in ledger.intents.values()):
        return f"{target} did not land, so there is nothing to undo.", "brain status"
    return f"There is no run or item {target}.", "brain status"


def _unreadable(record: Damaged) -> NotUndone:
    return NotUndone(record.item or record.run, "", f"its record in the journal cannot be used: {record.why}", "")


def rehearsed(ctx: Context, item: str) -> tuple[tuple[Patch, ...], tuple[NotUndone, ...]]:
    """Returns what taking one item back would change, or what stands in the way; writes nothing. Raises: NotFound."""
    wanted, left = _wanted(read_ledger(ctx.journal), item)
    _, patches = _each(wanted, left, _rehearsing(ctx))
    return tuple(patches), tuple(left)


def _rehearsing(ctx: Context) -> Callable[[Record], list[Patch] | NotUndone]:
    """Returns what tells how one item would be taken back, each from the notes as those before it would leave them."""
    reading = Reading(ctx.vault)

    def take(intent: Record) -> list[Patch] | NotUndone:
        patches = _reversed(ctx, intent, reading)
        reading.rehearse(() if isinstance(patches, NotUndone) else patches)
        return patches

    return take


def _undo_item(ctx: Context, run: str, intent: Record) -> list[Patch] | NotUndone:
    """Takes one item back as a whole; returns what it changed, or what stands in the way."""
    patches = _reversed(ctx, intent, Reading(ctx.vault))
    return patches if isinstance(patches, NotUndone) else _put_back(ctx, run, intent, patches)


def _reversed(ctx: Context, intent: Record, reading: Reading) -> list[Patch] | NotUndone:
    """Returns the patches that take an item back from the notes as they are read, or what stands in the way."""
    paths = [file["path"] for file in intent["files"]]
    if astray := next(((path, why) for path in paths if (why := misleading(ctx.vault.root, path))), None):
        return NotUndone(intent["item"], *astray, "")
    patches: list[Patch] = []
    try:
        for patch in patches_of(intent):
            reverse = reverse_of(ctx, intent, patch, reading)
            if isinstance(reverse, NotUndone):
                return reverse
            patches += [reverse] if reverse else []
    except BrainError as error:  # a damaged record, a file that may not be read
        return NotUndone(intent["item"], paths[0], error.message, "")
    return patches


def _put_back(ctx: Context, run: str, intent: Record, patches: list[Patch]) -> list[Patch] | NotUndone:
    because = f"{intent['item']} is {'done again' if intent['stage'] == 'undo' else 'taken back'}"
    own = {
        "kind": "intended", "at": ctx.at, "run": run, "item": f"{run}.{intent['item'].rpartition('.')[2]}", "decision": intent["decision"],
        "stage": "undo", "key": intent["item"], "because": because, "provenance": [], "files": file_records(patches),
    }  # fmt: skip
    try:
        changed = land(ctx, own, patches, _records(ctx, str(own["item"]), intent))
    except UsageError as error:
        return NotUndone(intent["item"], patches[0].path, error.message, "")
    if changed:
        return NotUndone(intent["item"], changed, "it changed while it was being put back", "")
    drop_new_folders(ctx, intent)
    return patches


def _records(ctx: Context, within: str, intent: Record) -> list[Record]:
    """What the journal says once the item is back; it counts only when the undo's own item, `within`, landed."""
    undone = {"kind": "undone", "at": ctx.at, "item": intent["item"], "run": intent["run"], "within": within}
    if intent["stage"] == "undo":  # taking an undo back declines nothing: it withdraws what that one declined
        return [*_moved_back(ctx, within, intent), undone]
    items = sorted(source["item"] for source in intent["provenance"])
    declined = {
        "kind": "declined", "at": ctx.at, "decision": intent["decision"], "stage": intent["stage"], "key": intent["key"], "items": items,
        "within": within,
    }  # fmt: skip
    return [*_moved_back(ctx, within, intent), undone, declined]


def _moved_back(ctx: Context, within: str, intent: Record) -> list[Record]:
    """The moves of an item the other way round, each between two paths that the item wrote."""
    paths = {file["path"] for file in intent["files"]}
    return [
        {"kind": "moved", "at": ctx.at, "item": within, "from": record["to"], "to": record["from"], "id": record["id"]}
        for record in ctx.journal.records({"moved"})
        if record.get("item") == intent["item"] and isinstance(record["id"], str) and all(_is_one_of(record[end], paths) for end in ("from", "to"))
    ]


def _is_one_of(value: object, paths: set[str]) -> bool:
    return isinstance(value, str) and value in paths
