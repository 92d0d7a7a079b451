"""Undo: takes back what a run, or one item of it, did to the notes. Writes through `commit.land` only.

A file that still is what the item made of it gets its bytes back. A file that changed since gets the item's
lines taken out, where no later change touches them; when that is not possible for one file of an item, no
file of the item is touched, and the report says why, with what changed since. What was undone counts as
declined: the next night does not do it again, and a walked episode stays walked. An undo is a run too: taking
that back does the item again, and withdraws the decline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.core.finding import Finding
from brain.core.ids import sha256_hex
from brain.core.merge import diff_text, hunks_between, lines_of, merged
from brain.core.plan import VIEWS, Patch
from brain.errors import BrainError, NotFound, UsageError
from brain.stages.again import done_again
from brain.stages.commit import drop_new_folders, land, recover
from brain.stages.context import Context
from brain.stages.ledger import Damaged, Ledger, misleading, read_ledger
from brain.stages.record import Record, file_records, patches_of
from brain.vault.parse import decode, encode, parse_note

LINE_CHARS_MIN = 3


@dataclass(frozen=True, slots=True)
class NotUndone:
    """An item that was left as it is: the file in the way, why, and what changed in it since."""

    item: str
    path: str
    why: str
    diff: str


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did. `paths` are the notes that were changed, `run` the undo's own id.

    Of the notes `removed` are gone now, and `restored` were gone before.
    """

    run: str
    undone: tuple[str, ...]
    paths: tuple[str, ...]
    left: tuple[NotUndone, ...] = ()
    findings: tuple[Finding, ...] = ()
    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


def undo(ctx: Context, target: str | None = None) -> UndoReport:
    """Takes back the last run, the run `target`, or the one item `target`; later items first.

    A `target` that is an undo, or an item of one, is done again.
    Raises: NotFound when there is nothing of that name to take back; BrainError, Locked.
    """
    findings = recover(ctx)
    run = ctx.new_run()
    done: list[str] = []
    was_there: dict[str, bool] = {}
    is_there: dict[str, bool] = {}
    with ctx.lock.exclusive("undo"):
        ledger = read_ledger(ctx.journal)
        wanted, left = _wanted(ledger, target)
        for intent in reversed(wanted):
            outcome = _undo_item(ctx, run, intent)
            if isinstance(outcome, NotUndone):
                left.append(outcome)
            else:
                done.append(intent["item"])
                was_there = {patch.path: patch.before is not None for patch in outcome} | was_there
                is_there |= {patch.path: patch.after is not None for patch in outcome}
    paths = sorted(is_there)
    if paths:
        ctx.sync(paths)
    findings += tuple(damaged.finding for damaged in ledger.damaged)
    removed = tuple(path for path in paths if was_there[path] and not is_there[path])
    restored = tuple(path for path in paths if is_there[path] and not was_there[path])
    return UndoReport(run, tuple(done), tuple(paths), tuple(left), findings, removed, restored)


def _wanted(ledger: Ledger, target: str | None) -> tuple[list[Record], list[NotUndone]]:
    """Returns the intents to take back, oldest first, and those of that name that cannot be read. Raises: NotFound."""
    standing = ledger.standing()
    if target is None:
        target = next((intent["run"] for intent in reversed(standing) if intent["files"] and intent["stage"] not in ("undo", *VIEWS)), None)
    wanted = [intent for intent in standing if target in (intent["run"], intent["item"])]
    damaged = [_unreadable(record) for record in ledger.damaged if record.kind == "intended" and target in (record.run, record.item)]
    if not wanted and not damaged:
        raise NotFound(*_nothing(ledger, target))
    return wanted, damaged


def _nothing(ledger: Ledger, target: str | None) -> tuple[str, str]:
    if target is None:
        return "There is nothing to undo.", "brain status"
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
    patches: list[Patch] = []
    for outcome in (_reversed(ctx, intent) for intent in wanted):
        if isinstance(outcome, NotUndone):
            left.append(outcome)
        else:
            patches += outcome
    return tuple(patches), tuple(left)


