"""Decay over a whole graph: the one statement beside weights computed when they are read.

    python -m bench.decay --nodes 100000 --edges 500000 --repeats 3 --write figures.json

Three ways to the same weights of all nodes: the statement that writes them into the graph; the pure function over
rows that are fetched; numpy over columns that are there already. The statement for relations stands beside it, and
so do opening and closing the file around both. Figures are medians; the load of the machine is printed with them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from brain.core.decay import (
    FLOOR_PER_IMPORTANCE,
    HALF_LIFE_DAYS,
    IMPORTANCE_STRETCH,
    SECONDS_PER_DAY,
    half_life_days,
    weight_at,
)
from brain.core.vocabulary import RELATIONS
from brain.graph.engine import Graph, open_graph
from brain.graph.rebuild import arrow_table, schema_statements
from brain.graph.weigh import weigh_edges, weigh_graph, weigh_nodes

SEED = 20_260_601
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
POOL_BYTES = 1 << 30
ROWS_PER_COPY = 50_000
WEIGHT_ERROR_MAX = 1e-9


def fill(graph: Graph, nodes: int, edges: int) -> None:
    """Loads notes of all kinds and relations of all types between them."""
    chance = random.Random(SEED)
    for statement in schema_statements(1):
        graph.execute(statement)
    for start in range(0, nodes, ROWS_PER_COPY):
        graph.copy("Note", arrow_table("Note", [_note(chance, at) for at in range(start, min(nodes, start + ROWS_PER_COPY))]))
    for start in range(0, edges, ROWS_PER_COPY):
        graph.copy("EDGE", arrow_table("EDGE", [_edge(chance, nodes) for _ in range(start, min(edges, start + ROWS_PER_COPY))]))


def _note(chance: random.Random, at: int) -> tuple[Any, ...]:
    kind, importance = chance.choice(sorted(HALF_LIFE_DAYS)), chance.random()
    days = half_life_days(kind, importance)
    touched = (NOW - timedelta(days=chance.uniform(0, 2_000))).replace(tzinfo=None)
    return (
        f"n-{at}", f"N{at}.md", f"N{at}", "", None, kind, "active", importance, None, None, None, touched, chance.choice([1.0, 0.6, 0.36]),
        1.0, touched, None if math.isinf(days) else days, chance.random() < 0.01, [], [], "{}", "0" * 64,
    )  # fmt: skip


def _edge(chance: random.Random, nodes: int) -> tuple[Any, ...]:
    ends, kind = (f"n-{chance.randrange(nodes)}", f"n-{chance.randrange(nodes)}"), chance.choice(RELATIONS)
    stated = date(2020, 1, 1) + timedelta(days=chance.randrange(2_300))
    return (*ends, kind, kind, 1.0, chance.randint(1, 20), None, "verified", "note", None, None, stated, [1])


def rows_of(graph: Graph) -> list[dict[str, Any]]:
    """Fetches all that the weights depend on."""
    return graph.execute("MATCH (n:Note) RETURN n.touched AS t, n.base AS b, n.half_life_days AS h, n.importance AS i, n.pinned AS p ORDER BY n.id")


def by_function(rows: list[dict[str, Any]]) -> list[float]:
    """Weighs rows one by one with the pure function."""
    now = NOW.replace(tzinfo=None)
    return [
        weight_at(now, row["t"], half_life=math.inf if row["h"] is None else row["h"], importance=row["i"], base=row["b"], pinned=row["p"])
        for row in rows
    ]


class Columns:
    """The same rows as arrays, as a reader would keep them in memory."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.touched = np.array([row["t"] for row in rows], dtype="datetime64[us]")
        self.base = np.array([row["b"] for row in rows])
        self.half_life = np.array([np.inf if row["h"] is None or row["p"] else row["h"] for row in rows])
        self.importance = np.array([row["i"] for row in rows])

    def weights(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Weighs them all at once."""
        age_us = (np.datetime64(NOW.replace(tzinfo=None), "us") - self.touched).astype(np.int64)
        days = np.maximum(0.0, age_us / (SECONDS_PER_DAY * 1e6))
        faded = self.base * 0.5 ** (days / (self.half_life * (1.0 + IMPORTANCE_STRETCH * self.importance)))
        floor = np.where(np.isinf(self.half_life), 0.0, FLOOR_PER_IMPORTANCE * self.importance)
        weights: np.ndarray[Any, np.dtype[np.float64]] = np.minimum(1.0, np.maximum(faded, floor))
        return weights


def measure(engine: str, nodes: int, edges: int, repeats: int) -> dict[str, float]:
    """Returns seconds by way, having checked that all ways agree."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph"
        with open_graph(path, engine, pool_bytes=POOL_BYTES) as graph:
            fill(graph, nodes, edges)
        figures = _inside(path, engine, repeats)
        figures["open, weigh nodes and relations, close"] = _median(repeats, lambda: _whole(path, engine))
        return figures


def _inside(path: Path, engine: str, repeats: int) -> dict[str, float]:
    moment = NOW.replace(tzinfo=None)
    with open_graph(path, engine, pool_bytes=POOL_BYTES) as graph:
        figures = {
            "one statement, all nodes": _median(repeats, lambda: weigh_nodes(graph, moment)),
            "one statement, all relations": _median(repeats, lambda: weigh_edges(graph, moment)),
            "fetch the rows": _median(repeats, lambda: rows_of(graph)),
        }
        rows = rows_of(graph)
        columns = Columns(rows)
        figures["pure function over fetched rows"] = _median(repeats, lambda: by_function(rows))
        figures["numpy over columns in memory"] = _median(repeats, columns.weights)
        stored = [row["w"] for row in graph.execute("MATCH (n:Note) RETURN n.weight AS w ORDER BY n.id")]
    for found in (by_function(rows), columns.weights()):
        assert np.abs(np.array(stored) - np.array(found)).max() <= WEIGHT_ERROR_MAX
    return figures


def _whole(path: Path, engine: str) -> None:
    with open_graph(path, engine, pool_bytes=POOL_BYTES) as graph:
        weigh_graph(graph, NOW)


def _median(repeats: int, work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def main() -> None:
    """Runs the benchmark and prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=500_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--engine", default=os.environ.get("BRAIN_ENGINE", "kuzu"))
    parser.add_argument("--write", type=Path, help="put the figures into this JSON file too")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    figures = measure(given.engine, given.nodes, given.edges, given.repeats)
    load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after, {os.cpu_count()} cores"
    print(f"{given.engine}, {given.nodes:,} nodes, {given.edges:,} relations; medians of {given.repeats}; {load}\n")
    print("| way | seconds |\n|---|--:|")
    for way, seconds in figures.items():
        print(f"| {way} | {seconds:.3f} |")
    if given.write:
        shown = {"engine": given.engine, "nodes": given.nodes, "edges": given.edges, "load": load, "seconds": figures}
        given.write.write_text(json.dumps(shown, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
