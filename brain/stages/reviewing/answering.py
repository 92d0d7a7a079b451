"""A person's answer to one item or many: carried out from the notes as they are, declined, or closed. Writes through `commit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain.core.plan import Applied, Plan, Refused
from brain.errors import BrainError
from brain.stages.commit import append
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.record import PERSON
from brain.stages.reviewing.desk import Answer, Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Item
from brain.stages.reviewing.kinds import declined, kind_of
from brain.stages.run import Run
from brain.vault.render import render


def accept(desk: Desk, run: Run, item: Item) -> Refused | None:
    """Carries one item out; returns why that could not be when it is not in the receipts of the run."""
    answer = replanned(desk, item)
    if isinstance(answer, Obsolete):
        close(desk.ctx, run, item, answer.why)
        return None
    if isinstance(answer, Stuck):
        return Refused(Plan("review", item.id, {}, (), f"{item.id}: {item.because}"), f"{answer.why.rstrip('.')}; {answer.cure}")
    receipt = run.commit(by_person(answer))
    if isinstance(receipt, Applied) and decision_id(answer) != item.id:
        close(desk.ctx, run, item, "it was carried out in another form")
    return None


def reject(desk: Desk, run: Run, items: Sequence[Item]) -> None:
    """Says no to items. Those whose notes are others are written together, since indexing costs more than writing."""
    together: list[Plan] = []
    for item in items:
        answer = _refusal(desk, run, item)
        if isinstance(answer, Obsolete):
            close(desk.ctx, run, item, answer.why)
            continue
        if any(answer.base.keys() & plan.base.keys() for plan in together):
            run.commit_many(together)
            together = []
            answer = _refusal(desk, run, item)
            assert isinstance(answer, Plan)
        together.append(answer)
    run.commit_many(together)


def replanned(desk: Desk, item: Item) -> Answer:
    """Returns the plan of an item from the notes as they are now, or why there is none."""
    with desk.ctx.graph.session():
        return kind_of(item).replan(desk, item)


def by_person(plan: Plan) -> Plan:
    """Returns a plan as a person decided it: the gate has nothing to ask, and the verdict is the person's."""
    provenance = tuple(replace(source, judge=PERSON) for source in plan.provenance)
    return replace(plan, certain=True, concerns=(), question=None, provenance=provenance)


def _refusal(desk: Desk, run: Run, item: Item) -> Plan | Obsolete:
    """Returns the plan of a no; what cannot be written into the notes stands in the journal alone, which is said."""
    kind = kind_of(item)
    gone = kind.holds(desk, item)
    if gone is not None:
        return gone
    plan = kind.refuse(desk, item)
    if isinstance(plan, Plan) and _is_possible(desk, plan):
        return plan
    run.say(f"{item.id}: no note could be changed; the decision stands in the journal alone.")
    return declined(desk, item)


def _is_possible(desk: Desk, plan: Plan) -> bool:
    """Tells whether a plan can be rendered: properties that are one `{…}` value cannot be changed."""
    try:
        render(plan, desk.reading.read_many(sorted(plan.base)), desk.ctx.config.limits)
    except BrainError:
        return False
    return True


def close(ctx: Context, run: Run, item: Item, why: str) -> None:
    """Closes an item that needs no answer any more, and says so."""
    run.say(f"{item.id} is closed: {why}." if not run.is_dry else f"{item.id} would be closed: {why}.")
    if not run.is_dry:
        append(ctx, [{"kind": "closed", "at": ctx.at, "decision": item.id, "run": run.id, "why": why}])