def _undo_item(ctx: Context, run: str, intent: Record) -> list[Patch] | NotUndone:
    """Takes one item back as a whole; returns what it changed, or what stands in the way."""
    patches = _reversed(ctx, intent)
    return patches if isinstance(patches, NotUndone) else _put_back(ctx, run, intent, patches)


def _reversed(ctx: Context, intent: Record) -> list[Patch] | NotUndone:
    """Returns the patches that take an item back from the files as they are now, or what stands in the way."""
    paths = [file["path"] for file in intent["files"]]
    if astray := next(((path, why) for path in paths if (why := misleading(ctx.vault.root, path))), None):
        return NotUndone(intent["item"], *astray, "")
    patches: list[Patch] = []
    try:
        for patch in patches_of(intent):
            reverse = _reverse(ctx, intent, patch)
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


def _reverse(ctx: Context, intent: Record, patch: Patch) -> Patch | NotUndone | None:
    """Returns the patch that takes `patch` back from the file as it is now; None when nothing is left of it."""
    item = intent["item"]
    source = ctx.vault.read_many([patch.path]).get(patch.path)
    now = source.data if source else None
    if now == patch.before:
        return None
    if now == patch.after:
        return Patch(patch.path, now, patch.before)
    if now is None:
        return None if patch.before is None else NotUndone(item, patch.path, _gone(ctx, patch), "")
    if patch.before is None or patch.after is None:
        why = "it was written to since it was made" if patch.before is None else "there is a new note of that name"
        return NotUndone(item, patch.path, why, _since(patch, now))
    taken_back = done_again if intent["stage"] == "undo" else _without
    text = taken_back(decode(patch.after)[0], decode(patch.before)[0], decode(now)[0])
    if text is None:
        return NotUndone(item, patch.path, "the lines it changed were changed again since", _since(patch, now))
    return Patch(patch.path, now, encode(text)) if encode(text) != now else None


def _gone(ctx: Context, patch: Patch) -> str:
    """Says what became of a note that is not at its path any more."""
    moved = {str(record.get("from")): record.get("to") for record in ctx.journal.records({"moved"})}
    to: object = patch.path
    for _ in moved:
        if to != patch.path and ctx.vault.read_many([str(to)]):
            break
        to = moved.get(str(to), to)
    if to == patch.path or not ctx.vault.read_many([str(to)]):
        to = _found_elsewhere(ctx, patch)
    return "it was deleted since" if to is None else f"it was moved since: put it back there first, it is {to} now"


def _found_elsewhere(ctx: Context, patch: Patch) -> str | None:
    """Returns where the index has the note: by the id it states, or by its very bytes."""
    if patch.after is None:
        return None
    stated = parse_note(patch.path, decode(patch.after)[0], ctx.config.limits).properties.get("id")
    known = stated if isinstance(stated, str) else None
    sql = "SELECT path FROM note WHERE path<>? AND (declared_id=? OR sha256=?) ORDER BY declared_id IS NOT ?, path"
    with ctx.catalog() as conn:
        if conn.execute("SELECT 1 FROM sqlite_master WHERE name='note'").fetchone() is None:
            return None  # nothing is indexed
        row = conn.execute(sql, (patch.path, known, sha256_hex(patch.after), known)).fetchone()
    return None if row is None else str(row[0])


def _without(after: str, before: str, now: str) -> str | None:
    """Returns `now` with the change from `before` to `after` taken out, or None when that is not certain."""
    text = merged(after, now, before)
    if text is None:
        return None
    added = [line for line in _added(before, after) if len(line.strip()) >= LINE_CHARS_MIN]
    result, was = lines_of(text), lines_of(before)
    # A line of ours that someone moved elsewhere is still there: taking out its first place is not enough.
    return None if any(result.count(line) > max(was.count(line), _later(line, after, now)) for line in added) else text


def _added(before: str, after: str) -> Sequence[str]:
    return [line for hunk in hunks_between(before, after) for line in lines_of(hunk.text)]


def _later(line: str, after: str, now: str) -> int:
    """How often a person wrote the same line once more since."""
    return max(0, lines_of(now).count(line) - lines_of(after).count(line))


def _since(patch: Patch, now: bytes) -> str:
    made = patch.after if patch.after is not None else patch.before or b""
    return diff_text(decode(made)[0], decode(now)[0], patch.path)

