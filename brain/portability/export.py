"""The graph as canonical JSON lines: nodes, then relationships, each sorted; equal graphs give equal bytes.

Weights are taken at `now`, not as they lie in the graph, so that when a note was last projected does not
show. Vectors are left out (a chunk's id names its text and model); so are row numbers and file times.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from brain.core.decay import edge_weight, weight_at
from brain.core.note import Json
from brain.graph.engine import Graph
from brain.graph.project import COLUMNS, ENDS, KEYS, NODE_TABLES
from brain.graph.reader import GraphReader
from brain.portability.rows import pages, ranges, sorted_lines
from brain.sync.space import Space

UNTOLD = ("weight", "weight_at")
"""Of a node: its weight is taken at the moment of the export."""
NODES: dict[str, tuple[str, ...]] = {
    **{table: tuple(name for name, _ in COLUMNS[table] if name not in UNTOLD) for table in NODE_TABLES},
    "Chunk": ("id", "model"),
}
RELATIONSHIPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    table: (source, target, tuple(name for name, _ in COLUMNS.get(table, ()))) for table, (source, target) in ENDS.items()
}
WEIGHED = ("Note", "Atom")
LEAN = ("Note", "Atom")
"""The nodes of a lean export: what was found in their words to search by is left out."""


def export_lines(space: Space, now: datetime, *, lean: bool = False) -> Iterator[str]:
    """Yields one JSON object a line, without the newline. Raises: NotFound, Locked, BrainError."""
    nodes = [table for table in sorted(NODES) if not lean or table in LEAN]
    with GraphReader(space).session() as graph:
        for table in nodes:
            yield from _nodes(graph, table, now)
        for table in sorted(RELATIONSHIPS):
            if set(RELATIONSHIPS[table][:2]) <= set(nodes):
                yield from sorted_lines(_relationships(graph, table, now))


def export_rows(space: Space, now: datetime, *, lean: bool = False) -> Iterator[dict[str, Json]]:
    """Yields what the lines say: nodes as `node`, relationships as `edge`."""
    return map(json.loads, export_lines(space, now, lean=lean))


def _nodes(graph: Graph, table: str, now: datetime) -> Iterator[str]:
    fields = "".join(f", n.`{name}` AS `{name}`" for name in NODES[table])
    for row in (row for page in pages(graph, table, fields) for row in page):
        values = {name: _plain(row[name]) for name in NODES[table]}
        if table in WEIGHED:
            values["weight"] = _weight(row, now)
        yield _line({"node": table, **values})


def _relationships(graph: Graph, table: str, now: datetime) -> Iterator[str]:
    source, target, columns = RELATIONSHIPS[table]
    key = KEYS[source]
    fields = "".join(f", e.`{name}` AS `{name}`" for name in columns)
    query = (
        f"MATCH (a:`{source}`)-[e:`{table}`]->(b:`{target}`) WHERE a.`{key}` > $low AND a.`{key}` <= $high"
        f" RETURN a.`{key}` AS `from`, b.`{KEYS[target]}` AS `to`{fields}"
    )
    for bounds in ranges(graph, source):
        for row in graph.execute(query, bounds):
            if table == "EDGE":
                row["weight"] = round(edge_weight(now, row["last_reinforced"], count=row["count"], relation=row["type"]), 9)
            yield _line({"edge": table, **{name: _plain(value) for name, value in row.items()}})


def _weight(row: dict[str, Any], now: datetime) -> float:
    half_life = row["half_life_days"]
    touched = row["touched"].replace(tzinfo=UTC)
    weight = weight_at(
        now, touched, half_life=math.inf if half_life is None else half_life, importance=row["importance"], base=row["base"],
        pinned=row["pinned"],
    )
    return round(weight, 9)


def _plain(value: Any) -> Json:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be exported")


def _line(values: dict[str, Json]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)
