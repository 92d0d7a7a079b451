"""A nightly run: the stages in order, at the pace the governor allows, one run at a time; what it did goes on record.

    {"kind": "maintained", "at": …, "tier": "green", "stages": [{"stage": "walk", "run": …, "found": 3, …}], "unfinished": ["…"]}

The lock of the run is a file of its own: the vault's lock is taken for each write alone, and never during a model call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from brain.config import STATE_FOLDER, Limits
from brain.errors import BrainError
from brain.stages.commit import append
from brain.stages.context import Context
from brain.stages.governor import Pace
from brain.stages.ledger import Record
from brain.stages.report import RunReport
from brain.vault.journal import Journal
from brain.vault.lock import VaultLock

KIND = "maintained"
Stage = Callable[[int | None], RunReport]


def one_at_a_time(ctx: Context) -> AbstractContextManager[None]:
    """Holds the lock of nightly runs. Raises: Locked at once when another one is under way."""
    return VaultLock(ctx.vault.root / STATE_FOLDER / "maintain.lock", 0.0).exclusive("maintain")


def night(ctx: Context, stages: Sequence[tuple[str, Stage]], pace: Pace, *, limit: int | None, dry_run: bool) -> Iterator[RunReport]:
    """Runs the stages one after the other and yields what each did; one that fails does not keep the next from running.

    Raises: BrainError, the first failure, after the last stage.
    """
    done: list[Record] = []
    unfinished = [pace.why] if pace.why else []
    failure: BrainError | None = None
    for name, stage in stages:
        capped = pace.capped(usual_limit(ctx.config.limits, name) if limit is None else limit)
        if capped is None:
            yield RunReport(name, "", notices=tuple(unfinished), dry_run=dry_run)
            continue
        try:
            report = stage(limit if pace.tier == "green" else capped)
        except BrainError as error:
            failure = failure or error
            unfinished.append(f"{name} ended early: {error.message}")
            continue
        done.append(_line(report))
        unfinished += _left(report)
        yield report
    if not dry_run:
        append(ctx, [{"kind": KIND, "at": ctx.at, "tier": pace.tier, "stages": done, "unfinished": unfinished}])
    if failure is not None:
        raise failure


def last_night(journal: Journal) -> Record | None:
    """Returns the record of the last nightly run, None when there was none."""
    return next(iter(reversed(journal.records({KIND}))), None)


def usual_limit(limits: Limits, stage: str) -> int:
    """Returns how much one run of a stage does by the settings; 0 is everything."""
    return {
        "walk": limits.episodes_per_run_max, "reconcile": limits.pairs_per_run_max, "link": limits.sources_per_run_max,
        "consolidate": limits.pairs_per_run_max,
    }[stage]  # fmt: skip


def _line(report: RunReport) -> Record:
    return {
        "stage": report.stage, "run": report.run, "found": report.found, "applied": len(report.applied), "held": len(report.held),
        "failed": len(report.failed), "waiting": report.waiting, "left_out": report.left_out,
    }  # fmt: skip


def _left(report: RunReport) -> list[str]:
    left = [f"{report.stage}: {len(report.failed)} could not be carried out"] if report.failed else []
    return [*left, f"{report.stage}: {report.left_out} left for the next run"] if report.left_out else left
