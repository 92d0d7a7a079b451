"""The tree of `part_of` as a value: what is wrong with it, and which changes of parents put it right. Pure.

One parent each; a category hangs off the owner or another category; nothing else hangs off the owner; no rings. Without
an owner nobody owes a parent: several parents and rings are faults all the same. A repair changes parents alone: no
note is taken away or renamed (ADR 0020).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from brain.core.ways import above as above
from brain.core.ways import below as below
from brain.core.ways import children_of as children_of
from brain.core.ways import rings_of as rings_of
from brain.core.ways import shortest_ring

CATEGORY = "category"
FREE_KINDS = ("note", "episode")
"""Kinds that owe the tree nothing."""
FALLBACK_OF_KIND: dict[str, str] = {
    "person": "Relationships", "organization": "Organizations", "skill": "Skills", "project": "Projects", "event": "Events",
    "artifact": "Artifacts", "fact": "Knowledge", "concept": "Knowledge", "insight": "Insights",
}  # fmt: skip
FALLBACK = "Misc"
IMPORTANCE_OF_CATEGORY = 0.85
IMPORTANCE_OF_GROUP = 0.8

UNROOTED, UNDER_NOTE = "unrooted-category", "category-under-note"
UNDER_OWNER, SEVERAL, ORPHAN, RING = "note-under-owner", "several-parents", "orphan-entity", "parent-ring"
STRUCTURE: tuple[str, ...] = (UNROOTED, UNDER_NOTE, UNDER_OWNER, SEVERAL, ORPHAN, RING)
"""Faults of structure, in the order in which they are put right: categories, then the others, then rings."""


@dataclass(frozen=True, slots=True)
class Node:
    """A note as the tree knows it: its path and canonical kind."""

    path: str
    kind: str

    @property
    def is_category(self) -> bool:
        """Whether other notes are filed under it."""
        return self.kind == CATEGORY


@dataclass(frozen=True, slots=True)
class Forest:
    """Notes by path, each one's parents from the oldest to the newest, and the owner's path, if there is one."""

    nodes: Mapping[str, Node]
    parents: Mapping[str, tuple[str, ...]]
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at a note; `others` are the notes it is about besides, sorted."""

    code: str
    path: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """What becomes of the parents of one note: `drop` are no parents any more, `add` becomes one. `code` is the first reason."""

    code: str
    path: str
    drop: tuple[str, ...] = ()
    add: str | None = None


Place = Callable[[Node], str]
"""Returns the path of the category that a note falls back to; it may be one that is to be made under the owner."""


def fallback_of(kind: str) -> str:
    """Returns the name of the category for notes of a kind that have no other place."""
    return FALLBACK_OF_KIND.get(kind, FALLBACK)


def faults_of(forest: Forest) -> tuple[Fault, ...]:
    """Returns what is wrong with the structure, in the order in which it is put right, then by path."""
    found = [fault for path in forest.nodes for fault in _faults_at(forest, path)]
    found += [Fault(RING, ring[0], ring[1:]) for ring in rings_of(forest.parents)]
    return tuple(sorted(found, key=lambda fault: (STRUCTURE.index(fault.code), fault.path)))


def plan_moves(forest: Forest, place: Place, *, codes: Sequence[str] = STRUCTURE) -> tuple[Move, ...]:
    """Returns the changes that put faults of these codes right, by path; for all of them, no fault is left."""
    work = _Work(forest, place)
    for code, step in _STEPS.items():
        if code in codes:
            step(work)
    return tuple(work.moves())


def moved(forest: Forest, moves: Sequence[Move]) -> Forest:
    """Returns the forest as the moves leave it; a parent that is not there yet is a new category under the owner."""
    nodes, parents = dict(forest.nodes), {path: tuple(kept) for path, kept in forest.parents.items()}
    for move in moves:
        kept = [parent for parent in parents.get(move.path, ()) if parent not in move.drop]
        if move.add is not None and move.add not in nodes:
            nodes[move.add] = Node(move.add, CATEGORY)
            parents[move.add] = (forest.owner,) if forest.owner else ()
        parents[move.path] = (*kept, *((move.add,) if move.add is not None and move.add not in kept else ()))
    return Forest(nodes, parents, forest.owner)


