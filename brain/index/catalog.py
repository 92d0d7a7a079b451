"""Writing the catalog: rows of notes in and out, ids given, links resolved. One transaction is the caller's.

Nothing in here reads files or knows the graph. A note's rows are always replaced as a whole.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from brain.core.finding import Finding
from brain.core.ids import atom_id_of_text
from brain.index import text as fulltext
from brain.index.claims import rows_in, settled_atoms, settled_notes
from brain.index.database import INDEXES, SCHEMA_VERSION, TABLES
from brain.index.rows import NoteRows, folder_of, stem_of

OWNED_TABLES = ("name", "tag", "link", "atom", "finding", "token", "chunk")
PROVISIONAL = "\x00"
"""Begins an id that is not settled yet; no declared id can hold it."""


@dataclass(slots=True)
class Touched:
    """What one pass moved, for the graph: note rows whose projection is stale, and ids that are gone.

    `bases` are ids that notes ask for or have, `atom_ids` those of atoms: who has them is to be settled.
    """

    nids: set[int] = field(default_factory=set)
    gone_ids: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    atom_ids: set[str] = field(default_factory=set)
    tokens: set[str] = field(default_factory=set)
    chunks: set[str] = field(default_factory=set)
    ends: set[int] = field(default_factory=set)
    """Notes that typed relations of these lead to, or led to: what they weigh depends on it."""


def create(conn: sqlite3.Connection) -> None:
    """Makes the tables of an empty database; `create_indexes` follows when the rows are in."""
    conn.executescript("BEGIN;" + TABLES + f"PRAGMA user_version={SCHEMA_VERSION};COMMIT;")
    fulltext.create(conn)


def create_indexes(conn: sqlite3.Connection) -> None:
    """Makes the indexes of a filled database."""
    for statement in INDEXES.split(";"):
        if statement.strip():
            conn.execute(statement)


def get_meta(conn: sqlite3.Connection, key: str) -> str | None:
    """Returns one value of the meta table."""
    row = conn.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
    return None if row is None else str(row[0])


def set_meta(conn: sqlite3.Connection, key: str, value: str) -> None:
    """Sets one value of the meta table."""
    conn.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, value))


def insert_notes(
    conn: sqlite3.Connection, rows: Sequence[NoteRows], nids: Sequence[int], ids: Sequence[str], bases: Sequence[str]
) -> None:
    """Inserts notes with the given row ids, ids and asked-for ids.

    Links are left unresolved, and `text.recount` is due after the last batch.
    """
    conn.executemany(
        "INSERT INTO note VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        [
            (nid, note_id, base, r.declared_id, r.seen.path, folder_of(r.seen.path), stem_of(r.seen.path), r.seen.size,
             r.seen.mtime_ns, r.seen.ctime_ns, r.seen.inode, r.sha256, *r.note)
            for r, nid, note_id, base in zip(rows, nids, ids, bases, strict=True)
        ],
    )  # fmt: skip
    pairs = list(zip(rows, nids, strict=True))
    conn.executemany("INSERT INTO name VALUES(?,?,?,?)", [(n, *name) for r, n in pairs for name in r.names])
    conn.executemany("INSERT INTO tag VALUES(?,?)", [(n, tag) for r, n in pairs for tag in r.tags])
    conn.executemany(
        "INSERT INTO link VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'unresolved',NULL)",
        [(n, *link) for r, n in pairs for link in r.links],
    )
    _insert_atoms(conn, rows, nids, ids)
    conn.executemany(
        "INSERT INTO finding VALUES(?,?,?,?,?,?)",
        [(n, f.code, f.severity, f.line, f.message, f.cure) for r, n in pairs for f in r.findings],
    )
    conn.executemany("INSERT INTO token VALUES(?,?)", [(n, token) for r, n in pairs for token in r.tokens])
    conn.executemany("INSERT INTO chunk VALUES(?,?,?,?,?)", [(n, *chunk) for r, n in pairs for chunk in r.chunks])
    fulltext.load(conn, [(n, r.text) for r, n in sorted(pairs, key=lambda pair: pair[1])])


def delete_notes(conn: sqlite3.Connection, nids: Iterable[int]) -> None:
    """Takes notes and all their rows away."""
    rows = [(nid,) for nid in nids]
    for table in OWNED_TABLES:
        conn.executemany(f"DELETE FROM {table} WHERE nid=?", rows)
    conn.executemany("DELETE FROM note WHERE nid=?", rows)
    fulltext.delete(conn, [nid for (nid,) in rows])


def note_touched(conn: sqlite3.Connection, nid: int, touched: Touched) -> None:
    """Adds to `touched` everything another note could depend on in this one, as it stands now."""
    touched.nids.add(nid)
    touched.keys.update(row[0] for row in conn.execute("SELECT key FROM name WHERE nid=?", (nid,)))
    touched.tokens.update(row[0] for row in conn.execute("SELECT token FROM token WHERE nid=?", (nid,)))
    touched.chunks.update(row[0] for row in conn.execute("SELECT hash FROM chunk WHERE nid=?", (nid,)))
    touched.ends.update(edge_ends(conn, {nid}))
    for base_id, note_id in conn.execute("SELECT base_id, id FROM note WHERE nid=?", (nid,)):
        touched.bases.update((base_id, note_id))
    for atom_id, declared in conn.execute("SELECT id, declared_id FROM atom WHERE nid=?", (nid,)):
        touched.atom_ids.update((atom_id, declared or atom_id))


def settle_ids(conn: sqlite3.Connection, touched: Touched) -> None:
    """Gives each note its right id wherever one was touched.

    Notes whose id changed, and every note that links to them, are added to `touched`.
    """
    settled = settled_notes(conn, touched.bases)
    changed = {row[2]: note_id for row, note_id in settled}
    conn.executemany("UPDATE note SET id=?||nid WHERE nid=?", [(PROVISIONAL, nid) for nid in changed])
    conn.executemany("UPDATE note SET id=? WHERE nid=?", [(note_id, nid) for nid, note_id in changed.items()])
    touched.gone_ids.update(row[3] for row, _ in settled if not row[3].startswith(PROVISIONAL))
    touched.nids.update(changed)
    linkers = rows_in(conn, "SELECT DISTINCT nid FROM link WHERE target_nid IN ({})", sorted(changed))
    touched.nids.update(row[0] for row in linkers)
    _rederive_atoms(conn, changed, touched)


def rederive_all_atoms(conn: sqlite3.Connection) -> None:
    """Derives the ids of all atoms from their notes' final ids (a fresh catalog)."""
    rows = conn.execute(
        "SELECT n.id, a.nid, a.ordinal, a.text, a.id, a.derived_id FROM atom a JOIN note n USING(nid) ORDER BY a.nid, a.ordinal"
    ).fetchall()
    for note_id, group in groupby(rows, key=lambda row: row[0]):
        _derive(conn, str(note_id), [row[1:] for row in group])


