"""The projection: rows of the catalog → rows of the graph, table by table. Reads SQLite, writes nothing.

One function for a rebuild and for a change: `scope` None means every note, else only the rows that
belong to the notes in the temporary table `scope`. What belongs to a note: its node, its atoms, and
every relationship that starts in it or in its atoms.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from brain.core.dates import instant_of
from brain.core.decay import edge_weight
from brain.graph.clocks import COLUMNS as CLOCK
from brain.graph.clocks import JOIN, Clock

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Projection:
    """Where rows come from and the instant weights are taken at (aware, UTC)."""

    conn: sqlite3.Connection
    now: datetime
    scoped: bool = False

    def scope(self, column: str) -> str:
        """Returns the WHERE part that keeps the notes in scope."""
        return f" AND {column} IN (SELECT nid FROM temp.scope)" if self.scoped else ""


def set_scope(conn: sqlite3.Connection, nids: set[int]) -> None:
    """Fills the temporary table `scope`."""
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS scope(nid INTEGER PRIMARY KEY)")
    conn.execute("DELETE FROM temp.scope")
    conn.executemany("INSERT OR IGNORE INTO temp.scope VALUES(?)", [(nid,) for nid in sorted(nids)])


def notes(p: Projection) -> Iterator[Row]:
    """Rows of `Note`."""
    tags = _grouped(p, "SELECT nid, tag FROM tag WHERE 1" + p.scope("nid") + " ORDER BY nid, rowid")
    aliases = _grouped(p, "SELECT nid, text FROM name WHERE how=2" + p.scope("nid") + " ORDER BY nid, rowid")
    rows = p.conn.execute(
        "SELECT n.nid, n.id, n.path, n.title, n.folder, n.type, n.kind, n.status, n.importance, n.confidence, n.created, n.confirmed,"
        f" n.properties, n.sha256, {CLOCK} FROM note n {JOIN} WHERE 1"
        + p.scope("n.nid") + " ORDER BY n.nid"
    )  # fmt: skip
    for (nid, note_id, path, title, folder, kind_word, kind, status, importance, confidence, created, confirmed,
         properties, sha256, *clock) in rows:  # fmt: skip
        fading = Clock(*clock).fading()
        yield (
            note_id, path, title, folder, kind_word, kind, status, importance, confidence, _date(created), _date(confirmed),
            _naive(fading.touched), fading.base, fading.weight(p.now), _naive(p.now), _finite(fading.half_life), fading.pinned,
            aliases.get(nid, []), tags.get(nid, []), properties, sha256,
        )  # fmt: skip


def atoms(p: Projection) -> Iterator[Row]:
    """Rows of `Atom`. An atom fades by its own kind and its note's importance."""
    rows = p.conn.execute(
        "SELECT a.id, a.text, a.kind, a.confidence, a.status, r.at, r.last, a.valid_from, a.valid_to, a.superseded_on, a.happens,"
        f" a.line, {CLOCK} FROM atom a JOIN note n USING(nid) {JOIN} LEFT JOIN recorded r ON r.item=a.id WHERE 1"
        + p.scope("a.nid") + " ORDER BY a.nid, a.ordinal"
    )  # fmt: skip
    for (atom_id, text, kind, confidence, status, recorded, last, valid_from, valid_to, superseded_on, happens, line,
         *clock) in rows:  # fmt: skip
        fading = Clock(*clock).fading_of_atom(kind, valid_from, happens, last)
        yield (
            atom_id, text, kind, confidence, confidence, status, _moment(recorded), _date(valid_from), _date(valid_to),
            _date(superseded_on), fading.importance, _naive(fading.touched), fading.base, fading.weight(p.now), _naive(p.now),
            _finite(fading.half_life), fading.pinned, line,
        )  # fmt: skip


def edges(p: Projection) -> Iterator[Row]:
    """Rows of `EDGE`: one per (source, type, target), however often it is written."""
    rows = p.conn.execute(
        f"SELECT s.id, l.edge_type, t.id, l.relation, l.reason, l.valid_from, l.valid_to, l.line, {_STATED} FROM link l"
        " JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND l.edge_type IS NOT NULL AND l.nid<>l.target_nid" + p.scope("l.nid")
        + " ORDER BY l.nid, l.edge_type, l.target_nid, l.ordinal"
    )  # fmt: skip
    for (source, kind, target), group in groupby(rows, key=lambda row: row[:3]):
        places = list(group)
        reason = next((row[4] for row in places if row[4]), None)
        valid_from = next((row[5] for row in places if row[5]), None)
        valid_to = next((row[6] for row in places if row[6]), None)
        lines = [row[7] for row in places]
        stated = _last_stated(places)
        yield (
            source, target, kind, places[0][3], edge_weight(p.now, stated, count=len(places), relation=kind), len(places), reason,
            "verified", "note", _date(valid_from), _date(valid_to), stated, lines,
        )  # fmt: skip


