"""Making a graph file from the whole catalog, and changing one by the notes that moved.

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
from brain.graph.engine import BUFFER_POOL_BYTES, Graph, open_graph, remove_graph
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


def change_graph(
    graph: Graph, conn: sqlite3.Connection, *, now: datetime, nids: set[int], gone_ids: set[str], tokens: set[str],
    chunks: set[str], vectors: VectorSource | None,
) -> None:  # fmt: skip
    """Brings the graph to what the catalog says of these notes, in one transaction.

    A note keeps its node, so that relationships that end in it stay; all that starts in it is replaced.
    """
    project.set_scope(conn, nids)
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS token_scope(token TEXT PRIMARY KEY)")
    conn.execute("DELETE FROM temp.token_scope")
    conn.executemany("INSERT OR IGNORE INTO temp.token_scope VALUES(?)", [(token,) for token in sorted(tokens)])
    ids = [row[0] for row in conn.execute("SELECT id FROM note WHERE nid IN (SELECT nid FROM temp.scope)")]
    p = Projection(conn, now, scoped=True)
    with graph.transaction():
        _take_out(graph, sorted({*ids, *gone_ids}), sorted(gone_ids), sorted(chunks))
        _merge_nodes(graph, p, tokens)
        if vectors is not None:
            _add_chunks(graph, conn, vectors)
        for table, rows in project.EDGE_TABLES.items():
            batch = _table(table, list(rows(p)))
            if batch.num_rows:
                graph.copy(table, batch)


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
        rows = _chunk_table(vectors.model, hashes, matrix)
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
            writer.write_table(_table(table, batch))
            count += len(batch)
    return count


def _table(table: str, rows: list[Row]) -> pa.Table:
    import pyarrow as pa

    schema = project.arrow_schema(table)
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.Table.from_arrays([pa.array(c, type=f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def _chunk_table(model: str, hashes: list[str], matrix: Any) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    rows = np.ascontiguousarray(matrix, dtype=np.float32)
    dims = rows.shape[1]
    flat = pa.array(rows.reshape(-1), type=pa.float32())
    vector = pa.FixedSizeListArray.from_arrays(flat, dims)
    return pa.table({"id": pa.array(hashes, pa.string()), "model": pa.array([model] * len(hashes), pa.string()), "vector": vector})


def _take_out(graph: Graph, ids: list[str], gone_ids: list[str], chunks: list[str]) -> None:
    graph.execute("MATCH (a:Atom)-[:ABOUT]->(n:Note) WHERE n.id IN $ids DETACH DELETE a", {"ids": ids})
    for table in ("EDGE", "LINKS", "FORWARDS", "DISTINCT_FROM"):
        graph.execute(f"MATCH (n:Note)-[e:{table}]->(:Note) WHERE n.id IN $ids DELETE e", {"ids": ids})
    graph.execute("MATCH (n:Note)-[e:NAMED]->(:Token) WHERE n.id IN $ids DELETE e", {"ids": ids})
    graph.execute("MATCH (:Chunk)-[e:EMBEDS]->(n:Note) WHERE n.id IN $ids DELETE e", {"ids": ids})
    if gone_ids:
        graph.execute("MATCH (n:Note) WHERE n.id IN $ids DETACH DELETE n", {"ids": gone_ids})
    if chunks:
        graph.execute("MATCH (c:Chunk) WHERE c.id IN $ids AND NOT EXISTS { MATCH (c)-[:EMBEDS]->(:Note) } DELETE c", {"ids": chunks})


def _merge_nodes(graph: Graph, p: Projection, tokens: set[str]) -> None:
    for table, key in (("Note", "id"), ("Token", "token")):
        rows = _table(table, list(project.NODE_TABLES[table](p)))
        if rows.num_rows:
            columns = [name for name in rows.schema.names if name != key]
            sets = ", ".join(f"n.{name} = {name}" for name in columns)
            graph.execute(f"LOAD FROM $rows MERGE (n:{table} {{{key}: {key}}}) SET {sets}", {"rows": rows})
    atoms = _table("Atom", list(project.atoms(p)))
    if atoms.num_rows:
        graph.copy("Atom", atoms)
    if tokens:
        graph.execute(
            "MATCH (t:Token) WHERE t.token IN $tokens AND NOT t.token IN $kept DELETE t",
            {"tokens": sorted(tokens), "kept": [row[0] for row in project.tokens(p)]},
        )


def _add_chunks(graph: Graph, conn: sqlite3.Connection, vectors: VectorSource) -> None:
    """Adds the chunks of notes in scope that the graph does not have yet."""
    wanted = [
        row[0] for row in conn.execute(
            "SELECT DISTINCT c.hash FROM chunk c JOIN vector v USING(hash) WHERE c.nid IN (SELECT nid FROM temp.scope) ORDER BY 1"
        )
    ]  # fmt: skip
    if not wanted:
        return
    known = {row["id"] for row in graph.execute("MATCH (c:Chunk) WHERE c.id IN $ids RETURN c.id AS id", {"ids": wanted})}
    hashes, matrix = vectors.of([chunk for chunk in wanted if chunk not in known])
    if hashes:
        graph.copy("Chunk", _chunk_table(vectors.model, hashes, matrix))
