"""Prune: what has faded and holds nothing up becomes `status: archived`, by an explicit word. Nothing is deleted.

Left alone: people and categories, whatever has a part in the tree, pinned notes, episodes, and what a note that has not
faded links to. One run, taken back by `brain undo`; what was taken back is archived again only after a new sign of life
has faded too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime

from brain.core.decay import SPINE, is_faded
from brain.core.plan import Plan, SetField
from brain.graph.clocks import ARCHIVED, Weighed, weigh_all
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.report import RunReport
from brain.stages.run import Run
from brain.vault.parse import parse_note

KEPT_KINDS = frozenset({"person", "category", "episode"})


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Archives at most `limit` (default, and 0: all) notes that have faded, and returns what became of them."""
    run = Run(ctx, "prune", dry_run=dry_run)
    plans = list(plan_archiving(ctx, run, find_faded(ctx)))
    chosen = plans[: limit or None]
    run.commit_many(chosen)
    return run.report(found=len(plans), left_out=len(plans) - len(chosen))


def find_faded(ctx: Context) -> tuple[Weighed, ...]:
    """Returns the live notes that have faded and that nothing keeps, the most faded first."""
    with ctx.catalog() as conn:
        notes = weigh_all(conn)
        kept = _held_up(conn, notes, ctx.now)
    found = [note for note in notes if _may_go(note, ctx.now) and note.id not in kept and not _is_elsewhere(ctx, note.path)]
    return tuple(sorted(found, key=lambda note: (note.fading.weight(ctx.now), note.path)))


def plan_archiving(ctx: Context, run: Run, notes: tuple[Weighed, ...]) -> Iterator[Plan]:
    """Yields a plan for each note, unless it changed since it was indexed or the decision was taken back."""
    for note in notes:
        source = run.reading.read(note.path)
        if source is None or parse_note(note.path, source.text, ctx.config.limits).malformed:
            continue
        key = f"prune|{note.id}|{note.fading.touched:%Y-%m-%dT%H:%M:%S}"
        because = f"{note.path} has faded to {note.fading.weight(ctx.now):.3f} since {note.fading.touched:%Y-%m-%d}"
        plan = Plan("edit", key, {source.path: source.sha256}, (SetField(source.path, "status", ARCHIVED),), because)
        if decision_id(plan) not in run.ledger.settled:
            yield plan


def _may_go(note: Weighed, now: datetime) -> bool:
    return note.is_live and note.kind not in KEPT_KINDS and not note.fading.lasts and is_faded(note.fading.weight(now))


def _held_up(conn: sqlite3.Connection, notes: tuple[Weighed, ...], now: datetime) -> set[str]:
    """Returns the ids of notes that something needs: a part of them in the tree, or a link from a note that has not faded."""
    alive = {note.id for note in notes if note.is_live and not is_faded(note.fading.weight(now))}
    rows = conn.execute(
        "SELECT s.id, l.edge_type, t.id FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND l.nid<>l.target_nid"
    )
    return {target for source, relation, target in rows if relation == SPINE or source in alive}


def _is_elsewhere(ctx: Context, path: str) -> bool:
    """Tells whether a note lies where others put things down: the inbox, the timeline, the archive."""
    folders = ctx.config.folders
    return path.startswith(tuple(f"{folder}/" for folder in (folders.inbox, folders.timeline, folders.archive) if folder))
