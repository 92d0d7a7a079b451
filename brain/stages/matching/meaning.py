"""Nearness in meaning: the vectors of the notes' first pieces, in memory for one run. Reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from brain.errors import BrainError
from brain.stages.context import Context
from brain.vault.layout import Layout

if TYPE_CHECKING:
    from brain.index.vectors import VectorStore

NEAR_MAX, NEAR_MIN, NOTES_PER_BLOCK = 5, 0.6, 512


class Meanings:
    """Cosines between notes; a note without a vector is near nothing."""

    def __init__(self, store: VectorStore | None, leads: dict[str, str]) -> None:
        """`leads` is note id → hash of its first piece."""
        known = set(store.rows_of(sorted(set(leads.values())))[0]) if store else set()
        self._ids = [note_id for note_id, piece in sorted(leads.items()) if piece in known]
        self._row_of = {note_id: row for row, note_id in enumerate(self._ids)}
        if store and self._ids:
            self._matrix = store.rows_of([leads[note_id] for note_id in self._ids])[1]

    def near(self, ids: Sequence[str]) -> Iterator[tuple[str, str, float]]:
        """Yields for these notes the nearest others, with their cosine."""
        import numpy as np

        asked = [self._row_of[note_id] for note_id in ids if note_id in self._row_of]
        count = min(NEAR_MAX, len(self._ids) - 1)
        for start in range(0, len(asked) if count > 0 else 0, NOTES_PER_BLOCK):
            block = asked[start : start + NOTES_PER_BLOCK]
            scores = self._matrix[block] @ self._matrix.T
            scores[np.arange(len(block)), block] = -1.0
            best = np.argpartition(scores, -count, axis=1)[:, -count:]
            for place, row in enumerate(block):
                near = ((int(other), float(scores[place, other])) for other in sorted(best[place]))
                yield from ((self._ids[row], self._ids[other], cosine) for other, cosine in near if cosine >= NEAR_MIN)

    def cosine(self, one: str, other: str) -> float | None:
        """Returns how near two notes are, None when that is not known."""
        left, right = self._row_of.get(one), self._row_of.get(other)
        return None if left is None or right is None else float(self._matrix[left] @ self._matrix[right])


def meanings_of(ctx: Context, conn: sqlite3.Connection, ids: Set[str]) -> Meanings:
    """Opens the vectors of these notes; none when embedding is off, nothing is embedded yet, or they are another model's."""
    from brain.index.vectors import VectorStore
    from brain.models.embed import known_dims, make_embedder

    embedder = make_embedder(ctx.config.embed)
    dims = known_dims(embedder) if embedder else None
    if embedder is None or dims is None:
        return Meanings(None, {})
    rows = conn.execute("SELECT n.id, c.hash FROM chunk c JOIN note n USING(nid) JOIN vector v USING(hash) WHERE c.ordinal=0 ORDER BY n.id")
    leads = {note_id: piece for note_id, piece in rows if note_id in ids}
    try:
        return Meanings(VectorStore(Layout(ctx.vault.root).index, embedder.model, dims, conn), leads)
    except BrainError:
        return Meanings(None, {})  # search says so; names and letters propose all the same
