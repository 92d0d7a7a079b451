"""`brain forget`: a note is archived where it lies; `--back` brings back the status that stood there before."""

from __future__ import annotations

from brain.core.plan import SetField
from brain.core.tree import CATEGORY
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.hands.former import edits_back
from brain.stages.hands.hand import Done, Hand
from brain.stages.hands.pin import is_pinned
from brain.stages.hands.tree import grown
from brain.stages.moving import ReadNote

NAMED_MAX = 5


def forget(ctx: Context, path: str, *, back: bool = False, dry_run: bool = False) -> Done:
    """Archives a note, or brings it back.

    Raises: UsageError for a person, a category, a pinned or superseded note, and one that others are part of; as `Hand`.
    """
    hand = Hand(ctx, "forget", dry_run=dry_run)
    read = hand.read(path)
    status = read.note.status
    if back and status != "archived":
        return hand.nothing(f"{path} is {status}, not archived")
    if not back and status == "archived":
        return hand.nothing(f"{path} is archived already")
    if not back:
        _check(hand, read)
    says = f"{path} is current again" if back else f"{path} is archived"
    with ctx.catalog() as conn:
        (note_id,) = conn.execute("SELECT id FROM note WHERE path=?", (path,)).fetchone()
    edits = edits_back(ctx, read, note_id) if back else [SetField(path, "status", "archived")]
    return hand.carry_out([hand.plan(f"{note_id}|{back}", says, [read], edits)], says)


def _check(hand: Hand, read: ReadNote) -> None:
    note, path = read.note, read.note.path
    if note.status == "superseded":
        raise UsageError(f"{path} is superseded: it forwards to another note.", f'brain get "{hand.successor_of(path)}"')
    if note.kind in ("person", CATEGORY):
        raise UsageError(f"{path} is a {note.kind}, which is not forgotten.", f'brain importance "{path}" 0.1')
    if path == hand.owner():
        raise UsageError(f"{path} is the owner, at the root of the tree.", f'brain importance "{path}" 0.1')
    if is_pinned(note):
        raise UsageError(f"{path} is pinned.", f'brain pin --off "{path}" first')
    children = grown(hand).children(path)
    if children:
        more = f" and {len(children) - NAMED_MAX} more" if len(children) > NAMED_MAX else ""
        raise UsageError(f"{', '.join(children[:NAMED_MAX])}{more} would hang off nothing.", f'brain move "{children[0]}" PARENT first')
