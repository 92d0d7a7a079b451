"""The graph's half of a sync: change it, or make it anew when it is behind, dirty or unreadable.

`dirty` is put down before the first write and taken away when the catalog has the graph's generation:
a kill in between is seen by the next sync, whatever the engine did with its files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from brain.errors import BrainError, Locked
from brain.graph.files import log_of, quarantine
from brain.index import catalog
from brain.index.catalog import Touched
from brain.sync.report import Progress, silent
from brain.sync.space import Space

CHANGE_SHARE_MAX = 0.2
CHANGE_NOTES_MIN = 2_000
LOG_BYTES_MAX = 256 << 10
"""Every opening replays the log, about 2 ms for a changed note (5 kB)."""
GROWTH_MAX, GROWTH_BYTES_MAX = 4, 1 << 30
"""A checkpoint leaves holes: a file that has become so many times as large, and so many bytes larger, is made anew."""


def graph_is_current(space: Space, conn: sqlite3.Connection) -> bool:
    """Tells whether the graph holds what the catalog holds."""
    return _is_whole(space, conn) and catalog.get_meta(conn, _key(space)) == catalog.get_meta(conn, "generation")


def _is_whole(space: Space, conn: sqlite3.Connection) -> bool:
    """Tells whether the file is as it was left, with the log that belongs to it: without that, it is an older one."""
    log = catalog.get_meta(conn, f"{_key(space)}-log") or "0"
    return space.graph_path.is_file() and not dirty_mark(space).exists() and log == str(_log_bytes(space))


def project_changes(space: Space, conn: sqlite3.Connection, touched: Touched, now: datetime, progress: Progress = silent) -> None:
    """Brings the graph to the catalog's generation. The caller holds the lock. Raises: BrainError."""
    from brain.sync.embedding import forget_lost

    generation = int(catalog.get_meta(conn, "generation") or 0)
    is_next = catalog.get_meta(conn, _key(space)) == str(generation - 1)
    if not is_next or not _is_whole(space, conn) or not _has_room(space, conn) or _is_large(conn, touched) or _has_grown(space, conn):
        build_anew(space, conn, now, progress)
        return
    _put_dirty(space)
    forget_lost(space, conn)
    try:
        _change(space, conn, touched, now)
    except Locked:
        raise  # another program has the file open: nothing is wrong with it
    except BrainError:
        quarantine(space.graph_path)
        build_anew(space, conn, now, progress)
        return
    mark_current(space, conn)


def build_anew(space: Space, conn: sqlite3.Connection, now: datetime, progress: Progress = silent) -> None:
    """Makes the graph from the whole catalog. The caller holds the lock."""
    from brain.graph.rebuild import build_graph
    from brain.sync.embedding import forget_lost, vector_source

    _put_dirty(space)
    forget_lost(space, conn)
    with _snapshot(conn) as last_row:
        vectors = vector_source(space, conn)
        build_graph(
            conn, space.graph_path, space.engine, now=now, vectors=vectors, step=lambda name: progress(f"graph {name}", 0, 0)
        )
    catalog.set_meta(conn, f"{_key(space)}-dims", str(vectors.dims if vectors else 0))
    conn.execute("UPDATE vector SET in_graph=1 WHERE in_graph=0 AND row<=?", (last_row,))
    catalog.set_meta(conn, f"{_key(space)}-bytes", str(space.graph_path.stat().st_size))
    mark_current(space, conn)


def weigh(space: Space, conn: sqlite3.Connection, now: datetime) -> None:
    """Brings all weights in a graph that holds what the catalog holds to `now`. The caller holds the lock. Raises: BrainError."""
    from brain.graph.engine import open_graph
    from brain.graph.weigh import weigh_graph

    _put_dirty(space)
    try:
        with open_graph(space.graph_path, space.engine, pool_bytes=_pool_bytes(space), log_bytes_max=_log_bytes_max(space)) as graph:
            weigh_graph(graph, now)
    except Locked:
        raise  # another program has the file open: nothing is wrong with it
    except BrainError:
        quarantine(space.graph_path)
        build_anew(space, conn, now)
        return
    mark_current(space, conn)


@contextmanager
def _snapshot(conn: sqlite3.Connection) -> Iterator[int]:
    """Reads one state of the catalog throughout; yields the last row of the matrix in it.

    Vectors are added without the vault's lock, so they may come in while the graph is being made.
    """
    conn.execute("BEGIN")
    try:
        yield conn.execute("SELECT coalesce(max(row), -1) FROM vector").fetchone()[0]
    finally:
        conn.execute("COMMIT")


def mark_current(space: Space, conn: sqlite3.Connection) -> None:
    """Says that the graph is of the catalog's generation."""
    catalog.set_meta(conn, f"{_key(space)}-log", str(_log_bytes(space)))
    catalog.set_meta(conn, _key(space), catalog.get_meta(conn, "generation") or "0")
    dirty_mark(space).unlink(missing_ok=True)


def dirty_mark(space: Space) -> Path:
    """Returns the place of the mark that a graph write is under way or died."""
    return space.layout.index / f"dirty-{space.engine}"


def _change(space: Space, conn: sqlite3.Connection, touched: Touched, now: datetime) -> None:
    from brain.graph.change import change_graph
    from brain.graph.engine import open_graph
    from brain.sync.embedding import vector_source

    with _snapshot(conn), open_graph(space.graph_path, space.engine, pool_bytes=_pool_bytes(space), log_bytes_max=_log_bytes_max(space)) as graph:
        change_graph(
            graph, conn, now=now, nids=touched.nids, ends=touched.ends - touched.nids, gone_ids=touched.gone_ids, tokens=touched.tokens, chunks=touched.chunks,
            vectors=vector_source(space, conn),
        )  # fmt: skip


def _has_room(space: Space, conn: sqlite3.Connection) -> bool:
    """Tells whether the graph's column for vectors has their length; one that was made before the first vector has not."""
    from brain.sync.embedding import vector_store

    made_for, store = catalog.get_meta(conn, f"{_key(space)}-dims"), vector_store(space, conn)
    return made_for is None or store is None or made_for == str(store.dims)


def _pool_bytes(space: Space) -> int:
    """A checkpoint holds whole columns in memory: with less it fails, and the file has to be made anew (0.11.3)."""
    from brain.graph.engine import BUFFER_POOL_BYTES

    return BUFFER_POOL_BYTES + space.graph_path.stat().st_size


def _log_bytes_max(space: Space) -> int:
    from brain.graph.engine import KEEP_LOG

    return LOG_BYTES_MAX if space.engine in KEEP_LOG else 0


def _log_bytes(space: Space) -> int:
    log = log_of(space.graph_path)
    return log.stat().st_size if log.exists() else 0


def _has_grown(space: Space, conn: sqlite3.Connection) -> bool:
    made_with = int(catalog.get_meta(conn, f"{_key(space)}-bytes") or 0)
    size = space.graph_path.stat().st_size
    return bool(made_with) and size > GROWTH_MAX * made_with and size > GROWTH_BYTES_MAX + made_with


def _is_large(conn: sqlite3.Connection, touched: Touched) -> bool:
    """Past this share a fresh COPY is faster than changing what is there, and leaves a smaller file."""
    count = conn.execute("SELECT count(*) FROM note").fetchone()[0]
    return bool(len(touched.nids) > max(CHANGE_NOTES_MIN, CHANGE_SHARE_MAX * count))


def _put_dirty(space: Space) -> None:
    space.layout.index.mkdir(parents=True, exist_ok=True)
    dirty_mark(space).touch()


def _key(space: Space) -> str:
    return f"graph_generation_{space.engine}"
