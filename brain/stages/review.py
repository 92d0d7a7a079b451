"""Review: what a run held is put before a person, who says yes, no, or so. Writes through `commit` alone.

An item is folded from the journal (`reviewing.item`); its plan is made anew from the notes as they are when it is
looked at or accepted, and carried out with the person as its judge. A no is a `declined` record, and for a merge
`distinct_from` in both notes. Both are runs, which undo takes back. An item that holds no longer is closed, and said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from brain.core.note import Span
from brain.core.plan import CreateNote, Edit, MarkSuperseded, Plan, Receipt, Refused, ReplaceSpan
from brain.errors import UsageError
from brain.stages import listing, timeline
from brain.stages.context import Context, Reading
from brain.stages.ledger import read_ledger
from brain.stages.reconciling.room import keep_look
from brain.stages.report import RunReport
from brain.stages.reviewing.answering import accept, by_person, reject, replanned
from brain.stages.reviewing.desk import Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Choice, Item, Queue, chosen, find_item, queue_of
from brain.stages.reviewing.kinds import kind_of
from brain.stages.run import Run
from brain.vault.parse import decode
from brain.vault.render import render
from brain.vault.store import Source

Verb = Literal["accept", "reject"]
STAGE = "review"


@dataclass(frozen=True, slots=True)
class Opened:
    """An item looked at: what accepting it would do, as a receipt of a rehearsal, or why that cannot be done now."""

    item: Item
    receipt: Receipt | None
    problem: Obsolete | Stuck | None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What accepting an item would write into its one most important note; `source` None: the note is new."""

    item: Item
    plan: Plan
    path: str
    text: str
    source: Source | None


@dataclass(frozen=True, slots=True)
class Review:
    """What waits in one vault, with the verbs to decide it."""

    ctx: Context

    def queue(self) -> Queue:
        """Returns what waits for a person."""
        return queue(self.ctx)

    def look(self, name: str, *, told: tuple[str, ...] = ()) -> Opened:
        """Returns an item with what accepting it would do now."""
        return look(self.ctx, name, told=told)

    def decide(self, verb: Verb, choice: Choice, *, told: tuple[str, ...] = (), dry_run: bool = False) -> RunReport:
        """Carries out or declines the items of a choice."""
        return decide(self.ctx, verb, choice, told=told, dry_run=dry_run)

    def draft(self, name: str, *, told: tuple[str, ...] = ()) -> Draft:
        """Returns what accepting an item would write, for a person to change."""
        return draft_of(self.ctx, name, told=told)

    def carry_out(self, draft: Draft, text: str) -> RunReport:
        """Carries out an item with a person's own text."""
        return carry_out(self.ctx, draft, text)

    def apply(self, *, dry_run: bool = False) -> RunReport:
        """Does what is ticked in the review note, and brings it up to what waits."""
        return apply_ticks(self.ctx, dry_run=dry_run)


def queue(ctx: Context) -> Queue:
    """Returns what waits for a person. Reads only."""
    return queue_of(read_ledger(ctx.journal), ctx.config.limits.review_items_max)


def look(ctx: Context, name: str, *, told: tuple[str, ...] = ()) -> Opened:
    """Returns an item with what accepting it would do now. Raises: NotFound, Ambiguous."""
    run = Run(ctx, STAGE, dry_run=True)
    item = find_item(queue_of(run.ledger, ctx.config.limits.review_items_max), name, run.ledger)
    desk = _desk(ctx, run, told)
    keep_look(ctx, item.id)
    answer = replanned(desk, item)
    choices = kind_of(item).choices(desk, item)
    if isinstance(answer, Plan):
        return Opened(item, run.commit(by_person(answer)), None, choices)
    return Opened(item, None, answer, choices)


def decide(ctx: Context, verb: Verb, choice: Choice, *, told: tuple[str, ...] = (), dry_run: bool = False) -> RunReport:
    """Carries out or declines the items of a choice. Raises: NotFound, Ambiguous, UsageError, BrainError, Locked."""
    run = Run(ctx, STAGE, dry_run=dry_run)
    items = chosen(queue_of(run.ledger, ctx.config.limits.review_items_max), choice, run.ledger)
    desk = _desk(ctx, run, told)
    if verb == "reject":
        reject(desk, run, items)
        failed: list[Refused] = []
    else:
        failed = [refused for item in items if (refused := accept(desk, run, item)) is not None]
    report = _with(run.report(found=len(items)), failed)
    return report if dry_run else timeline.told(ctx, listing.noted(ctx, report))


