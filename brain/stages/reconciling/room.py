"""A full list of questions: a stronger pair takes the place of the weakest open one, which then waits for room.

A question that a person has looked at keeps its place, and so does one that is not about a pair found in this run:
what gives way is found again by the next.

    {"kind": "looked", "at": …, "decision": "d-…"}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from brain.core.judgement import Pair, Same
from brain.core.plan import Plan
from brain.stages.commit import append
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.reconciling.merges import decision_of
from brain.stages.run import Run

LOOKED = "looked"
Case = tuple[Pair, Same]


def strength(case: Case) -> tuple[bool, float]:
    """Returns by what questions about pairs are ordered: what a note states itself, then the evidence."""
    return bool(case[0].stated), case[0].rank


def keep_look(ctx: Context, decision: str) -> None:
    """Takes note that a person looked at a question; a vault that cannot be written is only read."""
    if decision in looked_at(ctx):
        return
    try:
        ctx.journal.append([{"kind": LOOKED, "at": ctx.at, "decision": decision}], durable=False)
    except OSError:
        return  # only the memory of having looked is lost


def looked_at(ctx: Context) -> set[str]:
    """Returns the questions that a person looked at."""
    return {decision for record in ctx.journal.records({LOOKED}) if isinstance(decision := record.get("decision"), str)}


def displaced(ctx: Context, fresh: Sequence[Case], open_: Sequence[Case], plan_of: Callable[[Case], Plan | None]) -> Iterator[tuple[Plan, str]]:
    """Yields the plan of each pair that is stronger than the weakest open question, with the decision that gives way to it."""
    looked = looked_at(ctx)
    weakest = sorted((case for case in open_ if _decision(case) not in looked), key=lambda case: (strength(case), _decision(case)))
    for case in sorted(fresh, key=lambda case: (tuple(-part for part in strength(case)), _decision(case))):
        if not weakest or strength(case) <= strength(weakest[0]):
            return
        plan = plan_of(case)
        if plan is not None:
            yield plan, _decision(weakest.pop(0))


def give_way(ctx: Context, run: Run, decisions: Sequence[str]) -> None:
    """Closes questions that give way; they wait for room, and a dry run only says so. Raises: BrainError when the disk refuses."""
    for decision in decisions:
        run.ledger.held.pop(decision, None)
    if not run.is_dry:
        append(ctx, [{"kind": "closed", "at": ctx.at, "decision": decision, "run": run.id, "why": "a stronger question took its place"} for decision in decisions])


def _decision(case: Case) -> str:
    return decision_id(decision_of(*case))
