"""Tiny catalogs made row by row, and a store of vectors that a test can read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from brain.config import Limits
from brain.core.ids import fold
from brain.core.recall import Answer, Query
from brain.index import text as fulltext
from brain.index.database import INDEXES, TABLES
from brain.recall.search import search

NOW = datetime(2031, 1, 1, tzinfo=UTC)
LIMITS = Limits()
DEFAULTS: dict[str, Any] = {
    "kind": "note", "status": "active", "tags": (), "aliases": (), "title": None, "created": None, "dated": None,
    "first_line": 1, "importance": 0.5, "atoms": (), "superseded_by": None,
}  # fmt: skip


class WordEmbedder:
    """Each known word is an axis: texts that share words lie near, all others at right angles."""

    model = "words"
    dims = 16

    def __init__(self) -> None:
        self.axes: dict[str, int] = {}

    def embed(self, texts):
        vectors = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                if word in self.axes:
                    vectors[row, self.axes[word]] += 1.0
            norm = np.linalg.norm(vectors[row])
            vectors[row] = vectors[row] / norm if norm else np.eye(self.dims)[self.dims - 1]
        return vectors


@dataclass
class Shelf:
    """The vectors of a few chunks."""

    rows: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(self.rows)

    def search(self, query: np.ndarray, k: int, allowed: Collection[str] | None = None) -> list[tuple[str, float]]:
        scored = [(key, float(row @ query)) for key, row in self.rows.items() if allowed is None or key in allowed]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:k]


class Catalog:
    """A catalog in memory; `note` adds one, `search` asks it."""

    def __init__(self) -> None:
        self.conn = sqlite3.connect(":memory:", isolation_level=None)
        self.conn.executescript(TABLES + INDEXES)
        fulltext.create(self.conn)
        self.embedder = WordEmbedder()
        self.shelf = Shelf()
        self._next = 1

    def note(self, path: str, body: str, **given: Any) -> int:
        """Adds a note; keyword arguments as in DEFAULTS. An atom is a dict of column values with a `line`."""
        note = DEFAULTS | given
        nid, self._next = self._next, self._next + 1
        stem = path.rsplit("/", 1)[-1].removesuffix(".md")
        title = note["title"] or stem
        values = {
            "nid": nid, "id": f"n-{nid}", "base_id": f"n-{nid}", "path": path, "folder": path.rpartition("/")[0], "stem": stem,
            "size": len(body), "mtime_ns": int(NOW.timestamp()) * 10**9, "ctime_ns": 0, "inode": nid, "sha256": "", "title": title,
            "kind": note["kind"], "status": note["status"], "importance": note["importance"], "created": note["created"],
            "dated": note["dated"], "superseded_by": note["superseded_by"], "properties": "{}",
        }  # fmt: skip
        self._insert("note", values)
        self._insert("name", {"nid": nid, "key": fold(stem), "how": 1, "text": stem})
        for alias in note["aliases"]:
            self._insert("name", {"nid": nid, "key": fold(alias), "how": 2, "text": alias})
        for tag in note["tags"]:
            self._insert("tag", {"nid": nid, "tag": tag})
        for ordinal, atom in enumerate(note["atoms"]):
            row = {"id": f"a-{nid}-{ordinal}", "derived_id": "", "text": "", "kind": "fact", "status": "active", "sources": "[]"}
            self._insert("atom", row | atom | {"nid": nid, "ordinal": ordinal})
        doc = fulltext.TextDoc(nid, title, tuple(note["aliases"]), tuple(note["tags"]), body, note["first_line"])
        fulltext.load(self.conn, [(nid, fulltext.prepare(doc))])
        fulltext.count_added(self.conn, [fulltext.prepare(doc)])
        return nid

    def link(self, source: int, target: int, relation: str | None = None) -> None:
        """Adds a resolved link."""
        ordinal = self.conn.execute("SELECT count(*) FROM link WHERE nid=?", (source,)).fetchone()[0]
        values = {
            "nid": source, "ordinal": ordinal, "key": "", "raw": "", "target": "", "form": "wikilink", "place": "body", "line": 1,
            "relation": relation, "status": "resolved", "target_nid": target,
        }  # fmt: skip
        self._insert("link", values)

    def chunk(self, nid: int, text: str, line: int = 1) -> None:
        """Embeds a piece of a note that starts on this line."""
        for word in text.lower().split():
            self.embedder.axes.setdefault(word, len(self.embedder.axes))
        ordinal = self.conn.execute("SELECT count(*) FROM chunk WHERE nid=?", (nid,)).fetchone()[0]
        key = f"c-{nid}-{ordinal}"
        self._insert("chunk", {"nid": nid, "ordinal": ordinal, "hash": key, "line": line})
        self.shelf.rows[key] = self.embedder.embed([text])[0]

    def search(self, text: str, *, now: datetime = NOW, limits: Limits = LIMITS, **query: Any) -> Answer:
        """Searches by words, and by vectors too when there are chunks."""
        near = {"embedder": self.embedder, "vectors": self.shelf} if self.shelf.rows else {}
        return search(self.conn, Query(text, **query), now=now, limits=limits, **near)

    def paths(self, text: str, **query: Any) -> list[str]:
        """Returns the paths of the hits."""
        return [hit.path for hit in self.search(text, **query).hits]

    def _insert(self, table: str, values: dict[str, Any]) -> None:
        marks = ",".join("?" * len(values))
        self.conn.execute(f"INSERT INTO {table}({','.join(values)}) VALUES({marks})", list(values.values()))


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    made = Catalog()
    yield made
    made.conn.close()


@pytest.fixture
def new_catalog() -> Callable[[], Catalog]:
    return Catalog
