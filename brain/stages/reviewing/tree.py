"""A note that may belong in another category, or parts that may make groups: planned from the tree as it is now. Reads, writes nothing."""

from __future__ import annotations

from dataclasses import replace

from brain.core.plan import Plan
from brain.stages.growing.parents import Unwritable
from brain.stages.growing.reorganize import plan_refiling
from brain.stages.growing.structure import Tending, tending_of
from brain.stages.growing.subgroup import Group, plan_groups
from brain.stages.reviewing.desk import Answer, Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Item

GROUP = "group|"
MEMBERS_MIN = 2


def holds(desk: Desk, item: Item) -> Obsolete | None:
    """Tells why there is nothing left to decide: a note is gone, or hangs where it is to hang."""
    about = item.question.about if item.question else ()
    if item.key.startswith(GROUP):
        return None if about and desk.note(about[0]) else Obsolete("the note is gone")
    notes = [desk.note(note_id) for note_id in about]
    if len(notes) != 2 or notes[0] is None or notes[1] is None:
        return Obsolete("one of the two notes is gone")
    is_there = tending_of(desk.ctx, desk.reading).forest.parents.get(notes[0].path) == (notes[1].path,)
    return Obsolete(f"{notes[0].path} is part of {notes[1].path} by now") if is_there else None


def replan(desk: Desk, item: Item) -> Answer:
    """Plans the change of parents from the notes as they are now."""
    gone = holds(desk, item)
    if gone is not None or item.question is None:
        return gone or Obsolete("too little was kept of it")
    tending = tending_of(desk.ctx, desk.reading)
    plan = _groups(desk, tending, item) if item.key.startswith(GROUP) else _move(desk, tending, item)
    if isinstance(plan, Unwritable):
        return Stuck(f"{item.because}; {plan.why}.", "put that note right, or reject it")
    return plan if isinstance(plan, Obsolete) else replace(plan, because=item.because)


def _move(desk: Desk, tending: Tending, item: Item) -> Plan | Unwritable:
    assert item.question is not None
    note, category = (desk.note(note_id) for note_id in item.question.about)
    assert note is not None and category is not None
    return plan_refiling(tending, note.path, category.path, key=item.key, because=item.because)


def _groups(desk: Desk, tending: Tending, item: Item) -> Plan | Unwritable | Obsolete:
    """Plans the groups with those of their members that are still parts of the note."""
    assert item.question is not None
    node = desk.note(item.question.about[0])
    assert node is not None
    groups = []
    for said in item.question.about[1:]:
        name, _, ids = said.partition("\t")
        paths = [known.path for note_id in ids.split() if (known := desk.note(note_id)) is not None]
        members = tuple(path for path in paths if node.path in tending.forest.parents.get(path, ()))
        groups += [Group(name, members)] if len(members) >= MEMBERS_MIN else []
    return plan_groups(tending, node.path, groups, key=item.key, why="what was found then") if groups else Obsolete("its parts hang elsewhere by now")