def _faults_at(forest: Forest, path: str) -> Iterator[Fault]:
    node, parents = forest.nodes[path], forest.parents.get(path, ())
    if len(parents) > 1:
        yield Fault(SEVERAL, path, tuple(sorted(parents)))
    if forest.owner is None or path == forest.owner:
        return
    if node.is_category:
        strange = tuple(sorted(parent for parent in parents if not _may_hold_category(forest, parent)))
        if strange:
            yield Fault(UNDER_NOTE, path, strange)
        elif not parents:
            yield Fault(UNROOTED, path)
    elif forest.owner in parents:
        yield Fault(UNDER_OWNER, path, (forest.owner,))
    elif not parents and node.kind not in FREE_KINDS:
        yield Fault(ORPHAN, path)


def _may_hold_category(forest: Forest, parent: str) -> bool:
    return parent == forest.owner or (parent in forest.nodes and forest.nodes[parent].is_category)


class _Work:
    """The parents while they are put right, and why each note was touched first."""

    def __init__(self, forest: Forest, place: Place) -> None:
        self.forest = forest
        self._place = place
        self._first: dict[str, str] = {}
        self.parents: dict[str, list[str]] = {path: list(kept) for path, kept in forest.parents.items() if kept}

    def each(self, *, categories: bool) -> Iterator[str]:
        """Yields the notes of one sort but the owner, by path."""
        yield from (path for path in sorted(self.forest.nodes) if path != self.forest.owner and self.forest.nodes[path].is_category == categories)

    def of(self, path: str) -> list[str]:
        return self.parents.get(path, [])

    def set(self, code: str, path: str, parents: Sequence[str]) -> None:
        if list(parents) != self.of(path):
            self._first.setdefault(path, code)
            self.parents[path] = list(parents)

    def root(self, code: str, path: str) -> None:
        """Hangs a note that has no parent left where its kind belongs; without an owner it stays a top."""
        node, owner = self.forest.nodes[path], self.forest.owner
        if owner is None or path == owner or (node.kind in FREE_KINDS and code != UNDER_OWNER):
            return
        home = owner if node.is_category else self._place(node)
        if home not in self.forest.nodes and home not in self.parents:
            self.parents[home] = [owner]
        self.set(code, path, [home])

    def moves(self) -> Iterator[Move]:
        for path, code in sorted(self._first.items()):
            before, after = self.forest.parents.get(path, ()), self.of(path)
            drop = tuple(parent for parent in before if parent not in after)
            add = next((parent for parent in after if parent not in before), None)
            if drop or add is not None:
                yield Move(code, path, drop, add)


def _root_categories(work: _Work) -> None:
    for path in work.each(categories=True):
        if not work.of(path):
            work.root(UNROOTED, path)


def _lift_categories(work: _Work) -> None:
    for path in work.each(categories=True) if work.forest.owner else ():
        kept = [parent for parent in work.of(path) if _may_hold_category(work.forest, parent)]
        if len(kept) < len(work.of(path)):
            work.set(UNDER_NOTE, path, kept)
            if not kept:
                work.root(UNDER_NOTE, path)


def _file_under_categories(work: _Work) -> None:
    for path in work.each(categories=False):
        if work.forest.owner in work.of(path):
            work.set(UNDER_OWNER, path, [parent for parent in work.of(path) if parent != work.forest.owner])
            if not work.of(path):
                work.root(UNDER_OWNER, path)


def _keep_one(work: _Work) -> None:
    """Categories first. The one specific parent stays, else the newest; a parent that hangs off the note itself only when there is no other."""
    for path in sorted(work.forest.nodes, key=lambda path: (not work.forest.nodes[path].is_category, path)):
        if len(work.of(path)) > 1:
            outside = [parent for parent in work.of(path) if path not in {parent} | above(work.parents, parent)]
            work.set(SEVERAL, path, [_best(work.forest, work.forest.nodes[path], outside or work.of(path))])


