"""One command's run of one stage: its id, what it reads, and its plans committed or rehearsed one by one."""

from __future__ import annotations

from brain.core.plan import Applied, Plan, Receipt
from brain.stages.commit import append, commit, recover
from brain.stages.context import Context, Reading
from brain.stages.ledger import Ledger, read_ledger
from brain.stages.report import RunReport


class Run:
    """Opens with what the journal says; a run that died before this one is rolled back first."""

    def __init__(self, ctx: Context, stage: str, *, dry_run: bool) -> None:
        self._ctx = ctx
        self._stage = stage
        self._is_dry = dry_run
        self._receipts: list[Receipt] = []
        self._notices = [finding.message for finding in recover(ctx)] if not dry_run else []
        self.id = ctx.new_run()
        self.reading = Reading(ctx.vault)
        self.ledger: Ledger = read_ledger(ctx.journal)

    def commit(self, plan: Plan) -> Receipt:
        """Carries out one plan, or shows what it would do. Raises: BrainError, Locked."""
        if not self._receipts and not self._is_dry:
            append(self._ctx, [{"kind": "run_started", "at": self._ctx.at, "run": self.id, "stage": self._stage}])
        (receipt,) = commit(self._ctx, [plan], run=self.id, dry_run=self._is_dry, reading=self.reading)
        self._receipts.append(receipt)
        return receipt

    def replaced(self, stage_key: str) -> None:
        """Forgets all but the last receipt of a decision that was planned anew after a conflict."""
        same = [receipt for receipt in self._receipts if receipt.plan.key == stage_key]
        for receipt in same[:-1]:
            self._receipts.remove(receipt)

    def say(self, notice: str) -> None:
        """Adds a sentence for a person to the report."""
        if notice not in self._notices:
            self._notices.append(notice)

    def report(self, *, found: int, waiting: int = 0, left_out: int = 0) -> RunReport:
        """Returns what the run has to say."""
        return RunReport(
            self._stage, self.id, tuple(self._receipts), found, waiting, left_out, tuple(self._notices), self._is_dry
        )


def landed(receipt: Receipt) -> bool:
    """Tells whether a plan was carried out (or would be, in a dry run)."""
    return isinstance(receipt, Applied)
