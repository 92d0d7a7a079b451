"""Making a graph file from the whole catalog; `graph.change` changes one by the notes that moved.

Both take their rows from `graph.project`. A new graph is loaded by COPY from Parquet files written in
batches (bounded memory) into a new file that replaces the old one when it is complete.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from brain.graph import project
from brain.graph.engine import BUFFER_POOL_BYTES, Graph, open_graph
from brain.graph.files import remove_graph
from brain.graph.project import Projection, Row

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_BATCH = 20_000
DIMS_WITHOUT_MODEL = 1
POOL_BYTES_PER_VECTOR_BYTE = 2  # COPY keeps what it loads in the pool until it is done: 1.6 was enough (0.11.3)
SCHEMA_PATH = Path(__file__).with_name("schema.cypher")
Step = Callable[[str], None]


def schema_statements(dims: int) -> list[str]:
    """Returns the CREATE statements of `schema.cypher` for vectors of this length."""
    lines = [line for line in SCHEMA_PATH.read_text("utf-8").splitlines() if not line.startswith("//")]
    return [s.strip().replace("$dims", str(dims)) for s in "\n".join(lines).split(";") if s.strip()]


def build_graph(
    conn: sqlite3.Connection, path: Path, engine: str, *, now: datetime, vectors: VectorSource | None, step: Step
) -> None:
    """Writes the whole projection to a new file and puts it in the place of `path`.

    Raises: GraphError, OSError. `path` is then as it was.
    """
    fresh = path.with_name(path.name + ".new")
    remove_graph(fresh)
    folder = path.with_name("load")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        pool_bytes = BUFFER_POOL_BYTES + (POOL_BYTES_PER_VECTOR_BYTE * vectors.size_bytes if vectors else 0)
        with open_graph(fresh, engine, pool_bytes=pool_bytes) as graph:
            _load_all(graph, Projection(conn, now), folder, vectors, step)
        remove_graph(path)
        os.replace(fresh, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class VectorSource(Protocol):
    """Where the vectors of chunks come from: rows of one model."""

    model: str
    dims: int
    size_bytes: int
    """Of all vectors, as float32."""

    def of(self, hashes: list[str]) -> tuple[list[str], Any]:
        """Returns the ids that have a vector, and float32[n, dims] in their order."""
        ...

    def all(self) -> Iterator[tuple[list[str], Any]]:
        """Yields every vector in batches, in row order."""
        ...


def _load_all(graph: Graph, p: Projection, folder: Path, vectors: VectorSource | None, step: Step) -> None:
    for statement in schema_statements(vectors.dims if vectors else DIMS_WITHOUT_MODEL):
        graph.execute(statement)
    # The engine copies one table outside the interpreter's lock while the rows of the next are being written.
    with ThreadPoolExecutor(1) as engine:
        copies = [engine.submit(_copy, graph, table, file) for table, file in _files(p, folder, vectors, step)]
        for copy in copies:
            copy.result()


def _copy(graph: Graph, table: str, parquet: Path) -> None:
    graph.copy(table, parquet)
    parquet.unlink()


def _files(p: Projection, folder: Path, vectors: VectorSource | None, step: Step) -> Iterator[tuple[str, Path]]:
    """Yields each table that has rows with the file they were written to, nodes first."""
    for table, rows in {**project.NODE_TABLES, **project.EDGE_TABLES}.items():
        step(table)
        if table == "EDGE" and vectors is not None and _write_chunks(vectors, folder / "Chunk.parquet"):
            yield "Chunk", folder / "Chunk.parquet"
        parquet = folder / f"{table}.parquet"
        if _write_parquet(table, rows(p), parquet):
            yield table, parquet


def _write_chunks(vectors: VectorSource, path: Path) -> int:
    """One file and one COPY for all: one for each batch makes the graph more than twice as large (0.11.3)."""
    import pyarrow.parquet as pq

    writer, count = None, 0
    for hashes, matrix in vectors.all():
        rows = chunk_table(vectors.model, hashes, matrix)
        writer = writer or pq.ParquetWriter(path, rows.schema, compression="none")
        writer.write_table(rows)
        count += len(hashes)
    if writer is not None:
        writer.close()
    return count


def _write_parquet(table: str, rows: Iterator[Row], path: Path) -> int:
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(path, project.arrow_schema(table), compression="none") as writer:
        while batch := list(islice(rows, ROWS_PER_BATCH)):
            writer.write_table(arrow_table(table, batch))
            count += len(batch)
    return count


def arrow_table(table: str, rows: list[Row]) -> pa.Table:
    """Returns rows as COPY takes them."""
    import pyarrow as pa

    schema = project.arrow_schema(table)
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.Table.from_arrays([pa.array(c, type=f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def chunk_table(model: str, hashes: list[str], matrix: Any) -> pa.Table:
    """Returns rows of `Chunk`; `matrix` is float32[n, dims] in the order of the hashes."""
    import numpy as np
    import pyarrow as pa

    rows = np.ascontiguousarray(matrix, dtype=np.float32)
    dims = rows.shape[1]
    flat = pa.array(rows.reshape(-1), type=pa.float32())
    vector = pa.FixedSizeListArray.from_arrays(flat, dims)
    return pa.table({"id": pa.array(hashes, pa.string()), "model": pa.array([model] * len(hashes), pa.string()), "vector": vector})
