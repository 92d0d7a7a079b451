"""Structure: what is wrong with the tree, put right by changes of parents. One plan for each note, through the one write path.

find (the faults of one code) → plan (`core.tree.plan_moves`, then edits of the note) → commit. No note is deleted or
renamed. What a person took back is not done again; a note that cannot take the change is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brain.core.note import Link, Note
from brain.core.plan import CreateNote, Edit, Plan
from brain.core.tree import CATEGORY, Forest, Move, Place, above, faults_of, moved, plan_moves
from brain.stages.context import Context, Reading
from brain.stages.gate import decision_id
from brain.stages.growing.categories import Categories
from brain.stages.growing.forest import forest_of, ids_of
from brain.stages.growing.parents import PART_OF, RELATES, Change, LeadsTo, Unwritable, edits_of
from brain.stages.report import RunReport
from brain.stages.run import Run
from brain.stages.target import Existing, Names
from brain.vault.parse import parse_note
from brain.vault.store import Source

STAGE = "repair"
_WHY = {
    "unrooted-category": "a category hangs off the owner or another category",
    "category-under-note": "a category hangs off the owner or another category",
    "note-under-owner": "only categories hang off the owner",
    "several-parents": "a note has one parent",
    "orphan-entity": "an entity has a parent",
    "parent-ring": "notes that are part of each other have no top",
}


@dataclass(slots=True)
class Tending:
    """What planning changes of parents may look at; `categories` is None without an owner."""

    ctx: Context
    reading: Reading
    names: Names
    forest: Forest
    categories: Categories | None
    ids: Mapping[str, str]
    """The id of each note, by path: what is decided about a note stays decided when it gets another path."""

    @property
    def place(self) -> Place:
        """Where a note falls back to."""
        categories = self.categories
        return categories.place if categories else lambda node: node.path  # without an owner nobody falls back


def tending_of(ctx: Context, reading: Reading) -> Tending:
    """Reads the tree as it is now."""
    with ctx.catalog() as conn:
        forest, ids = forest_of(conn, ctx.config.owner), ids_of(conn)
    names = Names(ctx)
    return Tending(ctx, reading, names, forest, Categories(ctx, names, forest.owner) if forest.owner else None, ids)


def repair(ctx: Context, code: str, *, dry_run: bool = False) -> RunReport:
    """Puts right every fault of structure of one code."""
    run = Run(ctx, STAGE, dry_run=dry_run)
    tending = tending_of(ctx, run.reading)
    with tending.names.session():
        found = sum(fault.code == code for fault in faults_of(tending.forest))
        moves = plan_moves(tending.forest, tending.place, codes=[code])
        after = moved(tending.forest, moves)
    carry_out(tending, run, moves, after)
    return run.report(found=found)


def carry_out(tending: Tending, run: Run, moves: Sequence[Move], after: Forest) -> None:
    """Commits the plans of moves: first those that make a category, one each, then the others at once."""
    rest = list(moves)
    while rest and tending.categories and (making := _making(tending, rest)):
        plans = [plan for move in making if (plan := _plan(tending, run, move, after)) is not None]
        rest = [move for move in rest if move not in making]
        run.commit_many(plans)
        for path in {edit.path for plan in plans for edit in plan.edits if isinstance(edit, CreateNote)}:
            tending.categories.made(path, is_there=not run.is_dry)
    run.commit_many([plan for move in rest if (plan := _plan(tending, run, move, after)) is not None])


def leads_to(names: Names, path: str) -> LeadsTo:
    """Returns what says where a link of a note leads, superseded notes being followed to what replaces them."""

    def end(link: Link) -> str | None:
        found = names.find(path, link.target, link.form)
        return found.path if isinstance(found, Existing) else None

    return end


def _edits(tending: Tending, note: Note, source: Source, move: Move, after: Forest, *, is_refiled: bool) -> tuple[Edit, ...] | Unwritable:
    added = None if move.add is None else tending.names.link_to(note.path, move.add)
    if move.add is not None and added is None:
        return Unwritable(f"no link that can stand there leads to {move.add}")
    said = frozenset(move.drop) if is_refiled else frozenset(move.drop) & above(after.parents, note.path)
    is_turned = any(note.path in after.parents.get(parent, ()) for parent in move.drop)
    is_plain = is_refiled or note.kind == CATEGORY or tending.forest.owner in move.drop or is_turned
    change = Change(PART_OF, frozenset(move.drop), "" if is_plain else RELATES, said, added)
    return edits_of(note, source, change, leads_to(tending.names, note.path), tending.ctx.config.limits)


def _making(tending: Tending, moves: Sequence[Move]) -> list[Move]:
    """Returns the first of the moves to each category that is to be made."""
    wanted = tending.categories.wanted if tending.categories else {}
    first = {move.add: move for move in reversed(moves) if move.add in wanted}
    return [move for move in moves if move in first.values()]


def _plan(tending: Tending, run: Run, move: Move, after: Forest) -> Plan | None:
    """Returns the plan of one move; None when a person took it back, or the note cannot take it, which is said."""
    ids = tending.ids
    key = f"{move.code}|{ids.get(move.path, move.path)}|{','.join(sorted(ids.get(path, path) for path in move.drop))}|{ids.get(move.add or '', move.add or '')}"
    because = f"{move.path}: {_WHY[move.code]}"
    plan = plan_move(tending, move, after, stage_key=key, because=because)
    if isinstance(plan, Unwritable):
        run.say(f"{move.path} was left as it is: {plan.why}.")
        return None
    undoing = run.ledger.declines.get(decision_id(plan))
    if undoing is not None:
        run.leave_out("repair", decision_id(plan), undoing)
        return None
    return plan


def plan_move(tending: Tending, move: Move, after: Forest, *, stage_key: str, because: str, is_refiled: bool = False) -> Plan | Unwritable:
    """Returns the plan that changes the parents of one note, with the category that it makes, if it makes one.

    Of a note that is only refiled nothing says afterwards that it was elsewhere.
    """
    made: tuple[Edit, ...] = ()
    if move.add is not None and tending.categories is not None and move.add in tending.categories.wanted:
        creation = tending.categories.creation(move.add)
        if creation is None:
            return Unwritable(f"no link can lead from {move.add} to {tending.categories.owner}")
        made = (creation,)
    source = tending.reading.read(move.path)
    if source is None:
        return Unwritable("it is gone")
    note = parse_note(move.path, source.text, tending.ctx.config.limits)
    edits = _edits(tending, note, source, move, after, is_refiled=is_refiled)
    if isinstance(edits, Unwritable):
        return edits
    to = f"; it is part of {move.add}" if move.add else ""
    off = f"; no longer of {', '.join(move.drop)}" if move.drop else ""
    return Plan("repair", stage_key, {source.path: source.sha256}, (*made, *edits), f"{because}{to}{off}")
