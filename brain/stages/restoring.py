"""Notes as they were, put back over those that are there now: one plan a note, one run, taken back by undo.

A note that is not among them stays as it is. Writes through `commit` only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from brain.core.ids import sha256_hex
from brain.core.note import Span
from brain.core.plan import Applied, CreateNote, Edit, Plan, ReplaceSpan, Stage
from brain.errors import BrainError
from brain.stages.context import Context, Reading
from brain.stages.report import RunReport
from brain.stages.run import Run
from brain.vault.parse import decode
from brain.vault.store import Source


@dataclass(frozen=True, slots=True)
class Kept:
    """A note as it was: its path, its bytes and its time in ns."""

    path: str
    data: bytes
    mtime_ns: int


def restore_notes(ctx: Context, notes: Sequence[Kept], *, from_what: str, dry_run: bool) -> RunReport:
    """Gives notes the bytes they had; those that have them already are no part of the run. Raises: BrainError, Locked."""
    plans = (plan for note in notes if (plan := _plan(Reading(ctx.vault), note, f"as it was in {from_what}")) is not None)
    return carried_out(ctx, "restore", plans, notes, dry_run=dry_run)


def carried_out(ctx: Context, stage: Stage, plans: Iterable[Plan], notes: Sequence[Kept], *, dry_run: bool) -> RunReport:
    """Carries out plans for notes as one run, gives the notes their times, then indexes. Raises: BrainError, Locked.

    A note without dates of its own fades from its file's time on, so that the time comes with it.
    """
    run = Run(replace(ctx, sync=lambda _: None), stage, dry_run=dry_run)
    receipts = [run.commit(plan) for plan in plans]
    written = {patch.path for receipt in receipts if isinstance(receipt, Applied) for patch in receipt.patches}
    if written and not dry_run:
        for note in notes:
            if note.path in written:
                _give_time(ctx, note)
        ctx.sync(sorted(written))
    return run.report(found=len(receipts))


def _plan(reading: Reading, note: Kept, because: str) -> Plan | None:
    source = reading.read(note.path)
    if source is not None and source.data == note.data:
        return None
    base = {} if source is None else {note.path: source.sha256}
    return Plan("restore", f"{note.path} {sha256_hex(note.data)[:16]}", base, (_edit(note, source),), because)


def _edit(note: Kept, source: Source | None) -> Edit:
    text = decode(note.data)[0]
    return CreateNote(note.path, text) if source is None else ReplaceSpan(note.path, Span(0, len(source.text)), source.text, text)


def _give_time(ctx: Context, note: Kept) -> None:
    try:
        os.utime(ctx.vault.absolute(note.path), ns=(note.mtime_ns, note.mtime_ns), follow_symlinks=False)
    except OSError as error:
        raise BrainError(f"{note.path} could not be given its time: {error.strerror}.", f'look at the permissions of "{note.path}"') from error
