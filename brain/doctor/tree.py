"""Checks of the tree of `part_of`: its structure, its crowded and thin places, and relations that repeat or turn it.

Without an owner nobody owes the tree anything: then several parents, rings and relations are looked at, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from shlex import quote

from brain.core.finding import Finding
from brain.core.tree import (
    CROWD,
    ORPHAN,
    RING,
    SEVERAL,
    STATEMENT_KINDS,
    STRUCTURE,
    UNDER_NOTE,
    UNDER_OWNER,
    UNROOTED,
    Fault,
    Forest,
    children_of,
    crowded,
    fallback_of,
    faults_of,
    thin_areas,
)
from brain.doctor.view import View
from brain.stages.context import Context
from brain.stages.growing import relations, structure
from brain.stages.growing.forest import forest_of
from brain.stages.growing.relations import BACKWARDS, CROSS, DOUBLED, Spoken, find_relations
from brain.stages.report import RunReport, counted


def tree(view: View) -> Iterator[Finding]:
    """Everything that the tree of `part_of` wants."""
    forest = forest_of(view.conn, view.space.config.owner)
    yield from (_fault(forest, fault) for fault in faults_of(forest))
    yield from (_spoken(spoken) for spoken in find_relations(view.conn, forest))
    if forest.owner is not None:
        yield from _places(forest)


def _structure(code: str) -> Repair:
    return lambda ctx, dry_run: structure.repair(ctx, code, dry_run=dry_run)


def _relations(code: str) -> Repair:
    return lambda ctx, dry_run: relations.repair(ctx, code, dry_run=dry_run)


Repair = Callable[[Context, bool], RunReport]
REPAIRS: dict[str, Repair] = {
    **{code: _structure(code) for code in STRUCTURE}, **{code: _relations(code) for code in (BACKWARDS, CROSS, DOUBLED)},
}  # fmt: skip


def _fault(forest: Forest, fault: Fault) -> Finding:
    path, others, cure, kind = fault.path, ", ".join(fault.others), f"brain repair {fault.code}", forest.nodes[fault.path].kind
    if fault.code == UNROOTED:
        message = "This category is part of nothing; it belongs under the owner or another category."
        return Finding("unrooted-category", "warning", path, 0, message, cure)
    if fault.code == UNDER_NOTE:
        return Finding("category-under-note", "warning", path, 0, f"This category is part of {others}, which is no category.", cure)
    if fault.code == UNDER_OWNER:
        return Finding("note-under-owner", "warning", path, 0, f"It is part of {others}, the owner, under whom only categories belong.", cure)
    if fault.code == SEVERAL:
        return Finding("several-parents", "warning", path, 0, f"It is part of {others}; a note has one parent.", cure)
    if fault.code == ORPHAN:
        message = f"This {kind} is part of nothing; the category for its kind is {fallback_of(kind)}."
        return Finding("orphan-entity", "warning", path, 0, message, cure)
    assert fault.code == RING
    return Finding("parent-ring", "warning", path, 0, f"It is part of itself, by way of {others}.", cure)


def _spoken(spoken: Spoken) -> Finding:
    source, target, relation, cure = spoken.source, spoken.target, spoken.relation, f"brain repair {spoken.code}"
    if spoken.code == BACKWARDS:
        message = f"{source} {relation} {target} leads from the one who does it: it is the wrong way round."
        return Finding("backwards-relation", "info", source, spoken.line, message, cure)
    if spoken.code == DOUBLED:
        message = f"{relation} to {target} says less than the part_of between the two."
        return Finding("redundant-relation", "info", source, spoken.line, message, cure)
    assert spoken.code == CROSS
    message = f"{relation} leads from this category to {target}, another one."
    return Finding("category-cross-link", "info", source, spoken.line, message, cure)


def _places(forest: Forest) -> Iterator[Finding]:
    for path, count in crowded(forest):
        message, cure = f"{count} notes are part of it directly; from {CROWD + 1} on they want groups.", f"brain subgroup {quote(path)} --apply"
        if forest.nodes[path].is_category:
            yield Finding("oversized-category", "info", path, 0, message, cure)
        else:
            yield Finding("flat-list", "info", path, 0, message, cure)
    for path, count in thin_areas(forest):
        message = f"Only {counted(count, 'note')} {'is' if count == 1 else 'are'} below this area."
        yield Finding("thin-area", "info", path, 0, message, f'write the link of another category as part_of into "{path}"')
    children = children_of(forest.parents)
    for path, node in sorted(forest.nodes.items()):
        if node.kind in STATEMENT_KINDS and path in children:
            message = f"A {node.kind} says one thing, and {counted(len(children[path]), 'note')} {'is' if len(children[path]) == 1 else 'are'} part of it."
            yield Finding("statement-with-parts", "info", path, 0, message, f'write kind: concept into "{path}", or another part_of into its parts')
