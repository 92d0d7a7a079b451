"""What one note gets from an episode, until it becomes edits: bullets, relation lines, sources. Values and text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from brain.config import Limits
from brain.core.dates import civil_date
from brain.core.ids import short_hash
from brain.core.note import Note
from brain.core.plan import AppendToSection, CreateNote, Edit, SetField
from brain.stages.repoint import is_settable
from brain.vault.render import entity_note
from brain.vault.store import Source


@dataclass(slots=True)
class Draft:
    """One note to be written: a new one when it was not read. `keys` are the claims and edges it has from this episode."""

    name: str
    kind: str
    path: str
    source: Source | None = None
    note: Note | None = None
    bullets: list[str] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    parent: str | None = None
    """The link to what a new note is part of, when a place was found for it."""

    @property
    def is_changed(self) -> bool:
        """Whether the episode says anything new to the note."""
        return bool(self.bullets or self.related or self.edits)


def edits_of(draft: Draft, episode_id: str, day: str, link: str | None, limits: Limits, *, is_source: bool) -> Iterator[Edit]:
    """Yields the edits of a draft. `link` leads from the note to the episode; `is_source` tells that the note names it already."""
    if draft.source is None or draft.note is None:
        yield CreateNote(draft.path, _new_note(draft, episode_id, day, link))
        return
    yield from draft.edits
    if draft.bullets:
        yield AppendToSection(draft.path, "Atoms", tuple(draft.bullets))
    if draft.related:
        yield AppendToSection(draft.path, "Related", tuple(draft.related))
    yield from _confirmed(draft.source, draft.note, day, None if is_source else link, limits)


def _new_note(draft: Draft, episode_id: str, day: str, link: str | None) -> str:
    stem = draft.path.rsplit("/", 1)[-1][:-3]
    fields = [
        ("id", f"n-{short_hash('entity', draft.path, episode_id, length=16)}"), ("type", "entity"), ("kind", draft.kind),
        ("aliases", (draft.name,) if draft.name != stem else None), ("part_of", draft.parent), ("status", "active"), ("created", day),
        ("last_confirmed", day), ("source", (link,) if link else None),
    ]  # fmt: skip
    return entity_note(fields, draft.bullets, draft.related)


def _confirmed(source: Source, note: Note, day: str, link: str | None, limits: Limits) -> Iterator[Edit]:
    """Keeps `last_confirmed` and `source` of an entity note; other notes' properties are their owner's."""
    if note.type is None or note.type.casefold() != "entity" or note.malformed:
        return
    known = note.properties.get("source")
    listed = known if isinstance(known, list) else [known] if isinstance(known, str) else []
    wanted: list[tuple[str, str | tuple[str, ...]]] = []
    if (civil_date(note.properties.get("last_confirmed")) or "") < day:
        wanted.append(("last_confirmed", day))
    if link is not None and all(isinstance(item, str) for item in listed):
        wanted.append(("source", (*(str(item) for item in listed), link)))
    for key, value in wanted:
        if is_settable(source.text, key, value, limits):
            yield SetField(note.path, key, value)
