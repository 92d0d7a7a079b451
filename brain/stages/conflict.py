"""What forbids that two notes are one thing, whatever else they share. Pure.

Numbers, versions and dates in their names, different kinds, and own properties that contradict each other
are vetoes, not weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.core.dates import civil_date
from brain.core.ids import fold
from brain.core.judgement import Subject
from brain.core.note import Json

IDENTIFIERS: tuple[str, ...] = ("arxiv", "doi", "email", "e-mail", "isbn", "issn", "orcid", "url", "website", "wikidata")
SINGLE: tuple[str, ...] = ("birthday", "born", "date", "died", "type", "version")
MANY: frozenset[str] = frozenset({"url"})
"""Identifiers of which one thing may well have several: a difference says nothing."""
UNSTATED_KINDS: tuple[str, ...] = ("note",)

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_URL = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)


def identifiers(properties: dict[str, Json]) -> frozenset[str]:
    """Returns the explicit identifiers of a note as `key=value`, normalised."""
    return frozenset(f"{key}={value}" for key, value in _identifiers(properties))


def conflict_between(left: Subject, right: Subject) -> str | None:
    """Returns why the two cannot be one thing, or None."""
    if left.kind != right.kind and not {left.kind, right.kind} & set(UNSTATED_KINDS):
        return f"one is a {left.kind}, the other a {right.kind}"
    numbers = _numbers(left), _numbers(right)
    if numbers[0] != numbers[1]:
        return f"their names differ in a number ({_shown(numbers[0])} and {_shown(numbers[1])})"
    for key in SINGLE:
        one, other = _single(left.properties, key), _single(right.properties, key)
        if one and other and one != other:
            return f"their `{key}` differs ({one} and {other})"
    for key in sorted({kind for kind, _ in _identifiers(left.properties)} - MANY):
        ours, theirs = _of(left, key), _of(right, key)
        if theirs and not ours & theirs:
            return f"their `{key}` differs ({min(ours)} and {min(theirs)})"
    return None


def _identifiers(properties: dict[str, Json]) -> Iterator[tuple[str, str]]:
    for key, value in properties.items():
        name = fold(key)
        if name not in IDENTIFIERS:
            continue
        kind = {"e-mail": "email", "website": "url"}.get(name, name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str | int) and not isinstance(item, bool) and (text := _normal(kind, str(item))):
                yield kind, text


def _normal(kind: str, value: str) -> str:
    """Returns one form of an identifier, empty when it is too short to be one."""
    text = fold(value)
    if kind == "email":
        return text.removeprefix("mailto:") if re.fullmatch(r"(?:mailto:)?[^@\s]+@[^@\s]+\.[^@\s]+", text) else ""
    if kind == "url":
        bare = _URL.sub("", text).split("#")[0].rstrip("/")
        return bare if "." in bare and "/" in bare else ""  # a bare domain is many people's
    if kind in ("isbn", "issn", "orcid"):
        text = re.sub(r"[^0-9x]", "", text)
        return text if len(text) >= 8 else ""
    text = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", text)
    return text if len(text) >= 5 and any(c.isdigit() for c in text) else ""


def _of(subject: Subject, kind: str) -> frozenset[str]:
    return frozenset(value for key, value in _identifiers(subject.properties) if key == kind)


def _numbers(subject: Subject) -> tuple[str, ...]:
    return tuple(sorted(_NUMBER.findall(subject.path.rsplit("/", 1)[-1].removesuffix(".md"))))


def _single(properties: dict[str, Json], wanted: str) -> str | None:
    for key, value in properties.items():
        if fold(key) == wanted and isinstance(value, str | int | float) and not isinstance(value, bool):
            return civil_date(str(value)) or fold(str(value)) or None
    return None


def _shown(numbers: tuple[str, ...]) -> str:
    return " ".join(numbers) or "none"
