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

from brain.core.decay import weight_at
from brain.core.note import Json
from brain.graph.engine import Graph
from brain.graph.reader import GraphReader
from brain.sync.space import Space

NODES: dict[str, tuple[str, ...]] = {
    "Note": (
        "id", "path", "title", "folder", "type", "kind", "status", "importance", "confidence", "created", "confirmed",
        "touched", "half_life_days", "pinned", "aliases", "tags", "properties", "sha256",
    ),
    "Atom": (
        "id", "text", "kind", "confidence", "claimed_confidence", "status", "recorded", "valid_from", "valid_to",
        "superseded_on", "importance", "touched", "half_life_days", "pinned", "line",
    ),
    "Chunk": ("id", "model"),
    "Token": ("token", "df"),
}  # fmt: skip
RELATIONSHIPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "EDGE": ("Note", "Note", (
        "type", "raw", "weight", "count", "reason", "confidence", "origin", "valid_from", "valid_to", "last_reinforced", "lines",
    )),
    "LINKS": ("Note", "Note", ("raw", "anchor", "alias", "form", "place", "relation", "line")),
    "FORWARDS": ("Note", "Note", ()),
    "DISTINCT_FROM": ("Note", "Note", ()),
    "ABOUT": ("Atom", "Note", ("ordinal",)),
    "FROM": ("Atom", "Note", ()),
    "MENTIONS": ("Atom", "Note", ()),
    "REPLACES": ("Atom", "Atom", ()),
    "NAMED": ("Note", "Token", ()),
    "EMBEDS": ("Chunk", "Note", ("ordinal", "heading", "line")),
}  # fmt: skip
WEIGHED = ("Note", "Atom")


def export_lines(space: Space, now: datetime) -> Iterator[str]:
    """Yields one JSON object a line, without the newline. Raises: NotFound, Locked, BrainError."""
    with GraphReader(space).session() as graph:
        for table in sorted(NODES):
            yield from _nodes(graph, table, now)
        for table in sorted(RELATIONSHIPS):
            yield from _relationships(graph, table)


def _nodes(graph: Graph, table: str, now: datetime) -> Iterator[str]:
    fields = ", ".join(f"n.`{name}` AS `{name}`" for name in NODES[table])
    for row in graph.execute(f"MATCH (n:`{table}`) RETURN {fields} ORDER BY n.`{NODES[table][0]}`"):
        values = {name: _plain(value) for name, value in row.items()}
        if table in WEIGHED:
            values["weight"] = _weight(row, now)
        yield _line({"node": table, **values})


def _relationships(graph: Graph, table: str) -> Iterator[str]:
    source, target, columns = RELATIONSHIPS[table]
    fields = "".join(f", e.`{name}` AS `{name}`" for name in columns)
    query = f"MATCH (a:`{source}`)-[e:`{table}`]->(b:`{target}`) RETURN a.`{_key(source)}` AS `from`, b.`{_key(target)}` AS `to`{fields}"
    lines = [_line({"edge": table, **{name: _plain(value) for name, value in row.items()}}) for row in graph.execute(query)]
    yield from sorted(lines)


def _weight(row: dict[str, Any], now: datetime) -> float:
    half_life = row["half_life_days"]
    touched = row["touched"].replace(tzinfo=UTC)
    weight = weight_at(
        now, touched, half_life=math.inf if half_life is None else half_life, importance=row["importance"], pinned=row["pinned"]
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


def _key(table: str) -> str:
    return NODES[table][0]


def _line(values: dict[str, Json]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)
