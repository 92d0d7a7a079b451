"""Making every derived store anew from the notes and the journal, beside the old ones, then swapping.

The old catalog is only asked which files it knew, so that a rename since the last sync is still seen.
Parsing is spread over processes; memory is bounded by the batch.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path

from brain.config import Limits
from brain.core.identity import Facts, assigned_ids
from brain.errors import IndexBroken
from brain.graph.clocks import set_folder_half_lives
from brain.index import catalog
from brain.index import text as fulltext
from brain.index.database import connect
from brain.index.rows import NoteRows
from brain.sync.embedding import fill_vectors_from_cache, forget_vectors, model_name
from brain.sync.fold import fold_journal, identity_from
from brain.sync.graph import build_anew, dirty_mark
from brain.sync.moves import Moves, journal_moves, journaled_moves, moves_between, still_there
from brain.sync.read import read_rows
from brain.sync.report import Progress, SyncReport
from brain.sync.space import Space, settings_mark
from brain.vault.scan import Scan, Seen, scan

FILES_PER_TASK = 200
FILES_FOR_PROCESSES_MIN = 2_000
PROCESSES_MAX = 8
PARENT_CHECK_S = 1.0

Batch = list[NoteRows | tuple[str, str]]
Work = Callable[[Sequence[Seen]], Batch]


def rebuild(space: Space, *, now: datetime, because: str, progress: Progress) -> SyncReport:
    """Makes catalog, text, vectors (from the cache) and graph anew. Raises: Locked, BrainError."""
    with space.lock.exclusive("rebuild"):
        seen = scan(space.vault.root, space.config)
        fresh = space.layout.catalog_path.with_name("text.sqlite.new")
        _remove_database(fresh)
        old = _old_facts(space)
        conn = connect(fresh)
        try:
            conn.execute("PRAGMA journal_mode=OFF")
            conn.execute("PRAGMA synchronous=OFF")
            moves, skipped = _fill(space, conn, seen, old, now, progress)
            skipped |= seen.skipped
            conn.executemany("INSERT OR REPLACE INTO skipped VALUES(?,?)", sorted(skipped.items()))
        finally:
            conn.close()
        _swap_in(space, fresh)
        with space.catalog() as conn:
            from_cache, notices = fill_vectors_from_cache(space, conn)
            forget_vectors(space, conn)
            build_anew(space, conn, now, progress)
            count = conn.execute("SELECT count(*) FROM note").fetchone()[0]
            known = {facts.path for facts in old}
            problems = catalog.errors_of(conn)
            known |= {target for _, target in moves.pairs}
            added = tuple(s.path for s in seen.files if s.path not in known and s.path not in skipped)
        return SyncReport(
            notes=count, added=added, moved=moves.pairs, skipped=dict(sorted(skipped.items())), from_cache=from_cache, rebuilt=True,
            problems=problems, notices=(*moves.notices, *notices), because=because, generation=1,
        )  # fmt: skip


def _fill(
    space: Space, conn: sqlite3.Connection, seen: Scan, old: list[Facts], now: datetime, progress: Progress
) -> tuple[Moves, dict[str, str]]:
    catalog.create(conn)
    conn.execute("BEGIN")
    skipped = _insert_all(space, conn, seen.files, progress)
    fulltext.recount(conn)
    moves = _moves_since(space, conn, Scan(seen.files, {**seen.skipped, **skipped}), old, now)
    fold_journal(conn, space.journal)
    _give_ids(conn)
    progress("resolve", 0, 0)
    catalog.resolve_all(conn)
    catalog.create_indexes(conn)  # after the last change of whole columns, which would go through them row by row
    catalog.set_meta(conn, "generation", "1")
    catalog.set_meta(conn, "embed_model", model_name(space) or "")
    catalog.set_meta(conn, "settings", settings_mark(space))
    set_folder_half_lives(conn, space.config.decay.folders)
    conn.execute("COMMIT")
    fulltext.optimize(conn)
    return moves, skipped


def _insert_all(space: Space, conn: sqlite3.Connection, files: Sequence[Seen], progress: Progress) -> dict[str, str]:
    """Reads, parses and inserts all files with provisional ids."""
    skipped: dict[str, str] = {}
    nid = 0
    with _executor(len(files), space.lock.descriptor()) as executor:
        for done, batch in _parsed(space, executor, files):
            rows = []
            for found in batch:
                if isinstance(found, NoteRows):
                    rows.append(found)
                else:
                    skipped[found[0]] = found[1]
            nids = list(range(nid + 1, nid + 1 + len(rows)))
            nid += len(rows)
            ids = [f"{catalog.PROVISIONAL}{n}" for n in nids]
            catalog.insert_notes(conn, rows, nids, ids, ids)
            progress("read", done, len(files))
    return skipped


def _parsed(
    space: Space, executor: Executor | None, files: Sequence[Seen]
) -> Iterator[tuple[int, Batch]]:
    tasks = [files[start : start + FILES_PER_TASK] for start in range(0, len(files), FILES_PER_TASK)]
    work = partial(read_batch, space.vault.root, space.config.limits, model_name(space))
    done = 0
    for batch in _mapped(executor, work, tasks):
        done += len(batch)
        yield done, batch


def _mapped(executor: Executor | None, work: Work, tasks: list[Sequence[Seen]]) -> Iterator[Batch]:
    """Maps in order with a bounded number of results in flight."""
    if executor is None:
        yield from map(work, tasks)
        return
    remaining = iter(tasks)
    waiting = deque(executor.submit(work, task) for task in islice(remaining, 2 * PROCESSES_MAX))
    while waiting:
        result = waiting.popleft().result()
        waiting.extend(executor.submit(work, task) for task in islice(remaining, 1))
        yield result


def read_batch(root: Path, limits: Limits, model: str | None, files: Sequence[Seen]) -> Batch:
    """Reads some files; runs in a worker process. A file that is no note gives (path, why)."""
    found: Batch = []
    for seen in files:
        rows = read_rows(root, seen, limits, model)
        found.append((seen.path, rows) if isinstance(rows, str) else rows)
    return found


@contextmanager
def _executor(count: int, lock_file: int | None) -> Iterator[Executor | None]:
    if count < FILES_FOR_PROCESSES_MIN or (os.cpu_count() or 1) < 2:
        yield None
        return
    is_fork = multiprocessing.get_start_method() == "fork"
    start = (os.getpid(), lock_file if is_fork else None)
    count = min(PROCESSES_MAX, os.cpu_count() or 1)
    with ProcessPoolExecutor(max_workers=count, initializer=begin_worker, initargs=start) as executor:
        yield executor


def begin_worker(parent: int, lock_file: int | None) -> None:
    """Prepares a worker process: it must neither hold the vault's lock nor outlive the process that made it."""
    if lock_file is not None:
        os.close(lock_file)
    # Rows are plain tuples without cycles: the collector would only walk them again and again (-15 % time).
    gc.disable()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(1)


