"""What matching knows of notes, read from the catalog: which can be matched, and their facts by row id. Reads only."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.core.matching.profile import Facts

NOTES_PER_QUERY = 500


@dataclass(frozen=True, slots=True)
class Row:
    """A note that can be matched. `mark` changes whenever it must be looked at anew."""

    nid: int
    id: str
    path: str
    mark: str


def live_rows(conn: sqlite3.Connection, *, left_out: Sequence[str]) -> list[Row]:
    """Returns the notes that may be one thing with another, by path: no episodes, nothing superseded, archived or damaged.

    `left_out` are notes that are generated, and folders of such. A note is looked at anew when its text changes, and when
    its first piece gets a vector.
    """
    rows = conn.execute(
        "SELECT n.nid, n.id, n.path, n.sha256, v.hash IS NOT NULL FROM note n"
        " LEFT JOIN chunk c ON c.nid=n.nid AND c.ordinal=0 LEFT JOIN vector v ON v.hash=c.hash"
        " WHERE n.kind<>'episode' AND n.status NOT IN ('superseded','archived') AND n.malformed=0 ORDER BY n.path"
    )
    folders = tuple(f"{folder}/" for folder in left_out)
    return [
        Row(nid, note_id, path, f"{sha256}{'+' if seen else ''}")
        for nid, note_id, path, sha256, seen in rows if path not in left_out and not path.startswith(folders)
    ]


def read_facts(conn: sqlite3.Connection, nids: Sequence[int]) -> Iterator[tuple[int, Facts]]:
    """Yields the facts of these notes, in the order of their row ids."""
    wanted = sorted(set(nids))
    for start in range(0, len(wanted), NOTES_PER_QUERY):
        part = wanted[start : start + NOTES_PER_QUERY]
        marks = ",".join("?" * len(part))
        aliases = _grouped(conn, f"SELECT nid, text FROM name WHERE how=2 AND nid IN ({marks}) ORDER BY nid, rowid", part)
        links: dict[int, list[tuple[str, str]]] = {}
        for nid, target, shown in conn.execute(_LINKS.format(marks), part):
            links.setdefault(nid, []).append((target, shown))
        apart = _grouped(conn, _APART.format(marks), part)
        rows = conn.execute(
            "SELECT n.nid, n.id, n.path, n.title, n.kind, n.type, n.properties, coalesce(d.body, '') FROM note n"
            f" LEFT JOIN text_doc d ON d.nid=n.nid WHERE n.nid IN ({marks}) ORDER BY n.nid", part,
        )  # fmt: skip
        for nid, note_id, path, title, kind, type_, properties, body in rows:
            yield nid, Facts(
                note_id, path, title, kind, type_, tuple(aliases.get(nid, ())), json.loads(properties), tuple(links.get(nid, ())), body, tuple(apart.get(nid, ())),
            )  # fmt: skip


_LINKS = (
    "SELECT l.nid, coalesce(t.id, l.key), coalesce(t.title, l.target) FROM link l LEFT JOIN note t ON t.nid=l.target_nid"
    " WHERE l.status IN ('resolved','broken','ambiguous') AND coalesce(l.relation,'') NOT IN ('distinct_from','superseded_by') AND l.nid IN ({})"
)

_APART = "SELECT l.nid, coalesce(t.id, l.target) FROM link l LEFT JOIN note t ON t.nid=l.target_nid WHERE l.relation='distinct_from' AND l.nid IN ({})"


def _grouped(conn: sqlite3.Connection, sql: str, values: Sequence[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for nid, text in conn.execute(sql, values):
        found.setdefault(nid, []).append(text)
    return found
