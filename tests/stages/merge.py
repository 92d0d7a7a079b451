"""One merge of two notes that are named, planned and carried out as a run of reconcile would."""

from __future__ import annotations

from brain.core.judgement import Pair, Same, Subject
from brain.core.plan import Plan, Receipt
from brain.stages.context import Reading
from brain.stages.merging import Merging, plan_merge
from brain.stages.run import Run
from brain.stages.target import Names
from tests.stages.support import Vault


def merge_plan(vault: Vault, one: str, other: str, quote: str = "doi=10.1000/x", *, is_told: bool = True) -> Plan:
    """The plan of a merge, whatever a judge would say of the two: `one` takes in `other`, unless nobody told which."""
    ctx = vault.ctx
    left, right = (Subject(path, path, path, "paper", (), {}) for path in sorted((one, other)))
    same = Same("rules/1", "a test says so", left.path, right.path, quote)
    plan = plan_merge(Merging(ctx, Reading(ctx.vault), Names(ctx)), Pair(left, right, ()), same, key=f"{left.id}|{right.id}|{quote}", keep=one if is_told else None)
    assert plan is not None
    return plan


def merge(vault: Vault, one: str, other: str) -> Receipt:
    """Plans a merge and commits it."""
    return Run(vault.ctx, "reconcile", dry_run=False).commit(merge_plan(vault, one, other))
