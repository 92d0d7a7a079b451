"""Undo: takes back what a run, or one item of it, did to the notes. Writes through `commit.land` only.

A file that still is what the item made of it gets its bytes back. A file that changed since gets the item's
lines taken out, where no later change touches them; when that is not possible for one file of an item, no
file of the item is touched, and the report says why, with what changed since. What was undone counts as
declined: the next night does not do it again, and a walked episode stays walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.core.finding import Finding
from brain.core.merge import diff_text, hunks_between, lines_of, merged
from brain.core.plan import Patch
from brain.errors import NotFound, UsageError
from brain.stages.commit import land, recover
from brain.stages.context import Context
from brain.stages.ledger import Ledger, Record, read_ledger
from brain.stages.record import file_records, patches_of
from brain.vault.parse import decode, encode

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
    """What an undo did. `paths` are the notes that were changed, `run` the undo's own id."""

    run: str
    undone: tuple[str, ...]
    paths: tuple[str, ...]
    left: tuple[NotUndone, ...] = ()
    findings: tuple[Finding, ...] = ()


def undo(ctx: Context, target: str | None = None) -> UndoReport:
    """Takes back the last run, the run `target`, or the one item `target`; later items first.

    Raises: NotFound when there is nothing of that name to take back; BrainError, Locked.
    """
    findings = recover(ctx)
    run = ctx.new_run()
    done: list[str] = []
    left: list[NotUndone] = []
    paths: set[str] = set()
    with ctx.lock.exclusive("undo"):
        for intent in reversed(_wanted(read_ledger(ctx.journal), target)):
            outcome = _undo_item(ctx, run, intent)
            if isinstance(outcome, NotUndone):
                left.append(outcome)
            else:
                done.append(intent["item"])
                paths.update(outcome)
    if paths:
        ctx.sync(sorted(paths))
    return UndoReport(run, tuple(done), tuple(sorted(paths)), tuple(left), findings)


def _wanted(ledger: Ledger, target: str | None) -> list[Record]:
    """Returns the intents to take back, oldest first. Raises: NotFound."""
    standing = ledger.standing()
    if target is None:
        target = next((intent["run"] for intent in reversed(standing) if intent["files"]), None)
    wanted = [intent for intent in standing if target in (intent["run"], intent["item"])]
    if not wanted:
        known = target is not None and any(target in (r["run"], r["item"]) for r in ledger.intents.values())
        what = "There is nothing to undo." if target is None else f"{target} was undone already." if known else f"There is no run or item {target}."
        raise NotFound(what, "brain status")
    return wanted


def _undo_item(ctx: Context, run: str, intent: Record) -> list[str] | NotUndone:
    """Takes one item back as a whole; returns the paths it changed, or what stands in the way."""
    patches = []
    for patch in patches_of(intent):
        reverse = _reverse(ctx, intent["item"], patch)
        if isinstance(reverse, NotUndone):
            return reverse
        if reverse is not None:
            patches.append(reverse)
    own = {
        "kind": "intended", "at": ctx.at, "run": run, "item": f"{run}.{intent['item'].rpartition('.')[2]}", "decision": intent["decision"],
        "stage": "undo", "key": intent["item"], "because": f"{intent['item']} is taken back", "provenance": [], "files": file_records(patches),
    }  # fmt: skip
    try:
        changed = land(ctx, own, patches, _records(ctx, str(own["item"]), intent))
    except UsageError as error:
        return NotUndone(intent["item"], patches[0].path, error.message, "")
    if changed:
        return NotUndone(intent["item"], changed, "it changed while it was being put back", "")
    return sorted(patch.path for patch in patches)


def _records(ctx: Context, within: str, intent: Record) -> list[Record]:
    """What the journal says once the item is back; it counts only when the undo's own item, `within`, landed."""
    moved_back = [
        {"kind": "moved", "at": ctx.at, "from": record["to"], "to": record["from"], "id": record["id"]}
        for record in ctx.journal.records({"moved"})
        if record.get("item") == intent["item"]
    ]
    items = sorted(source["item"] for source in intent["provenance"])
    return [
        *moved_back,
        {"kind": "undone", "at": ctx.at, "item": intent["item"], "run": intent["run"], "within": within},
        {"kind": "declined", "at": ctx.at, "decision": intent["decision"], "stage": intent["stage"], "key": intent["key"], "items": items,
         "within": within},
    ]


def _reverse(ctx: Context, item: str, patch: Patch) -> Patch | NotUndone | None:
    """Returns the patch that takes `patch` back from the file as it is now; None when nothing is left of it."""
    source = ctx.vault.read_many([patch.path]).get(patch.path)
    now = source.data if source else None
    if now == patch.before:
        return None
    if now == patch.after:
        return Patch(patch.path, now, patch.before)
    if now is None:
        return None if patch.before is None else NotUndone(item, patch.path, "it was deleted since", "")
    if patch.before is None or patch.after is None:
        why = "it was written to since it was made" if patch.before is None else "there is a new note of that name"
        return NotUndone(item, patch.path, why, _since(patch, now))
    text = _without(decode(patch.before)[0], decode(patch.after)[0], decode(now)[0])
    if text is None:
        return NotUndone(item, patch.path, "the lines it changed were changed again since", _since(patch, now))
    return Patch(patch.path, now, encode(text)) if encode(text) != now else None


def _without(before: str, after: str, now: str) -> str | None:
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

