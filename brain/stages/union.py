"""What the properties of a note become when it takes in another one. Pure.

Lists are united: the note that stays keeps its values in their order, new ones come after. The earliest creation
and the highest importance stay, and what only the other note states is taken over. What both state differently
stays with each, and is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from brain.config import Limits
from brain.core.dates import civil_date
from brain.core.ids import fold
from brain.core.note import Json, Note
from brain.core.vocabulary import STATUSES
from brain.stages.repoint import as_field, once, with_new_links
from brain.stages.spelling import Shown
from brain.vault.frontmatter import FieldValue
from brain.vault.linkscan import Found, find_links

UNITED = ("tags", "source", "distinct_from")
OWN_KEYS = frozenset({
    "alias", "aliases", "brain_processed", "created", "distinct_from", "id", "importance", "kind", "last_confirmed", "merged_from",
    "source", "status", "superseded_by", "superseded_on", "tag", "tags", "title", "type",
})  # fmt: skip


def united_properties(keep: Note, gone: Note, shown: Shown, is_either: Callable[[Found], bool], limits: Limits) -> Iterator[tuple[str, FieldValue]]:
    """Yields the properties of the note that stays, with what the absorbed one states; links as `shown` writes them.

    A link of the absorbed note to one of the two says nothing about the note they become, and is left out.
    """
    stem, gone_stem = (note.path.rsplit("/", 1)[-1][:-3] for note in (keep, gone))
    aliases = _united(keep.aliases, (gone_stem, *gone.aliases), without=stem)
    yield "aliases" if "alias" not in keep.properties or "aliases" in keep.properties else "alias", aliases
    theirs = {key: _of_others(with_new_links(value, shown, limits), value, is_either, limits) for key, value in gone.properties.items()}
    for key in UNITED:
        old, new = strings(keep.properties.get(key)), strings(theirs.get(key))
        if new and (united := _united(old, new)) != old:
            yield key, united
    created = [day for note in (keep, gone) if (day := civil_date(note.properties.get("created")))]
    if created and min(created) != civil_date(keep.properties.get("created")):
        yield "created", min(created)
    weights = [w for note in (keep, gone) if isinstance(w := note.properties.get("importance"), int | float) and not isinstance(w, bool)]
    if weights and max(weights) != keep.properties.get("importance"):
        yield "importance", max(weights)
    for key, value in sorted(theirs.items()):
        if key not in OWN_KEYS and key not in keep.properties and (plain := as_field(value)) is not None:
            yield key, plain
    yield "merged_from", _united(strings(keep.properties.get("merged_from")), (gone_stem,))


def differing(keep: Note, gone: Note) -> Iterator[str]:
    """Yields the properties that both state, and differently."""
    for key, value in gone.properties.items():
        if key not in OWN_KEYS and key in keep.properties and keep.properties[key] != value and value is not None:
            yield key


def own_status(note: Note) -> str:
    """Returns the status that a note states in a person's own words, on one line; empty when it states one of ours or none."""
    stated = strings(note.properties.get("status"))
    return ", ".join(stated) if any(fold(word) not in STATUSES for word in stated) else ""


def strings(value: Json) -> tuple[str, ...]:
    """Returns a value as texts: a text is one, a list has its items."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(str(item) for item in value if item is not None) if isinstance(value, list) else ()


def _of_others(value: Json, written: Json, is_either: Callable[[Found], bool], limits: Limits) -> Json:
    """Returns `value` without the texts that are, as they were `written`, one link to either note."""
    if isinstance(value, list) and isinstance(written, list):
        return once([(item, was) for item, was in zip(value, written, strict=True) if not _is_link_to_either(was, is_either, limits)]) or None
    return None if _is_link_to_either(written, is_either, limits) else value


def _is_link_to_either(value: Json, is_either: Callable[[Found], bool], limits: Limits) -> bool:
    if not isinstance(value, str):
        return False
    found = find_links(value, value, 0, len(value), limits.link_chars_max)
    return len(found) == 1 and value.strip() == value[found[0].start : found[0].end] and is_either(found[0])


def _united(old: tuple[str, ...], new: tuple[str, ...], *, without: str = "") -> tuple[str, ...]:
    """Returns the old values in their order, then the new ones; of values that are equal but for their case, the first."""
    found: dict[str, str] = {}
    for item in (*old, *new):
        if fold(item) != fold(without):
            found.setdefault(fold(item), item)
    return tuple(found.values())
