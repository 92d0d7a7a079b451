"""The verbs that change notes: stages, review, proposals, repair, undo. All write through one path."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from brain.errors import BrainError
from brain.facade.opened import Opened

if TYPE_CHECKING:
    from brain.core.plan import Receipt
    from brain.core.proposal import Candidate, Cutoffs
    from brain.models.spend import Estimate
    from brain.stages.context import Context
    from brain.stages.discards import Discards
    from brain.stages.propose import Proposed
    from brain.stages.report import RunReport
    from brain.stages.review import Review
    from brain.stages.undo import UndoReport

STAGES = ("walk", "reconcile", "link")
CONSOLIDATE = "consolidate"


class Tending(Opened):
    """What can be done to a vault."""

    def repair(self, code: str, *, dry_run: bool = False) -> RunReport:
        """Puts right what doctor found under one code. Raises: UsageError for a code that has no plan."""
        from brain.doctor.repair import repair
        from brain.stages.timeline import told

        self._must_be_indexed()  # and not indexed now: what a name meant before a second note had it is known until then
        return told(self._context(), repair(self._context(), code, dry_run=dry_run))

    def repair_all(self, *, only_safe: bool, dry_run: bool = False) -> Iterator[tuple[str, RunReport]]:
        """Carries out every plan there is, or those that are certain, one run each; yields code and report."""
        from brain.doctor.repair import classes

        for code, class_ in classes().items():
            if class_ == "safe" or not only_safe:
                yield code, self.repair(code, dry_run=dry_run)

    def add(
        self, text: str, *, title: str | None = None, source: str | None = None, is_from_web: bool = False, dry_run: bool = False
    ) -> Receipt:
        """Writes an episode note into the inbox. Walking it is `walk`."""
        from brain.stages.add import add

        return add(self._context(), text, title=title, source=source, is_from_web=is_from_web, dry_run=dry_run)

    def fetch(self, url: str) -> tuple[str, str]:
        """Returns title and words of one web page. Raises: UsageError when fetching is off or the address is refused."""
        from brain.stages.fetch import fetch

        page = fetch(url, self.space.config)
        return page.title or url, page.text

    def run_stage(
        self, stage: str, *, limit: int | None = None, dry_run: bool = False, added: Receipt | None = None,
        of_night: bool = False, is_last: bool = True,
    ) -> RunReport:  # fmt: skip
        """Runs walk, reconcile or link once over what is indexed now; boxes that are ticked in the review note come first.

        With what was `added` just before it is one run, so that one undo takes both back. A night has indexed what there
        was, each plan what it wrote, and its last stage brings the review note up to what waits.
        """
        from importlib import import_module

        from brain.core.plan import Applied
        from brain.stages.review import reviewed

        assert stage in STAGES
        if not of_night:
            self.index(embed=False)
        ctx, run = self._judged(), import_module(f"brain.stages.{stage}").run
        going_on = replace(ctx, goes_on=added.item.rpartition(".")[0] if isinstance(added, Applied) else None)
        return reviewed(ctx, lambda: run(going_on, limit=limit, dry_run=dry_run), dry_run=dry_run, is_last=is_last)

    def consolidate(self, *, ceiling: int, limit: int | None = None, dry_run: bool = False, of_night: bool = False) -> RunReport:
        """Folds what notes with more than `ceiling` standing claims say twice. Raises: UsageError for a ceiling below 1."""
        from brain.stages import consolidate
        from brain.stages.review import reviewed

        if not of_night:
            self.index(embed=False)
        ctx = self._judged()
        return reviewed(ctx, lambda: consolidate.run(ctx, ceiling=ceiling, limit=limit, dry_run=dry_run), dry_run=dry_run)

    def review(self) -> Review:
        """Returns what waits for a person, and the verbs to decide it: queue, look, decide, draft, carry_out, apply."""
        from brain.stages.review import Review

        self.index(embed=False)
        return Review(self._context())

    def maintain(self, *, limit: int | None = None, dry_run: bool = False) -> Iterator[RunReport]:
        """Runs the three stages in order at the pace of the governor, yielding each report, then embeds what is new.

        With the setting `maintain.consolidate_above` notes with more claims than that are consolidated after them.

        Before them it makes a backup when one is due (`backup.every_days`); a report says so, or why there is none.
        Raises: Locked when another such run is under way; the first failure of a stage, after the last stage.
        """
        from brain.stages.governor import pace_of
        from brain.stages.night import night, one_at_a_time

        self.index(embed=False)
        wrote = False
        ctx, steps = self._context(), self._steps()
        stages = [(stage, partial(self._run_limited, stage, stage == steps[-1], dry_run)) for stage in steps]
        with nullcontext() if dry_run else one_at_a_time(ctx):
            failure: BrainError | None = None
            try:
                told = () if dry_run else self._backed_up(ctx)
                for report in night(ctx, stages, pace_of(self.space.config.governor, self._budget_used()), limit=limit, dry_run=dry_run):
                    yield replace(report, notices=(*told, *report.notices))
                    told, wrote = (), wrote or bool(report.receipts)
            except BrainError as error:
                failure = error
            if not dry_run and (wrote or failure is not None or self._texts_wait()):
                self.index()
            if failure is not None:
                raise failure

    def _texts_wait(self) -> bool:
        """Tells whether there are texts without a vector, and an embedding model that could make one."""
        if self.space.config.embed.model == "none":
            return False
        with self.space.catalog() as conn:
            return conn.execute("SELECT 1 FROM chunk WHERE hash NOT IN (SELECT hash FROM vector) LIMIT 1").fetchone() is not None

    def _backed_up(self, ctx: Context) -> tuple[str, ...]:
        """Makes a backup when it is time for one; returns what is to be said of it, nothing when it is not."""
        from brain.portability.backup import backups_folder, is_due, make_backup
        from brain.stages.report import counted

        wanted = self.space.config.backup
        try:
            if not wanted.every_days or not is_due(ctx, wanted.every_days, backups_folder(self.root)):
                return ()
            made = make_backup(ctx, keep=wanted.keep)
        except (BrainError, OSError) as error:  # a night without a backup is better than none
            return (f"no backup was made: {error}",)
        lacking = f"; {counted(len(made.left_out), 'file')} left out" if made.left_out else ""
        return (f"backup: {made.backup.path.name}, {counted(made.backup.files, 'file')}, verified{lacking}",)

    def estimate(self, *, limit: int | None = None) -> Estimate | None:
        """Returns what the language model would be asked by a nightly run, without asking; None without a model.

        Later stages ask about what earlier ones find, so that the figure is of what can be known now.
        Raises: UsageError when the choice of a model cannot be used.
        """
        from importlib import import_module

        self.index(embed=False)
        ctx = self._judged(only_estimate=True)
        above = {"ceiling": self.space.config.maintain.consolidate_above}
        for stage in self._steps() if ctx.model else ():
            import_module(f"brain.stages.{stage}").run(ctx, limit=limit, dry_run=True, **(above if stage == CONSOLIDATE else {}))
        return ctx.model.estimate if ctx.model else None

    def _steps(self) -> tuple[str, ...]:
        """The stages of a nightly run, in order."""
        return (*STAGES, CONSOLIDATE) if self.space.config.maintain.consolidate_above else STAGES

    def _run_limited(self, stage: str, is_last: bool, dry_run: bool, limit: int | None) -> RunReport:
        if stage == CONSOLIDATE:
            return self.consolidate(ceiling=self.space.config.maintain.consolidate_above, limit=limit, dry_run=dry_run, of_night=True)
        return self.run_stage(stage, limit=limit, dry_run=dry_run, of_night=True, is_last=is_last)

    def _budget_used(self) -> float | None:
        """The share of the day's tokens that is gone; None without a model or without a limit."""
        from brain.models.spend import KIND, Spend

        judge, ctx = self.space.config.judge, self._context()
        if judge.backend == "rules" or not judge.tokens_per_day_max:
            return None
        spend = Spend(self.space.journal, self.space.journal.records({KIND}), judge, at=ctx.at, day=ctx.today, keeps=False)
        return spend.tokens_today / judge.tokens_per_day_max

    def propose(self, candidate: Candidate, cutoffs: Cutoffs, *, force: bool = False, dry_run: bool = False) -> Proposed:
        """Writes a note that somebody proposes, unless it says nothing new. Raises: UsageError without a cut-off."""
        from brain.recall.similar import similar_in
        from brain.stages.propose import propose

        self.index()
        find = partial(similar_in, self.space, now=self._now())
        return propose(self._judged(), candidate, cutoffs, find=find, force=force, dry_run=dry_run)

    def discards(self) -> Discards:
        """Returns the proposed notes that were not written, the latest first."""
        from brain.stages.discards import discards

        return discards(self._context())

    def undo(self, target: str | None = None, *, dry_run: bool = False) -> UndoReport:
        """Takes back the last run, a run, or one item of it, byte for byte; with `dry_run` it only says what that would change."""
        from brain.stages.timeline import told_of_undo
        from brain.stages.undo import rehearse, undo

        self.index(embed=False)
        if dry_run:
            return rehearse(self._context(), target)
        report = undo(self._context(), target)
        told_of_undo(self._context(), report)
        return report

    def set_owner(self, name: str) -> Receipt | None:
        """Writes the owner into `brain.toml` and makes the owner's note when no note answers to the name."""
        from brain.stages.owner import owner_note
        from brain.vault.template import write_owner

        owner = write_owner(self.root, name)
        self.index(embed=False)
        return owner_note(self._context(), owner)