def links(p: Projection) -> Iterator[Row]:
    """Rows of `LINKS`: every resolved link that is no typed edge and no system relation."""
    yield from p.conn.execute(
        "SELECT s.id, t.id, l.raw, l.anchor, l.alias, l.form, l.place, l.relation, l.line FROM link l"
        " JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND l.edge_type IS NULL"
        " AND COALESCE(l.relation,'') NOT IN ('superseded_by','distinct_from')" + p.scope("l.nid") + " ORDER BY l.nid, l.ordinal"
    )


def forwards(p: Projection) -> Iterator[Row]:
    """Rows of `FORWARDS`: a superseded note → its successor."""
    yield from _system_edges(p, "superseded_by")


def distinct(p: Projection) -> Iterator[Row]:
    """Rows of `DISTINCT_FROM`: two notes a person keeps apart."""
    yield from _system_edges(p, "distinct_from")


def about(p: Projection) -> Iterator[Row]:
    """Rows of `ABOUT`: an atom → the note it stands in."""
    yield from p.conn.execute(
        "SELECT a.id, n.id, a.ordinal FROM atom a JOIN note n USING(nid) WHERE 1" + p.scope("a.nid") + " ORDER BY a.nid, a.ordinal"
    )


def from_episode(p: Projection) -> Iterator[Row]:
    """Rows of `FROM`: an atom → the episodes it names as its source."""
    yield from _atom_links(p, is_source=True)


def mentions(p: Projection) -> Iterator[Row]:
    """Rows of `MENTIONS`: an atom → the notes its text links, sources aside."""
    yield from _atom_links(p, is_source=False)


def replaces(p: Projection) -> Iterator[Row]:
    """Rows of `REPLACES`: the later atom → the one it superseded. In scope when either end is."""
    where = " AND (x.nid IN (SELECT nid FROM temp.scope) OR y.nid IN (SELECT nid FROM temp.scope))" if p.scoped else ""
    yield from p.conn.execute(
        "SELECT DISTINCT y.id, x.id FROM atom x JOIN atom y ON y.id=x.superseded_by WHERE x.id<>y.id" + where + " ORDER BY 1, 2"
    )


def named(p: Projection) -> Iterator[Row]:
    """Rows of `NAMED`: a note → each token of its names."""
    yield from p.conn.execute(
        "SELECT DISTINCT n.id, t.token FROM token t JOIN note n USING(nid) WHERE 1" + p.scope("t.nid") + " ORDER BY t.nid, t.token"
    )


def tokens(p: Projection) -> Iterator[Row]:
    """Rows of `Token` with its document frequency over the whole vault."""
    where = " WHERE token IN (SELECT token FROM temp.token_scope)" if p.scoped else ""
    yield from p.conn.execute("SELECT token, count(DISTINCT nid) FROM token" + where + " GROUP BY token ORDER BY token")


def embeds(p: Projection) -> Iterator[Row]:
    """Rows of `EMBEDS`: a chunk that has a vector → each note it stands in."""
    yield from p.conn.execute(
        "SELECT c.hash, n.id, c.ordinal, c.heading, c.line FROM chunk c JOIN note n USING(nid) JOIN vector v USING(hash) WHERE 1"
        + p.scope("c.nid") + " ORDER BY c.nid, c.ordinal"
    )  # fmt: skip


_STATED = (
    "s.confirmed, s.created, s.dated, s.mtime_ns,"
    " (SELECT max(r.last) FROM recorded r WHERE r.item>=s.path||'|'||l.edge_type||'|' AND r.item<s.path||'|'||l.edge_type||'}')"
)
"""What says when a relation was last stated; `}` is what follows `|`, so that the range is of one note and relation."""


def _last_stated(places: list[Row]) -> date:
    """Returns the last day on which a stage wrote such a relation, the relation or its note states, else that of the file."""
    confirmed, created, dated, mtime_ns, recorded = places[0][8:]
    known = [_date(day[:10]) for day in (confirmed, created, dated, recorded, *(row[5] for row in places)) if day]
    return max((day for day in known if day), default=datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC).date())


def _system_edges(p: Projection, relation: str) -> Iterator[Row]:
    yield from p.conn.execute(
        "SELECT DISTINCT s.id, t.id FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND l.place='property' AND l.relation=? AND l.nid<>l.target_nid" + p.scope("l.nid")
        + " ORDER BY 1, 2",
        (relation,),
    )  # fmt: skip


def _atom_links(p: Projection, *, is_source: bool) -> Iterator[Row]:
    """Links that stand on an atom's line, split by whether the atom names them as its source."""
    rows = p.conn.execute(
        "SELECT DISTINCT a.id, t.id, a.sources, l.target FROM atom a JOIN link l ON l.nid=a.nid AND l.line=a.line AND l.place='body'"
        " JOIN note t ON t.nid=l.target_nid WHERE l.status='resolved'" + p.scope("a.nid") + " ORDER BY a.nid, a.ordinal, l.ordinal"
    )
    seen: set[tuple[str, str]] = set()
    for atom_id, target_id, sources, target in rows:
        if (target in json.loads(sources)) is is_source and (atom_id, target_id) not in seen:
            seen.add((atom_id, target_id))
            yield atom_id, target_id


