"""One file → the rows of the catalog. Pure but for reading the file; knows no other note.

Links are not resolved here and ids are not given: both depend on the rest of the vault.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain.config import Limits
from brain.core.dates import civil_date, date_in
from brain.core.decay import IMPORTANCE_DEFAULT
from brain.core.finding import Finding
from brain.core.happening import last_day_named
from brain.core.ids import chunk_id_of, fold, sha256_hex
from brain.core.names import name_tokens
from brain.core.note import Atom, Link, Note
from brain.core.vocabulary import canonical_relation
from brain.errors import BrainError
from brain.index.rows import BY_ALIAS, BY_STEM, NoteRows, stem_of
from brain.index.text import TextDoc, prepare
from brain.vault.links import alias_key, link_key
from brain.vault.parse import decode, parse_note
from brain.vault.scan import Seen
from brain.vault.store import read_regular

_SORTED_JSON = json.JSONEncoder(ensure_ascii=True, sort_keys=True)  # made once: `json.dumps` makes one for every call
EVENT, EVENT_DATES = "event", ("date", "due", "valid_from", "valid_to")
SYSTEM_RELATIONS = frozenset({"superseded_by", "distinct_from"})


def read_rows(root: Path, seen: Seen, limits: Limits, embed_model: str | None) -> NoteRows | str:
    """Reads and parses one file; returns why instead when it cannot be read as a note."""
    data = read_note(root, seen, limits)
    return data if isinstance(data, str) else rows_of(seen, data, limits, embed_model)


def read_note(root: Path, seen: Seen, limits: Limits) -> bytes | str:
    """Reads one file; returns why instead when it is too large or cannot be read."""
    if seen.size > limits.note_bytes_max:
        return f"larger than {limits.note_bytes_max} bytes (limits.note_bytes_max)"
    try:
        return read_regular(root / seen.path, seen.path)
    except BrainError as error:
        return error.message


def rows_of(seen: Seen, data: bytes, limits: Limits, embed_model: str | None) -> NoteRows:
    """Parses the bytes of one file into rows."""
    text, problems = readable(data)
    note = parse_note(seen.path, text, limits)
    findings = [*note.findings, *(_encoding_finding(seen.path, problem) for problem in problems)]
    body = text[note.body_start :]
    return NoteRows(
        seen=seen,
        sha256=sha256_hex(data),
        declared_id=note.declared_id,
        note=_note_columns(note, body, seen),
        names=_names(note),
        tags=note.tags,
        links=tuple(_link_columns(ordinal, link) for ordinal, link in enumerate(note.links)),
        atoms=_atom_columns(note, seen),
        findings=tuple(findings),
        tokens=name_tokens(note.title, *note.aliases),
        chunks=_chunk_columns(note, text, limits, embed_model),
        text=prepare(TextDoc(0, note.title, note.aliases, note.tags, body, text.count("\n", 0, note.body_start) + 1)),
    )


def _note_columns(note: Note, body: str, seen: Seen) -> tuple[Any, ...]:
    properties = note.properties
    return (
        note.title,
        note.type,
        note.kind,
        note.status,
        _unit(properties.get("importance"), IMPORTANCE_DEFAULT),
        _text(properties.get("confidence")),
        civil_date(properties.get("created")),
        civil_date(properties.get("last_confirmed")),
        civil_date(properties.get("date")) or date_in(stem_of(note.path)),
        _happens(note, body, _year(note, seen)),
        _positive(properties.get("half_life_days")),
        1 if properties.get("pinned") in (True, "true", "yes") else 0,
        1 if note.malformed else 0,
        _first_target(note, "superseded_by"),
        _SORTED_JSON.encode(properties) if properties else "{}",
    )


def _names(note: Note) -> tuple[tuple[str, int, str], ...]:
    stem = stem_of(note.path)
    aliases = ((alias_key(alias), BY_ALIAS, alias) for alias in note.aliases)
    return ((fold(stem), BY_STEM, stem), *(row for row in aliases if row[0]))


def _link_columns(ordinal: int, link: Link) -> tuple[Any, ...]:
    relation = link.relation
    edge_type = canonical_relation(relation) if relation and relation not in SYSTEM_RELATIONS else None
    return (
        ordinal, link_key(link), link.raw, link.target, link.anchor, link.alias, link.form, link.place, link.line,
        relation, edge_type, link.reason, link.valid_from, link.valid_to,
    )  # fmt: skip


def _atom_columns(note: Note, seen: Seen) -> tuple[tuple[Any, ...], ...]:
    seen_texts: Counter[str] = Counter()
    rows = []
    for ordinal, atom in enumerate(note.atoms):
        rows.append(
            (
                ordinal, atom.id, seen_texts[atom.text], atom.text, atom.kind, atom.confidence, atom.status,
                atom.superseded_by, atom.superseded_on, atom.valid_from, atom.valid_to,
                json.dumps(atom.sources), atom.line, _atom_happens(atom, _year(note, seen)),
            )
        )  # fmt: skip
        seen_texts[atom.text] += 1
    return tuple(rows)


def _happens(note: Note, body: str, year: int) -> str | None:
    """Returns the last day that an event names, as far as it can be read; None for what is no event."""
    if note.kind != EVENT:
        return None
    stated = (civil_date(note.properties.get(key)) for key in EVENT_DATES)
    return max((day for day in (*stated, last_day_named(f"{note.title}\n{body}", year)) if day), default=None)


def _atom_happens(atom: Atom, year: int) -> str | None:
    if atom.kind != EVENT:
        return None
    return max((day for day in (atom.valid_from, atom.valid_to, last_day_named(atom.text, year)) if day), default=None)


def _year(note: Note, seen: Seen) -> int:
    """Returns the year that days without one are of: the year of the note, else of its file."""
    born = civil_date(note.properties.get("date")) or date_in(stem_of(note.path)) or civil_date(note.properties.get("created"))
    return int(born[:4]) if born else datetime.fromtimestamp(seen.mtime_ns // 1_000_000_000, UTC).year


def _chunk_columns(note: Note, text: str, limits: Limits, embed_model: str | None) -> tuple[tuple[Any, ...], ...]:
    if embed_model is None:
        return ()
    from brain.index.chunk import split_note

    pieces = split_note(note, text, limits)
    return tuple((piece.ordinal, chunk_id_of(embed_model, piece.text), piece.heading, piece.line) for piece in pieces)


def readable(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Decodes a file for the stores; each undecodable byte becomes one U+FFFD, so that offsets and lines hold."""
    text, problems = decode(data)
    if problems:
        text = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    return text, problems


def _encoding_finding(path: str, problem: str) -> Finding:
    message = f"The file is not clean UTF-8 text ({problem}); it is read with those bytes kept as they are."
    return Finding("encoding", "warning", path, 0, message, f'save "{path}" as UTF-8 in your editor')


def _first_target(note: Note, relation: str) -> str | None:
    linked = next((link.target for link in note.links if link.place == "property" and link.relation == relation), None)
    return linked or _text(note.properties.get(relation))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _positive(value: object) -> float | None:
    number = _number(value)
    return number if number is not None and number > 0 else None


def _unit(value: object, default: float) -> float:
    number = _number(value)
    return default if number is None else min(1.0, max(0.0, number))


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 1e12 else None
