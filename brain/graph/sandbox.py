"""A person's Cypher: checked, run in a process of its own that can be killed, answered as plain values.

The caller holds the shared lock of the vault. Nothing here writes; named queries of the product run in
process (`graph.queries`).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.core.nearest import did_you_mean
from brain.core.note import Json
from brain.core.vocabulary import ATOM_KINDS, ENTITY_KINDS, RELATIONS, STATUSES
from brain.errors import BrainError, Locked, UsageError
from brain.graph import guard, queries
from brain.graph.engine import BUFFER_POOL_BYTES, Graph, GraphError, GraphUnreadable, load_engine

MEMORY_BYTES_MAX = 1 << 30
ANSWER_BYTES_MAX = 32 << 20
_START = "import sys; sys.path[:] = sys.argv[1:]; from brain.graph.child import main; main()"
_POOL_SIGNS = ("buffer pool is full", "No more frame groups")
_MEMORY_SIGNS = (*_POOL_SIGNS, "bad_alloc", "MemoryError", "out of memory", "allocate memory", "Unable to allocate")
_NAMES = (
    (re.compile(r"Cannot find property (\w+)"), re.compile(r"\b([a-z]\w*) [A-Z]")),
    (re.compile(r"[Tt]able (\w+) does not exist"), re.compile(r"TABLE (\w+)\(")),
)
"""How the engines name what they do not know, and where the schema says what there is."""
_LESS = "narrow its MATCH, put a LIMIT on it, or return less of each row"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of JSON-safe values by place; `truncated` when more rows were found than are here."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Json, ...], ...]
    truncated: bool


def run_cypher(
    graph_path: Path,
    engine: str,
    text: str,
    params: Mapping[str, Json],
    *,
    timeout_s: float,
    rows_max: int,
    memory_bytes_max: int = MEMORY_BYTES_MAX,
) -> Table:
    """Runs one reading statement in a child process and returns its first `rows_max` rows.

    Raises: UsageError when the text is refused, wrong, too slow or too large; GraphUnreadable, Locked;
    GraphError when the engine crashed. The child is gone and nothing is written in every case.
    """
    statement = guard.check(text)
    queries.check_params(statement.params, params, of="The query")
    load_engine(engine)
    request = {
        "graph": os.path.abspath(graph_path), "engine": engine, "text": text, "params": dict(params), "rows_max": rows_max,
        "timeout_s": timeout_s, "bytes_max": ANSWER_BYTES_MAX, "memory_bytes_max": memory_bytes_max,
    }  # fmt: skip
    return _table(_ask(json.dumps(request), timeout_s), memory_bytes_max)


def schema_text(graph: Graph) -> str:
    """Returns what can be asked: tables with their properties, vocabularies, and the named queries."""
    tables = sorted(graph.execute("CALL show_tables() RETURN name, type"), key=lambda row: (row["type"], row["name"]))
    nodes = [f"  {row['name']}({_properties(graph, row['name'])})" for row in tables if row["type"] == "NODE"]
    rels = [_relationship(graph, row["name"]) for row in tables if row["type"] == "REL"]
    named = [f"  {query.name:<20} {query.why}" for query in map(queries.load, queries.names())]
    parts = (
        ("Nodes", nodes),
        ("Relationships", rels),
        ("EDGE.type", [f"  {', '.join(RELATIONS)}"]),
        ("Note.kind", [f"  {', '.join(ENTITY_KINDS)}"]),
        ("Atom.kind", [f"  {', '.join(ATOM_KINDS)}"]),
        ("status", [f"  {', '.join(STATUSES)}"]),
        ("Named queries (brain cypher --name …)", named),
    )
    return "\n\n".join("\n".join((title, *lines)) for title, lines in parts) + "\n"


def _ask(request: str, timeout_s: float) -> dict[str, Any]:
    """Starts the child with this process's import path and no other, and waits for its answer."""
    home = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-P", "-c", _START, home, *(path for path in sys.path if path)]
    try:
        done = subprocess.run(command, input=request, capture_output=True, text=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"The query was stopped after {timeout_s:g} s.", "narrow its MATCH, or give it longer: brain cypher --timeout SECONDS"
        ) from error
    if done.returncode == 0:
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer
    if any(sign in done.stderr for sign in _MEMORY_SIGNS):
        return {"failed": "GraphError", "message": "", "cure": "", "reason": "out of memory"}
    end = f"signal {-done.returncode}" if done.returncode < 0 else (done.stderr.strip().splitlines() or ["no message"])[-1]
    raise GraphError(f"The graph engine broke down on this query ({end}); nothing was written.", f"{_LESS}, or write it another way")


def _table(answer: dict[str, Any], memory_bytes_max: int) -> Table:
    if "failed" in answer:
        raise _error(answer, memory_bytes_max)
    return Table(tuple(answer["columns"]), tuple(tuple(row) for row in answer["rows"]), answer["truncated"])


def _error(answer: dict[str, Any], memory_bytes_max: int) -> BrainError:
    message, cure, reason = answer["message"], answer["cure"], answer["reason"]
    match answer["failed"]:
        case "GraphError" if any(sign in reason for sign in _MEMORY_SIGNS):
            limit = BUFFER_POOL_BYTES if any(sign in reason for sign in _POOL_SIGNS) else memory_bytes_max
            return UsageError(f"The query used more memory than the {limit >> 20} MB it may use, and was ended.", _LESS)
        case "GraphError" if reason:
            return UsageError(f"The engine refused the query: {_tidy(reason)}", f"{_meant(reason)} {guard.SEE_SCHEMA}".strip())
        case "GraphUnreadable":
            return GraphUnreadable(message)
        case "Locked":
            return Locked(message, cure)
        case "UsageError":
            return UsageError(message, cure)
        case _:
            return GraphError(message, cure)


def _tidy(reason: str) -> str:
    """Returns the engine's message without its list of every word it would have taken and the names of its grammar."""
    text = re.sub(r" expecting (\{[^}]*\}|\S+)|: expected rule \w+", "", reason, flags=re.DOTALL)
    return text.splitlines()[0].strip() if text.strip() else "no reason given"


def _meant(reason: str) -> str:
    """Returns `did you mean …?` for a table or property that the schema does not have."""
    from brain.graph.rebuild import schema_statements

    schema = "\n".join(schema_statements(1))
    for unknown, known in _NAMES:
        if found := unknown.search(reason):
            return did_you_mean(found[1], known.findall(schema))
    return ""


def _properties(graph: Graph, table: str) -> str:
    rows = graph.execute(f"CALL table_info('{table}') RETURN *")
    return ", ".join(f"{row['name']} {row['type']}{' KEY' if row.get('primary key') is True else ''}" for row in rows)


def _relationship(graph: Graph, table: str) -> str:
    ends = graph.execute(f"CALL show_connection('{table}') RETURN *")
    joined = ", ".join(sorted(f"{row['source table name']} -> {row['destination table name']}" for row in ends))
    properties = _properties(graph, table)
    return f"  {table}: {joined}" + (f" ({properties})" if properties else "")
