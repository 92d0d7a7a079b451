"""Everything that belongs to one open vault, bundled once: what sync, stages and the facade are given."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from brain.config import Config
from brain.index.database import connect
from brain.ports import Clock
from brain.vault.journal import Journal, machine_id
from brain.vault.layout import Layout
from brain.vault.lock import VaultLock
from brain.vault.store import Vault

if TYPE_CHECKING:
    from brain.ports import Embedder


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """Returns the current instant."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Space:
    """One vault with its settings, stores, lock and clock. Opening it touches no file."""

    vault: Vault
    config: Config
    layout: Layout
    journal: Journal
    lock: VaultLock
    clock: Clock

    @property
    def engine(self) -> str:
        """Name of the graph engine."""
        return self.config.engine

    @property
    def graph_path(self) -> Path:
        """The graph file of that engine."""
        return self.layout.graph_path(self.config.engine)

    def embedder(self) -> Embedder | None:
        """Returns the embedder of the settings, or None when embedding is off. Loads no weights."""
        from brain.models.embed import make_embedder

        return make_embedder(self.config.embed)

    @contextmanager
    def catalog(self) -> Iterator[sqlite3.Connection]:
        """Opens the catalog for one task. Raises: IndexBroken."""
        conn = connect(self.layout.catalog_path)
        try:
            yield conn
        finally:
            conn.close()


def open_space(root: Path, config: Config, clock: Clock | None = None, *, environ: Mapping[str, str] | None = None) -> Space:
    """Bundles an existing vault folder with its settings."""
    import os

    root = root.resolve()
    layout = Layout(root)
    return Space(
        vault=Vault(root, config),
        config=config,
        layout=layout,
        journal=Journal(layout.journal, machine_id(dict(environ) if environ is not None else os.environ), layout.index / "journal.sqlite"),
        lock=VaultLock(layout.lock_path, config.limits.lock_wait_s),
        clock=clock or SystemClock(),
    )


def settings_mark(space: Space) -> str:
    """Returns the settings that every row depends on, as one text."""
    limits = space.config.limits
    return repr((limits.chunk_chars_max, limits.chunk_overlap_chars, limits.chunks_per_note_max, limits.yaml_nodes_max,
                 limits.frontmatter_bytes_max, limits.link_chars_max, limits.note_bytes_max, sorted(space.config.decay.folders.items())))  # fmt: skip
