"""The process in which a person's Cypher runs: one request on stdin, one answer on stdout, both JSON.

It is there to be killed: the engine's own time limit and interrupt do not hold (kuzu 0.11.3 ran a
nested UNWIND 14 s past a limit of 0.2 s), and a value may take any amount of memory. Start-up is kept
cheap: nothing but the engine, the guard and the standard library is imported.

Memory has two bounds. At the first this process says so and ends; the second, `MEMORY_SLACK_BYTES` above it,
is the system's, for what grows too fast to be watched. The engines do not outlive a refused allocation
everywhere (both ended by signal 11 on products of notes, kuzu 0.11.3 and ladybug 0.22.0).
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from brain.errors import BrainError
from brain.graph.engine import Graph, GraphError, Rows, open_graph
from brain.graph.guard import capped, check

GRACE_S = 2
MEMORY_SLACK_BYTES = 256 << 20
MEMORY_POLL_S = 0.01
OUT_OF_MEMORY = {"failed": "GraphError", "message": "", "cure": "", "reason": "out of memory"}
_STATM_DATA_PAGES = 5  # /proc/self/statm, sixth number: private writable memory, in pages


def main() -> None:
    """Answers the request on stdin; whatever the engine prints goes to stderr."""
    with _private_stdout() as out:
        request = json.load(sys.stdin)
        _limit_life(request["timeout_s"])
        answering = threading.Lock()

        def give_up() -> None:
            with answering:  # never given back: this is the last word
                json.dump(OUT_OF_MEMORY, out)
                out.flush()
                os._exit(0)

        answer = _answer(request, give_up)
        with answering:
            json.dump(answer, out)
            out.flush()
            os._exit(0)


def _answer(request: dict[str, Any], give_up: Callable[[], None]) -> dict[str, Any]:
    try:
        statement = check(request["text"])
        with open_graph(Path(request["graph"]), request["engine"], read_only=True) as graph:
            _limit_memory(request["memory_bytes_max"], give_up)
            rows = _rows(graph, capped(statement, request["rows_max"] + 1), request)
            return _encoded(rows, request["bytes_max"])
    except GraphError as error:
        return {"failed": type(error).__name__, "message": error.message, "cure": error.cure, "reason": error.reason}
    except BrainError as error:
        return {"failed": type(error).__name__, "message": error.message, "cure": error.cure, "reason": ""}
    except MemoryError:
        return OUT_OF_MEMORY


def _rows(graph: Graph, text: str, request: dict[str, Any]) -> Rows:
    return graph.table(text, request["params"], rows_max=request["rows_max"])


def _encoded(rows: Rows, bytes_max: int) -> dict[str, Any]:
    """Returns the rows as JSON values, cut off where their text would pass `bytes_max`."""
    values: list[list[Any]] = []
    size = 0
    for row in rows.rows:
        keys = _node_keys(row)
        value = [json_value(cell, keys) for cell in row]
        size += len(json.dumps(value))
        if size > bytes_max:
            return {"columns": rows.columns, "rows": values, "truncated": True}
        values.append(value)
    return {"columns": rows.columns, "rows": values, "truncated": rows.truncated}


def json_value(value: Any, node_keys: dict[str, Any]) -> Any:
    """Returns a JSON-safe value: dates and instants as ISO text, what has no JSON form as text, NaN as null.

    Nodes keep `_label` and their properties; relationships have `_from` and `_to` besides where the row
    holds the node in question. Internal ids, which a rebuild changes, are left out of both.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return _json_object(value, node_keys)
        case list() | tuple():
            return [json_value(item, node_keys) for item in value]
        case date():
            return value.isoformat()
        case timedelta():
            return f"P{value.days}DT{value.seconds + value.microseconds / 1e6:g}S"
        case Decimal():
            return int(value) if value.as_tuple().exponent == 0 else str(value)
        case bytes():
            return value.hex()
        case UUID():
            return str(value)
        case _:
            return str(value)


def _json_object(value: dict[Any, Any], node_keys: dict[str, Any]) -> Any:
    if set(value) == {"offset", "table"}:
        return _internal_id(value)
    ends = {
        name: node_keys[_internal_id(value[end])]
        for name, end in (("_from", "_src"), ("_to", "_dst"))
        if end in value and _internal_id(value[end]) in node_keys
    }
    kept = {str(key): json_value(item, node_keys) for key, item in value.items() if key not in ("_id", "_src", "_dst")}
    return {**ends, **kept}


def _node_keys(value: Any) -> dict[str, Any]:
    """Returns internal id → key of every node in a row; the key is a node's first property."""
    found: dict[str, Any] = {}
    if isinstance(value, dict):
        names = [name for name in value if name not in ("_id", "_label")]
        if "_id" in value and "_src" not in value and names:
            found[_internal_id(value["_id"])] = json_value(value[names[0]], {})
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for part in parts:
        if isinstance(part, dict | list | tuple):
            found.update(_node_keys(part))
    return found


def _internal_id(value: Any) -> str:
    return f"{value['table']}:{value['offset']}" if isinstance(value, dict) else ""


@contextmanager
def _private_stdout() -> Iterator[IO[str]]:
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="ascii") as out:
        os.dup2(2, 1)
        yield out


def _limit_life(timeout_s: float) -> None:
    """Ends this process by itself when its parent is gone, and keeps it from growing any file."""
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(math.ceil(timeout_s) + GRACE_S)
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, resource.getrlimit(limit)[1]))


def _limit_memory(bytes_max: int, give_up: Callable[[], None]) -> None:
    """Bounds what is allocated from here on: the engine keeps large values outside its buffer pool."""
    try:
        import resource

        page_bytes = resource.getpagesize()
        before = _data_pages() * page_bytes
    except (ImportError, OSError):  # only Linux tells and enforces it
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = before + bytes_max + MEMORY_SLACK_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))

    def watch() -> None:
        while _data_pages() * page_bytes <= before + bytes_max:
            time.sleep(MEMORY_POLL_S)
        give_up()

    threading.Thread(target=watch, daemon=True).start()


def _data_pages() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[_STATM_DATA_PAGES])


if __name__ == "__main__":
    main()
