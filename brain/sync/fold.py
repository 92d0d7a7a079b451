"""The journal, folded into the catalog: moves, last touches, when an item was recorded.

Only new bytes are read; the folds commute (a maximum, a minimum) except moves, which are replayed
in order whenever one arrives, so that any order of syncs gives what a rebuild gives.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.core.identity import Identity, identity_of
from brain.vault.journal import Journal, is_record

_PART_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Folded:
    """What the new records changed: notes touched, items recorded, whether notes moved."""

    note_ids: frozenset[str]
    items: frozenset[str]
    has_moves: bool


def journal_grew(conn: sqlite3.Connection, journal: Journal) -> bool:
    """Tells whether the journal has lines that the catalog has not folded, or lost some that it has.

    A torn last line is none: it may stay for ever, as nobody but its writer ends it.
    """
    known = dict(conn.execute("SELECT path, bytes FROM journal_file"))
    sizes = _sizes(journal)
    if known.keys() - sizes.keys():
        return True
    return any(size < known.get(path, 0) or _has_line(journal.folder / path, known.get(path, 0), size) for path, size in sizes.items())


def fold_journal(conn: sqlite3.Connection, journal: Journal) -> Folded:
    """Folds what is new; a file that shrank or vanished makes everything be folded anew."""
    known = dict(conn.execute("SELECT path, bytes FROM journal_file"))
    sizes = _sizes(journal)
    has_shrunk = any(sizes.get(path, 0) < size for path, size in known.items())
    lost_ids = {row[0] for row in conn.execute("SELECT id FROM touch")} if has_shrunk else set()
    lost_items = {row[0] for row in conn.execute("SELECT item FROM recorded")} if has_shrunk else set()
    if has_shrunk:
        for table in ("journal_file", "touch", "recorded", "moved"):
            conn.execute(f"DELETE FROM {table}")
        known = {}
    records: list[dict[str, Any]] = []
    for path in sorted(sizes):
        fresh, read_to = _new_records(journal.folder / path, known.get(path, 0))
        records.extend(fresh)
        conn.execute("INSERT OR REPLACE INTO journal_file VALUES(?,?)", (path, read_to))
    folded = _applied(conn, records, journal, replay_moves=has_shrunk)
    return Folded(folded.note_ids | lost_ids, folded.items | lost_items, folded.has_moves)


def identity_from(conn: sqlite3.Connection) -> Identity:
    """Returns the fold of all moves."""
    return identity_of(conn.execute("SELECT source, target, id FROM moved ORDER BY ordinal"))


def _applied(
    conn: sqlite3.Connection, records: list[dict[str, Any]], journal: Journal, *, replay_moves: bool
) -> Folded:
    note_ids: set[str] = set()
    items: set[str] = set()
    has_moves = replay_moves
    for record in records:
        at = str(record.get("at", ""))
        match record.get("kind"):
            case "touched":
                for note_id in record.get("ids") or ():
                    note_ids.add(str(note_id))
                    conn.execute(
                        "INSERT INTO touch VALUES(?,?) ON CONFLICT(id) DO UPDATE SET at=max(at, excluded.at)", (str(note_id), at)
                    )
            case "provenance":
                items.add(str(record.get("item")))
                conn.execute(
                    "INSERT INTO recorded VALUES(?,?) ON CONFLICT(item) DO UPDATE SET at=min(at, excluded.at)",
                    (str(record.get("item")), at),
                )
            case "moved":
                has_moves = True
            case _:
                pass
    if has_moves:
        conn.execute("DELETE FROM moved")
        conn.executemany(
            "INSERT INTO moved(source, target, id) VALUES(?,?,?)",
            [(r["from"], r["to"], r["id"]) for r in journal.records({"moved"})],
        )
    return Folded(frozenset(note_ids), frozenset(items), has_moves)


def _sizes(journal: Journal) -> dict[str, int]:
    """Bytes of each journal file."""
    sizes = {}
    for path in sorted(journal.folder.glob("*/*.jsonl")):
        sizes[path.relative_to(journal.folder).as_posix()] = path.stat().st_size
    return sizes


def _has_line(path: Path, start: int, size: int) -> bool:
    """Tells whether a line ends after byte `start`."""
    if size <= start:
        return False
    with open(path, "rb") as file:
        file.seek(start)
        return any(b"\n" in part for part in iter(lambda: file.read(_PART_BYTES), b""))


def _new_records(path: Path, start: int) -> tuple[list[dict[str, Any]], int]:
    """Reads whole lines from byte `start` on; returns them and where the next read starts."""
    with open(path, "rb") as file:
        file.seek(start)
        data = file.read()
    data = data[: data.rfind(b"\n") + 1]  # a line without its end may still be being written
    records = []
    for line in data.split(b"\n"):
        try:
            record = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            record = None  # named by doctor, which reads the journal whole
        if isinstance(record, dict) and is_record(record):
            records.append(record)
    return records, start + len(data)
