"""Repairs of files that are no notes: second copies of a syncer, and what cut-off writes left.

Only what holds nothing of its own is taken away. A copy goes through the write path, so that `brain undo` brings it
back; a copy that says something else is a person's to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import Final

from brain.core.ids import sha256_hex
from brain.core.plan import Applied, Conflict, Patch, Plan, Receipt, Refused
from brain.doctor.files import files_of
from brain.doctor.leftovers import REMOVED_AFTER_S, holds_nothing
from brain.doctor.notes import beside_of, three_way
from brain.errors import UsageError
from brain.stages.commit import append, item_id, land, recover
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.ledger import read_ledger
from brain.stages.record import intent_record
from brain.stages.report import RunReport
from brain.vault.layout import Layout
from brain.vault.scan import scan

STAGE: Final = "repair"
CONFLICT = "a sync-conflict copy"


def conflict_copies(ctx: Context, dry_run: bool) -> RunReport:
    """Takes away the copies that hold, byte for byte, what their note holds; names the others with a way to merge them."""
    if not dry_run:
        recover(ctx)
    run, receipts, said = ctx.new_run(), list[Receipt](), list[str]()
    copies = [path for path, why in sorted(scan(ctx.vault.root, ctx.config).skipped.items()) if why == CONFLICT]
    for path in copies:
        note = beside_of(path)
        sources = ctx.vault.read_many([path, note])
        if note == path or note not in sources:
            said.append(f"{path}: there is no {note} beside it; rename it, if it is the note.")
        elif sources[path].data != sources[note].data:
            said.append(f"{path} differs from {note}: {three_way(note, path)} shows both (or diff), keep what you want, then rm {quote(path)}.")
        else:
            receipts.append(_removed(ctx, run, path, sources[path].data, note, is_first=not receipts, dry_run=dry_run))
    gone = [patch.path for receipt in receipts if isinstance(receipt, Applied) for patch in receipt.patches]
    if gone and not dry_run:
        ctx.sync(gone)
    return RunReport(STAGE, run, tuple(receipts), len(copies), waiting=len(said), notices=tuple(said), dry_run=dry_run)


def stray_temporaries(ctx: Context, dry_run: bool) -> RunReport:
    """Deletes unfinished texts of ours, files that hold what their note holds, and cut-off rebuilds; all of them older than a day."""
    said: list[str] = []
    is_open = bool(read_ledger(ctx.journal).open_intents(ctx.journal.machine))
    strays = () if is_open else tuple(_strays(ctx))
    for path in strays:
        if not dry_run:
            with ctx.lock.exclusive(STAGE):
                (ctx.vault.root / path).unlink(missing_ok=True)
        said.append(f"{'Would be deleted' if dry_run else 'Deleted'}: {path}.")
    return RunReport(STAGE, ctx.new_run(), found=len(strays), notices=tuple(said), dry_run=dry_run)


def _removed(ctx: Context, run: str, path: str, data: bytes, note: str, *, is_first: bool, dry_run: bool) -> Receipt:
    """Takes one file away as `commit` would: intent, removal, landed."""
    plan = Plan(STAGE, f"{path}|copy", {path: sha256_hex(data)}, (), f"it holds what {note} holds, byte for byte")
    patch, item = Patch(path, data, None), item_id(run, plan)
    if dry_run:
        return Applied(item, plan, (patch,))
    if is_first:
        append(ctx, [{"kind": "run_started", "at": ctx.at, "run": run, "stage": STAGE}])
    with ctx.lock.exclusive(STAGE):
        try:
            changed = land(ctx, intent_record(plan, (patch,), run=run, item=item, decision=decision_id(plan), at=ctx.at), (patch,), ())
        except UsageError as error:
            return Refused(plan, error.message)
    return Conflict(plan, changed) if changed else Applied(item, plan, (patch,))


def _strays(ctx: Context) -> Iterator[str]:
    root, now, index = ctx.vault.root, ctx.now.timestamp(), Layout(ctx.vault.root).index
    derived = [path.relative_to(root).as_posix() for pattern in ("*.new*", "*.tmp") for path in sorted(index.glob(pattern))]
    beside = [path for path in files_of(root).temporaries if holds_nothing(root, path)]
    for path in (*beside, *derived):
        place = root / path
        if place.is_file() and not place.is_symlink() and now - place.stat().st_mtime >= REMOVED_AFTER_S:
            yield path
