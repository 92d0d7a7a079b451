"""The journal, folded into the catalog: moves, last touches, when an item was recorded.

Only new lines are folded, for as long as a file begins with those that were; the folds commute (a maximum, a
minimum) except moves, which are replayed in order whenever one arrives, so that any order of syncs gives what a
rebuild gives.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from brain.core.decay import SPREAD_LEVELS
from brain.core.identity import Identity, identity_of
from brain.core.ids import sha256_hex
from brain.vault.journal import Journal
from brain.vault.journal_lines import Record, pieces_in, whole_length
from brain.vault.journal_prefix import NO_PREFIX, Prefix, begins_so, numbers_of
from brain.vault.journal_shapes import are_keys

FOLDED = frozenset({"touched", "provenance", "moved"})
_PART_BYTES = 1 << 20
_TOUCH_COLUMNS = ("at", "above1", "above2", "above3")


@dataclass(frozen=True, slots=True)
class Folded:
    """What the new records changed: notes touched, items recorded, whether notes moved."""

    note_ids: frozenset[str]
    items: frozenset[str]
    has_moves: bool


def journal_grew(conn: sqlite3.Connection, journal: Journal) -> bool:
    """Tells whether the journal has lines that the catalog has not folded, or has no more those that it has.

    A torn last line is none: it may stay for ever, as nobody but its writer ends it.
    """
    known = _known(conn)
    names = journal.names()
    return bool(known.keys() - set(names)) or any(_differs(journal.folder / name, known.get(name, NO_PREFIX)) for name in names)


def fold_journal(conn: sqlite3.Connection, journal: Journal) -> Folded:
    """Folds what is new; a file that does not begin as it did, or vanished, makes everything be folded anew."""
    known = _known(conn)
    read = {name: _read(journal.folder / name, known.get(name, NO_PREFIX)) for name in journal.names()}
    is_anew = bool(known.keys() - read.keys()) or None in read.values()
    lost = _forgotten(conn) if is_anew else Folded(frozenset(), frozenset(), False)
    if is_anew:
        read = {name: _read(journal.folder / name, NO_PREFIX) for name in read}
    records: list[Record] = []
    for name, found in read.items():
        prefix, fresh = found or (NO_PREFIX, [])
        records.extend(fresh)
        conn.execute("INSERT OR REPLACE INTO journal_file VALUES(?,?,?,?)", (name, prefix.bytes, prefix.sha256, prefix.numbers))
    folded = _applied(conn, records, journal, replay_moves=is_anew)
    return Folded(folded.note_ids | lost.note_ids, folded.items | lost.items, folded.has_moves)


def identity_from(conn: sqlite3.Connection) -> Identity:
    """Returns the fold of all moves."""
    return identity_of(conn.execute("SELECT source, target, id FROM moved ORDER BY ordinal"))


def _known(conn: sqlite3.Connection) -> dict[str, Prefix]:
    return {name: Prefix(*rest) for name, *rest in conn.execute("SELECT path, bytes, sha256, numbers FROM journal_file")}


def _forgotten(conn: sqlite3.Connection) -> Folded:
    """Takes out all that was folded; returns what it was about."""
    note_ids = frozenset(row[0] for row in conn.execute("SELECT id FROM touch"))
    items = frozenset(row[0] for row in conn.execute("SELECT item FROM recorded"))
    for table in ("journal_file", "touch", "recorded", "moved"):
        conn.execute(f"DELETE FROM {table}")
    return Folded(note_ids, items, True)


def _applied(conn: sqlite3.Connection, records: list[Record], journal: Journal, *, replay_moves: bool) -> Folded:
    """Folds records, each of which has the shape of its kind."""
    note_ids: set[str] = set()
    items: set[str] = set()
    has_moves = replay_moves
    for record in records:
        match record["kind"]:
            case "touched":
                note_ids |= _touched(conn, record)
            case "provenance":
                items.add(record["item"])
                conn.execute(
                    "INSERT INTO recorded VALUES(?,?,?,?,?,?) ON CONFLICT(item) DO UPDATE SET at=min(at, excluded.at), last=max(last, excluded.last)",
                    (record["item"], record["at"], record["at"], *_ends(record["item"])),
                )
            case _:
                has_moves = True
    if has_moves:
        conn.execute("DELETE FROM moved")
        conn.executemany(
            "INSERT INTO moved(source, target, id) VALUES(?,?,?)",
            [(r["from"], r["to"], r["id"]) for r in journal.records({"moved"})],
        )
    return Folded(frozenset(note_ids), frozenset(items), has_moves)


def _ends(item: str) -> tuple[str | None, ...]:
    """Returns source, relation and target of an item that is a relation, None thrice for any other."""
    parts = item.split("|")
    return tuple(parts) if len(parts) == 3 else (None, None, None)


def _touched(conn: sqlite3.Connection, record: Record) -> set[str]:
    """Folds one touch: the last of each note, and the last of what is one, two and three levels below it in the tree.

    Each is a maximum, so that no order of records matters; what they come to is `core.decay.strongest`.
    """
    above = record.get("above", [])
    levels = [record["ids"], *(above if isinstance(above, list) else [])][: 1 + SPREAD_LEVELS]
    found: set[str] = set()
    for column, ids in zip(_TOUCH_COLUMNS, levels, strict=False):
        if are_keys(ids):
            found.update(ids)
            conn.executemany(
                f"INSERT INTO touch(id, {column}) VALUES(?,?) ON CONFLICT(id) DO UPDATE SET"
                f" {column}=max(coalesce({column}, ''), excluded.{column})",
                [(note_id, record["at"]) for note_id in ids],
            )
    return found


def _differs(path: Path, known: Prefix) -> bool:
    """Tells whether a file has lines past what is known of it, or does not begin with that."""
    if numbers_of(path) == known.numbers:
        return False
    return not begins_so(path, known) or _has_line(path, known.bytes)


def _has_line(path: Path, start: int) -> bool:
    """Tells whether a line ends after byte `start`."""
    with open(path, "rb") as file:
        file.seek(start)
        return any(b"\n" in part for part in iter(lambda: file.read(_PART_BYTES), b""))


def _read(path: Path, known: Prefix) -> tuple[Prefix, list[Record]] | None:
    """Returns what is known of a file now and its new records that are folded; None when it does not begin as it did."""
    numbers = numbers_of(path)  # before the reading: what is appended meanwhile makes it another file
    if numbers == known.numbers:
        return known, []
    data = path.read_bytes()
    if sha256_hex(data[: known.bytes]) != known.sha256:
        return None
    pieces = pieces_in(data[known.bytes :])
    records = [piece.record for piece in pieces if piece.record is not None and piece.record["kind"] in FOLDED]
    size = known.bytes + whole_length(data[known.bytes :])
    return Prefix(size, sha256_hex(data[:size]), numbers), records