def _grouped(p: Projection, sql: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for nid, value in p.conn.execute(sql):
        found.setdefault(nid, []).append(value)
    return found


def _date(text: str | None) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _moment(text: str | None) -> datetime | None:
    moment = instant_of(text) if text else None
    return _naive(moment) if moment else None


def _finite(half_life: float) -> float | None:
    """Returns None for what does not fade: NULL in the graph, since JSON and SQL have no infinity."""
    return None if math.isinf(half_life) else half_life


def _naive(moment: datetime) -> datetime:
    """The engine drops a zone instead of converting it (0.11.3), so instants go in as naive UTC."""
    return moment.astimezone(UTC).replace(tzinfo=None)


NODE_TABLES: dict[str, Callable[[Projection], Iterator[Row]]] = {"Note": notes, "Atom": atoms, "Token": tokens}
EDGE_TABLES: dict[str, Callable[[Projection], Iterator[Row]]] = {
    "EDGE": edges, "LINKS": links, "FORWARDS": forwards, "DISTINCT_FROM": distinct, "ABOUT": about, "FROM": from_episode,
    "MENTIONS": mentions, "REPLACES": replaces, "NAMED": named, "EMBEDS": embeds,
}  # fmt: skip


ENDS: dict[str, tuple[str, str]] = {
    "EDGE": ("Note", "Note"), "LINKS": ("Note", "Note"), "FORWARDS": ("Note", "Note"), "DISTINCT_FROM": ("Note", "Note"),
    "ABOUT": ("Atom", "Note"), "FROM": ("Atom", "Note"), "MENTIONS": ("Atom", "Note"), "REPLACES": ("Atom", "Atom"),
    "NAMED": ("Note", "Token"), "EMBEDS": ("Chunk", "Note"),
}  # fmt: skip
"""The node tables that each relationship table joins."""
KEYS = {"Note": "id", "Atom": "id", "Chunk": "id", "Token": "token"}
COLUMNS: dict[str, tuple[tuple[str, str], ...]] = {
    "Note": (
        ("id", "STRING"), ("path", "STRING"), ("title", "STRING"), ("folder", "STRING"), ("type", "STRING"), ("kind", "STRING"),
        ("status", "STRING"), ("importance", "DOUBLE"), ("confidence", "STRING"), ("created", "DATE"), ("confirmed", "DATE"),
        ("touched", "TIMESTAMP"), ("base", "DOUBLE"), ("weight", "DOUBLE"), ("weight_at", "TIMESTAMP"), ("half_life_days", "DOUBLE"), ("pinned", "BOOL"),
        ("aliases", "STRING[]"), ("tags", "STRING[]"), ("properties", "STRING"), ("sha256", "STRING"),
    ),
    "Atom": (
        ("id", "STRING"), ("text", "STRING"), ("kind", "STRING"), ("confidence", "STRING"), ("claimed_confidence", "STRING"),
        ("status", "STRING"), ("recorded", "TIMESTAMP"), ("valid_from", "DATE"), ("valid_to", "DATE"), ("superseded_on", "DATE"),
        ("importance", "DOUBLE"), ("touched", "TIMESTAMP"), ("base", "DOUBLE"), ("weight", "DOUBLE"), ("weight_at", "TIMESTAMP"),
        ("half_life_days", "DOUBLE"), ("pinned", "BOOL"), ("line", "INT64"),
    ),
    "Token": (("token", "STRING"), ("df", "INT64")),
    "EDGE": (
        ("type", "STRING"), ("raw", "STRING"), ("weight", "DOUBLE"), ("count", "INT64"), ("reason", "STRING"),
        ("confidence", "STRING"), ("origin", "STRING"), ("valid_from", "DATE"), ("valid_to", "DATE"), ("last_reinforced", "DATE"),
        ("lines", "INT64[]"),
    ),
    "LINKS": (
        ("raw", "STRING"), ("anchor", "STRING"), ("alias", "STRING"), ("form", "STRING"), ("place", "STRING"),
        ("relation", "STRING"), ("line", "INT64"),
    ),
    "ABOUT": (("ordinal", "INT64"),),
    "EMBEDS": (("ordinal", "INT64"), ("heading", "STRING"), ("line", "INT64")),
}  # fmt: skip
"""The columns of each table with the engine's types, in the order of the schema and of the rows; a relationship's ends come first."""


def columns_of(table: str) -> tuple[tuple[str, str], ...]:
    """Returns the names and types of a table's rows, `from` and `to` of a relationship with them."""
    ends = (("from", "STRING"), ("to", "STRING")) if table in ENDS else ()
    return (*ends, *COLUMNS.get(table, ()))


def arrow_schema(table: str) -> pa.Schema:
    """Returns the Arrow schema of a table's rows; COPY takes columns by place, so the order is the schema's."""
    import pyarrow as pa

    types: dict[str, pa.DataType] = {
        "STRING": pa.string(), "DOUBLE": pa.float64(), "INT64": pa.int64(), "BOOL": pa.bool_(), "DATE": pa.date32(),
        "TIMESTAMP": pa.timestamp("us"), "STRING[]": pa.list_(pa.string()), "INT64[]": pa.list_(pa.int64()),
    }  # fmt: skip
    return pa.schema([(name, types[kind]) for name, kind in columns_of(table)])
