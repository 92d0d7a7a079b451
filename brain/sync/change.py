"""What moved on disk since the catalog was written. Reads stat numbers and the catalog, no contents."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from brain.config import Config
from brain.vault.scan import Scan, Seen, look


@dataclass(frozen=True, slots=True)
class Changes:
    """Files by what happened to them. `altered` pairs the row id with the new numbers."""

    added: tuple[Seen, ...] = ()
    altered: tuple[tuple[int, Seen], ...] = ()
    gone: tuple[tuple[int, str], ...] = ()
    skipped: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.altered or self.gone)


def changes_of_scan(conn: sqlite3.Connection, scan: Scan) -> Changes:
    """Compares a whole scan with the catalog."""
    known = {row[0]: row[1:] for row in conn.execute("SELECT path, nid, size, mtime_ns, ctime_ns, inode FROM note")}
    added, altered = [], []
    for seen in scan.files:
        row = known.pop(seen.path, None)
        if row is None:
            added.append(seen)
        elif row[1:] != (seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode):
            altered.append((row[0], seen))
    gone = sorted((row[0], path) for path, row in known.items())
    return Changes(tuple(added), tuple(altered), tuple(gone), scan.skipped)


def changes_of_paths(conn: sqlite3.Connection, root: Path, config: Config, paths: Iterable[str]) -> Changes:
    """Compares only these paths with the catalog."""
    added, altered, gone, skipped = [], [], [], {}
    for path in sorted(set(paths)):
        row = conn.execute("SELECT nid, size, mtime_ns, ctime_ns, inode FROM note WHERE path=?", (path,)).fetchone()
        seen = look(root, config, path)
        if isinstance(seen, str):
            skipped[path] = seen
        if isinstance(seen, Seen) and row is None:
            added.append(seen)
        elif isinstance(seen, Seen) and row[1:] != (seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode):
            altered.append((row[0], seen))
        elif not isinstance(seen, Seen) and row is not None:
            gone.append((row[0], path))
    return Changes(tuple(added), tuple(altered), tuple(gone), skipped)
