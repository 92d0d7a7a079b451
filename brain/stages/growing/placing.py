"""Where a new note is hung, and whether an edge fits into the tree, asked before it is written. Reads, writes nothing.

Explicit parent, else the one thing that the note belongs to by its relations, else the category of its kind, which is
made by the same plan when there is none. Without an owner no note is hung anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from brain.core.plan import CreateNote
from brain.core.tree import CATEGORY, FREE_KINDS, above, fallback_of, is_doubled
from brain.stages.context import Context
from brain.stages.growing.categories import Categories
from brain.stages.growing.forest import owner_of, parents_of
from brain.stages.growing.parents import PART_OF, RELATES
from brain.stages.target import Existing, Names

IMPLIED_KINDS = ("fact", "event", "artifact", "insight")
"""Kinds that belong to the one thing they are related to."""
NO_HOME_KINDS = (CATEGORY, "person", *FREE_KINDS)
LEVELS_MAX = 100


@dataclass(frozen=True, slots=True)
class Unfit:
    """An edge that is not written, and why; an empty reason when the notes say it already."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """Where a new note is hung: the path of its parent, the link that leads there, and why."""

    path: str
    link: str
    why: str


@dataclass(slots=True)
class Placing:
    """One plan's look at the tree: the edges that it adds, and the categories that it makes."""

    ctx: Context
    names: Names
    made: list[CreateNote] = field(default_factory=list)
    _planned: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _ends: dict[str, list[Existing]] = field(default_factory=lambda: defaultdict(list))
    _categories: Categories | None = None

    def fitting(self, path: str, kind: str, relation: str, end: Existing) -> str | Unfit:
        """Returns the relation that may be written from the note at `path`: a second parent is only related."""
        if relation not in (PART_OF, RELATES):
            return relation
        parents = self._parents({path, end.path})
        word = relation
        if relation == PART_OF:
            if path in above(parents, end.path):
                return Unfit(f"{end.path} is part of {path}")
            owner = self._owner()
            if owner == end.path and kind != CATEGORY:
                return Unfit("only categories are part of the owner")
            is_high = owner is not None and kind == CATEGORY and end.kind != CATEGORY and end.path != owner
            word = RELATES if is_high or set(parents.get(path, ())) - {end.path} else PART_OF
        return Unfit() if is_doubled(word, path, end.path, parents) else word

    def add(self, path: str, relation: str, end: Existing) -> None:
        """Takes note of an edge that the plan writes."""
        self._ends[path].append(end)
        if relation == PART_OF:
            self._planned[path].append(end.path)

    def home(self, path: str, kind: str, ends: Iterable[Existing] = ()) -> Home | None:
        """Returns where a new note is hung; None without an owner, and for a note that says itself what it is part of."""
        owner = self._owner()
        if owner is None or path in self._planned or kind in FREE_KINDS:
            return None
        implied = {end.path for end in (*self._ends[path], *ends) if end.kind not in NO_HOME_KINDS} if kind in IMPLIED_KINDS else set()
        if len(implied) == 1:
            parent, why = implied.pop(), "it belongs to the one thing that it is related to"
        else:
            parent, why = self._category(owner, kind), f"a note of kind {kind} without another place"
        link = self.names.link_to(path, parent)
        return None if link is None else Home(parent, link, why)

    def _category(self, owner: str, kind: str) -> str:
        self._categories = self._categories or Categories(self.ctx, self.names, owner)
        path = self._categories.called(fallback_of(kind))
        creation = self._categories.creation(path)
        if creation is not None and creation not in self.made:
            self.made.append(creation)
        return path

    def _owner(self) -> str | None:
        if not self.ctx.config.owner:
            return None
        with self.ctx.catalog() as conn:
            return owner_of(conn, self.ctx.config.owner)

    def _parents(self, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Returns the parents of notes and of all above them, those that the plan adds included."""
        found: dict[str, tuple[str, ...]] = {}
        level = set(paths)
        with self.ctx.catalog() as conn:
            for _ in range(LEVELS_MAX):
                found |= {path: tuple(dict.fromkeys((*parents_of(conn, path), *self._planned.get(path, ())))) for path in sorted(level)}
                level = {parent for path in level for parent in found[path]} - found.keys()
                if not level:
                    break
        return found
