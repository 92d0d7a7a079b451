"""Writing what changed: files read into rows, renames followed, the journal folded, the graph brought along.

The caller holds the lock and has looked at the files; `run` decides whether there is anything to do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from brain.index import catalog
from brain.index import text as fulltext
from brain.index.catalog import Touched
from brain.index.database import transaction
from brain.index.rows import NoteRows
from brain.sync.change import Changes, record_skipped
from brain.sync.fold import Folded, fold_journal, identity_from
from brain.sync.graph import graph_is_current, project_changes
from brain.sync.left_out import left_out_of_rows, left_out_words
from brain.sync.moves import Moves, find_moves, journal_moves, journaled_moves, still_there
from brain.sync.moving import new_of_rows
from brain.sync.read import read_rows
from brain.sync.report import Progress, SyncReport, report_of
from brain.sync.space import Space
from brain.vault.scan import Seen


@dataclass(frozen=True, slots=True)
class Read:
    """The files of one sync as rows. `altered` and `gone` have the row ids of the notes they were."""

    altered: tuple[tuple[int, NoteRows], ...]
    added: tuple[NoteRows, ...]
    gone: tuple[tuple[int, str], ...]
    moves: Moves
    unreadable: dict[str, str]


def apply_changes(
    space: Space, conn: sqlite3.Connection, changes: Changes, model: str | None, now: datetime, progress: Progress
) -> SyncReport:
    """Brings catalog, text and graph to these changes and to the journal. Raises: BrainError, Locked."""
    read = _read(space, conn, changes, model, now, progress)
    with transaction(conn):
        folded = fold_journal(conn, space.journal)
        touched = _write_rows(conn, folded, read)
        _forget_vectors(conn, touched)
        record_skipped(conn, changes, read.unreadable)
        is_moot = not (touched.nids or touched.gone_ids) and graph_is_current(space, conn)
        if not is_moot:
            catalog.set_meta(conn, "generation", str(int(catalog.get_meta(conn, "generation") or 0) + 1))
    if not is_moot:
        project_changes(space, conn, touched, now, progress)
    return _reported(space, conn, read)


def _reported(space: Space, conn: sqlite3.Connection, read: Read) -> SyncReport:
    sources = {source for source, _ in read.moves.pairs}
    targets = {target for _, target in read.moves.pairs}
    rows = [*(r for _, r in read.altered), *read.added]
    left_out = left_out_of_rows(space, rows)
    return replace(
        report_of(conn),
        added=tuple(r.seen.path for r in read.added if r.seen.path not in targets),
        changed=tuple(r.seen.path for _, r in read.altered),
        removed=tuple(path for _, path in read.gone if path not in sources),
        moved=read.moves.pairs,
        problems=tuple(sorted(f for r in rows for f in r.findings if f.severity == "error")),
        left_out=left_out,
        notices=(*read.moves.notices, *left_out_words(left_out, space.config.limits)),
    )


def _read(
    space: Space, conn: sqlite3.Connection, changes: Changes, model: str | None, now: datetime, progress: Progress
) -> Read:
    """Reads the files, and writes renames into the journal before anything is made of them."""
    nid_of = {seen.path: nid for nid, seen in changes.altered}
    files = [*(seen for _, seen in changes.altered), *changes.added]
    found, unreadable = _read_all(space, files, model, progress)
    altered = [(nid_of[r.seen.path], r) for r in found if r.seen.path in nid_of]
    added = [r for r in found if r.seen.path not in nid_of]
    moves = _followed(space, conn, changes, altered, added, now)
    left = {source for source, _ in moves.pairs}
    return Read(
        altered=tuple((nid, r) for nid, r in altered if r.seen.path not in left),
        # Another file took the old path of a note that was renamed: that one is new there.
        added=tuple(sorted((*added, *(r for _, r in altered if r.seen.path in left)), key=lambda r: r.seen.path)),
        gone=tuple(sorted(
            (*changes.gone, *((nid_of[path], path) for path in unreadable if path in nid_of),
             *((nid, r.seen.path) for nid, r in altered if r.seen.path in left))
        )),
        moves=moves,
        unreadable=unreadable,
    )  # fmt: skip


def _followed(
    space: Space, conn: sqlite3.Connection, changes: Changes, altered: list[tuple[int, NoteRows]], added: list[NoteRows], now: datetime
) -> Moves:
    if not (added and (changes.gone or altered)):
        return Moves()
    is_there = still_there(space.vault.root, changes.skipped)
    gone = [nid for nid, path in changes.gone if not is_there(path)]
    journaled = journaled_moves(space.journal)
    displaced = [(nid, new_of_rows(r)) for nid, r in altered]
    moves = find_moves(conn, journaled, gone, displaced, [new_of_rows(r) for r in added])
    journal_moves(conn, space.journal, moves, journaled, now)
    return moves


def _read_all(
    space: Space, files: Sequence[Seen], model: str | None, progress: Progress
) -> tuple[list[NoteRows], dict[str, str]]:
    rows: list[NoteRows] = []
    unreadable: dict[str, str] = {}
    for done, seen in enumerate(files):
        progress("read", done, len(files))
        found = read_rows(space.vault.root, seen, space.config.limits, model)
        if isinstance(found, str):
            unreadable[seen.path] = found
        else:
            rows.append(found)
    if files:
        progress("read", len(files), len(files))
    return rows, unreadable


def _write_rows(conn: sqlite3.Connection, folded: Folded, read: Read) -> Touched:
    """Replaces the rows of everything that changed; a moved note keeps its row id."""
    touched = Touched()
    leaving = [*(nid for nid, _ in read.gone), *(nid for nid, _ in read.altered)]
    old_ids = {nid: str(conn.execute("SELECT id FROM note WHERE nid=?", (nid,)).fetchone()[0]) for nid in leaving}
    next_nid = (conn.execute("SELECT max(nid) FROM note").fetchone()[0] or 0) + 1
    for nid in leaving:
        catalog.note_touched(conn, nid, touched)
    catalog.delete_notes(conn, leaving)
    rows, nids = _placed(read, next_nid)
    identity = identity_from(conn)
    bases = [r.declared_id or identity.id_of(r.seen.path) for r in rows]
    catalog.insert_notes(conn, rows, nids, [old_ids.get(nid, f"{catalog.PROVISIONAL}{nid}") for nid in nids], bases)
    fulltext.count_added(conn, [r.text for r in rows])
    for nid in nids:
        catalog.note_touched(conn, nid, touched)
    truly_gone = {nid for nid, _ in read.gone} - set(nids)
    touched.gone_ids.update(old_ids[nid] for nid in truly_gone)
    touched.nids -= truly_gone
    _touch_by_journal(conn, folded, touched)
    catalog.settle_ids(conn, touched)
    catalog.settle_atom_ids(conn, touched)
    catalog.resolve_links(conn, touched)
    touched.ends |= catalog.edge_ends(conn, touched.nids)
    return touched


def _placed(read: Read, next_nid: int) -> tuple[list[NoteRows], list[int]]:
    """Returns all rows with their row ids: the old one for a note that was edited or renamed, else the next."""
    targets = dict(read.moves.pairs)
    nid_of_target = {targets[path]: nid for nid, path in read.gone if path in targets}
    rows, nids = [r for _, r in read.altered], [nid for nid, _ in read.altered]
    for r in read.added:
        rows.append(r)
        nids.append(nid_of_target.get(r.seen.path, next_nid))
        next_nid += r.seen.path not in nid_of_target
    return rows, nids


def _forget_vectors(conn: sqlite3.Connection, touched: Touched) -> None:
    """Takes the names off vectors whose text stands nowhere any more: they would take places of others in a search."""
    query = "DELETE FROM vector WHERE hash=? AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.hash=vector.hash)"
    conn.executemany(query, [(chunk,) for chunk in sorted(touched.chunks)])


def _touch_by_journal(conn: sqlite3.Connection, folded: Folded, touched: Touched) -> None:
    touched.nids.update(catalog.nids_of_ids(conn, sorted(folded.note_ids)))
    touched.nids.update(catalog.nids_of_atoms(conn, sorted(folded.items)))
    touched.nids.update(catalog.nids_of_paths(conn, sorted({item.partition("|")[0] for item in folded.items})))
    if folded.has_moves:
        identity = identity_from(conn)
        for nid, path, base in conn.execute("SELECT nid, path, base_id FROM note WHERE declared_id IS NULL").fetchall():
            wanted = identity.id_of(path)
            if wanted != base:
                touched.bases.update((base, wanted))
                conn.execute("UPDATE note SET base_id=? WHERE nid=?", (wanted, nid))
