"""Link: a relation that a sentence writes out gets its line, with its reason, under `## Related`.

find (typed edges without a reason) → adjudicate (a canonical type and a sentence around it) → plan (one for
each note) → commit. Nothing is inferred here: what no sentence says makes no edge.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

from brain.core.ids import fold
from brain.core.judgement import Mention, Relates
from brain.core.note import Link, Note
from brain.core.plan import AppendToSection, Plan, Provenance
from brain.core.vocabulary import canonical_relation
from brain.stages.context import Context
from brain.stages.edges import RELATED, relation_line
from brain.stages.gate import decision_id
from brain.stages.report import RunReport, counted
from brain.stages.rules import plain
from brain.stages.run import Run
from brain.stages.target import Names
from brain.vault.parse import parse_note
from brain.vault.store import Source

PAGE = 500
REASON_CHARS_MAX = 200
WORDS_MIN = 3
_LEAD = re.compile(r"^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?")
_FIELD = re.compile(r"[\[(]([^\[\](){}:]+)::[ \t]*((?:[^\[\]()]|\[\[[^\[\]]*\]\])*)[\])]")


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Writes the relation lines of at most `limit` notes (default: the setting; 0: all)."""
    run = Run(ctx, "link", dry_run=dry_run)
    found = find_mentions(ctx, run)
    plans = [plan for path, mentions in sorted(found.items()) if (plan := plan_relations(ctx, run, path, adjudicate(mentions, ctx)))]
    kept = (ctx.config.limits.sources_per_run_max if limit is None else limit) or len(plans)
    for plan in plans[:kept]:
        run.commit(plan)
    return run.report(found=sum(map(len, found.values())), left_out=max(0, len(plans) - kept))


def find_mentions(ctx: Context, run: Run) -> dict[str, list[Mention]]:
    """Returns the places in running text that name a typed relation, by the note they stand in."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with ctx.graph.session():
        for row in _unexplained(ctx):
            rows[row["source"]].append(row)
    names = Names(ctx)
    found: dict[str, list[Mention]] = {}
    for path, of_note in sorted(rows.items()):
        source = run.reading.read(path)
        if source is not None and (mentions := list(_mentions(ctx, names, source, of_note))):
            found[path] = mentions
    return found


def adjudicate(mentions: list[Mention], ctx: Context) -> tuple[Relates, ...]:
    """Returns the relations that the judge takes for stated."""
    return tuple(verdict for mention in mentions if isinstance(verdict := ctx.judge.relate(mention), Relates))


def plan_relations(ctx: Context, run: Run, path: str, verdicts: tuple[Relates, ...]) -> Plan | None:
    """Returns the plan that writes one note's relation lines; None when all were decided before."""
    source = run.reading.read(path)
    names = Names(ctx)
    fresh = {f"{path}|{v.relation}|{v.target}": v for v in reversed(verdicts)}
    kept = {item: v for item, v in sorted(fresh.items()) if item not in run.ledger.declined}
    if source is None or not kept:
        return None
    lines = tuple(relation_line(v.relation, names.link_to(v.target), v.reason) for v in kept.values())
    provenance = tuple(Provenance(item, path, source.sha256, v.line, v.quote, v.reason, v.judge) for item, v in kept.items())
    plan = Plan(
        "link", "\n".join(kept), {path: source.sha256}, (AppendToSection(path, RELATED, lines),),
        f"{path} writes out {counted(len(kept), 'relation')} in its text", provenance,
    )  # fmt: skip
    return None if decision_id(plan) in run.ledger.settled else plan


def _unexplained(ctx: Context) -> Iterator[dict[str, Any]]:
    skip = 0
    while True:
        rows = ctx.graph.run("unexplained", skip=skip, limit=PAGE)
        yield from rows
        if len(rows) < PAGE:
            return
        skip += PAGE


def _mentions(ctx: Context, names: Names, source: Source, rows: list[dict[str, Any]]) -> Iterator[Mention]:
    note = parse_note(source.path, source.text, ctx.config.limits)
    lines = source.text.split("\n")
    wanted = {(row["type"], row["target"]) for row in rows}
    on_lines = set(chain.from_iterable(row["lines"] or () for row in rows))
    for link in note.links:
        if link.place != "body" or link.relation is None or link.line not in on_lines or _is_listed(note, link):
            continue
        target = names.leads_to(note.path, link.target, link.form)
        reason = _reason(lines[link.line - 1])
        if target and (canonical_relation(link.relation), target) in wanted and reason:
            yield Mention(note.path, link.relation, target, link.line, lines[link.line - 1].strip("\r"), reason)


def _is_listed(note: Note, link: Link) -> bool:
    """Tells whether a link stands in a section of claims: there it is a line of its own already."""
    above = [heading for heading in note.headings if heading.span.start < link.span.start and heading.level <= 2]
    return bool(above) and above[-1].level == 2 and fold(above[-1].text) in ("related", "atoms")


def _reason(line: str) -> str | None:
    """Returns the sentence around a bracketed field as words; None when the field is all there is on the line."""
    bare = _LEAD.sub("", line.strip())
    others = _FIELD.sub(" ", bare)
    if others == bare or len(re.findall(r"[^\W\d_]{2,}", others)) < WORDS_MIN:
        return None
    said = plain(_FIELD.sub(lambda field: f"{field[1].strip().replace('_', ' ')} {field[2]}", bare))
    return said if len(said) <= REASON_CHARS_MAX else said[: REASON_CHARS_MAX - 1].rsplit(" ", 1)[0] + "…"
