"""Relations that say what the tree says, or the wrong way round: found in the catalog, put right where they are written.

find → plan (one for each note, or each pair when a relation is turned) → commit. The words of the line stay.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from brain.core.note import Link
from brain.core.plan import AppendToSection, Plan
from brain.core.tree import Forest, is_backwards, is_doubled
from brain.core.vocabulary import canonical_relation
from brain.errors import BrainError
from brain.stages.context import Context
from brain.stages.edges import RELATED, has_edge, relation_line
from brain.stages.gate import decision_id
from brain.stages.growing.forest import forest_of, ids_of
from brain.stages.growing.parents import Change, Unwritable, edits_of
from brain.stages.growing.structure import STAGE, leads_to
from brain.stages.report import RunReport
from brain.stages.run import Run
from brain.stages.target import Names
from brain.vault.parse import parse_note
from brain.vault.sections import append_to_section

BACKWARDS, DOUBLED, CROSS = "backwards-relation", "redundant-relation", "category-cross-link"
_WHY = {
    BACKWARDS: "a passive relation leads to the one who does it",
    DOUBLED: "part_of says it already",
    CROSS: "categories are kept apart: only part_of leads from one to another",
}


@dataclass(frozen=True, slots=True, order=True)
class Spoken:
    """An edge that a note states and should not: its code, the paths of its ends, the relation, and its first line."""

    code: str
    source: str
    target: str
    relation: str
    line: int


def find_relations(conn: sqlite3.Connection, forest: Forest) -> list[Spoken]:
    """Returns the edges to put right, each once; cross-links only where somebody owns the tree."""
    rows = conn.execute(
        "SELECT s.path, t.path, l.edge_type, min(l.line) FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND l.edge_type IS NOT NULL AND l.edge_type<>'part_of' AND s.nid<>t.nid GROUP BY 1, 2, 3"
    )
    return sorted(found for row in rows if (found := _spoken(forest, *row)) is not None)


def repair(ctx: Context, code: str, *, dry_run: bool = False) -> RunReport:
    """Puts right every relation of one code."""
    run = Run(ctx, STAGE, dry_run=dry_run)
    with ctx.catalog() as conn:
        found = [spoken for spoken in find_relations(conn, forest_of(conn, ctx.config.owner)) if spoken.code == code]
        ids = ids_of(conn)
    names = Names(ctx)
    for group in _groups(found, code):
        plan = _plan(ctx, run, names, group, ids)
        if isinstance(plan, Unwritable):
            run.say(f"{group[0].source} was left as it is: {plan.why}.")
        elif (undoing := run.ledger.declines.get(decision_id(plan))) is not None:
            run.leave_out("repair", decision_id(plan), undoing)
        else:
            run.commit(plan)
    return run.report(found=len(found))


def _spoken(forest: Forest, source: str, target: str, relation: str, line: int) -> Spoken | None:
    one, other = forest.nodes.get(source), forest.nodes.get(target)
    if one is None or other is None:
        return None
    if is_doubled(relation, source, target, forest.parents):
        return Spoken(DOUBLED, source, target, relation, line)
    if forest.owner is not None and one.is_category and other.is_category:
        return Spoken(CROSS, source, target, relation, line)
    return Spoken(BACKWARDS, source, target, relation, line) if is_backwards(relation, one.kind, other.kind) else None


def _groups(found: list[Spoken], code: str) -> Iterator[list[Spoken]]:
    """Yields what one plan puts right: all of one relation in a note, but each turned edge by itself."""
    keyed: dict[tuple[str, ...], list[Spoken]] = {}
    for spoken in found:
        keyed.setdefault((spoken.source, spoken.relation, spoken.target if code == BACKWARDS else ""), []).append(spoken)
    yield from keyed.values()


def _plan(ctx: Context, run: Run, names: Names, group: list[Spoken], ids: Mapping[str, str]) -> Plan | Unwritable:
    first, limits = group[0], ctx.config.limits
    source = run.reading.read(first.source)
    if source is None:
        return Unwritable("it is gone")
    note, end = parse_note(source.path, source.text, limits), leads_to(names, first.source)
    ends = frozenset(spoken.target for spoken in group)
    edits = edits_of(note, source, Change(first.relation, ends, unsaid=frozenset() if first.code == CROSS else ends), end, limits)
    if isinstance(edits, Unwritable):
        return edits
    stated = [link for link in note.links if link.relation and canonical_relation(link.relation) == first.relation and end(link) in ends]
    turned = _turned(ctx, run, names, first, stated) if first.code == BACKWARDS else ({}, ())
    if isinstance(turned, Unwritable):
        return turned
    base, more = turned
    because = f"{first.source} {first.relation} {', '.join(sorted(ends))}: {_WHY[first.code]}"
    key = f"{first.code}|{ids[first.source]}|{first.relation}|{','.join(sorted(ids[end] for end in ends))}"
    return Plan("repair", key, {source.path: source.sha256, **base}, (*edits, *more), because)


def _turned(
    ctx: Context, run: Run, names: Names, spoken: Spoken, stated: list[Link]
) -> tuple[dict[str, str], tuple[AppendToSection, ...]] | Unwritable:
    """Returns what the other note is read as, and the line that it gets."""
    target, link = run.reading.read(spoken.target), names.link_to(spoken.target, spoken.source)
    if target is None or link is None:
        return Unwritable(f"no link that can stand in {spoken.target} leads to it")
    note = parse_note(target.path, target.text, ctx.config.limits)
    if has_edge(note, spoken.relation, spoken.source, leads_to(names, target.path)):
        return {}, ()
    reason = next((said.reason for said in stated if said.reason), "")
    line = relation_line(spoken.relation, link, reason or "", ctx.config.limits)
    try:
        append_to_section(target.text, RELATED, (line,))
    except BrainError as error:
        return Unwritable(f"{target.path} cannot take the relation: {error.message.rstrip('.')}")
    return {target.path: target.sha256}, (AppendToSection(target.path, RELATED, (line,)),)
