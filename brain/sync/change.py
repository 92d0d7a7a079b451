"""What moved on disk since the catalog was written. Reads stat numbers and the catalog, no contents.

Files that could not be read as notes stay set aside while the reason is the same; `tried` opens them again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from brain.config import Config
from brain.sync.read import read_note
from brain.vault.scan import Scan, Seen, look

_COLUMNS = "path, nid, size, mtime_ns, ctime_ns, inode"
Row = tuple[int, int, int, int, int]
INODES_PER_QUERY = 10_000
"""A statement of SQLite takes 32,766 values at most."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Files by what happened to them. `altered` pairs the row id with the new numbers.

    `set_aside` are files that could not be read as notes the last time; `skipped` maps a path that is no
    note → why; `looked` are the paths that were looked at, None when all were.
    """

    added: tuple[Seen, ...] = ()
    altered: tuple[tuple[int, Seen], ...] = ()
    gone: tuple[tuple[int, str], ...] = ()
    skipped: dict[str, str] = field(default_factory=dict)
    set_aside: tuple[Seen, ...] = ()
    looked: frozenset[str] | None = None

    def __bool__(self) -> bool:
        return bool(self.added or self.altered or self.gone)

    @property
    def count(self) -> int:
        """To how many files something happened."""
        return len(self.added) + len(self.altered) + len(self.gone)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path to which something happened."""
        return (*(s.path for s in self.added), *(s.path for _, s in self.altered), *(path for _, path in self.gone))


def changes_of_scan(conn: sqlite3.Connection, scan: Scan) -> Changes:
    """Compares a whole scan with the catalog."""
    known: dict[str, Row] = {row[0]: row[1:] for row in conn.execute(f"SELECT {_COLUMNS} FROM note")}
    return _compared(known, _reasons(conn), scan.files, scan.skipped, None)


def changes_of_paths(conn: sqlite3.Connection, root: Path, config: Config, paths: Iterable[str]) -> Changes:
    """Compares only these paths with the catalog, and those of notes that could be at one of them now."""
    looked = set(paths)
    known: dict[str, Row] = {}
    for path in sorted(looked):
        known |= _known_at(conn, path)
    files = _looked_at(root, config, looked)
    for path, row in _same_files(conn, [seen for seen in files.values() if isinstance(seen, Seen) and seen.path not in known]).items():
        known[path] = row
    for path in known.keys() - files.keys():
        files |= _looked_at(root, config, [path])
    seen = sorted((found for found in files.values() if isinstance(found, Seen)), key=lambda one: one.path)
    skipped = {path: why for path, why in sorted(files.items()) if isinstance(why, str)}
    return _compared(known, _reasons(conn), seen, skipped, frozenset(files))


def tried(root: Path, config: Config, conn: sqlite3.Connection, changes: Changes) -> Changes:
    """Opens what was set aside: what can be read now is added, what cannot stays skipped with its reason."""
    reasons = _reasons(conn)
    added, skipped = list(changes.added), dict(changes.skipped)
    for seen in changes.set_aside:
        found = read_note(root, seen, config.limits)
        if isinstance(found, str) and found == reasons.get(seen.path):
            skipped[seen.path] = found
        else:
            added.append(seen)
    added.sort(key=lambda seen: seen.path)
    return replace(changes, added=tuple(added), skipped=skipped, set_aside=())


def is_recorded(conn: sqlite3.Connection, changes: Changes) -> bool:
    """Tells whether the catalog names what is skipped just so."""
    reasons = _reasons(conn)
    if changes.looked is not None:
        reasons = {path: why for path, why in reasons.items() if path in changes.looked}
    return reasons == changes.skipped


def record_skipped(conn: sqlite3.Connection, changes: Changes, unreadable: dict[str, str]) -> None:
    """Writes down what is skipped now, in place of what was of the paths that were looked at."""
    if changes.looked is None:
        conn.execute("DELETE FROM skipped")
    else:
        conn.executemany("DELETE FROM skipped WHERE path=?", [(path,) for path in sorted(changes.looked)])
    conn.executemany("INSERT OR REPLACE INTO skipped VALUES(?,?)", sorted({**changes.skipped, **unreadable}.items()))


def _compared(
    known: dict[str, Row], reasons: dict[str, str], files: Iterable[Seen], skipped: dict[str, str], looked: frozenset[str] | None
) -> Changes:
    """Sorts files by what happened; takes what is still there out of `known`, so that the rest is gone."""
    added: list[Seen] = []
    altered: list[tuple[int, Seen]] = []
    set_aside: list[Seen] = []
    for seen in files:
        row = known.pop(seen.path, None)
        if row is None:
            (set_aside if seen.path in reasons else added).append(seen)
        elif row[1:] != seen[1:]:
            altered.append((row[0], seen))
    gone = sorted((row[0], path) for path, row in known.items())
    return Changes(tuple(added), tuple(altered), tuple(gone), dict(skipped), tuple(set_aside), looked)


def _reasons(conn: sqlite3.Connection) -> dict[str, str]:
    return dict(conn.execute("SELECT path, why FROM skipped"))


def _known_at(conn: sqlite3.Connection, path: str) -> dict[str, Row]:
    """The note at a path, and the notes below it: what is no note now may have been a folder that is named like one."""
    query = f"SELECT {_COLUMNS} FROM note WHERE path=? OR (path>=? AND path<?)"
    return {row[0]: row[1:] for row in conn.execute(query, (path, f"{path}/", f"{path}0"))}


def _same_files(conn: sqlite3.Connection, fresh: list[Seen]) -> dict[str, Row]:
    """The notes that were the very files that are at new paths now."""
    inodes, found = sorted({seen.inode for seen in fresh}), dict[str, Row]()
    for start in range(0, len(inodes), INODES_PER_QUERY):
        part = inodes[start : start + INODES_PER_QUERY]
        query = f"SELECT {_COLUMNS} FROM note WHERE inode IN ({','.join('?' * len(part))})"
        found |= {row[0]: row[1:] for row in conn.execute(query, part)}
    return found


def _looked_at(root: Path, config: Config, paths: Iterable[str]) -> dict[str, Seen | str | None]:
    return {path: look(root, config, path) for path in paths}
