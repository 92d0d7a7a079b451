"""`.brain/index/text.sqlite`: the catalog of what was read, and the full-text tables beside it.

The catalog is derived from the notes and the journal, never a source. The graph is projected from it
(`graph.project`), so an incremental change and a rebuild run through the same rows.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from brain.errors import IndexBroken

SCHEMA_VERSION = 3
BUSY_WAIT_MS = 10_000

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE note(
  nid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  base_id TEXT NOT NULL,
  declared_id TEXT,
  path TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL,
  stem TEXT NOT NULL,
  size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  title TEXT NOT NULL,
  type TEXT, kind TEXT NOT NULL, status TEXT NOT NULL,
  importance REAL NOT NULL, confidence TEXT,
  created TEXT, confirmed TEXT, dated TEXT, happens TEXT,
  half_life_days REAL, pinned INTEGER NOT NULL DEFAULT 0, malformed INTEGER NOT NULL DEFAULT 0,
  superseded_by TEXT,
  properties TEXT NOT NULL
);
CREATE TABLE name(nid INTEGER NOT NULL, key TEXT NOT NULL, how INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE tag(nid INTEGER NOT NULL, tag TEXT NOT NULL);
CREATE TABLE link(
  nid INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  key TEXT NOT NULL, raw TEXT NOT NULL, target TEXT NOT NULL, anchor TEXT, alias TEXT,
  form TEXT NOT NULL, place TEXT NOT NULL, line INTEGER NOT NULL,
  relation TEXT, edge_type TEXT, reason TEXT, valid_from TEXT, valid_to TEXT,
  status TEXT NOT NULL, target_nid INTEGER,
  PRIMARY KEY(nid, ordinal)
) WITHOUT ROWID;
CREATE TABLE atom(
  nid INTEGER NOT NULL, ordinal INTEGER NOT NULL, id TEXT NOT NULL, declared_id TEXT, derived_id TEXT NOT NULL,
  text TEXT NOT NULL, kind TEXT NOT NULL, confidence TEXT, status TEXT NOT NULL,
  superseded_by TEXT, superseded_on TEXT, valid_from TEXT, valid_to TEXT, sources TEXT NOT NULL, line INTEGER NOT NULL, happens TEXT,
  PRIMARY KEY(nid, ordinal)
) WITHOUT ROWID;
CREATE TABLE finding(nid INTEGER NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL, line INTEGER NOT NULL, message TEXT NOT NULL, cure TEXT NOT NULL);
CREATE TABLE chunk(nid INTEGER NOT NULL, ordinal INTEGER NOT NULL, hash TEXT NOT NULL, heading TEXT, line INTEGER NOT NULL, PRIMARY KEY(nid, ordinal)) WITHOUT ROWID;
CREATE TABLE vector(row INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, in_graph INTEGER NOT NULL DEFAULT 0);
CREATE TABLE token(nid INTEGER NOT NULL, token TEXT NOT NULL);
CREATE TABLE skipped(path TEXT PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE journal_file(path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, numbers TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE touch(id TEXT PRIMARY KEY, at TEXT, above1 TEXT, above2 TEXT, above3 TEXT) WITHOUT ROWID;
CREATE TABLE folder_half_life(folder TEXT PRIMARY KEY, days REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE recorded(
  item TEXT PRIMARY KEY, at TEXT NOT NULL, last TEXT NOT NULL, source TEXT, relation TEXT, target TEXT
) WITHOUT ROWID;
CREATE TABLE moved(ordinal INTEGER PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, id TEXT NOT NULL);
"""

INDEXES = """
CREATE INDEX name_key ON name(key);
CREATE INDEX name_nid ON name(nid);
CREATE INDEX tag_nid ON tag(nid);
CREATE INDEX tag_tag ON tag(tag);
CREATE INDEX link_key ON link(key);
CREATE INDEX link_target ON link(target_nid);
CREATE INDEX atom_id ON atom(id);
CREATE INDEX atom_declared ON atom(declared_id) WHERE declared_id IS NOT NULL;
CREATE INDEX atom_twin ON atom(nid) WHERE id<>derived_id AND id<>ifnull(declared_id, derived_id);
CREATE INDEX atom_superseded ON atom(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX note_base ON note(base_id);
CREATE INDEX note_twin ON note(path) WHERE id<>base_id;
CREATE INDEX note_seen ON note(path, size, mtime_ns, ctime_ns, inode);
CREATE INDEX recorded_target ON recorded(target) WHERE target IS NOT NULL;
CREATE INDEX vector_waiting ON vector(in_graph) WHERE in_graph=0;
CREATE INDEX finding_nid ON finding(nid);
CREATE INDEX chunk_hash ON chunk(hash);
CREATE INDEX token_nid ON token(nid);
CREATE INDEX token_token ON token(token);
"""
"""Made after a bulk load: keeping them up row by row would double its time.

`note_seen` has all that a sync compares with the files, so that it need not read the wide table.
"""


def connect(path: Path) -> sqlite3.Connection:
    """Opens the database in WAL mode, creating the schema in a new file.

    Raises: IndexBroken when the file is not a database of this version.
    """
    is_writable = not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    conn = _opened(path, is_writable=is_writable)
    try:
        if is_writable:
            conn.execute("PRAGMA journal_mode=WAL")
        conn.execute("PRAGMA synchronous=NORMAL")
        conn.execute("PRAGMA temp_store=MEMORY")
        conn.execute("PRAGMA cache_size=-65536")
        conn.execute("PRAGMA mmap_size=1073741824")
        version = conn.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        conn.close()
        raise IndexBroken(f"{path} is not a usable index ({error}).") from error
    if version not in (0, SCHEMA_VERSION):
        conn.close()
        raise IndexBroken(f"{path} was written by another version (schema {version}, this one has {SCHEMA_VERSION}).")
    return conn


def _opened(path: Path, *, is_writable: bool) -> sqlite3.Connection:
    wait_s = BUSY_WAIT_MS / 1000
    if is_writable:
        path.parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(path, timeout=wait_s, isolation_level=None, check_same_thread=False)
    # WAL wants files beside the database even for reading; where none can be made nobody writes either.
    is_whole = not path.with_name(f"{path.name}-wal").exists()
    uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_whole else ''}"
    return sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None, check_same_thread=False)


@contextmanager
def transaction(conn: sqlite3.Connection) -> Iterator[None]:
    """Commits what runs inside when it ends well; else none of it is in the database."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise
    conn.execute("COMMIT")