def settle_atom_ids(conn: sqlite3.Connection, touched: Touched) -> None:
    """Gives each atom its right id wherever one was touched; notes in which one changed are added to `touched`.

    A block id that several atoms carry goes to the first of them; the others get the id of their words, or a further
    one where that is taken.
    """
    for (_, ordinal, nid, *_), atom_id in settled_atoms(conn, touched.atom_ids):
        conn.execute("UPDATE atom SET id=? WHERE nid=? AND ordinal=?", (atom_id, nid, ordinal))
        touched.nids.add(nid)


def settle_all_atom_ids(conn: sqlite3.Connection) -> None:
    """Settles every id that several atoms of a fresh catalog have."""
    shared = conn.execute("SELECT id FROM atom GROUP BY id HAVING count(*)>1")
    settle_atom_ids(conn, Touched(atom_ids={row[0] for row in shared}))


def resolve_links(conn: sqlite3.Connection, touched: Touched) -> None:
    """Resolves the links of touched notes and every link that looks up a touched name."""
    from brain.index.resolution import resolver_for

    links = rows_in(
        conn, "SELECT l.nid, l.ordinal, n.path, l.target, l.form, l.key, l.status, l.target_nid FROM link l JOIN note n USING(nid)"
        " WHERE l.nid IN ({})", sorted(touched.nids),
    ) + rows_in(
        conn, "SELECT l.nid, l.ordinal, n.path, l.target, l.form, l.key, l.status, l.target_nid FROM link l JOIN note n USING(nid)"
        " WHERE l.key IN ({})", sorted(touched.keys),
    )  # fmt: skip
    resolve = resolver_for(conn, {link[5] for link in links})
    changes = []
    for nid, ordinal, path, target, form, _, status, target_nid in links:
        found = resolve(path, target, form)
        if found != (status, target_nid):
            changes.append((*found, nid, ordinal))
            touched.nids.add(nid)
            touched.ends.update({target_nid} - {None})
    conn.executemany("UPDATE link SET status=?, target_nid=? WHERE nid=? AND ordinal=?", changes)


