"""The notes that come nearest to a text, with how near in meaning and by words. Reads only."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from brain.config import Limits
from brain.core.proposal import Near
from brain.core.recall import Query
from brain.ports import Embedder
from brain.recall.search import search
from brain.recall.semantic import Vectors, nearness
from brain.recall.terms import QUERY_CHARS_MAX, parse_query
from brain.sync.embedding import vector_store
from brain.sync.space import Space


def similar(
    conn: sqlite3.Connection, text: str, count: int, *, now: datetime, limits: Limits, embedder: Embedder | None, vectors: Vectors | None
) -> tuple[Near, ...]:
    """Returns the `count` notes that search finds for a text, best first; quotes in it make no phrase that must stand there.

    Raises: BrainError when the embedding model cannot be reached.
    """
    plain = text.replace('"', " ").replace("\0", " ")
    hits = search(conn, Query(plain, limit=count), now=now, limits=limits, embedder=embedder, vectors=vectors).hits
    nids = [int(conn.execute("SELECT nid FROM note WHERE path=?", (hit.path,)).fetchone()[0]) for hit in hits]
    cosines: dict[int, float] = {}
    if embedder is not None and vectors is not None and vectors.count and nids:
        places = nearness(conn, embedder, vectors, plain[:QUERY_CHARS_MAX]).within(nids)
        cosines = {nid: max(place.cosine for place in found) for nid, found in places.items()}
    words = _words(conn, plain, nids, limits)
    return tuple(Near(hit.path, 1.0 - cosines[nid] if nid in cosines else None, words.get(nid, 0.0)) for hit, nid in zip(hits, nids, strict=True))


def similar_in(space: Space, text: str, count: int, *, now: datetime) -> tuple[Near, ...]:
    """Returns the notes of an open vault that come nearest to a text. Raises: IndexBroken, BrainError."""
    with space.catalog() as conn:
        embedder = space.embedder()
        vectors = vector_store(space, conn) if embedder else None
        return similar(conn, text, count, now=now, limits=space.config.limits, embedder=embedder, vectors=vectors)


def _words(conn: sqlite3.Connection, text: str, nids: list[int], limits: Limits) -> dict[int, float]:
    """Returns the BM25 of the text for each of these notes that has a word of it; more is nearer."""
    terms = [term for term in parse_query(text, terms_max=limits.search_terms_max).terms if term.words]
    expression = " OR ".join(f"({term.expression})" for term in terms)
    if not expression:
        return {}
    query = "SELECT -rank FROM text_index WHERE text_index MATCH ? AND rowid=?"
    found = {nid: conn.execute(query, (expression, nid)).fetchone() for nid in nids}
    return {nid: float(row[0]) for nid, row in found.items() if row is not None}
