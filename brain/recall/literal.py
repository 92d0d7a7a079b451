"""Notes in whose text, title or names some words stand one after another: what the index knows of them. Reads only."""

from __future__ import annotations

import sqlite3

from brain.config import Limits
from brain.recall.terms import QUERY_CHARS_MAX, parse_query


def paths_with(conn: sqlite3.Connection, words: str, limits: Limits) -> tuple[str, ...]:
    """Returns the paths of the notes that may hold words as a phrase, in order; the index does not know marks and letter case."""
    plain = words.replace('"', " ").replace("\0", " ")[: QUERY_CHARS_MAX - 2]
    terms = [term for term in parse_query(f'"{plain}"', terms_max=limits.search_terms_max).terms if term.words]
    expression = " AND ".join(f"({term.expression})" for term in terms)
    if not expression:
        return ()
    rows = conn.execute("SELECT n.path FROM text_index t JOIN note n ON n.nid=t.rowid WHERE text_index MATCH ? ORDER BY n.path", (expression,))
    return tuple(path for (path,) in rows)
