"""What the properties of a note say, by kind: dates of birth, places, identifiers, other values. Pure.

Kinds are read from the key, values are brought into one form, and what belongs to the note-keeping itself
(tags, dates of editing, styles) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from brain.core.matching.days import day_of
from brain.core.matching.identifiers import identifier_kind, normal_identifier, unmistakable
from brain.core.matching.words import folded, tokens, word_set
from brain.core.note import Json

FieldKind = Literal["birth", "death", "date", "version", "place", "identifier", "value"]
BODY_CHARS_MAX = 4_000
VALUES_MAX = 20
VALUE_CHARS_MAX = 200
OWN_KEYS = word_set("""
    id aliases alias title tags tag cssclass cssclasses publish permalink created updated modified date_created date_modified last_modified
    last_confirmed importance status type kind source sources superseded_by superseded_on merged_from distinct_from brain_processed pinned
    private half_life_days confidence nav_order layout draft desc description banner cover image lang language
""")
"""What belongs to keeping notes, and says nothing about the thing."""
_KINDS: dict[FieldKind, frozenset[str]] = {
    "birth": word_set("birthday birthdate born dob birth date_of_birth birth_date geburtstag geburtsdatum geboren"),
    "death": word_set("died death date_of_death death_date gestorben"),
    "date": word_set("date day datum"),
    "version": word_set("version release edition"),
}
_PLACE_WORDS = word_set("""
    address street suburb city town village postcode zip zipcode postal plz state region county country location adresse strasse ort stadt land
""")
_LINE = re.compile(r"^[ \t]*(?:[-+][ \t]+)?([^\W\d_][\w /.-]{0,30}?)[ \t]*(::?)[ \t]+(\S.{0,200})$", re.MULTILINE)

_DAY = r"(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}|\d{1,2}\.? [^\W\d_]{3,9} \d{4}|[12]\d{3}(?!\d))"
_YEAR = re.compile(r"[12]\d{3}")
_LIFE = re.compile(r"(?<![\d-])(1[4-9]\d\d|20\d\d)\s?[-–]\s?(1[4-9]\d\d|20\d\d)(?![\d-])")
LIFE_YEARS_MAX = 105
_DATES_OF_LIFE: dict[FieldKind, re.Pattern[str]] = {
    "birth": re.compile(rf"(?:\*|\bborn(?: on| in)?|\bgeb(?:\.|oren)(?: am)?|\bnée? (?:le|en)|\bnat[oa] (?:il|nel))\s*{_DAY}", re.IGNORECASE),
    "death": re.compile(rf"(?:†|\bdied(?: on| in)?|\bgest(?:\.|orben)(?: am)?|\bmorte? (?:le|en|nel))\s*{_DAY}", re.IGNORECASE),
}
"""Days of life in running text."""


@dataclass(frozen=True, slots=True)
class Field:
    """One property: its key in one form, what kind of thing it states, and its values in one form."""

    key: str
    kind: FieldKind
    values: tuple[str, ...]


def fields_of(properties: Mapping[str, Json], body: str = "") -> tuple[Field, ...]:
    """Returns what a note states about its thing, by key: in its properties, in lines such as `Born: 1815`, in plain sight."""
    found: dict[str, Field] = {}
    body = body[:BODY_CHARS_MAX]
    for written, value in (*properties.items(), *_stated_lines(body)):
        key = key_of(written)
        if not key or key in OWN_KEYS:
            continue
        kind, name = field_kind(key)
        values = tuple(dict.fromkeys(_normal(kind, name, text) for text in _texts(value)))
        if kept := tuple(text for text in values if text):
            earlier = found.get(name)
            found[name] = Field(name, kind, tuple(dict.fromkeys((*(earlier.values if earlier else ()), *kept))))
    for kind, day in _days_of_life(body).items():
        found.setdefault(kind, Field(kind, kind, (day,)))
    for name, value in unmistakable(body).items():
        found.setdefault(name, Field(name, "identifier", (value,)))
    return tuple(found[key] for key in sorted(found))


def _days_of_life(body: str) -> dict[FieldKind, str]:
    """Returns birth and death as running text has them: `* 3.5.1875`, `né en 1880`, `1883-1924`."""
    if _YEAR.search(body) is None:
        return {}
    found = {kind: day_of(match[1]) for kind, pattern in _DATES_OF_LIFE.items() if (match := pattern.search(body))}
    span = _LIFE.search(body)
    if span is not None and int(span[1]) < int(span[2]) <= int(span[1]) + LIFE_YEARS_MAX:
        found = {"birth": span[1], "death": span[2], **found}
    return found


def _stated_lines(body: str) -> Iterator[tuple[str, str]]:
    """Yields key and value of lines that state one: any with `::`, and with one colon those whose key has a kind."""
    for match in _LINE.finditer(body.replace("*", "").replace("__", "")) if ":" in body else ():
        if match[2] == "::" or field_kind(key_of(match[1]))[0] != "value":
            yield match[1], match[3]


def key_of(written: str) -> str:
    """Returns a property's key with its words in small letters, joined by `_`."""
    return "_".join(re.findall(r"[^\W_]+", folded(written)))


def field_kind(key: str) -> tuple[FieldKind, str]:
    """Returns what a key states, and the name under which keys that state the same are compared."""
    identifier = identifier_kind(key)
    if identifier:
        return "identifier", identifier
    for kind, keys in _KINDS.items():
        if key in keys:
            return kind, kind if kind in ("birth", "death") else key
    if _PLACE_WORDS & set(re.split(r"[_\d]+", key)):
        return "place", key
    return "value", key


def _normal(kind: FieldKind, name: str, text: str) -> str:
    if kind == "identifier":
        return normal_identifier(name, text)
    if kind in ("birth", "death", "date"):
        return day_of(text)
    if kind == "version":
        return folded(text).lstrip("v").strip()
    return " ".join(tokens(text))


def _texts(value: Json) -> Iterator[str]:
    items = value if isinstance(value, list) else [value]
    for item in items[:VALUES_MAX]:
        if isinstance(item, str | int | float) and not isinstance(item, bool):
            yield str(item)[:VALUE_CHARS_MAX]