def draft_of(ctx: Context, name: str, *, told: tuple[str, ...] = ()) -> Draft:
    """Returns what accepting an item would write into its note, for a person to change. Raises: NotFound, UsageError when nothing can be written now."""
    run = Run(ctx, STAGE, dry_run=True)
    item = find_item(queue_of(run.ledger, ctx.config.limits.review_items_max), name, run.ledger)
    keep_look(ctx, item.id)
    answer = replanned(_desk(ctx, run, told), item)
    if isinstance(answer, Obsolete):
        raise UsageError(f"{item.id} holds no longer: {answer.why}.", f"brain review accept {item.id} closes it")
    if isinstance(answer, Stuck):
        raise UsageError(answer.why, answer.cure)
    plan = by_person(answer)
    forwarding = {edit.path for edit in plan.edits if isinstance(edit, MarkSuperseded)}
    path = next((edit.path for edit in plan.edits if edit.path not in forwarding), plan.edits[0].path)
    sources = run.reading.read_many(sorted(plan.base))
    patches = {patch.path: patch for patch in render(plan, sources, ctx.config.limits)}
    source = sources.get(path)
    after = patches[path].after if path in patches else source.data if source else None
    assert after is not None
    return Draft(item, plan, path, decode(after)[0], source)


def carry_out(ctx: Context, draft: Draft, text: str) -> RunReport:
    """Carries out an item with a person's own text of its note; the same text, or none, does nothing.

    A note that changed while the person wrote is not overwritten: the report says so.
    """
    run = Run(ctx, STAGE, dry_run=False)
    if text == draft.text or not text.strip():
        run.say(f"{draft.item.id}: {'nothing was changed' if text.strip() else 'the text was emptied'}, so nothing was done.")
        return run.report(found=1)
    run.commit(_with_text(draft, text))
    return timeline.told(ctx, listing.noted(ctx, run.report(found=1)))


def apply_ticks(ctx: Context, *, dry_run: bool = False) -> RunReport:
    """Does what the ticked boxes of the review note say, and brings the note up to what waits."""
    run = Run(ctx, STAGE, dry_run=dry_run)
    report = _applied(ctx, run)
    return report if dry_run else timeline.told(ctx, listing.noted(ctx, report))


def reviewed(ctx: Context, stage: Callable[[], RunReport], *, dry_run: bool, is_last: bool = True) -> RunReport:
    """Applies the ticked boxes, runs a stage, and brings the review note up to what waits then. A dry run is the stage alone.

    Of the stages of one night only the last does the last part.
    """
    if dry_run:
        return stage()
    ticked = _applied(ctx, Run(ctx, STAGE, dry_run=False)) if listing.ticks(ctx, Reading(ctx.vault)).ids else None
    report = timeline.told(ctx, stage())
    said = () if ticked is None else _told_of(ticked)
    report = replace(report, notices=(*said, *report.notices))
    return listing.noted(ctx, report) if is_last else report


def _desk(ctx: Context, run: Run, told: tuple[str, ...] = ()) -> Desk:
    return Desk(ctx, run.reading, run.ledger, told)


def _with_text(draft: Draft, text: str) -> Plan:
    """Returns the plan of a draft with a person's text for its note."""
    whole: Edit
    if draft.source is None:
        whole = CreateNote(draft.path, text)
    else:
        whole = ReplaceSpan(draft.path, Span(0, len(draft.source.text)), draft.source.text, text)
    kept = tuple(source for source in draft.plan.provenance if "|" in source.item or f"^{source.item}" in text)
    because = f"{draft.plan.because}; in a person's own words"
    return replace(draft.plan, edits=(whole, *(edit for edit in draft.plan.edits if edit.path != draft.path)), provenance=kept, because=because)


def _applied(ctx: Context, run: Run) -> RunReport:
    """Does what is ticked; an id that does not wait, and an item with both its boxes ticked, is said and left alone."""
    ticks = listing.ticks(ctx, run.reading)
    waiting = {item.id: item for item in queue_of(run.ledger, ctx.config.limits.review_items_max).all}
    desk, failed = _desk(ctx, run), []
    for item_id, verbs in ticks.verbs.items():
        item = waiting.get(item_id)
        if item is None:
            run.say(f"{listing.path_of(ctx)} ticks {listing.shown_id(item_id)}, which does not wait for a decision; it was ignored.")
        elif len(verbs) > 1:
            run.say(f"{item_id}: both its boxes are ticked, so neither was done.")
        else:
            failed += _ticked(desk, run, next(iter(verbs)), item)
    return _with(run.report(found=len(ticks.ids)), failed)


def _ticked(desk: Desk, run: Run, verb: Verb, item: Item) -> list[Refused]:
    if verb == "reject":
        reject(desk, run, [item])
        return []
    refused = accept(desk, run, item)
    return [refused] if refused else []


def _with(report: RunReport, failed: list[Refused]) -> RunReport:
    return replace(report, receipts=(*report.receipts, *failed))


def _told_of(report: RunReport) -> tuple[str, ...]:
    """Returns what the ticked boxes did, in sentences, for the report of the stage that ran after."""
    done = [f"ticked: {receipt.plan.because} (brain undo {receipt.item} takes it back)." for receipt in report.applied]
    left = [f"ticked, not done: {receipt.plan.because} ({receipt.why if isinstance(receipt, Refused) else 'it changed meanwhile'})." for receipt in report.failed]
    return (*done, *left, *report.notices)
