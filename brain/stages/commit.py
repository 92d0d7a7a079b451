"""The only write path: gate, render, journal the intent, apply, journal that it landed, sync.

A plan lands whole or not at all. Its intent (with the texts that were there before) is durable before the
first file is touched, so a run that dies in between is rolled back by the next one (`recover`); a file
that is neither what it was nor what the plan made of it is a person's, and is left alone and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from brain.core.finding import Finding
from brain.core.ids import sha256_hex, short_hash
from brain.core.plan import Applied, Conflict, Held, MoveNote, Patch, Plan, Receipt, Refused
from brain.errors import BrainError, NoteChanged, NotFound, UsageError
from brain.stages import paths
from brain.stages.context import Context, Reading
from brain.stages.gate import decision_id, why_held
from brain.stages.ledger import Record, body_sha256, read_ledger
from brain.stages.record import held_record, intent_record, patches_of, provenance_records
from brain.vault.render import render
from brain.vault.store import Source
from brain.vault.write import create_note, remove_note, replace_note

TEMPORARY = ".brain-*.tmp"
"""The names under which `vault.write` keeps a file while it changes places."""


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

    Returns what could not be put back, because someone else has written the file since.
    Raises: BrainError when the disk refuses, Locked.
    """
    if not read_ledger(ctx.journal).open_intents(ctx.journal.machine):
        return ()
    findings: list[Finding] = []
    touched: set[str] = set()
    with ctx.lock.exclusive("recover"):
        for intent in read_ledger(ctx.journal).open_intents(ctx.journal.machine):
            patches = patches_of(intent)
            _put_in_place(ctx, patches)
            left = _put_back(ctx, patches)
            _sweep(ctx, patches)
            append(ctx, [_closing(ctx, "rolled_back", intent, left=left)])
            touched |= {patch.path for patch in patches}
            findings += [_left_alone(intent, path) for path in left]
    ctx.sync(sorted(touched))
    return tuple(findings)


def land(ctx: Context, intent: Record, patches: Sequence[Patch], closing: Sequence[Record]) -> str | None:
    """Writes patches under the caller's lock; returns the path that someone else changed, None when all landed.

    `closing` records are appended with `landed`. On any failure what was written is put back.
    Raises: BrainError when the disk refuses, UsageError when a new name was taken meanwhile.
    """
    append(ctx, [intent])
    try:
        for patch in sorted(patches, key=_order):
            _apply(ctx, patch)
        append(ctx, [*closing, _closing(ctx, "landed", intent)])
    except NoteChanged as changed:
        _roll_back(ctx, intent, patches)
        return changed.path
    except BaseException:
        _roll_back(ctx, intent, patches)
        raise
    return None


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
        if item not in read_ledger(ctx.journal).held:
            append(ctx, [held_record(plan, item, why, run=run, at=ctx.at)])
        return Held(item, plan, why)
    with ctx.lock.exclusive(plan.stage):
        prepared = _prepared(ctx, plan, reading)
        if not isinstance(prepared, _Ready):
            return prepared
        item = item_id(run, plan)
        closing = [*provenance_records(plan, item, at=ctx.at), *_walked(ctx, plan, item, prepared), *_moved(ctx, plan, item)]
        intent = intent_record(plan, prepared.patches, run=run, item=item, decision=decision_id(plan), at=ctx.at)
        try:
            changed = land(ctx, intent, prepared.patches, closing)
        except UsageError as error:
            return Refused(plan, error.message)
    return Conflict(plan, changed) if changed else Applied(item, plan, prepared.patches)


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


def _put_back(ctx: Context, patches: Sequence[Patch]) -> list[str]:
    """Undoes the patches that are on disk; returns the paths that hold something else by now."""
    left: list[str] = []
    for patch in sorted(patches, key=_order, reverse=True):
        source = ctx.vault.read_many([patch.path]).get(patch.path)
        now = source.data if source else None
        if now == patch.before:
            continue
        if now != patch.after:
            left.append(patch.path)
            continue
        try:
            _apply(ctx, Patch(patch.path, patch.after, patch.before))
        except (NoteChanged, UsageError):
            left.append(patch.path)
    return sorted(left)


def _put_in_place(ctx: Context, patches: Sequence[Patch]) -> None:
    """A kill between setting a file aside and linking the new one leaves it under its temporary name only."""
    for patch in patches:
        if patch.before is not None and not ctx.vault.exists(patch.path) and any(aside.read_bytes() == patch.before for aside in _asides(ctx, patch.path)):
            create_note(ctx.vault, patch.path, patch.before)


def _sweep(ctx: Context, patches: Sequence[Patch]) -> None:
    """Removes temporary files that hold nothing but texts of this intent, whole or begun; the lock says that nobody is writing one."""
    for patch in patches:
        for aside in _asides(ctx, patch.path):
            data = aside.read_bytes()
            if any(text is not None and text.startswith(data) for text in (patch.before, patch.after)):
                aside.unlink()


def _asides(ctx: Context, path: str) -> Iterator[Path]:
    for place in sorted(ctx.vault.absolute(path).parent.glob(TEMPORARY)):
        if place.is_file() and not place.is_symlink():
            yield place


def _roll_back(ctx: Context, intent: Record, patches: Sequence[Patch]) -> None:
    left = _put_back(ctx, patches)
    append(ctx, [_closing(ctx, "rolled_back", intent, left=left)])


def _order(patch: Patch) -> tuple[int, str]:
    """New files first, removals last: at no moment is a text on no path."""
    return (0 if patch.before is None else 2 if patch.after is None else 1), patch.path


def _closing(ctx: Context, kind: str, intent: Record, **more: object) -> Record:
    same = {key: intent[key] for key in ("item", "run", "decision")}
    return {"kind": kind, "at": ctx.at, **same, **more}


def _left_alone(intent: Record, path: str) -> Finding:
    message = f"A {intent['stage']} run died while it wrote this note, and the note changed since; it was left as it is."
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
            })  # fmt: skip
    return records


def _moved(ctx: Context, plan: Plan, item: str) -> list[Record]:
    moves = [edit for edit in plan.edits if isinstance(edit, MoveNote)]
    if not moves:
        return []
    with ctx.catalog() as conn:
        ids = dict(conn.execute("SELECT path, id FROM note WHERE declared_id IS NULL"))
    return [
        {"kind": "moved", "at": ctx.at, "item": item, "from": edit.path, "to": edit.to, "id": ids[edit.path]}
        for edit in moves
        if edit.path in ids
    ]
