"""The notes that are near one in meaning or in their words. Reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING

from brain.errors import BrainError
from brain.index import text as fulltext
from brain.index.stems import Stems
from brain.index.tokens import WORD
from brain.stages.context import Context
from brain.vault.layout import Layout

if TYPE_CHECKING:
    from brain.index.vectors import VectorStore

CHUNKS_MAX, MEANING_MIN = 40, 0.6
WORDS_MAX, WORDS_READ_MAX, WORD_NOTES_MAX, NEAR_BY_WORDS = 20, 300, 200, 20
"""The rarest of a note's first words, those that no more notes hold; chosen with `bench.quality.links` on four vaults."""


def open_vectors(ctx: Context, conn: sqlite3.Connection) -> VectorStore | None:
    """Opens the vectors; None when embedding is off, nothing is embedded yet, or they are another model's."""
    from brain.index.vectors import VectorStore
    from brain.models.embed import known_dims, make_embedder

    embedder = make_embedder(ctx.config.embed)
    dims = known_dims(embedder) if embedder else None
    if embedder is None or dims is None or conn.execute("SELECT 1 FROM vector LIMIT 1").fetchone() is None:
        return None
    try:
        return VectorStore(Layout(ctx.vault.root).index, embedder.model, dims, conn)
    except BrainError:
        return None  # search says so; the other signals propose all the same


def terms_held(conn: sqlite3.Connection) -> dict[str, int]:
    """Returns in how many notes each term of the index stands: one pass, where asking for each word costs as much as it is common."""
    return dict(conn.execute("SELECT term, doc FROM text_word"))


def by_meaning(conn: sqlite3.Connection, vectors: VectorStore, nid: int) -> dict[int, float]:
    """Returns the row ids of the notes near a note's first piece, each with its best cosine."""
    lead = conn.execute("SELECT hash FROM chunk WHERE nid=? ORDER BY ordinal LIMIT 1", (nid,)).fetchone()
    _, rows = vectors.rows_of([lead[0]] if lead else [])
    found: dict[int, float] = {}
    for hash_, cosine in vectors.search(rows[0], CHUNKS_MAX) if len(rows) else ():
        if cosine < MEANING_MIN:
            break
        for (other,) in conn.execute("SELECT nid FROM chunk WHERE hash=? ORDER BY nid", (hash_,)):
            if other != nid:
                found[other] = max(found.get(other, 0.0), float(cosine))
    return found


def by_words(conn: sqlite3.Connection, stems: Stems, holding: Mapping[str, int], nid: int) -> dict[int, float]:
    """Returns the row ids of the notes that share rare words with a note, best first; strength: one over the place.

    `holding` is how many notes hold each term of the index.
    """
    doc = fulltext.docs_of(conn, [nid]).get(nid)
    read = WORD.findall(f"{doc.title} {' '.join(doc.aliases)} {doc.body}".casefold())[:WORDS_READ_MAX] if doc else []
    words = {word: terms[0] for word in read if (len(word) > 1 or not word.isascii()) and len(terms := stems.of(word)) == 1}
    rare = sorted((count, word) for word, term in words.items() if 1 < (count := holding.get(term, 0)) <= WORD_NOTES_MAX)
    if not rare:
        return {}
    query = " OR ".join(f'"{word}"' for _, word in rare[:WORDS_MAX])
    best = [other for other in fulltext.best_matching(conn, query, NEAR_BY_WORDS + 1) if other != nid]
    return {other: 1.0 / place for place, other in enumerate(best, start=1)}
