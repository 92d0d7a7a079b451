"""The graph as GraphML, which Gephi, yEd and most graph libraries open. Pure: rows in, text out.

Source of the format: the GraphML specification (graphml.graphdrawing.org). Lists are written as JSON; characters that
XML cannot hold become U+FFFD.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from brain.core.note import Json
from brain.graph.project import COLUMNS, ENDS, KEYS
from brain.portability.export import NODES, RELATIONSHIPS

_TYPES = {"DOUBLE": "double", "INT64": "long", "BOOL": "boolean"}
_LABELS = {"Note": "title", "Atom": "text", "Token": "token", "Chunk": "id"}
_UNHOLDABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml_lines(rows: Iterable[Mapping[str, Json]]) -> Iterator[str]:
    """Yields the lines of one GraphML document; nodes come before relationships, as the rows do."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield from _keys()
    yield '<graph id="vault" edgedefault="directed">'
    for row in rows:
        yield _node(row) if "node" in row else _edge(row)
    yield "</graph>"
    yield "</graphml>"


def _keys() -> Iterator[str]:
    for what, tables in (("node", NODES), ("edge", RELATIONSHIPS)):
        names = {"label": "STRING", "table": "STRING"}
        for table in tables:
            names |= dict(COLUMNS.get(table, ())) | ({"id": "STRING", "model": "STRING"} if table == "Chunk" else {})
        for name, kind in sorted(names.items()):
            yield f'<key id="{what[0]}-{name}" for="{what}" attr.name="{name}" attr.type="{_TYPES.get(kind, "string")}"/>'


def _node(row: Mapping[str, Json]) -> str:
    table = str(row["node"])
    values = {"table": table, "label": row[_LABELS[table]], **{name: value for name, value in row.items() if name != "node"}}
    return f"<node id={_quoted(_id(table, row[KEYS[table]]))}>{_data('n', values)}</node>"


def _edge(row: Mapping[str, Json]) -> str:
    table = str(row["edge"])
    source, target = ENDS[table]
    values = {"table": table, "label": row.get("type") or table, **{n: v for n, v in row.items() if n not in ("edge", "from", "to")}}
    return f"<edge source={_quoted(_id(source, row['from']))} target={_quoted(_id(target, row['to']))}>{_data('e', values)}</edge>"


def _data(prefix: str, values: Mapping[str, Json]) -> str:
    return "".join(f'<data key="{prefix}-{name}">{_text(value)}</data>' for name, value in values.items() if value is not None)


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(_holdable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))


def _id(table: str, key: Json) -> str:
    return f"{table}:{key}"


def _quoted(text: str) -> str:
    return quoteattr(_holdable(text))


def _holdable(text: str) -> str:
    return _UNHOLDABLE.sub("\ufffd", text)
