"""Changing a graph file by the notes that moved, in one transaction. A new file is `graph.rebuild`'s.

Few rows go in by statements: COPY makes the engine write a checkpoint on the spot. Only values that differ are
written, since a checkpoint writes a whole column anew (at 100,000 notes a text column is 20 to 70 MB, kuzu 0.11.3).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from brain.graph import project
from brain.graph.engine import Graph
from brain.graph.project import ENDS, KEYS, Projection, Row, columns_of
from brain.graph.rebuild import VectorSource, arrow_table, chunk_table

ROWS_BY_COPY_MIN = 200


def change_graph(
    graph: Graph, conn: sqlite3.Connection, *, now: datetime, nids: set[int], ends: set[int], gone_ids: set[str], tokens: set[str],
    chunks: set[str], vectors: VectorSource | None,
) -> None:  # fmt: skip
    """Brings the graph to what the catalog says of these notes.

    A note keeps its node, so that relationships that end in it stay; all that starts in it is replaced. Of `ends`,
    notes that relations of those lead to, only the node is: it weighs more when a stage has named it.
    """
    project.set_scope(conn, nids)
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS token_scope(token TEXT PRIMARY KEY)")
    conn.execute("DELETE FROM temp.token_scope")
    conn.executemany("INSERT OR IGNORE INTO temp.token_scope VALUES(?)", [(token,) for token in sorted(tokens)])
    ids = [row[0] for row in conn.execute("SELECT id FROM note WHERE nid IN (SELECT nid FROM temp.scope)")]
    p = Projection(conn, now, scoped=True)
    with graph.transaction():
        _take_out(graph, sorted({*ids, *gone_ids}), sorted(gone_ids), sorted(chunks))
        for table in ("Note", "Token"):
            _merge(graph, table, list(project.NODE_TABLES[table](p)))
        _add(graph, "Atom", list(project.atoms(p)))
        _forget_tokens(graph, p, tokens)
        if vectors is not None:
            _add_chunks(graph, conn, vectors)
        for table, rows in project.EDGE_TABLES.items():
            _add(graph, table, list(rows(p)))
        project.set_scope(conn, ends)
        _merge(graph, "Note", list(project.notes(p)))


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


def _forget_tokens(graph: Graph, p: Projection, tokens: set[str]) -> None:
    """Takes out the words that no name has any more."""
    gone = sorted(tokens - {row[0] for row in project.tokens(p)})
    if gone:
        graph.execute("MATCH (t:Token) WHERE t.token IN $tokens DELETE t", {"tokens": gone})


def _merge(graph: Graph, table: str, rows: list[Row]) -> None:
    """Brings nodes to these rows, the first value of which is the key."""
    columns, key = columns_of(table), KEYS[table]
    fields = ", ".join(f"n.{name} AS {name}" for name, _ in columns)
    found = graph.execute(f"MATCH (n:{table}) WHERE n.{key} IN $keys RETURN {fields}", {"keys": [row[0] for row in rows]})
    known: dict[str, Row] = {row[key]: tuple(row[name] for name, _ in columns) for row in found}
    old = [row for row in rows if row[0] in known]
    differing = [at for at in range(1, len(columns)) if any(row[at] != known[row[0]][at] for row in old)]
    if len(old) >= ROWS_BY_COPY_MIN and differing:
        sets = ", ".join(f"n.{columns[at][0]} = {columns[at][0]}" for at in differing)
        wanted = arrow_table(table, old).select([key, *(columns[at][0] for at in differing)])
        graph.execute(f"LOAD FROM $rows MATCH (n:{table} {{{key}: {key}}}) SET {sets}", {"rows": wanted})
    elif differing:
        for row in old:
            _set(graph, table, row, known[row[0]])
    _add(graph, table, [row for row in rows if row[0] not in known])


def _set(graph: Graph, table: str, row: Row, known: Row) -> None:
    values = {name: (kind, row[at]) for at, (name, kind) in enumerate(columns_of(table)) if row[at] != known[at]}
    if values:
        sets = ", ".join(f"n.{name} = {_written(name, *value)}" for name, value in values.items())
        graph.execute(f"MATCH (n:{table} {{{KEYS[table]}: $the_key}}) SET {sets}", {"the_key": row[0], **_given(values)})


def _add(graph: Graph, table: str, rows: list[Row]) -> None:
    if len(rows) >= ROWS_BY_COPY_MIN:
        graph.copy(table, arrow_table(table, rows))
        return
    columns = columns_of(table)
    for row in rows:
        values = {name: (kind, value) for (name, kind), value in zip(columns, row, strict=True)}
        if table in ENDS:
            _add_relationship(graph, table, row[:2], {name: value for name, value in values.items() if name not in ("from", "to")})
        else:
            graph.execute(f"CREATE (:{table} {{{_properties(values)}}})", _given(values))


def _add_relationship(graph: Graph, table: str, ends: Sequence[str], values: dict[str, tuple[str, Any]]) -> None:
    source, target = ENDS[table]
    between = f"MATCH (a:{source} {{{KEYS[source]}: $the_source}}), (b:{target} {{{KEYS[target]}: $the_target}})"
    graph.execute(f"{between} CREATE (a)-[:`{table}` {{{_properties(values)}}}]->(b)", {"the_source": ends[0], "the_target": ends[1], **_given(values)})


def _properties(values: dict[str, tuple[str, Any]]) -> str:
    return ", ".join(f"`{name}`: {_written(name, *value)}" for name, value in values.items())


def _written(name: str, kind: str, value: Any) -> str:
    """How a value stands in a statement: nothing and the empty list have no type of their own as parameters."""
    return "NULL" if value is None else f"CAST([], '{kind}')" if value == [] else f"${name}"


def _given(values: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, (_, value) in values.items() if value is not None and value != []}


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
    if len(hashes) >= ROWS_BY_COPY_MIN:
        graph.copy("Chunk", chunk_table(vectors.model, hashes, matrix))
    elif hashes:
        graph.execute("LOAD FROM $rows CREATE (:Chunk {id: id, model: model, vector: vector})", {"rows": chunk_table(vectors.model, hashes, matrix)})
