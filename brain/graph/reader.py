"""Reading the graph: named queries on a short-lived, read-only handle under the shared lock.

One handle per session, opened late and closed at once, so that many processes can take turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from brain.errors import NotFound
from brain.graph import queries
from brain.graph.engine import Graph, open_graph
from brain.vault.lock import VaultLock


class GraphPlace(Protocol):
    """Where a graph is and which lock guards it (`sync.space.Space` is one)."""

    @property
    def graph_path(self) -> Path:
        """The graph file."""
        ...

    @property
    def engine(self) -> str:
        """Name of the engine that wrote it."""
        ...

    @property
    def lock(self) -> VaultLock:
        """The lock of its vault."""
        ...


class GraphReader:
    """Runs named queries; each call opens the graph anew unless it is made inside `session`."""

    def __init__(self, place: GraphPlace) -> None:
        self._place = place
        self._graph: Graph | None = None

    @contextmanager
    def session(self) -> Iterator[Graph]:
        """Keeps one handle open for several queries.

        Raises: NotFound when there is no graph yet; Locked; IndexBroken when the file cannot be opened.
        """
        if self._graph is not None:
            yield self._graph
            return
        with self._place.lock.shared("reading the graph"):
            if not self._place.graph_path.exists():
                raise NotFound("This vault has no graph yet.", "brain index")
            with open_graph(self._place.graph_path, self._place.engine, read_only=True) as graph:
                self._graph = graph
                try:
                    yield graph
                finally:
                    self._graph = None

    def run(self, name: str, **params: Any) -> list[dict[str, Any]]:
        """Runs one named query. Raises: UsageError for an unknown name or parameter."""
        with self.session() as graph:
            return queries.run(graph, name, params)
