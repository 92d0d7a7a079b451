"""What a new `part_of` would do to the tree: one parent for each note, no ring, nothing but categories under the owner."""

from __future__ import annotations

from collections import defaultdict

from brain.core.note import Note
from brain.stages.context import Context
from brain.stages.target import Existing, Names

LEVELS_MAX = 100
CATEGORY = "category"


class Tree:
    """The part-of edges as the graph has them, and over it those that this run planned."""

    def __init__(self, ctx: Context, names: Names) -> None:
        self._ctx = ctx
        self._names = names
        self._planned: dict[str, set[str]] = defaultdict(set)

    def plan(self, path: str, parent: str) -> None:
        """Takes note of an edge that was planned."""
        self._planned[path].add(parent)

    def joins(self, one: str, other: str) -> bool:
        """Tells whether one of two notes is part of the other: then that they relate is said."""
        parents = self._parents([one, other])
        return other in parents[one] or one in parents[other]

    def objection(self, note: Note, parent: Note) -> str | None:
        """Returns why a person should say whether `note` is part of `parent`, None when nothing speaks against it."""
        others = self._parents([note.path])[note.path] - {parent.path}
        if others:
            return f"{note.path} is part of {', '.join(sorted(others))} already"
        if note.path in self._above(parent.path):
            return f"{parent.path} is part of {note.path}, so that they would go round in a ring"
        is_owner = self._is_owner(note.path, parent.path)
        if note.kind == CATEGORY and not is_owner and parent.kind != CATEGORY:
            return "a category is part of the owner or of another category"
        return "only categories are part of the owner" if is_owner and note.kind != CATEGORY else None

    def _above(self, path: str) -> set[str]:
        """Returns the notes that one is part of, up to the root."""
        found: set[str] = set()
        level = {path}
        for _ in range(LEVELS_MAX):
            level = {parent for parents in self._parents(sorted(level)).values() for parent in parents} - found
            if not level:
                break
            found |= level
        return found

    def _parents(self, paths: list[str]) -> dict[str, set[str]]:
        found = {path: set(self._planned[path]) for path in paths}
        for row in self._ctx.graph.run("parents", paths=paths):
            found[row["path"]].add(row["parent"])
        return found

    def _is_owner(self, source: str, path: str) -> bool:
        owner = self._ctx.config.owner
        found = self._names.find(source, owner) if owner else None
        return isinstance(found, Existing) and found.path == path
