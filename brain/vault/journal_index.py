"""A short form of the journal in the index, so that no command need read all of it. Derived: it can be deleted.

Kept is, by file and kind, each record and where it lies; of an intent, which holds whole notes, only what tells it
from others (`vault.short`). What is kept of a file counts as long as the file begins with the same bytes; what was
appended since is read from the file itself. So what comes out is what reading everything gives (a test holds it),
whoever appended to the files, merged or cut them.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from brain import __version__
from brain.core.ids import sha256_hex
from brain.vault.journal_lines import Record, pieces_of
from brain.vault.journal_prefix import Prefix, begins_so, digest_of, numbers_of
from brain.vault.short import Line, restored, shortened

Check = Callable[[Record], str | None]
"""Says what is wrong with a record, None when nothing is."""

NOT_KEPT = frozenset({"touched", "provenance", "verdict"})
"""Kinds of which there are many and that no command reads as a whole."""
INTENT, UNSOUND = "intended", " unsound"
TAIL_BYTES_MIN = 64_000
"""Less than this is read from its file as fast as from here."""
BUSY_WAIT_S = 1.0

_TABLES = (
    "DROP TABLE IF EXISTS file",
    "DROP TABLE IF EXISTS kept",
    "CREATE TABLE file(name TEXT PRIMARY KEY, bytes INTEGER NOT NULL, lines INTEGER NOT NULL, sha256 TEXT NOT NULL, numbers TEXT NOT NULL)",
    "CREATE TABLE kept(name TEXT NOT NULL, kind TEXT NOT NULL, spans TEXT NOT NULL, texts TEXT NOT NULL, PRIMARY KEY(name, kind))",
)
_ADD = """INSERT INTO kept VALUES(?,?,?,?)
ON CONFLICT DO UPDATE SET spans=spans||','||excluded.spans, texts=texts||','||excluded.texts"""


class Placed(NamedTuple):
    """A record and its place; the first four give the order of a journal. `is_sound`: it was checked when it was kept."""

    at: str
    machine: str
    number: int
    name: str
    record: Record
    is_sound: bool


@dataclass(frozen=True, slots=True)
class Known(Prefix):
    """What is kept of a file: its first bytes, and how many lines they are."""

    lines: int


def kept(index: Path, folder: Path, names: list[str], kinds: set[str]) -> tuple[dict[str, Known], list[Placed]]:
    """Returns what is kept of the journal files that still begin as they did, and their records of these kinds.

    An index that is missing or cannot be read keeps nothing.
    """
    if not index.exists() or kinds & NOT_KEPT:
        return {}, []
    try:
        with closing(sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_WAIT_S, isolation_level=None)) as conn:
            conn.execute("BEGIN")
            if not _is_of_this_version(conn):
                return {}, []
            known = {name: found for name, found in _known(conn).items() if name in names and begins_so(folder / name, found)}
            return known, [placed for name in sorted(known) for placed in _placed(conn, folder, name, kinds)]
    except (sqlite3.DatabaseError, ValueError):
        return {}, []


def keep(index: Path, folder: Path, names: list[str], check: Check, *, tail_bytes_min: int = TAIL_BYTES_MIN) -> None:
    """Brings what is kept up to the files, but for tails so short. Where that cannot be done now, nothing is lost but time."""
    try:
        with closing(sqlite3.connect(index, timeout=0, isolation_level=None)) as conn:
            conn.execute("BEGIN IMMEDIATE")
            if not _is_of_this_version(conn):
                _make_tables(conn)
            known = _known(conn)
            for name in sorted(known.keys() - set(names)):
                _still_known(conn, folder, name, None)
            for name in names:
                since = _still_known(conn, folder, name, known.get(name))
                if (folder / name).stat().st_size - since.bytes >= tail_bytes_min:
                    _keep_tail(conn, folder, name, since, check)
            conn.execute("COMMIT")
    except sqlite3.OperationalError:
        return  # another process is at it, or the place may only be read
    except sqlite3.DatabaseError:
        index.unlink(missing_ok=True)


def _make_tables(conn: sqlite3.Connection) -> None:
    for statement in _TABLES:
        conn.execute(statement)
    conn.execute(f"PRAGMA user_version={_version()}")


def _is_of_this_version(conn: sqlite3.Connection) -> bool:
    return bool(conn.execute("PRAGMA user_version").fetchone()[0] == _version())


def _version() -> int:
    """A number for this version of the product: what it checks and leaves out is part of what is kept."""
    return int(sha256_hex(f"2 {__version__}".encode())[:7], 16)


def _known(conn: sqlite3.Connection) -> dict[str, Known]:
    return {name: Known(*rest) for name, *rest in conn.execute("SELECT name, bytes, sha256, numbers, lines FROM file")}


def _placed(conn: sqlite3.Connection, folder: Path, name: str, kinds: set[str]) -> Iterator[Placed]:
    wanted = sorted(kinds | {f"{kind}{UNSOUND}" for kind in kinds})
    query = f"SELECT kind, spans, texts FROM kept WHERE name=? AND kind IN ({','.join('?' * len(wanted))})"
    for kind, spans, texts in conn.execute(query, (name, *wanted)):
        records = json.loads(f"[{texts}]")
        places = json.loads(f"[{spans}]")
        if kind == INTENT:
            lines = map(Line, [folder / name] * len(records), places[1::3], places[2::3], [record["item"] for record in records])
            records = list(map(restored, records, lines))
        machine, is_sound = name.partition("/")[0], not kind.endswith(UNSOUND)
        for number, record in zip(places[::3], records, strict=True):
            yield Placed(str(record["at"]), machine, number, name, record, is_sound)


def _still_known(conn: sqlite3.Connection, folder: Path, name: str, known: Known | None) -> Known:
    """Returns what is kept of a file as far as it is the same file; otherwise forgets it."""
    if known and begins_so(folder / name, known):
        return known
    conn.execute("DELETE FROM file WHERE name=?", (name,))
    conn.execute("DELETE FROM kept WHERE name=?", (name,))
    return Known(0, "", "", 0)


def _keep_tail(conn: sqlite3.Connection, folder: Path, name: str, known: Known, check: Check) -> None:
    path = folder / name
    numbers = numbers_of(path)  # before the reading: what is appended meanwhile makes it another file, whose hash is looked at
    spans: dict[str, list[int]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    end, lines = known.bytes, known.lines
    for piece in pieces_of(path, known.bytes, known.lines):
        end, lines = piece.start + piece.length + 1, piece.number
        if piece.record is not None and piece.record["kind"] not in NOT_KEPT:
            kind, record = _as_kept(piece.record, check)
            spans[kind] += (piece.number, piece.start, piece.length)
            texts[kind].append(json.dumps(record))
    for kind in spans:
        conn.execute(_ADD, (name, kind, ",".join(map(str, spans[kind])), ",".join(texts[kind])))
    conn.execute("INSERT OR REPLACE INTO file VALUES(?,?,?,?,?)", (name, end, lines, digest_of(path, end), numbers))


def _as_kept(record: Record, check: Check) -> tuple[str, Record]:
    if check(record) is not None:
        return f"{record['kind']}{UNSOUND}", record
    return record["kind"], shortened(record) if record["kind"] == INTENT else record
