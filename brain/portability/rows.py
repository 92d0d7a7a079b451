"""The graph page by page, in a fixed order, so that no export holds all of it in memory. Reads only.

Nodes come by key. Relationships come sorted by their line; what does not fit into a batch is sorted in temporary files.
"""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import IO, Any

from brain.graph.engine import Graph
from brain.graph.project import KEYS

NODES_PER_PAGE = 5_000
LINES_PER_BATCH = 50_000


def pages(graph: Graph, table: str, fields: str, *, size: int = NODES_PER_PAGE) -> Iterator[list[dict[str, Any]]]:
    """Yields the rows of a node table by key, so many at a time; `fields` begin with `key`, the node being `n`."""
    key, last = KEYS[table], ""
    query = f"MATCH (n:`{table}`) WHERE n.`{key}` > $last RETURN n.`{key}` AS `key`{fields} ORDER BY n.`{key}` LIMIT {size}"
    while rows := graph.execute(query, {"last": last}):
        yield rows
        last = rows[-1]["key"]


def ranges(graph: Graph, table: str, *, size: int = NODES_PER_PAGE) -> Iterator[dict[str, str]]:
    """Yields the bounds of pages of nodes: after `low`, up to and with `high`."""
    low = ""
    for page in pages(graph, table, "", size=size):
        high = page[-1]["key"]
        yield {"low": low, "high": high}
        low = high


def sorted_lines(lines: Iterable[str], *, size: int = LINES_PER_BATCH) -> Iterator[str]:
    """Yields lines in order, at most `size` of them in memory at a time."""
    with ExitStack() as stack:
        files: list[IO[str]] = []
        batch: list[str] = []
        for line in lines:
            batch.append(line)
            if len(batch) >= size:
                files.append(stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="\n")))
                _spool(files[-1], sorted(batch))
                batch = []
        yield from heapq.merge(sorted(batch), *(_lines_of(file) for file in files))


def _spool(file: IO[str], lines: list[str]) -> None:
    file.writelines(f"{line}\n" for line in lines)
    file.seek(0)


def _lines_of(file: IO[str]) -> Iterator[str]:
    for line in file:
        yield line[:-1]