def _best(forest: Forest, node: Node, parents: Sequence[str]) -> str:
    def is_specific(parent: str) -> bool:
        """A category under a category, anything else under what is no category, is in a narrower place than under the owner or a category."""
        known = forest.nodes.get(parent)
        return known is not None and parent != forest.owner and known.is_category == node.is_category

    specific = [parent for parent in parents if is_specific(parent)]
    return specific[0] if len(specific) == 1 else parents[-1]


def _root_orphans(work: _Work) -> None:
    for path in work.each(categories=False):
        if not work.of(path):
            work.root(ORPHAN, path)


def _cut_rings(work: _Work) -> None:
    """Cuts each ring above the note with the most below it. No edge is cut twice, nor one that was made here, so that this ends."""
    cut: set[tuple[str, str]] = set()
    while groups := rings_of(work.parents):
        children = children_of(work.parents)
        for group in groups:  # no note is in two of them: one look at the tree does for all
            child, parent = _weakest(work, children, shortest_ring(work.parents, group), cut)
            cut.add((child, parent))
            work.set(RING, child, [kept for kept in work.of(child) if kept != parent])
            if not work.of(child):
                work.root(RING, child)


def _weakest(work: _Work, children: Mapping[str, Sequence[str]], ring: Sequence[str], cut: set[tuple[str, str]]) -> tuple[str, str]:
    """Returns the edge of a ring to cut."""
    inside, whole = frozenset(ring), set(zip(ring, (*ring[1:], ring[0]), strict=True)) - cut
    edges = [(child, parent) for child, parent in whole if parent in work.forest.parents.get(child, ())]
    return min(edges, key=lambda edge: (edge[0] != work.forest.owner, -len(below(children, edge[0], without=inside)), edge[0]))


_STEPS: dict[str, Callable[[_Work], None]] = {
    UNROOTED: _root_categories, UNDER_NOTE: _lift_categories, UNDER_OWNER: _file_under_categories, SEVERAL: _keep_one,
    ORPHAN: _root_orphans, RING: _cut_rings,
}  # fmt: skip

AGENT_KINDS = ("person", "organization")
PASSIVE_RELATIONS = ("studied_by", "created_by", "assigned_to", "attended_by")
"""Relations that lead from what is done to the one who does it."""


def is_backwards(relation: str, source_kind: str, target_kind: str) -> bool:
    """Tells whether a passive relation starts at the one who does it; of a plain note nobody knows what it is."""
    return relation in PASSIVE_RELATIONS and source_kind in AGENT_KINDS and target_kind not in (*AGENT_KINDS, *FREE_KINDS)


def is_doubled(relation: str, one: str, other: str, parents: Mapping[str, Sequence[str]]) -> bool:
    """Tells whether a `relates_to` says of two notes what the tree says already: that one is part of the other."""
    return relation == "relates_to" and (other in parents.get(one, ()) or one in parents.get(other, ()))

CROWD = 12
"""More parts than these want groups."""
THIN = 2
SMALL = 20
"""A vault with fewer notes has no thin places."""
STATEMENT_KINDS = ("fact", "hypothesis", "open_question", "risk", "opportunity")
"""Kinds that say one thing, and so have no parts."""


def crowded(forest: Forest, *, most: int = CROWD) -> list[tuple[str, int]]:
    """Returns the notes with more parts than `most` and how many, by path; categories are no parts of a category, the owner is left out."""
    found = []
    for path, parts in sorted(children_of(forest.parents).items()):
        node = forest.nodes.get(path)
        count = len([part for part in parts if not (node and node.is_category and forest.nodes[part].is_category)])
        if node is not None and path != forest.owner and count > most:
            found.append((path, count))
    return found


def thin_areas(forest: Forest) -> list[tuple[str, int]]:
    """Returns the categories directly under the owner with hardly anything below, and how much; none in a small vault."""
    if forest.owner is None or len(forest.nodes) < SMALL:
        return []
    children = children_of(forest.parents)
    tops = [path for path in children.get(forest.owner, ()) if forest.nodes[path].is_category]
    return [(path, count) for path in tops if (count := len(below(children, path))) <= THIN]