def _give_ids(conn: sqlite3.Connection) -> None:
    """Gives all notes and atoms their ids at once."""
    identity = identity_from(conn)
    rows = conn.execute("SELECT nid, path, declared_id FROM note").fetchall()
    claims = [(nid, path, declared is not None, declared or identity.id_of(path)) for nid, path, declared in rows]
    ids = assigned_ids(claims)
    conn.executemany("UPDATE note SET id=?, base_id=? WHERE nid=?", [(ids[nid], base, nid) for nid, _, _, base in claims])
    catalog.rederive_all_atoms(conn)
    catalog.settle_all_atom_ids(conn)


def _moves_since(space: Space, conn: sqlite3.Connection, seen: Scan, old: list[Facts], now: datetime) -> Moves:
    """Finds and journals renames since the old catalog."""
    known = {facts.path for facts in old}
    if not old or all(file.path in known for file in seen.files):
        return Moves()
    journaled = journaled_moves(space.journal)
    with space.catalog() as before:
        moves = moves_between(before, conn, journaled, still_there(space.vault.root, seen.skipped))
        journal_moves(before, space.journal, moves, journaled, now)
    return moves


def _old_facts(space: Space) -> list[Facts]:
    if not space.layout.catalog_path.exists():
        return []
    try:
        with space.catalog() as conn:
            if catalog.get_meta(conn, "generation") is None:
                return []
            return [Facts(*row) for row in conn.execute("SELECT path, sha256, declared_id, size FROM note")]
    except (IndexBroken, sqlite3.DatabaseError):
        return []  # the stores are being made anew because of exactly this


def _swap_in(space: Space, fresh: Path) -> None:
    """Puts the new catalog in place; the graph counts as dirty until it is made from it."""
    dirty_mark(space).touch()
    _checkpointed(space.layout.catalog_path)
    for suffix in ("-wal", "-shm"):
        space.layout.catalog_path.with_name(space.layout.catalog_path.name + suffix).unlink(missing_ok=True)
    os.replace(fresh, space.layout.catalog_path)


def _checkpointed(path: Path) -> None:
    """Empties the old write-ahead log, so that none of it can be taken for the new file's."""
    if not path.exists():
        return
    try:
        conn = connect(path)
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        conn.close()
    except (IndexBroken, sqlite3.DatabaseError):
        return  # an unreadable old index is what is being replaced


def _remove_database(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
