"""The only write path: gate, render, journal the intent, apply, journal that it landed, sync.

A plan lands whole or not at all. Its intent (with the texts that were there before) is durable before the
first file is touched, so a run that dies in between is rolled back by the next one (`recover`). A file that
is neither what it was nor what the plan made of it is a person's: it is left alone and named, and a save that
the run was displacing when it died comes back to its path or beside it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from brain.core.finding import Finding
from brain.core.ids import sha256_hex, short_hash
from brain.core.plan import Applied, Conflict, Held, MoveNote, Patch, Plan, Receipt, Refused
from brain.errors import BrainError, NoteChanged, NotFound, UsageError
from brain.stages import paths
from brain.stages.context import Context, Reading
from brain.stages.gate import decision_id, why_held
from brain.stages.ledger import Record, body_sha256, misleading, read_ledger
from brain.stages.record import (
    declined_record,
    held_record,
    intent_record,
    new_folders_of,
    patches_of,
    provenance_records,
)
from brain.stages.shape import fault_of
from brain.vault.render import render
from brain.vault.store import Source
from brain.vault.write import create_note, remove_empty_folder, remove_note, replace_note, rescue


def commit(
    ctx: Context, plans: Sequence[Plan], *, run: str, dry_run: bool = False, reading: Reading | None = None
) -> tuple[Receipt, ...]:
    """Carries out plans one by one and returns what became of each, in order.

    A dry run writes nothing and shows its effect to later reads of `reading` alone.
    Raises: BrainError when the disk refuses (the plan at hand is rolled back), Locked.
    """
    reading = reading or Reading(ctx.vault)
    carry_out = _rehearsed if dry_run else _committed
    receipts = [carry_out(ctx, plan, run, reading) for plan in plans]
    touched = sorted({patch.path for r in receipts if isinstance(r, Applied) for patch in r.patches})
    if touched and not dry_run:
        ctx.sync(touched)
    return tuple(receipts)


def item_id(run: str, plan: Plan) -> str:
    """Returns the id of a plan within a run: what `brain undo` takes."""
    return f"{run}.{short_hash('item', decision_id(plan), length=12)}"


def recover(ctx: Context) -> tuple[Finding, ...]:
    """Rolls back what a run of this machine left half-way; called before every writing command.

    Returns what could not be put back, because someone else has written the file since, and where a save is kept
    that had no room at its path.
    Raises: BrainError when the disk refuses, Locked.
    """
    ctx.journal.keep_short(fault_of)
    if not read_ledger(ctx.journal).open_intents(ctx.journal.machine):
        return ()
    findings: list[Finding] = []
    touched: set[str] = set()
    with ctx.lock.exclusive("recover"):
        whole = replace(ctx.journal, index=None)  # what changes notes is decided by the journal itself, not by a short form of it
        for intent in read_ledger(whole).open_intents(whole.machine):
            patches = patches_of(intent)
            left, kept = _roll_back(ctx, intent, patches, {patch.path for patch in patches if patch.after is None})
            touched |= {patch.path for patch in patches} | set(kept)
            findings += [_left_alone(intent, path) for path in left]
            findings += [_kept_beside(intent, copy, path) for copy, path in sorted(kept.items())]
    ctx.sync(sorted(touched))
    return tuple(findings)


def land(ctx: Context, intent: Record, patches: Sequence[Patch], closing: Sequence[Record]) -> str | None:
    """Writes patches under the caller's lock; returns the path that someone else changed, None when all landed.

    `closing` records are appended with `landed`. On any failure what was written is put back.
    Raises: BrainError when the disk refuses, UsageError when a new name was taken meanwhile.
    """
    if folders := _new_folders(ctx, patches):
        intent = {**intent, "folders": folders}
    append(ctx, [intent])
    removed: set[str] = set()
    try:
        for patch in sorted(patches, key=_order):
            _apply(ctx, patch)
            removed |= {patch.path} if patch.after is None else set()
        append(ctx, [*closing, _closing(ctx, "landed", intent)])
    except NoteChanged as changed:
        _roll_back(ctx, intent, patches, removed)
        return changed.path
    except BaseException:
        _roll_back(ctx, intent, patches, removed)
        raise
    return None


def _new_folders(ctx: Context, patches: Sequence[Patch]) -> list[str]:
    """Returns the folders that are made for new notes, so that an undo can take them away again."""
    places = {place for patch in patches if patch.before is None for place in PurePosixPath(patch.path).parents if place.name}
    return sorted(str(place) for place in places if not (ctx.vault.root / place).exists())


def drop_new_folders(ctx: Context, intent: Record) -> None:
    """Takes away the folders that an item made, where nothing is left in them."""
    for folder in reversed(new_folders_of(intent)):
        if misleading(ctx.vault.root, folder) is None:
            remove_empty_folder(ctx.vault, folder)


def drop_empty(ctx: Context, folder: str) -> None:
    """Takes away a folder of the vault in which nothing is left but empty folders; what is in use stays."""
    root = ctx.vault.root
    for place, _, _ in os.walk(ctx.vault.absolute(f"{folder}/note.md").parent, topdown=False):
        remove_empty_folder(ctx.vault, os.path.relpath(place, root))


def append(ctx: Context, records: Sequence[Record]) -> None:
    """Appends records durably. Raises: BrainError when the disk refuses."""
    try:
        ctx.journal.append(records)
    except OSError as error:
        raise BrainError(f"The journal could not be written: {error.strerror}.", "free disk space or make .brain/ writable") from error


def _committed(ctx: Context, plan: Plan, run: str, reading: Reading) -> Receipt:
    why = why_held(plan)
    if why is not None:
        item = decision_id(plan)
        if not _is_held(ctx, item):
            append(ctx, [held_record(plan, item, why, run=run, at=ctx.at)])
        return Held(item, plan, why)
    with ctx.lock.exclusive(plan.stage):
        prepared = _prepared(ctx, plan, reading)
        if not isinstance(prepared, _Ready):
            return prepared
        item = item_id(run, plan)
        closing = [
            *provenance_records(plan, item, at=ctx.at), *_walked(ctx, plan, item, prepared), *_moved(ctx, plan, item),
            *declined_record(plan, item, at=ctx.at),
        ]  # fmt: skip
        intent = intent_record(plan, prepared.patches, run=run, item=item, decision=decision_id(plan), at=ctx.at)
        try:
            changed = land(ctx, intent, prepared.patches, closing)
        except UsageError as error:
            return Refused(plan, error.message)
    return Conflict(plan, changed) if changed else Applied(item, plan, prepared.patches)


def _is_held(ctx: Context, decision: str) -> bool:
    """Tells whether a decision waits for a person already: its last record says so."""
    last = [record["kind"] for record in ctx.journal.records({"held", "landed", "closed"}) if record.get("decision") == decision]
    return last[-1:] == ["held"]


def _rehearsed(ctx: Context, plan: Plan, run: str, reading: Reading) -> Receipt:
    why = why_held(plan)
    if why is not None:
        return Held(decision_id(plan), plan, why)
    prepared = _prepared(ctx, plan, reading)
    if not isinstance(prepared, _Ready):
        return prepared
    reading.rehearse(prepared.patches)
    return Applied(item_id(run, plan), plan, prepared.patches)


class _Ready:
    """A plan whose base holds, rendered."""

    __slots__ = ("patches", "sources")

    def __init__(self, patches: tuple[Patch, ...], sources: Mapping[str, Source]) -> None:
        self.patches = patches
        self.sources = sources


def _prepared(ctx: Context, plan: Plan, reading: Reading) -> _Ready | Refused | Conflict:
    """Checks paths and base, then renders; everything here only reads."""
    try:
        paths.check(ctx.vault, plan, reading.taken)
        sources = reading.read_many(sorted(plan.base))
    except UsageError as error:
        return Refused(plan, error.message)
    for path, sha256 in sorted(plan.base.items()):
        if path not in sources or sources[path].sha256 != sha256:
            return Conflict(plan, path)
    try:
        patches = render(plan, sources, ctx.config.limits)
    except BrainError as error:
        return Refused(plan, error.message)
    return _Ready(patches, sources)


def _apply(ctx: Context, patch: Patch) -> None:
    try:
        match patch.before, patch.after:
            case None, bytes() as after:
                create_note(ctx.vault, patch.path, after)
            case bytes() as before, None:
                remove_note(ctx.vault, patch.path, sha256_hex(before))
            case bytes() as before, bytes() as after:
                replace_note(ctx.vault, patch.path, after, sha256_hex(before))
            case _:
                raise AssertionError("a patch changes something")
    except NotFound:
        raise NoteChanged(patch.path) from None


def _put_back(ctx: Context, patches: Sequence[Patch], removed: set[str]) -> list[str]:
    """Undoes the patches that are on disk; returns the paths that hold something else by now.

    `removed` are notes that were or may have been taken away. When one cannot come back, as something else stands
    there by now, the notes that the plan made stay: its text may have been moved into one.
    """
    left: list[str] = []
    for patch in sorted(patches, key=_order, reverse=True):
        source = ctx.vault.read_many([patch.path]).get(patch.path)
        now = source.data if source else None
        if now == patch.before:
            continue
        if now != patch.after or (patch.before is None and removed.intersection(left)):
            left.append(patch.path)
            continue
        try:
            _apply(ctx, Patch(patch.path, patch.after, patch.before))
        except (NoteChanged, UsageError):
            left.append(patch.path)
    return sorted(left)


def _roll_back(ctx: Context, intent: Record, patches: Sequence[Patch], removed: set[str]) -> tuple[list[str], dict[str, str]]:
    """Puts all files of an intent back and closes it; returns the paths left to others, and copy → path of saves kept beside."""
    kept: dict[str, str] = {}
    for patch in sorted(patches, key=_order, reverse=True):
        found = rescue(ctx.vault, patch.path, patch.before, patch.after)
        kept |= {copy: patch.path for copy in found if copy != patch.path}
    left = _put_back(ctx, patches, removed)
    drop_new_folders(ctx, intent)
    append(ctx, [_closing(ctx, "rolled_back", intent, left=left, **({"kept": kept} if kept else {}))])
    return left, kept


def _order(patch: Patch) -> tuple[int, str]:
    """New files first, removals last: at no moment is a text on no path."""
    return (0 if patch.before is None else 2 if patch.after is None else 1), patch.path


def _closing(ctx: Context, kind: str, intent: Record, **more: object) -> Record:
    same = {key: intent[key] for key in ("item", "run", "decision")}
    return {"kind": kind, "at": ctx.at, **same, **more}


def _kept_beside(intent: Record, copy: str, path: str) -> Finding:
    message = f"Someone saved {path} while a run of {intent['stage']} was writing it, which then died; that save is kept as {copy}."
    cure = f'compare "{copy}" with "{path}", keep what you want, then delete the copy'
    return Finding("half-written", "warning", copy, 0, message, cure)


def _left_alone(intent: Record, path: str) -> Finding:
    message = f"A run of {intent['stage']} died while it wrote this note, and what it wrote over or moved changed since; it was left as it is."
    return Finding("half-written", "warning", path, 0, message, f'brain get "{path}"')


def _walked(ctx: Context, plan: Plan, item: str, ready: _Ready) -> list[Record]:
    if not plan.walked:
        return []
    after = {patch.path: patch.after for patch in ready.patches}
    records = []
    with ctx.catalog() as conn:
        for path in plan.walked:
            source = ready.sources[path]
            row = conn.execute("SELECT id FROM note WHERE path=?", (path,)).fetchone()
            records.append({
                "kind": "walked", "at": ctx.at, "item": item, "id": row[0] if row else path, "path": path,
                "body_sha256": body_sha256(source.text, ctx.config.limits),
                "sha256": sha256_hex(after.get(path) or source.data), "judge": ctx.judge.name,
                **({"read": list(plan.read)} if plan.read else {}),
            })  # fmt: skip
    return records


def _moved(ctx: Context, plan: Plan, item: str) -> list[Record]:
    moves = [edit for edit in plan.edits if isinstance(edit, MoveNote)]
    if not moves:
        return []
    with ctx.catalog() as conn:
        ids = dict(conn.execute("SELECT path, id FROM note"))
    return [
        {"kind": "moved", "at": ctx.at, "item": item, "from": edit.path, "to": edit.to, "id": ids[edit.path]}
        for edit in moves
        if edit.path in ids
    ]
