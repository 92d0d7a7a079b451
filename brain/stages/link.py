"""Link: relations between notes get their line under `## Related`, and hubs that teach something get an insight.

find → adjudicate → plan → commit, three times. What a sentence writes out is certain by rules. Notes that may be related
(a name without a link, two links apart, near in meaning: `linking.candidates`) are asked about when a model judges,
and counted and offered when none does: without a judge nothing is inferred. Then the notes around each hub.
"""

from __future__ import annotations

from collections.abc import Iterator

from brain.core.judgement import Mention, Relates
from brain.core.plan import WRITTEN_BITS, AppendToSection, Concern, Plan, Provenance, Question
from brain.stages.context import Context
from brain.stages.edges import RELATED, relation_line
from brain.stages.gate import decision_id
from brain.stages.linking.asking import relate
from brain.stages.linking.candidates import survey
from brain.stages.linking.insight import abstract
from brain.stages.linking.offering import offer
from brain.stages.linking.stated import find_stated
from brain.stages.linking.tree import Tree
from brain.stages.report import RunReport, counted
from brain.stages.run import Run
from brain.stages.target import Names


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Writes the relations of at most `limit` notes (default: the setting; 0: all), first those that are written out."""
    run = Run(ctx, "link", dry_run=dry_run)
    most = ctx.config.limits.sources_per_run_max if limit is None else limit
    found = find_stated(ctx, run)
    plans = [plan for path, mentions in sorted(found.items()) for plan in plan_relations(ctx, run, path, adjudicate(mentions, ctx))]
    for plan in plans[: most or None]:
        run.commit(plan)
    stated, left_out = sum(map(len, found.values())), max(0, len(plans) - most) if most else 0
    vault = survey(ctx)
    if ctx.model is None:
        waiting = offer(ctx, run, vault, limit=most)
        return run.report(found=stated + waiting, waiting=waiting, left_out=left_out)
    related, left = relate(ctx, run, ctx.model, vault, limit=most)
    learned = abstract(ctx, run, ctx.model)
    return run.report(found=stated + related.asked + learned.asked, waiting=related.waiting + learned.waiting, left_out=left_out + left + learned.left)


def adjudicate(mentions: list[Mention], ctx: Context) -> tuple[Relates, ...]:
    """Returns the relations that the judge takes for stated."""
    return tuple(verdict for mention in mentions if isinstance(verdict := ctx.judge.relate(mention), Relates))


def plan_relations(ctx: Context, run: Run, path: str, verdicts: tuple[Relates, ...]) -> Iterator[Plan]:
    """Yields the plan that writes one note's relation lines, unless all were decided before.

    Relations to a note that no link can lead to are a plan of their own: it waits for a person, who can rename it.
    """
    source = run.reading.read(path)
    if source is None:
        return
    names = Names(ctx)
    lines: dict[str, str] = {}
    tree = Tree(ctx, names)
    said = [v for v in verdicts if v.relation != "relates_to" or not tree.joins(path, v.target)]
    fresh = {f"{path}|{v.relation}|{v.target}": v for v in reversed(said)}
    kept = {item: v for item, v in sorted(fresh.items()) if not _is_declined(run, item)}
    with names.session():
        for item, verdict in kept.items():
            if link := names.link_to(path, verdict.target):
                lines[item] = relation_line(verdict.relation, link, verdict.reason, ctx.config.limits)
    apart: tuple[Concern, ...] = ("unlinkable",)
    for items, concerns in ((list(lines), ()), ([item for item in kept if item not in lines], apart)):
        because = f"{path} writes out {counted(len(items), 'relation')} in its text"
        ends = sorted({kept[item].target for item in items}) if concerns else []
        plan = Plan(
            "link", "\n".join(items), {path: source.sha256}, () if concerns else (AppendToSection(path, RELATED, tuple(lines.values())),),
            because + (f"; no link that can stand there leads to {', '.join(ends)}; give that note another name" if ends else ""),
            tuple(Provenance(item, path, source.sha256, v.line, v.quote, v.reason, v.judge) for item in items for v in (kept[item],)),
            concerns=concerns, question=Question(kept[items[0]], score=WRITTEN_BITS) if concerns and items else None,
        )  # fmt: skip
        if items and decision_id(plan) not in run.ledger.settled:
            yield plan


def _is_declined(run: Run, item: str) -> bool:
    undoing = run.ledger.declines.get(item)
    if undoing is not None:
        run.leave_out("relation", item, undoing)
    return undoing is not None
