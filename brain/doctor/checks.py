"""Doctor: runs every check over one look at a vault and returns what it found. The checks are in the rooms beside.

Reads only. Every finding names its place and the command or the edit that cures it, and can reach zero. An
error is something that breaks the product or loses data; a warning wants a look; an info is good to know.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from brain.core.finding import Finding
from brain.doctor import anchors, links, nights, notes, stores
from brain.doctor.last import SEVERITIES
from brain.doctor.view import View, view_of
from brain.errors import IndexBroken
from brain.stages.ledger import Ledger, read_ledger
from brain.sync.space import Space

Check = Callable[[View], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (
    links.broken_links, links.ambiguous_links, links.bare_links, anchors.broken_anchors,
    notes.note_findings, notes.skipped_files, notes.oversized_notes, notes.conflict_marks, notes.case_twins, notes.duplicate_ids,
    notes.taken_ids, notes.alias_clashes, notes.orphans,
    stores.index_state, stores.text_state, stores.vectors_state, stores.graph_opens, stores.stray_temporaries,
)  # fmt: skip


def examine(space: Space) -> tuple[Finding, ...]:
    """Runs every check; errors first, then by code, path and line."""
    ledger = read_ledger(space.journal)
    found = [*stores.journal_lines(space, ledger), *stores.interrupted_runs(space, ledger), *nights.unfinished_night(space), *_of_index(space, ledger)]
    return tuple(sorted(found, key=lambda f: (SEVERITIES.index(f.severity), f.code, f.path, f.line, f.message)))


def _of_index(space: Space, ledger: Ledger) -> list[Finding]:
    if not space.layout.catalog_path.exists():
        return [Finding("not-indexed", "error", "", 0, "This vault is not indexed yet.", "brain index")]
    try:
        with space.catalog() as conn:
            view = view_of(space, conn, ledger)
            return [finding for check in CHECKS for finding in check(view)]
    except (IndexBroken, sqlite3.DatabaseError) as error:
        return [Finding("index-broken", "error", "", 0, f"The index cannot be read ({error}).", "brain rebuild")]
