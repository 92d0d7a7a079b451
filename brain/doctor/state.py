"""What a vault holds and in what state its stores are, as one value. Reads only."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from brain.errors import IndexBroken
from brain.recall.listing import Counts, counts_of
from brain.stages.ledger import read_ledger
from brain.sync.change import changes_of_scan
from brain.sync.embedding import model_name
from brain.sync.graph import graph_is_current
from brain.sync.run import why_rebuild
from brain.sync.space import Space
from brain.vault.scan import scan


@dataclass(frozen=True, slots=True)
class Status:
    """What this vault holds and in what state its stores are. `index` is current, behind, missing or broken.

    `changed_files` were not indexed yet; `held` plans wait for a person."""

    root: str
    owner: str | None
    engine: str
    embed_model: str | None
    index: str
    counts: Counts | None
    changed_files: int
    held: int
    last_run: str | None


def status_of(space: Space) -> Status:
    """Looks at the vault and every store of it."""
    ledger = read_ledger(space.journal)
    runs = space.journal.records({"run_started"})
    last = f"{runs[-1].get('stage')} at {runs[-1].get('at')}" if runs else None
    index, counts, changed = _index_state(space)
    return Status(
        str(space.vault.root), space.config.owner, space.engine, model_name(space), index, counts, changed, len(ledger.held), last
    )


def _index_state(space: Space) -> tuple[str, Counts | None, int]:
    if not space.layout.catalog_path.exists():
        return "missing", None, 0
    try:
        with space.catalog() as conn:
            changes = changes_of_scan(conn, scan(space.vault.root, space.config))
            changed = len(changes.added) + len(changes.altered) + len(changes.gone)
            is_behind = changed or why_rebuild(space) or not graph_is_current(space, conn)
            return "behind" if is_behind else "current", counts_of(conn), changed
    except (IndexBroken, sqlite3.DatabaseError):
        return "broken", None, 0
