"""What a vault holds and in what state its stores are, as one value. Reads only."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

from brain.config import zone_of
from brain.doctor.excluded import excluded_files
from brain.doctor.files import files_of
from brain.errors import IndexBroken
from brain.graph.clocks import weigh_all
from brain.recall.fading import Memory, memory_of
from brain.recall.listing import Counts, counts_of
from brain.recall.note_view import all_links
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

    `changed_files` were not indexed yet; `held` plans wait for a person. `excluded` counts the Markdown files that
    are not notes by their reason, and is all of them when `excluded_is_complete`.
    """

    root: str
    owner: str | None
    engine: str
    embed_model: str | None
    index: str
    counts: Counts | None
    changed_files: int
    held: int
    last_run: str | None
    excluded: dict[str, int]
    excluded_is_complete: bool
    memory: Memory | None = None
    """What fades and what was touched; None without an index that can be read."""


def status_of(space: Space) -> Status:
    """Looks at the vault and every store of it."""
    ledger = read_ledger(space.journal)
    runs = space.journal.records({"run_started"})
    last = f"{runs[-1].get('stage')} at {runs[-1].get('at')}" if runs else None
    index, counts, changed, memory = _index_state(space)
    excluded = excluded_files(space.vault.root, space.config)
    return Status(
        str(space.vault.root), space.config.owner, space.engine, model_name(space), index, counts, changed, len(ledger.held), last,
        excluded.reasons, excluded.is_complete, memory,
    )  # fmt: skip


def _index_state(space: Space) -> tuple[str, Counts | None, int, Memory | None]:
    if not space.layout.catalog_path.exists():
        return "missing", None, 0, None
    try:
        with space.catalog() as conn:
            changed = changes_of_scan(conn, scan(space.vault.root, space.config)).count
            is_behind = changed or why_rebuild(space) or not graph_is_current(space, conn)
            memory = memory_of(weigh_all(conn), space.clock.now(), zone_of(space.config))
            return "behind" if is_behind else "current", _counts(space, conn), changed, memory
    except (IndexBroken, sqlite3.DatabaseError):
        return "broken", None, 0, None


def _counts(space: Space, conn: sqlite3.Connection) -> Counts:
    """Counts what is indexed; as for doctor, a link to a file or folder that is there is not broken."""
    counts = counts_of(conn)
    if "broken" not in counts.links:
        return counts
    files = files_of(space.vault.root)
    there = sum(files.holds(link.path, link.target) for link in all_links(conn, ("broken",)))
    links = {**counts.links, "broken": counts.links["broken"] - there, "asset": counts.links.get("asset", 0) + there}
    return replace(counts, links={name: count for name, count in sorted(links.items()) if count})