def edge_ends(conn: sqlite3.Connection, nids: set[int]) -> set[int]:
    """Returns the row ids of the notes that typed relations of these notes lead to."""
    query = "SELECT DISTINCT target_nid FROM link WHERE nid IN ({}) AND edge_type IS NOT NULL AND target_nid IS NOT NULL"
    return {row[0] for row in rows_in(conn, query, sorted(nids))}


def nids_of_ids(conn: sqlite3.Connection, ids: Sequence[str]) -> list[int]:
    """Returns the row ids of the notes with these ids that exist."""
    return [row[0] for row in rows_in(conn, "SELECT nid FROM note WHERE id IN ({})", ids)]


def nids_of_atoms(conn: sqlite3.Connection, atom_ids: Sequence[str]) -> list[int]:
    """Returns the row ids of the notes in which these atoms stand."""
    return [row[0] for row in rows_in(conn, "SELECT DISTINCT nid FROM atom WHERE id IN ({})", atom_ids)]


def nids_of_paths(conn: sqlite3.Connection, paths: Sequence[str]) -> list[int]:
    """Returns the row ids of the notes at these paths."""
    return [row[0] for row in rows_in(conn, "SELECT nid FROM note WHERE path IN ({})", paths)]


def nids_of_chunks(conn: sqlite3.Connection, hashes: Sequence[str]) -> list[int]:
    """Returns the row ids of the notes in which these chunks stand."""
    return [row[0] for row in rows_in(conn, "SELECT DISTINCT nid FROM chunk WHERE hash IN ({})", hashes)]


def errors_of(conn: sqlite3.Connection) -> tuple[Finding, ...]:
    """Returns the errors that parsing found in any note, by code and path."""
    rows = conn.execute(
        "SELECT f.code, f.severity, n.path, f.line, f.message, f.cure FROM finding f JOIN note n USING(nid) WHERE f.severity='error'"
    )
    return tuple(sorted(Finding(*row) for row in rows))


def resolve_all(conn: sqlite3.Connection) -> None:
    """Resolves every link of a fresh catalog."""
    from brain.index.resolution import resolver_for

    resolve = resolver_for(conn, None)
    paths = dict(conn.execute("SELECT nid, path FROM note"))  # a join would read the widest table once for every link
    rows = conn.execute("SELECT nid, ordinal, target, form FROM link")
    while batch := rows.fetchmany(20_000):
        conn.executemany(
            "UPDATE link SET status=?, target_nid=? WHERE nid=? AND ordinal=?",
            [(*resolve(paths[nid], target, form), nid, ordinal) for nid, ordinal, target, form in batch],
        )


def _insert_atoms(conn: sqlite3.Connection, rows: Sequence[NoteRows], nids: Sequence[int], ids: Sequence[str]) -> None:
    values = []
    for r, nid, note_id in zip(rows, nids, ids, strict=True):
        for ordinal, declared, twin, body, *rest in r.atoms:
            derived = atom_id_of_text(note_id, body, twin)
            values.append((nid, ordinal, declared or derived, declared, derived, body, *rest))
    conn.executemany("INSERT INTO atom VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", values)


def _rederive_atoms(conn: sqlite3.Connection, changed: dict[int, str], touched: Touched) -> None:
    for nid, note_id in changed.items():
        rows = conn.execute("SELECT ordinal, text, id, derived_id FROM atom WHERE nid=? ORDER BY ordinal", (nid,)).fetchall()
        _derive(conn, note_id, [(nid, *row) for row in rows])
        touched.atom_ids.update(row[2] for row in rows)
        touched.atom_ids.update(row[0] for row in conn.execute("SELECT id FROM atom WHERE nid=?", (nid,)))


def _derive(conn: sqlite3.Connection, note_id: str, rows: list[tuple[int, int, str, str, str]]) -> None:
    """Derives the atom ids of one note anew; a block id that an atom carries stays its id."""
    twins: dict[str, int] = {}
    for nid, ordinal, body, atom_id, old in rows:
        twin = twins.get(body, 0)
        twins[body] = twin + 1
        derived = atom_id_of_text(note_id, body, twin)
        new_id = derived if atom_id == old else atom_id
        conn.execute("UPDATE atom SET id=?, derived_id=? WHERE nid=? AND ordinal=?", (new_id, derived, nid, ordinal))
