"""A relation that may have ended: planned from the note as it is now. Reads, writes nothing."""

from __future__ import annotations

from brain.core.plan import Plan
from brain.stages.reconciling.endings import replan as planned
from brain.stages.reviewing.desk import Answer, Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Item


def holds(desk: Desk, item: Item) -> Obsolete | None:
    """Tells why there is nothing left to decide: the note does not say both relations any more, or says that one ended."""
    return Obsolete("the note says otherwise by now") if planned(desk.ctx, desk.reading, item.key) == "" else None


def replan(desk: Desk, item: Item) -> Answer:
    """Plans the end of the relation."""
    plan = planned(desk.ctx, desk.reading, item.key)
    if isinstance(plan, Plan):
        return plan
    return Stuck(f"{plan}.", "write (to DATE) there, or reject it") if plan else Obsolete("the note says otherwise by now")
