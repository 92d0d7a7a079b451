"""Sync: files → everything derived. The one entry; called by commands, stages, the watcher.

Order within one sync: catalog and text first (search sees the change at once), then the graph, then,
with no lock held, the embedding model, then the vectors. A kill at any point leaves either a catalog
of an older generation (the next sync redoes the work) or a graph behind the catalog (`dirty`, or a
generation that differs), which is then made anew from the catalog.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from brain.core.dates import iso_utc
from brain.core.identity import Facts, find_renames
from brain.errors import IndexBroken
from brain.index import catalog
from brain.index import text as fulltext
from brain.index.catalog import Touched
from brain.index.database import transaction
from brain.index.rows import NoteRows
from brain.sync.change import Changes, changes_of_paths, changes_of_scan
from brain.sync.embedding import embed_new, model_name
from brain.sync.fold import Folded, fold_journal, identity_from, journal_grew
from brain.sync.graph import graph_is_current, project_changes
from brain.sync.read import read_rows
from brain.sync.rebuild import rebuild
from brain.sync.report import Progress, SyncReport, silent
from brain.sync.space import Space, settings_mark
from brain.vault.scan import Scan, Seen, scan


def sync(
    space: Space, *, full: bool = False, paths: Iterable[str] | None = None, embed: bool = True, now: datetime | None = None,
    progress: Progress = silent,
) -> SyncReport:  # fmt: skip
    """Brings every derived store to what the files and the journal say.

    `paths` limits the look to these notes (a caller that knows what it wrote). `full` makes all stores
    anew. Raises: Locked, BrainError.
    """
    now = now or space.clock.now()
    because = "asked for" if full else why_rebuild(space)
    if because:
        report = _rebuild(space, because, full, now, progress)
    else:
        report = _sync_changes(space, list(paths) if paths is not None else None, now, progress)
    return embed_new(space, report, now=now, progress=progress) if embed else report


def _rebuild(space: Space, because: str, full: bool, now: datetime, progress: Progress) -> SyncReport:
    with space.lock.exclusive("rebuild"):
        if not full and why_rebuild(space) is None:  # another process made it while this one waited
            return _sync_changes(space, None, now, progress)
        return rebuild(space, now=now, because=because, progress=progress)


def why_rebuild(space: Space) -> str | None:
    """Returns why the catalog cannot be brought forward by changes, or None."""
    if not space.layout.catalog_path.exists():
        return "there was no index"
    try:
        with space.catalog() as conn:
            if catalog.get_meta(conn, "generation") is None:
                return "the index was not complete"
            if catalog.get_meta(conn, "embed_model") != (model_name(space) or ""):
                return "the embedding model is another one"
            if catalog.get_meta(conn, "settings") != settings_mark(space):
                return "settings that shape the index changed"
    except (IndexBroken, sqlite3.DatabaseError):
        return "the index could not be read"
    return None


def _sync_changes(space: Space, paths: list[str] | None, now: datetime, progress: Progress) -> SyncReport:
    seen = None if paths is not None else scan(space.vault.root, space.config)
    with space.catalog() as conn:
        if not _changes(space, conn, seen, paths) and _is_settled(space, conn, seen):
            return _report(conn)
    with space.lock.exclusive("index"):
        because = why_rebuild(space)
        if because:
            return rebuild(space, now=now, because=because, progress=progress)
        with space.catalog() as conn:  # opened under the lock: another process may have put a new catalog in place
            if seen is not None and _is_stale(space, conn, seen):
                seen = scan(space.vault.root, space.config)
            return _apply(space, conn, _changes(space, conn, seen, paths), now, progress, whole=seen is not None)


def _is_settled(space: Space, conn: sqlite3.Connection, seen: Scan | None) -> bool:
    if journal_grew(conn, space.journal) or not graph_is_current(space, conn):
        return False
    return seen is None or dict(conn.execute("SELECT path, why FROM skipped")) == seen.skipped


def _is_stale(space: Space, conn: sqlite3.Connection, seen: Scan) -> bool:
    """Another process may have synced, or files moved, while this one waited for the lock."""
    changes = changes_of_scan(conn, seen)
    touched = [s.path for s in changes.added] + [s.path for _, s in changes.altered] + [path for _, path in changes.gone]
    fresh = changes_of_paths(conn, space.vault.root, space.config, touched)
    return (fresh.added, fresh.altered, fresh.gone) != (changes.added, changes.altered, changes.gone)


def _changes(space: Space, conn: sqlite3.Connection, seen: Scan | None, paths: list[str] | None) -> Changes:
    if seen is not None:
        return changes_of_scan(conn, seen)
    return changes_of_paths(conn, space.vault.root, space.config, paths or ())


def _apply(
    space: Space, conn: sqlite3.Connection, changes: Changes, now: datetime, progress: Progress, *, whole: bool
) -> SyncReport:
    model = model_name(space)
    altered, skipped = _read_all(space, [seen for _, seen in changes.altered], model, progress)
    added, more_skipped = _read_all(space, list(changes.added), model, progress)
    skipped |= more_skipped | changes.skipped
    nid_of = {seen.path: nid for nid, seen in changes.altered}
    lost = [(nid_of[path], path) for path in skipped if path in nid_of]
    gone = sorted([*changes.gone, *lost])
    moves = find_renames(_facts_of_gone(conn, gone), [_facts(rows) for rows in added])
    _journal_moves(space, conn, moves, now)
    with transaction(conn):
        folded = fold_journal(conn, space.journal)
        touched = _write_rows(conn, folded, gone, dict(moves), [(nid_of[r.seen.path], r) for r in altered], added)
        if whole:
            conn.execute("DELETE FROM skipped")
        conn.executemany("DELETE FROM skipped WHERE path=?", [(r.seen.path,) for r in added])
        conn.executemany("INSERT OR REPLACE INTO skipped VALUES(?,?)", sorted(skipped.items()))
        generation = int(catalog.get_meta(conn, "generation") or 0) + 1
        catalog.set_meta(conn, "generation", str(generation))
    project_changes(space, conn, touched, now, progress)
    moved_to = {target for _, target in moves}
    moved_from = {source for source, _ in moves}
    return replace(
        _report(conn),
        added=tuple(r.seen.path for r in added if r.seen.path not in moved_to),
        changed=tuple(r.seen.path for r in altered),
        problems=tuple(sorted(f for r in (*altered, *added) for f in r.findings if f.severity == "error")),
        removed=tuple(path for _, path in gone if path not in moved_from),
        moved=moves,
    )


def _read_all(space: Space, files: list[Seen], model: str | None, progress: Progress) -> tuple[list[NoteRows], dict[str, str]]:
    rows: list[NoteRows] = []
    skipped: dict[str, str] = {}
    for done, seen in enumerate(files, start=1):
        found = read_rows(space.vault.root, seen, space.config.limits, model)
        if isinstance(found, str):
            skipped[seen.path] = found
        else:
            rows.append(found)
        progress("read", done, len(files))
    return rows, skipped


def _write_rows(
    conn: sqlite3.Connection, folded: Folded, gone: list[tuple[int, str]], moves: dict[str, str],
    altered: list[tuple[int, NoteRows]], added: list[NoteRows],
) -> Touched:  # fmt: skip
    """Replaces the rows of everything that changed; a moved note keeps its row id."""
    touched = Touched()
    old_ids = dict(conn.execute("SELECT nid, id FROM note")) if gone or altered else {}
    nid_of_target = {moves[path]: nid for nid, path in gone if path in moves}
    for nid, _ in [*gone, *((nid, None) for nid, _ in altered)]:
        catalog.note_touched(conn, nid, touched)
    catalog.delete_notes(conn, [*(nid for nid, _ in gone), *(nid for nid, _ in altered)])
    next_nid = (conn.execute("SELECT max(nid) FROM note").fetchone()[0] or 0) + 1
    next_nid = max(next_nid, max(old_ids, default=0) + 1)
    rows, nids = [r for _, r in altered], [nid for nid, _ in altered]
    for r in added:
        rows.append(r)
        nids.append(nid_of_target.get(r.seen.path, next_nid))
        next_nid += r.seen.path not in nid_of_target
    identity = identity_from(conn)
    bases = [r.declared_id or identity.id_of(r.seen.path) for r in rows]
    catalog.insert_notes(conn, rows, nids, [old_ids.get(nid, f"{catalog.PROVISIONAL}{nid}") for nid in nids], bases)
    fulltext.count_added(conn, [r.text for r in rows])
    for nid in nids:
        catalog.note_touched(conn, nid, touched)
    truly_gone = {nid for nid, path in gone if path not in moves}
    touched.gone_ids.update(old_ids[nid] for nid in truly_gone)
    touched.nids -= truly_gone
    _touch_by_journal(conn, folded, touched)
    catalog.settle_ids(conn, touched)
    catalog.settle_atom_ids(conn, touched)
    catalog.resolve_links(conn, touched)
    return touched


def _touch_by_journal(conn: sqlite3.Connection, folded: Folded, touched: Touched) -> None:
    touched.nids.update(catalog.nids_of_ids(conn, sorted(folded.note_ids)))
    touched.nids.update(catalog.nids_of_atoms(conn, sorted(folded.items)))
    if folded.has_moves:
        identity = identity_from(conn)
        for nid, path, base in conn.execute("SELECT nid, path, base_id FROM note WHERE declared_id IS NULL").fetchall():
            wanted = identity.id_of(path)
            if wanted != base:
                touched.bases.update((base, wanted))
                conn.execute("UPDATE note SET base_id=? WHERE nid=?", (wanted, nid))


def _facts(rows: NoteRows) -> Facts:
    return Facts(rows.seen.path, rows.sha256, rows.declared_id, rows.seen.size)


def _facts_of_gone(conn: sqlite3.Connection, gone: list[tuple[int, str]]) -> list[Facts]:
    found = []
    for nid, path in gone:
        sha256, declared, size = conn.execute("SELECT sha256, declared_id, size FROM note WHERE nid=?", (nid,)).fetchone()
        found.append(Facts(path, sha256, declared, size))
    return found


def _journal_moves(space: Space, conn: sqlite3.Connection, moves: tuple[tuple[str, str], ...], now: datetime) -> None:
    records = []
    for source, target in moves:
        note_id, declared = conn.execute("SELECT id, declared_id FROM note WHERE path=?", (source,)).fetchone()
        if declared is None:
            records.append({"kind": "moved", "at": iso_utc(now), "from": source, "to": target, "id": note_id})
    space.journal.append(records)


def _report(conn: sqlite3.Connection) -> SyncReport:
    count = conn.execute("SELECT count(*) FROM note").fetchone()[0]
    skipped = dict(conn.execute("SELECT path, why FROM skipped ORDER BY path"))
    return SyncReport(notes=count, skipped=skipped, generation=int(catalog.get_meta(conn, "generation") or 0))
