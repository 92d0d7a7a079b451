"""A change of parents → edits of the note. Pure.

A parent that is no longer one leaves no word behind that was a person's: its line stays, as `relates_to` or as a plain
link, and what stood in the properties goes to `## Related`, unless the tree says it anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from brain.config import Limits
from brain.core.note import Field, Json, Link, Note, Span
from brain.core.plan import AppendToSection, Edit, ReplaceSpan, SetField
from brain.core.vocabulary import canonical_relation
from brain.errors import BrainError
from brain.stages.edges import RELATED
from brain.stages.repoint import is_settable
from brain.vault.frontmatter import remove_field
from brain.vault.sections import append_to_section
from brain.vault.store import Source

PART_OF = "part_of"
RELATES = "relates_to"
_BETWEEN = re.compile(r"[\s,;&]*(?:and)?[\s,;&]*")
LeadsTo = Callable[[Link], str | None]


@dataclass(frozen=True, slots=True)
class Unwritable:
    """Why a note cannot take the change; a person can."""

    why: str


@dataclass(frozen=True, slots=True)
class Change:
    """Which edges of one relation a note loses, by the path they lead to, what becomes of them, and which parent it gets.

    `word` is the relation that takes the place of the lost one, empty for a plain link; `unsaid` are lost ends that need
    no line when they stood in a property; `added` is a link as text.
    """

    relation: str
    lost: frozenset[str]
    word: str = ""
    unsaid: frozenset[str] = frozenset()
    added: str | None = None


def edits_of(note: Note, source: Source, change: Change, leads_to: LeadsTo, limits: Limits) -> tuple[Edit, ...] | Unwritable:
    """Returns the edits of a note that carry out a change of its edges."""
    if note.malformed:
        return Unwritable(f"the frontmatter of {note.path} cannot be read")
    links = [link for link in note.links if link.relation is not None and canonical_relation(link.relation) == change.relation]
    lost = [link for link in links if leads_to(link) in change.lost]
    body = _in_body(note, source.text, [link for link in lost if link.place == "body"], change)
    if isinstance(body, Unwritable):
        return body
    properties = _in_properties(note, [link for link in lost if link.place == "property"], change, leads_to)
    if isinstance(properties, Unwritable):
        return properties
    sets = _with_parent(note, properties[0], change.added)
    if isinstance(sets, Unwritable):
        return sets
    (edits, apart), aside = body, properties[1]
    for key, value in sets.items():
        if not _is_settable(source.text, key, value, limits):
            return Unwritable(f"the property {key} of {note.path} cannot be changed")
    lines = tuple(dict.fromkeys(f"- {change.word + ':: ' if change.word else ''}{raw}" for raw in (*apart, *aside)))
    if lines:
        try:
            append_to_section(source.text, RELATED, lines)
        except BrainError as error:
            return Unwritable(f"{note.path} cannot take a line under ## {RELATED}: {error.message.rstrip('.')}")
    more = (AppendToSection(note.path, RELATED, lines),) if lines else ()
    return (*edits, *(SetField(note.path, key, value) for key, value in sorted(sets.items())), *more)


def _in_body(note: Note, text: str, links: Sequence[Link], change: Change) -> tuple[list[Edit], list[str]] | Unwritable:
    """Returns the edits of the fields that hold the links, and the links that need a line of their own."""
    edits: list[Edit] = []
    apart: list[str] = []
    done: set[int] = set()
    for link in links:
        field = _field_of(note, link)
        if field is None:
            return Unwritable(f"line {link.line} of {note.path} is not written as key:: [[note]]")
        if field.span.start in done:
            continue
        done.add(field.span.start)
        mates = [mate for mate in note.links if mate.place == "body" and mate.relation == link.relation and _is_in(mate, field)]
        gone = [mate for mate in mates if mate in links]
        if len(gone) == len(mates):
            edits.append(_reworded(note.path, text, field, mates, change.word))
            continue
        first, last = mates[0].span, mates[-1].span
        between = [text[one.span.end : other.span.start] for one, other in pairwise(mates)]
        if not all(_BETWEEN.fullmatch(words) for words in between):
            return Unwritable(f"words stand between the links on line {link.line} of {note.path}")
        kept = ", ".join(mate.raw for mate in mates if mate not in gone)
        edits.append(ReplaceSpan(note.path, Span(first.start, last.end), text[first.start : last.end], kept))
        apart += [mate.raw for mate in gone]
    return edits, apart


def _reworded(path: str, text: str, field: Field, links: Sequence[Link], word: str) -> ReplaceSpan:
    """Returns the edit that gives a field another key; without one, its brackets go too."""
    start, first = field.span.start, links[0].span.start
    is_bracketed = text[start] in "[(" and text[field.span.end - 1] in "])"
    if word or not is_bracketed:
        start += is_bracketed
        return ReplaceSpan(path, Span(start, first), text[start:first], f"{word}:: " if word else "")
    return ReplaceSpan(path, field.span, text[start : field.span.end], text[first : field.span.end - 1])


def _field_of(note: Note, link: Link) -> Field | None:
    return next((field for field in note.fields if field.key == link.relation and _is_in(link, field)), None)


def _is_in(link: Link, field: Field) -> bool:
    return field.span.start <= link.span.start and link.span.end <= field.span.end


def _is_settable(text: str, key: str, value: Value, limits: Limits) -> bool:
    if value is not None:
        return is_settable(text, key, value, limits)
    try:
        remove_field(text, key, limits=limits)
    except BrainError:
        return False
    return True


Value = str | tuple[str, ...] | None


def _in_properties(note: Note, links: Sequence[Link], change: Change, leads_to: LeadsTo) -> tuple[dict[str, Value], list[str]] | Unwritable:
    """Returns what each property is without the links, and the links that are to be kept as a line."""
    values: dict[str, Value] = {}
    raws = {link.raw for link in links}
    for key in dict.fromkeys(str(link.relation) for link in links):
        items = _texts(note.properties.get(key))
        kept = [item for item in items or () if item.strip() not in raws]
        if items is None or any(raw in item for item in kept for raw in raws):
            return Unwritable(f"the property {key} of {note.path} holds more than links")
        values[key] = _value(kept)
    return values, [link.raw for link in links if leads_to(link) not in change.unsaid]


def _texts(value: Json) -> list[str] | None:
    """Returns the texts of a property, none for one that is missing; None when it holds anything else."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    texts = [item for item in items if isinstance(item, str)]
    return texts if len(texts) == len(items) else None


def _value(items: Sequence[str]) -> Value:
    return tuple(items) if len(items) > 1 else items[0] if items else None


def _with_parent(note: Note, values: dict[str, Value], added: str | None) -> dict[str, Value] | Unwritable:
    """Puts the new parent where the old one stood, else into `part_of`."""
    if added is None:
        return values
    free = next((key for key, value in values.items() if value is None and canonical_relation(key) == PART_OF), None)
    if free is not None:
        return {**values, free: added}
    present = values[PART_OF] if PART_OF in values else _value(_texts(note.properties.get(PART_OF)) or [])
    if PART_OF not in values and _texts(note.properties.get(PART_OF)) is None:
        return Unwritable(f"the property {PART_OF} of {note.path} holds more than links")
    return {**values, PART_OF: _value([*(present if isinstance(present, tuple) else (present,) if present else ()), added])}
