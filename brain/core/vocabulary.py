"""The closed vocabularies: relations, entity kinds, atom kinds, statuses. One table each.

A word outside a vocabulary never enters the graph; synonyms map by whole word, and the raw word is
kept beside the canonical one.
"""

from __future__ import annotations

RELATIONS: tuple[str, ...] = (
    "part_of", "about", "relates_to", "same_entity", "builds_on", "depends_on", "blocks", "caused",
    "resulted_in", "follows_from", "continues", "contradicts", "supersedes", "studied_by", "created_by",
    "used_in", "assigned_to", "attended_by", "works_at", "member_of", "located_at",
)  # fmt: skip

RELATION_SYNONYMS: dict[str, str] = {
    "requires": "depends_on", "needs": "depends_on", "relies_on": "depends_on", "dependency": "depends_on",
    "parent": "part_of", "belongs_to": "part_of", "component_of": "part_of",
    "extends": "builds_on", "based_on": "builds_on", "conflicts_with": "contradicts",
    "made_by": "created_by", "author": "created_by", "written_by": "created_by",
    "employer": "works_at", "employed_by": "works_at", "used_by": "used_in",
    "related": "relates_to", "related_to": "relates_to", "see_also": "relates_to",
    "led_to": "resulted_in", "causes": "caused", "located_in": "located_at", "replaces": "supersedes",
}  # fmt: skip

ENTITY_KINDS: tuple[str, ...] = (
    "person", "organization", "project", "concept", "skill", "event", "artifact", "insight", "category",
    "decision", "risk", "opportunity", "hypothesis", "open_question", "fact", "episode", "note",
)  # fmt: skip

KIND_SYNONYMS: dict[str, str] = {
    "hobby": "concept", "activity": "concept", "interest": "concept", "topic": "concept", "place": "fact",
    "location": "fact", "tool": "artifact", "document": "artifact", "file": "artifact", "goal": "project",
    "habit": "skill", "company": "organization", "team": "organization", "group": "organization",
    "human": "person", "contact": "person", "people": "person", "milestone": "event", "deadline": "event",
    "organisation": "organization",
}  # fmt: skip

ATOM_KINDS: tuple[str, ...] = (
    "decision", "risk", "fact", "person", "opportunity", "hypothesis", "open_question", "event",
)  # fmt: skip

CONFIDENCES: tuple[str, ...] = ("verified", "inferred")
STATUSES: tuple[str, ...] = ("active", "stale", "superseded", "archived")

EPISODE_TYPES: tuple[str, ...] = ("episode", "session-episode", "session-capture", "conversation")


def canonical_relation(word: str) -> str | None:
    """Maps a relation word to the closed vocabulary, or None when it is not in it."""
    key = word.strip().casefold().replace("-", "_").replace(" ", "_")
    if key in RELATIONS:
        return key
    return RELATION_SYNONYMS.get(key)


def canonical_kind(word: str) -> str:
    """Maps an entity kind to the closed vocabulary; an unknown word is a plain `note`."""
    key = word.strip().casefold().replace("-", "_").replace(" ", "_")
    return key if key in ENTITY_KINDS else KIND_SYNONYMS.get(key, "note")
