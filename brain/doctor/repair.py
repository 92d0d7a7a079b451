"""Repair: what doctor found, put right through the one write path. One function a code that has a plan.

A code that is not in the table is cured by a command or by a person; asking for it says by which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from brain.core.nearest import did_you_mean
from brain.doctor import copies, keys, tree
from brain.doctor.codes import CODES
from brain.errors import UsageError
from brain.stages import qualify
from brain.stages.commit import recover
from brain.stages.context import Context
from brain.stages.ledger import read_ledger
from brain.stages.report import RunReport

Repair = Callable[[Context, bool], RunReport]
Class = Literal["safe", "plan"]


def repair(ctx: Context, code: str, *, dry_run: bool = False) -> RunReport:
    """Carries out the plan of one code. Raises: UsageError for a code that is none, or that has no plan."""
    if code in REPAIRS:
        return REPAIRS[code](ctx, dry_run)
    if code not in CODES:
        near = did_you_mean(code, CODES)
        raise UsageError(f"There is no finding {code!r}.", near or f"brain doctor, or one of: {', '.join(sorted(REPAIRS))}")
    raise UsageError(f"{code} has no plan: brain cannot decide it, or another command does.", CODES[code].cure)


def bare_links(ctx: Context, dry_run: bool) -> RunReport:
    """Writes the path into links whose name a second note has."""
    return qualify.run(ctx, dry_run=dry_run)


def interrupted_runs(ctx: Context, dry_run: bool) -> RunReport:
    """Rolls back what a run of this machine left half-way; a dry run names the notes."""
    open_intents = read_ledger(ctx.journal).open_intents(ctx.journal.machine)
    left = () if dry_run else recover(ctx)
    said = [f"{intent['item']}: {', '.join(file['path'] for file in intent['files'])}" for intent in open_intents]
    verb = "Would be rolled back" if dry_run else "Rolled back"
    notices = (*(f"{verb}: {what}." for what in said), *(f"{finding.message} ({finding.cure})" for finding in left))
    return RunReport("repair", ctx.new_run(), found=len(open_intents), notices=notices, dry_run=dry_run)


REPAIRS: dict[str, Repair] = {
    "interrupted-run": interrupted_runs, "bare-link": bare_links, "conflict-copy": copies.conflict_copies,
    "stray-temporary": copies.stray_temporaries, "duplicate-key": keys.duplicate_keys, **tree.REPAIRS,
}  # fmt: skip
SAFE = frozenset({"interrupted-run", "bare-link", "conflict-copy", "stray-temporary", "duplicate-key"})
"""What is certain, and can be taken back or takes nothing away that says anything; the others choose, so look at them first."""


def classes() -> dict[str, Class]:
    """Returns the class of each code that has a plan, in the order in which they are carried out."""
    return {code: "safe" if code in SAFE else "plan" for code in REPAIRS}
