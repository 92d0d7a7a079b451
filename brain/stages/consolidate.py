"""Consolidate: a note with more standing claims than the ceiling says each thing once.

find (notes above the ceiling, by Cypher) → judge (rules; a language model, when there is one, for what rules cannot
tell, while the note is still above the ceiling) → plan (one for each claim that stays) → commit. Nothing is written
that no claim says: equal bullets become one with the sources of all, others are closed in favour of the one that says
more, and stay. What cannot be folded is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from brain.core.plan import Applied
from brain.errors import UsageError
from brain.stages.consolidating.asking import Asking
from brain.stages.consolidating.plans import item_of, plan_fold
from brain.stages.consolidating.rules import Fold, contained_folds, equal_folds, likely_pairs
from brain.stages.consolidating.standing import Crowded, ReadClaims, Standing, crowded_notes, read_claims
from brain.stages.context import Context
from brain.stages.report import RunReport, counted
from brain.stages.run import Run

FOLDS_MAX = 100_000
ROUNDS_MAX = 8
RULES_IN_ORDER: tuple[Callable[[Sequence[Standing]], Iterator[Fold]], ...] = (equal_folds, contained_folds)
CLAIMS_PER_NOTE_MAX = 400
"""Claims of one note, the latest, of which pairs are asked about."""
SHOWN_MAX = 10


@dataclass(slots=True)
class Folding:
    """One run: how many folds it may still make, and what came of it."""

    ctx: Context
    run: Run
    ceiling: int
    room: int
    found: int = 0
    landed: int = 0
    left: int = 0
    over: list[str] = field(default_factory=list)
    """Notes that stay above the ceiling, in words."""


def run(ctx: Context, *, ceiling: int, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Folds the claims of notes that have more than `ceiling` of them; at most `limit` folds, and as many questions (default: the setting; 0: all).

    Raises: UsageError for a ceiling that no note can meet.
    """
    if ceiling < 1:
        raise UsageError("A ceiling is a number of claims, 1 or more.", "brain consolidate --ceiling 40 --dry-run")
    most = (ctx.config.limits.pairs_per_run_max if limit is None else limit) or FOLDS_MAX
    folding = Folding(ctx, Run(ctx, "consolidate", dry_run=dry_run), ceiling, most)
    asking = Asking.of(ctx, most)
    for crowded in crowded_notes(ctx, ceiling):
        consolidate(folding, crowded, asking)
    if asking is not None:
        asking.say(folding.run)
    _say_what_stays(folding)
    asked, waiting, left = (asking.asked, asking.waiting, asking.left) if asking else (0, 0, 0)
    return folding.run.report(found=folding.found + asked, waiting=waiting, left_out=folding.left + left)


def consolidate(folding: Folding, crowded: Crowded, asking: Asking | None) -> None:
    """Folds the claims of one note: what rules can tell, then what a model says as long as there are too many.

    The sources that a claim gets by a model's word may let a rule tell more, so this is repeated until that folds nothing.
    """
    for _ in range(ROUNDS_MAX):
        for rule in RULES_IN_ORDER:
            _fold_by(folding, crowded, rule)
        read, landed = _read(folding, crowded), folding.landed
        if asking is not None and _is_over(read, folding.ceiling):
            read = _fold_by_model(folding, crowded, read, asking)
        if folding.landed == landed or folding.room <= 0 or not _is_over(read, folding.ceiling):
            break
    if _is_over(read, folding.ceiling):
        folding.over.append(f"{crowded.path} ({len(read.claims)})")


def _is_over(read: ReadClaims | None, ceiling: int) -> TypeGuard[ReadClaims]:
    return read is not None and len(read.claims) > ceiling


def _fold_by(folding: Folding, crowded: Crowded, rule: Callable[[Sequence[Standing]], Iterator[Fold]]) -> None:
    """Carries out the folds of a rule one by one, each from the note as the one before left it."""
    tried: set[tuple[str, ...]] = set()
    while (read := _read(folding, crowded)) is not None:
        fresh = [folded for folded in _open_folds(folding, rule(read.claims)) if _names(folded) not in tried]
        if not fresh:
            return
        tried.add(_names(fresh[0]))
        _carry_out(folding, crowded, read, fresh[0])


def _fold_by_model(folding: Folding, crowded: Crowded, read: ReadClaims, asking: Asking) -> ReadClaims | None:
    """Carries out what a model says batch by batch, until there are few enough claims."""
    likely = likely_pairs(read.claims[-CLAIMS_PER_NOTE_MAX:], lambda one, other: _is_declined(folding, one, other))
    pairs = [pair for pair in likely if not asking.is_silent(crowded, pair)]
    current: ReadClaims | None = read
    while pairs and _is_over(current, folding.ceiling):
        batch = asking.next_of(crowded, pairs)
        if not batch:
            break
        pairs = pairs[len(batch) :]
        for said in asking.heard(crowded, batch):
            folded = said.on(current) if current is not None else None
            if current is not None and folded is not None:
                _carry_out(folding, crowded, current, folded)
                current = _read(folding, crowded)
        standing = {claim.name for claim in current.claims} if current is not None else set()
        pairs = [(one, other) for one, other in pairs if {one.name, other.name} <= standing]
    return current


def _carry_out(folding: Folding, crowded: Crowded, read: ReadClaims, folded: Fold) -> None:
    """Commits one fold while there is room."""
    ctx = folding.ctx
    plan = plan_fold(read, folded, note_id=crowded.id, today=ctx.today, limits=ctx.config.limits)
    if plan is None:
        return
    folding.found += 1
    if folding.room <= 0:
        folding.left += 1
        return
    folding.room -= 1
    folding.landed += isinstance(folding.run.commit(plan), Applied)


def _open_folds(folding: Folding, folds: Iterator[Fold]) -> Iterator[Fold]:
    """Yields folds without the claims of which a person said that they stand beside the other."""
    for folded in folds:
        gone = tuple(claim for claim in folded.gone if not _is_declined(folding, folded.keep, claim))
        if gone:
            yield Fold(folded.keep, gone, folded.reason, folded.judge)


def _is_declined(folding: Folding, one: Standing, other: Standing) -> bool:
    """Tells whether a person took back that either claim stands for the other; that is counted."""
    declines = folding.run.ledger.declines
    items = {item_of(one.name, other.name), item_of(other.name, one.name)} & declines.keys()
    for item in items:
        folding.run.leave_out("claim", item, declines[item])
    return bool(items)


def _names(folded: Fold) -> tuple[str, ...]:
    return (folded.keep.name, *(claim.name for claim in folded.gone))


def _read(folding: Folding, crowded: Crowded) -> ReadClaims | None:
    return read_claims(folding.ctx, folding.run.reading, crowded, folding.run.ledger)


def _say_what_stays(folding: Folding) -> None:
    if not folding.over:
        return
    shown = ", ".join(folding.over[:SHOWN_MAX])
    more = f" and {len(folding.over) - SHOWN_MAX} more" if len(folding.over) > SHOWN_MAX else ""
    who = "" if folding.ctx.model else "; a language model can tell more of them apart"
    folding.run.say(f"{counted(len(folding.over), 'note')} still above {counted(folding.ceiling, 'claim')}: {shown}{more}{who}.")
