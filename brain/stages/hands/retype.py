"""`brain retype`: what kind of thing a note is about. The property that states the kind is the one that is written."""

from __future__ import annotations

from brain.core.nearest import did_you_mean
from brain.core.note import Note
from brain.core.plan import SetField
from brain.core.tree import CATEGORY
from brain.core.vocabulary import ENTITY_KINDS, KIND_SYNONYMS, canonical_kind
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.hands.hand import Done, Hand, property_of
from brain.stages.hands.relocate import filed_in, plan_relocation
from brain.stages.propose import FOLDER_OF_KIND, FOLDER_OTHERS

_FIXED = (CATEGORY, "episode")
KINDS = tuple(kind for kind in ENTITY_KINDS if kind not in _FIXED)


def retype(ctx: Context, path: str, word: str, *, file: bool = False, dry_run: bool = False) -> Done:
    """Sets the kind of a note; with `file` it is also filed in the folder of its kind.

    Raises: UsageError for a kind that is none, and into or out of category and episode; as `Hand`.
    """
    kind = _kind_of(word)
    hand = Hand(ctx, "retype", dry_run=dry_run)
    read = hand.read(path)
    note = read.note
    for fixed in _FIXED:
        if fixed in (kind, note.kind) and kind != note.kind:
            raise UsageError(f"{path} is of kind {note.kind}: nothing becomes or stops being a note of kind {fixed} this way.", f'brain edit "{path}"')
    if path == hand.owner() and kind != "person":
        raise UsageError(f"{path} is the owner, who is a person.", 'brain setup --name "Your Name" names another one')
    says = f"{path} is of kind {kind}"
    to = filed_in(ctx, path, _folder_of(ctx, kind)) if file else path
    if to != path:
        plan_relocation(hand, {path: to}, says)  # what cannot be filed stays what it is
    plans = [] if kind == note.kind else [hand.plan(f"{path}|{kind}", says, [read], _edits(note, kind))]
    done = hand.carry_out(plans, says) if plans else hand.nothing(f"{says} already")
    if to == path:
        return done
    moving = plan_relocation(hand, {path: to}, f"{path} is filed as {to}")
    moved = hand.carry_out(moving.plans(), f"{says}, filed as {to}", moving.notices)
    return Done(moved.hand, moved.run, moved.says, (*done.receipts, *moved.receipts), moved.notices, moved.dry_run)


def _folder_of(ctx: Context, kind: str) -> str:
    folders = ctx.config.folders
    return folders.insights if kind == "insight" else f"{folders.memory}/{FOLDER_OF_KIND.get(kind, FOLDER_OTHERS)}"


def _kind_of(word: str) -> str:
    key = word.strip().casefold().replace("-", "_").replace(" ", "_")
    if key not in ENTITY_KINDS and key not in KIND_SYNONYMS:
        near = did_you_mean(key, (*KINDS, *KIND_SYNONYMS))
        raise UsageError(f"{word!r} is no kind of note.", f"{near} the kinds are {', '.join(KINDS)}".strip())
    return canonical_kind(key)


def _edits(note: Note, kind: str) -> list[SetField]:
    """Returns the edits that make the note of that kind: `kind`, or `type` where that is what states it."""
    is_stated, word = property_of(note, "kind") is not None, note.type
    by_type = word is not None and canonical_kind(word) != "note" and not is_stated
    if kind == "note":
        keys = [key for key, there in (("kind", is_stated), ("type", word is not None and canonical_kind(word) != "note")) if there]
        return [SetField(note.path, key, None) for key in keys] or [SetField(note.path, "type", None)]
    return [SetField(note.path, "type" if by_type else "kind", kind)]
