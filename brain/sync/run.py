"""Sync: files → everything derived. The one entry; called by commands, stages, the watcher.

Order within one sync: catalog and text first (search sees the change at once), then the graph, then,
with no lock held, the embedding model, then the vectors. A kill at any point leaves either a catalog
of an older generation (the next sync redoes the work) or a graph behind the catalog (`dirty`, or a
generation that differs), which is then made anew from the catalog.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from brain.errors import IndexBroken
from brain.index import catalog
from brain.sync.change import Changes, changes_of_paths, changes_of_scan, is_recorded, tried
from brain.sync.embedding import embed_new, model_name
from brain.sync.fold import journal_grew
from brain.sync.graph import graph_is_current
from brain.sync.report import Progress, SyncReport, report_of, silent
from brain.sync.space import Space, settings_mark
from brain.vault.scan import scan


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
        report = _sync_changes(space, frozenset(paths) if paths is not None else None, now, progress)
    return embed_new(space, report, now=now, progress=progress) if embed else report


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


def _rebuild(space: Space, because: str, full: bool, now: datetime, progress: Progress) -> SyncReport:
    with space.lock.exclusive("rebuild"):
        if not full and why_rebuild(space) is None:  # another process made it while this one waited
            return _sync_changes(space, None, now, progress)
        return _made_anew(space, because, now, progress)


def _made_anew(space: Space, because: str, now: datetime, progress: Progress) -> SyncReport:
    from brain.sync.left_out import left_out_of_catalog, left_out_words
    from brain.sync.rebuild import rebuild

    report = rebuild(space, now=now, because=because, progress=progress)
    if model_name(space) is None:
        return report
    with space.catalog() as conn:
        left_out = left_out_of_catalog(space, conn)
    return replace(report, left_out=left_out, notices=(*report.notices, *left_out_words(left_out, space.config.limits)))


def _sync_changes(space: Space, paths: frozenset[str] | None, now: datetime, progress: Progress) -> SyncReport:
    with space.catalog() as conn:
        mark, changes = _mark(space, conn), _changes(space, conn, paths)
        if _is_settled(space, conn, changes):
            return report_of(conn)
    from brain.sync.apply import apply_changes  # not before there is something to do: the usual sync starts faster

    with space.lock.exclusive("index"):
        because = why_rebuild(space)
        if because:
            return _made_anew(space, because, now, progress)
        with space.catalog() as conn:  # opened under the lock: another process may have put a new catalog in place
            is_same = _mark(space, conn) == mark
            changes = _looked_again(space, conn, changes) if is_same else _changes(space, conn, paths)
            return apply_changes(space, conn, changes, model_name(space), now, progress)


def _mark(space: Space, conn: sqlite3.Connection) -> tuple[int, str | None]:
    """Returns what another process changes when it syncs, or puts a new catalog in place or away."""
    path = space.layout.catalog_path
    return path.stat().st_ino if path.exists() else 0, catalog.get_meta(conn, "generation")


def _changes(space: Space, conn: sqlite3.Connection, paths: frozenset[str] | None) -> Changes:
    root, config = space.vault.root, space.config
    with _collector_at_rest():
        seen = changes_of_scan(conn, scan(root, config)) if paths is None else changes_of_paths(conn, root, config, paths)
        return tried(root, config, conn, seen)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Stops the garbage collector: a look makes plain values and no cycles, and walking them takes a tenth of its time."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def _looked_again(space: Space, conn: sqlite3.Connection, changes: Changes) -> Changes:
    """Looks once more at what changed: files may have moved while this one waited for the lock."""
    fresh = _changes(space, conn, frozenset(changes.paths))
    looked = None if changes.looked is None else changes.looked | (fresh.looked or frozenset())
    return replace(fresh, skipped={**changes.skipped, **fresh.skipped}, looked=looked)


def _is_settled(space: Space, conn: sqlite3.Connection, changes: Changes) -> bool:
    is_same = not changes and is_recorded(conn, changes) and not journal_grew(conn, space.journal)
    return is_same and graph_is_current(space, conn)
