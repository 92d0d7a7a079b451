"""Relation lines under `## Related`: writing one, and telling whether a note already has the edge. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from brain.config import Limits
from brain.core.note import Link, Note
from brain.core.vocabulary import canonical_relation
from brain.stages.spelling import without_links

RELATED = "Related"

_ID = re.compile(r"\s+\^[A-Za-z0-9-]+\s*$")
_HIDING = re.compile(r"(%|\$)\1+|<!--|-->|`")
"""Marks that would hide, or hold open, what stands after the line."""


def relation_line(relation: str, link: str, reason: str, limits: Limits) -> str:
    """Returns the bullet of an edge; `link` is the link as text, `reason` what says so, of which only the words are kept."""
    words = " ".join(_HIDING.sub(r"\1", without_links(_ID.sub("", reason), limits)).split())
    return f"- {relation}:: {link}" + (f" - {words}" if words else "")


def has_edge(note: Note, relation: str, target: str, leads_to: Callable[[Link], str | None]) -> bool:
    """Tells whether a note states a relation to the note at path `target`, under any spelling of the relation."""
    stated = (link for link in note.links if link.relation is not None and canonical_relation(link.relation) == relation)
    return any(leads_to(link) == target for link in stated)
