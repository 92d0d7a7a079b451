"""The graph as CSV files for the importer of Neo4j: one file a table, with the header it reads. Rows in, files out.

Source of the header: the operations manual of Neo4j, "Import". Lists are JSON texts, as no delimiter of lists can be
escaped there; texts may hold line breaks, so that the importer wants `--multiline-fields=true`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

from brain.core.note import Json
from brain.graph.project import COLUMNS, ENDS, KEYS
from brain.portability.export import NODES, RELATIONSHIPS, WEIGHED

_TYPES = {"DOUBLE": "double", "INT64": "long", "BOOL": "boolean", "DATE": "date", "TIMESTAMP": "datetime"}


def write_tables(folder: Path, rows: Iterable[Mapping[str, Json]]) -> dict[str, int]:
    """Writes a file for each table that has rows into an empty folder; returns file name → rows. Raises: OSError."""
    counts: dict[str, int] = {}
    for table, group in groupby(rows, key=_table):
        kind = "nodes" if table in NODES else "edges"
        name = f"{kind}-{table}.csv"
        with ExitStack() as stack:
            file = stack.enter_context(open(folder / name, "x", encoding="utf-8", errors="replace", newline=""))
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header(table))
            counts[name] = sum(writer.writerow(_cells(table, row)) > 0 for row in group)
    return counts


def header(table: str) -> list[str]:
    """Returns the header of a table: its columns with their types, then what the importer calls by its own names."""
    typed = [f"{name}:{_TYPES[kind]}" if (kind := _kinds(table).get(name, "")) in _TYPES else name for name in _names(table)]
    if table in NODES:
        return [f"{KEYS[table]}:ID({table})", *typed[1:], ":LABEL"]
    source, target = ENDS[table]
    return [f":START_ID({source})", f":END_ID({target})", *typed, ":TYPE"]


def _cells(table: str, row: Mapping[str, Json]) -> list[str]:
    values = [_cell(row[name]) for name in _names(table)]
    return [*values, table] if table in NODES else [_cell(row["from"]), _cell(row["to"]), *values, table]


def _names(table: str) -> list[str]:
    if table not in NODES:
        return list(RELATIONSHIPS[table][2])
    others = [name for name in NODES[table] if name != KEYS[table]]
    return [KEYS[table], *others, *(["weight"] if table in WEIGHED else [])]


def _kinds(table: str) -> dict[str, str]:
    return dict(COLUMNS.get(table, ()))


def _table(row: Mapping[str, Json]) -> str:
    return str(row.get("node") or row.get("edge"))


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
