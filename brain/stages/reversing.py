"""One file of an item taken back from the note as it is now: its bytes, or its lines alone, or what stands in the way. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.core.ids import sha256_hex
from brain.core.merge import diff_text, hunks_between, lines_of, merged
from brain.core.plan import Patch
from brain.stages.again import done_again
from brain.stages.context import Context, Reading
from brain.stages.record import Record
from brain.vault.parse import decode, encode, parse_note

LINE_CHARS_MIN = 3


@dataclass(frozen=True, slots=True)
class NotUndone:
    """An item that was left as it is: the file in the way, why, and what changed in it since."""

    item: str
    path: str
    why: str
    diff: str


def reverse_of(ctx: Context, intent: Record, patch: Patch, reading: Reading) -> Patch | NotUndone | None:
    """Returns the patch that takes `patch` back from the note as it is read; None when nothing is left of it."""
    item = intent["item"]
    source = reading.read(patch.path)
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

