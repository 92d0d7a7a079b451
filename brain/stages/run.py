"""One command's run of one stage: its id, what it reads, and its plans committed or rehearsed one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from brain.core.plan import Applied, Plan, Receipt
from brain.stages.commit import append, commit, recover
from brain.stages.context import Context, Reading
from brain.stages.ledger import Ledger, read_ledger
from brain.stages.report import RunReport, declined_text


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
        self._notices += [damaged.finding.message for damaged in self.ledger.damaged]
        self._declined: dict[str, dict[str, str]] = defaultdict(dict)

    @property
    def is_dry(self) -> bool:
        """Whether the run only shows what it would do."""
        return self._is_dry

    def commit(self, plan: Plan) -> Receipt:
        """Carries out one plan, or shows what it would do. Raises: BrainError, Locked."""
        (receipt,) = self.commit_many([plan])
        return receipt

    def commit_many(self, plans: Sequence[Plan]) -> tuple[Receipt, ...]:
        """Carries out plans that do not wait for each other, and indexes what they changed once. Raises: BrainError, Locked."""
        if plans and not self._receipts and not self._is_dry:
            append(self._ctx, [{"kind": "run_started", "at": self._ctx.at, "run": self.id, "stage": self._stage}])
        receipts = commit(self._ctx, plans, run=self.id, dry_run=self._is_dry, reading=self.reading)
        self._receipts.extend(receipts)
        return receipts

    def replaced(self, stage_key: str) -> None:
        """Forgets all but the last receipt of a decision that was planned anew after a conflict."""
        same = [receipt for receipt in self._receipts if receipt.plan.key == stage_key]
        for receipt in same[:-1]:
            self._receipts.remove(receipt)

    def withdraw(self, receipt: Receipt) -> None:
        """Forgets a receipt: what it says no to was planned anew."""
        self._receipts.remove(receipt)

    def say(self, notice: str) -> None:
        """Adds a sentence for a person to the report."""
        if notice not in self._notices:
            self._notices.append(notice)

    def leave_out(self, what: str, name: str, undoing: str) -> None:
        """Takes note of a claim, relation or merge that is not made again: `undoing` is the undo that took it back.

        `name` tells it apart: a decision, or the id of an episode, a space, and what was said there; what the run makes
        anew from other words is not counted.
        """
        self._declined[what][name] = undoing

    def report(self, *, found: int, waiting: int = 0, left_out: int = 0) -> RunReport:
        """Returns what the run has to say."""
        again = {source.item for receipt in self._receipts if landed(receipt) for source in receipt.plan.provenance}
        left = {what: {n: u for n, u in names.items() if n.partition(" ")[2] not in again} for what, names in sorted(self._declined.items())}
        declined = [declined_text(what, len(names), set(names.values())) for what, names in left.items() if names]
        return RunReport(
            self._stage, self.id, tuple(self._receipts), found, waiting, left_out, (*self._notices, *declined), self._is_dry,
            sum(map(len, left.values())),
        )  # fmt: skip


def landed(receipt: Receipt) -> bool:
    """Tells whether a plan was carried out (or would be, in a dry run)."""
    return isinstance(receipt, Applied)
