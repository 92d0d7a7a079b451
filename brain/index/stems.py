"""The index's own tokenizer, asked for the terms of single words: exact by construction, not imitated."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from brain.index.tokens import TOKENIZE


class Stems:
    """Maps words to the terms the full-text index makes of them. For one thread; remembers what it was asked."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}
        self._conn = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._conn.execute(f"CREATE VIRTUAL TABLE word USING fts5(x, content='', tokenize='{TOKENIZE}')")
        self._conn.execute("CREATE VIRTUAL TABLE term USING fts5vocab(word, 'instance')")

    def learn(self, words: Iterable[str]) -> None:
        """Asks for many words at once."""
        new = sorted(set(words) - self._known.keys())
        if not new:
            return
        found: list[list[str]] = [[] for _ in new]
        self._conn.execute("BEGIN")
        self._conn.executemany("INSERT INTO word(rowid, x) VALUES(?,?)", enumerate(new))
        for place, term in self._conn.execute("SELECT doc, term FROM term ORDER BY doc, offset"):
            found[place].append(term)
        self._conn.execute("ROLLBACK")
        self._known.update((word, tuple(terms)) for word, terms in zip(new, found, strict=True))

    def of(self, word: str) -> tuple[str, ...]:
        """Returns the terms of a word in order; none for a word of symbols."""
        if word not in self._known:
            self.learn([word])
        return self._known[word]

    def close(self) -> None:
        """Gives the memory back."""
        self._conn.close()
