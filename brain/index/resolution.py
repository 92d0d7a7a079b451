"""Link resolution over the catalog: which note a target means, by the rules of `vault.links`.

For a change only the names that the links in question look up are loaded; for a rebuild all of them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable

from brain.vault.links import NameRow, NameTable, resolve

Resolver = Callable[[str, str, str], tuple[str, int | None]]
_KEYS_PER_QUERY = 10_000


def resolver_for(conn: sqlite3.Connection, keys: Iterable[str] | None) -> Resolver:
    """Returns `(source path, target, form) → (status, row id)`; `keys` None loads every name."""
    table = NameTable(_rows(conn, None if keys is None else sorted(set(keys))))

    known: dict[tuple[str, str, str], tuple[str, int | None]] = {}

    def resolved(source: str, target: str, form: str) -> tuple[str, int | None]:
        # Of its source a link depends on the folder alone, and most targets are linked many times from one folder.
        key = (source.rpartition("/")[0], target, form)
        answer = known.get(key)
        if answer is None:
            found = resolve(table, source, target, form)
            answer = known[key] = (found.status, found.nid)
        return answer

    return resolved


def candidates_of(conn: sqlite3.Connection, source: str, target: str, form: str, key: str) -> tuple[str, ...]:
    """Returns the paths of the notes that an ambiguous link could mean, sorted."""
    table = NameTable(_rows(conn, [key]))
    nids = resolve(table, source, target, form).candidates
    marks = ",".join("?" * len(nids))
    return tuple(row[0] for row in conn.execute(f"SELECT path FROM note WHERE nid IN ({marks}) ORDER BY path", list(nids)))


def _rows(conn: sqlite3.Connection, keys: list[str] | None) -> list[NameRow]:
    if keys is None:
        aliases: dict[int, list[str]] = {}
        for nid, text in conn.execute("SELECT nid, text FROM name WHERE how=2 ORDER BY nid, rowid"):
            aliases.setdefault(nid, []).append(text)
        notes = conn.execute("SELECT nid, path, status FROM note ORDER BY nid")
        return [NameRow(nid, path, tuple(aliases.get(nid, ())), status) for nid, path, status in notes]
    found: dict[int, NameRow] = {}
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        part = keys[start : start + _KEYS_PER_QUERY]
        rows = conn.execute(
            "SELECT n.nid, n.path, n.status, (SELECT json_group_array(text) FROM name a WHERE a.nid=n.nid AND a.how=2)"
            f" FROM note n WHERE n.nid IN (SELECT nid FROM name WHERE key IN ({','.join('?' * len(part))}))",
            part,
        )
        for nid, path, status, texts in rows:
            found[nid] = NameRow(nid, path, tuple(json.loads(texts)), status)
    return [found[nid] for nid in sorted(found)]
