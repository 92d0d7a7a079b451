"""The graph as a Cypher script that makes it anew in an empty database of Kuzu or of its fork. Pure: rows in, text out.

One statement a line. Every value is a literal whose quoting leaves nothing of a title that could end it: quote and
backslash are escaped, and so is every line break, since the engine's own clients read statements by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from brain.core.note import Json
from brain.graph.project import COLUMNS, ENDS, KEYS

_SCHEMA = Path(__file__).parents[1] / "graph" / "schema.cypher"
_COMMENT, _VECTOR = re.compile(r"(?m)^//.*$"), re.compile(r",\s*vector FLOAT\[\$dims\]")
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_TYPES: dict[str, dict[str, str]] = {table: dict(columns) for table, columns in COLUMNS.items()}


def script_lines(rows: Iterable[Mapping[str, Json]]) -> Iterator[str]:
    """Yields the statements: the tables, then the nodes, then the relationships, as the rows come."""
    yield from _tables()
    for row in rows:
        yield _node(row) if "node" in row else _edge(row)


def literal(value: Json, kind: str = "STRING") -> str:
    """Returns a value as a Cypher literal of one of the engine's types."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        inner = ", ".join(literal(item, kind.removesuffix("[]")) for item in value)
        return f"[{inner}]" if value else f"CAST([] AS {kind})"
    if isinstance(value, str):
        text = f"'{value.translate(_ESCAPES)}'"
        return f"date({text})" if kind == "DATE" else f"timestamp({text})" if kind == "TIMESTAMP" else text
    return repr(float(value)) if kind == "DOUBLE" and isinstance(value, int | float) else str(value)


def _tables() -> Iterator[str]:
    text = _VECTOR.sub("", _COMMENT.sub("", _SCHEMA.read_text("utf-8")))
    for statement in text.split(";"):
        if words := " ".join(statement.split()):
            yield f"{words};"


def _node(row: Mapping[str, Json]) -> str:
    table = str(row["node"])
    return f"CREATE (:`{table}` {_map(table, row, 'node')});"


def _edge(row: Mapping[str, Json]) -> str:
    table = str(row["edge"])
    source, target = ENDS[table]
    ends = f"(a:`{source}` {{`{KEYS[source]}`: {literal(row['from'])}}}), (b:`{target}` {{`{KEYS[target]}`: {literal(row['to'])}}})"
    return f"MATCH {ends} CREATE (a)-[:`{table}` {_map(table, row, 'edge', 'from', 'to')}]->(b);"


def _map(table: str, row: Mapping[str, Json], *left_out: str) -> str:
    types = _TYPES.get(table, {})
    pairs = [f"`{name}`: {literal(value, types.get(name, 'STRING'))}" for name, value in row.items() if name not in left_out and value is not None]
    return f"{{{', '.join(pairs)}}}"
