"""Which ids change hands when some are touched: the claims around them, settled together, and no others. Reads only.

A claim can lose an id only to a claim on that very id, so what a change reaches is found from id to id. Those that
hold neither of their first ids are few; they always take part, since what they were refused is not in their rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from brain.core.identity import Claim, Place, atom_claim, note_claim, settled

_SQL_VARIABLES_MAX = 30_000
_NOTES = "SELECT path, 0, nid, id, declared_id, base_id FROM note WHERE "
_ATOMS = "SELECT n.path, a.ordinal, a.nid, a.id, a.declared_id, a.derived_id FROM atom a JOIN note n USING(nid) WHERE "
NOTE_IS_TWIN = "id<>base_id"
ATOM_IS_TWIN = "a.id<>a.derived_id AND a.id<>ifnull(a.declared_id, a.derived_id)"

Row = tuple[str, int, int, str, str | None, str]
"""Path, number in it, row id of the note, the id it has, the declared one, the one it has otherwise."""


def note_claim_of(row: Row) -> Claim:
    """Returns what a row of `note` claims."""
    path, _, _, _, declared, base = row
    return note_claim(path, base, is_declared=declared is not None)


def atom_claim_of(row: Row) -> Claim:
    """Returns what a row of `atom` claims."""
    path, ordinal, _, _, declared, derived = row
    return atom_claim(path, ordinal, declared, derived)


def twin_notes(conn: sqlite3.Connection) -> list[Row]:
    """Returns the notes that do not have the id they ask for, by path."""
    return conn.execute(f"{_NOTES}{NOTE_IS_TWIN} ORDER BY path").fetchall()


def twin_atoms(conn: sqlite3.Connection) -> list[Row]:
    """Returns the atoms that have neither their block id nor the id of their words, by path and place."""
    return conn.execute(f"{_ATOMS}{ATOM_IS_TWIN} ORDER BY n.path, a.ordinal").fetchall()


def settled_notes(conn: sqlite3.Connection, touched: Iterable[str]) -> list[tuple[Row, str]]:
    """Returns the notes whose id is another one now, each with that id."""
    return _changed(conn, set(touched), twin_notes, (f"{_NOTES}id IN ({{}})", f"{_NOTES}base_id IN ({{}})"), note_claim_of)


def settled_atoms(conn: sqlite3.Connection, touched: Iterable[str]) -> list[tuple[Row, str]]:
    """Returns the atoms whose id is another one now, each with that id."""
    return _changed(conn, set(touched), twin_atoms, (f"{_ATOMS}a.id IN ({{}})", f"{_ATOMS}a.declared_id IN ({{}})"), atom_claim_of)


def rows_in(conn: sqlite3.Connection, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """Runs a query with an IN list of any length; `{}` stands for the placeholders."""
    found: list[tuple[Any, ...]] = []
    for start in range(0, len(values), _SQL_VARIABLES_MAX):
        part = values[start : start + _SQL_VARIABLES_MAX]
        found.extend(conn.execute(sql.format(",".join("?" * len(part))), list(part)))
    return found


def _changed(
    conn: sqlite3.Connection, wanted: set[str], twins: Callable[[sqlite3.Connection], list[Row]], queries: Sequence[str],
    claim_of: Callable[[Row], Claim],
) -> list[tuple[Row, str]]:  # fmt: skip
    """Settles the claims on these ids, and on every id that one of them asks for or leaves on the way."""
    rows: dict[Place, Row] = {row[:2]: row for row in twins(conn)} if wanted else {}
    known: set[str] = set()
    changed: list[tuple[Row, str]] = []
    while wanted:
        known |= wanted
        rows |= {found[:2]: found for query in queries for found in rows_in(conn, query, sorted(wanted))}
        holders = settled(claim_of(row) for row in rows.values())
        changed = [(rows[place], new_id) for new_id, place in holders.items() if rows[place][3] != new_id]
        wanted = (holders.keys() | {row[3] for row, _ in changed}) - known
    return sorted(changed)
