"""Relation lines under `## Related`: writing one, and telling whether a note already has the edge. Pure."""

from __future__ import annotations

from collections.abc import Callable

from brain.core.note import Note
from brain.core.vocabulary import canonical_relation
from brain.stages.target import Existing, Target

RELATED = "Related"


def relation_line(relation: str, target: str, reason: str) -> str:
    """Returns the bullet of an edge; `target` is a link target, `reason` one line without links."""
    return f"- {relation}:: [[{target}]] - {reason}"


def has_edge(note: Note, relation: str, target: str, find: Callable[[str], Target]) -> bool:
    """Tells whether a note states a relation to the note at path `target`, under any spelling of the relation."""
    for link in note.links:
        if link.relation is None or canonical_relation(link.relation) != relation:
            continue
        found = find(link.target)
        if isinstance(found, Existing) and found.path == target:
            return True
    return False
