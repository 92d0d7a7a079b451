"""What hangs off what, asked of the index: parents, children, and what stands against a new parent. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from brain.core.note import Note
from brain.core.tree import CATEGORY, above
from brain.errors import UsageError
from brain.stages.growing.forest import forwarded
from brain.stages.hands.hand import Hand
from brain.vault.links import NOT_LIVE


@dataclass(frozen=True, slots=True)
class Grown:
    """The tree of `part_of`: each note's parents, the kind of each note, and those that are no longer current."""

    parents: dict[str, tuple[str, ...]]
    kinds: dict[str, str]
    over: frozenset[str]
    owner: str | None

    def children(self, path: str) -> list[str]:
        """Returns the current notes that are part of one, sorted."""
        return sorted(child for child, parents in self.parents.items() if path in parents and child not in self.over)

    def above(self, path: str) -> set[str]:
        """Returns the notes that one is part of, at any distance."""
        return above(self.parents, path)


def grown(hand: Hand) -> Grown:
    """Returns the tree as it is indexed now; a superseded parent stands for the note that replaces it."""
    with hand.ctx.catalog() as conn:
        notes = conn.execute("SELECT path, kind, status FROM note").fetchall()
        edges = conn.execute(
            "SELECT DISTINCT s.path, t.path, t.nid, t.status FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid"
            " WHERE l.edge_type='part_of' AND l.status='resolved' AND l.nid<>l.target_nid ORDER BY s.path, t.path"
        ).fetchall()
        ends = {path: forwarded(conn, nid, path, status) or path for path, nid, status in {edge[1:] for edge in edges} if status == "superseded"}
    parents: dict[str, tuple[str, ...]] = {}
    for child, parent, *_ in edges:
        end = ends.get(parent, parent)
        if end != child and end not in parents.get(child, ()):
            parents[child] = (*parents.get(child, ()), end)
    kinds = {path: kind for path, kind, _ in notes}
    return Grown(parents, kinds, frozenset(path for path, _, status in notes if status in NOT_LIVE), hand.owner())


def check_parent(tree: Grown, note: Note, parent: Note) -> None:
    """Raises: UsageError when a note cannot be part of another: a ring, or a place that only categories have."""
    path, at = note.path, parent.path
    if path == at:
        raise UsageError(f"{path} cannot be part of itself.", "brain move NOTE PARENT")
    if path in tree.above(at):
        raise UsageError(f"{at} is part of {path}, so they would go round in a ring.", f'brain move "{at}" PARENT first')
    if path == tree.owner:
        raise UsageError(f"{path} is the owner, at the root of the tree.", "brain tree shows it")
    is_owner = at == tree.owner
    if note.kind == CATEGORY and not is_owner and parent.kind != CATEGORY:
        raise UsageError(f"{path} is a category: it is part of the owner or of another category.", _places(tree, path))
    if is_owner and note.kind != CATEGORY:
        raise UsageError(f"Only categories are part of the owner, {at}.", _places(tree, path))


def _places(tree: Grown, path: str) -> str:
    """Returns a command that would do: a category that is there, those of the owner first, or how to make one."""
    categories = (at for at, kind in tree.kinds.items() if kind == CATEGORY and at != path and at not in tree.over and path not in tree.above(at))
    found = sorted(categories, key=lambda at: (tree.owner not in tree.parents.get(at, ()), at))
    if tree.kinds.get(path) == CATEGORY and not found and tree.owner:
        return f'brain move "{path}" "{tree.owner}"'
    if found:
        return f'brain move "{path}" "{found[0]}"'
    under = f' and part_of: "[[{tree.owner[:-3]}]]"' if tree.owner else ""
    return f'write a note Areas.md with kind: category{under} in its properties, then brain move "{path}" Areas'
