"""Doctor: runs every check over one look at a vault and returns what it found. The checks are in the rooms beside.

Reads only. Every finding names its place and the command or the edit that cures it, and can reach zero. An
error is something that breaks the product or loses data; a warning wants a look; an info is good to know.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from brain.core.finding import Finding
from brain.doctor import (
    anchors,
    claims,
    coverage,
    doubles,
    journals,
    links,
    locks,
    loops,
    mentions,
    nights,
    notes,
    stores,
    tree,
    upkeep,
)
from brain.doctor.jobs import Jobs, broken_jobs
from brain.doctor.last import SEVERITIES
from brain.doctor.probes import missing_packages, unreachable
from brain.doctor.view import View, view_of
from brain.errors import IndexBroken
from brain.stages.ledger import Ledger, read_ledger
from brain.sync.space import Space

Check = Callable[[View], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (
    links.broken_links, links.ambiguous_links, links.bare_links, anchors.broken_anchors,
    notes.note_findings, notes.skipped_files, notes.oversized_notes, notes.conflict_marks, notes.case_twins, notes.duplicate_ids,
    notes.taken_ids, notes.alias_clashes, notes.orphans, notes.missing_owner,
    tree.tree,
    stores.index_state, stores.text_state, stores.vectors_state, stores.graph_opens, stores.stray_temporaries,
    doubles.same_names, doubles.same_meanings, claims.stale_claims, claims.unsourced_claims, claims.lost_sources,
    coverage.empty_important, coverage.bare_entities, loops.loop_lines,
    journals.missing_journal, upkeep.waiting_episodes, upkeep.no_backup,
)  # fmt: skip
WHEN_NAMED: dict[str, Check] = {"unlinked-mention": mentions.unlinked_mentions}
"""What is looked for only when its code is asked for: there is much of it, and most of it is fine."""


def examine(space: Space, *, code: str | None = None, jobs: Jobs = MappingProxyType({}), probe: bool = False) -> tuple[Finding, ...]:
    """Runs every check; errors first, then by code, path and line. What is found twice on one line is said once.

    `code` names what is asked for, `jobs` is what the schedulers have for this vault; with `probe` what the settings
    name is connected to.
    """
    ledger = read_ledger(space.journal)
    checks = (*CHECKS, *([WHEN_NAMED[code]] if code in WHEN_NAMED else []))
    found = [*_of_space(space, ledger, jobs), *(unreachable(space) if probe else ()), *_of_index(space, ledger, checks)]
    return tuple(sorted(dict.fromkeys(found), key=lambda f: (SEVERITIES.index(f.severity), f.code, f.path, f.line, f.message)))


def _of_space(space: Space, ledger: Ledger, jobs: Jobs) -> Iterator[Finding]:
    """Runs the checks that need no index."""
    yield from stores.journal_lines(space, ledger)
    yield from stores.interrupted_runs(space, ledger)
    yield from nights.unfinished_night(space)
    yield from journals.journal_files(space)
    yield from journals.walked_twice(space, ledger)
    yield from journals.ignored_journal(space)
    yield from locks.stuck_locks(space)
    yield from upkeep.late_nights(space, jobs)
    yield from broken_jobs(jobs)
    yield from upkeep.old_backups(space)
    yield from missing_packages(space)


def _of_index(space: Space, ledger: Ledger, checks: Sequence[Check]) -> list[Finding]:
    if not space.layout.catalog_path.exists():
        return [Finding("not-indexed", "error", "", 0, "This vault is not indexed yet.", "brain index")]
    try:
        with space.catalog() as conn:
            view = view_of(space, conn, ledger)
            return [finding for check in checks for finding in check(view)]
    except (IndexBroken, sqlite3.DatabaseError) as error:
        return [Finding("index-broken", "error", "", 0, f"The index cannot be read ({error}).", "brain rebuild")]
