"""Watching a vault: changes on disk → `sync` of just those paths, after a short quiet time.

Writes nothing into the vault, and never answers to its own stores: everything under a dot-folder and
every temporary file is left out before the debounce.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event

from brain.sync.report import SyncReport
from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.layout import is_note_name

ROUND_MS = 250


def watch(space: Space, *, on_sync: Callable[[SyncReport], None], stop: Event, embed: bool = True) -> None:
    """Syncs once, then after every change until `stop` is set. Raises: BrainError from a sync."""
    import watchfiles

    root = space.vault.root
    is_first = True
    # It looks on from the first round, which times out, so that what changes during the first sync is seen too.
    batches = watchfiles.watch(
        root, watch_filter=lambda _, path: is_watched(root, path), debounce=space.config.limits.watch_debounce_ms,
        step=50, stop_event=stop, raise_interrupt=True, rust_timeout=ROUND_MS, yield_on_timeout=True,
    )  # fmt: skip
    for batch in batches:
        if not batch and not is_first:
            continue
        paths = None if is_first else watched_paths(root, (path for _, path in batch))
        report = sync(space, paths=paths, embed=embed)
        if is_first or report.added or report.changed or report.removed or report.moved:
            on_sync(report)
        is_first = False


def is_watched(root: Path, path: str) -> bool:
    """Tells whether a path on disk is a note or a folder that may hold notes."""
    try:
        segments = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return bool(segments) and not any(segment.startswith(".") for segment in segments)


def watched_paths(root: Path, paths: Iterable[str]) -> list[str] | None:
    """Returns the note paths of a batch; None when the whole vault must be looked at.

    That is when a folder came or went, or a note went: it may have come up elsewhere, and keeps its id there.
    """
    found = set()
    for path in paths:
        place = Path(path)
        if place.is_dir() or not os.path.lexists(place):
            return None
        relative = place.relative_to(root).as_posix()
        if is_note_name(relative.rsplit("/", 1)[-1]):
            found.add(relative)
    return sorted(found)
