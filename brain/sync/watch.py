"""Watching a vault: changes on disk → `sync` of just those paths, after a short quiet time.

Writes nothing into the vault, and never answers to its own stores: everything under a dot-folder and
every temporary file is left out before the debounce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event

from brain.sync.report import SyncReport
from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.layout import is_note_name


def watch(space: Space, *, on_sync: Callable[[SyncReport], None], stop: Event, embed: bool = True) -> None:
    """Syncs once, then after every change until `stop` is set. Raises: BrainError from a sync."""
    import watchfiles

    on_sync(sync(space, embed=embed))
    root = space.vault.root
    changes = watchfiles.watch(
        root, watch_filter=lambda _, path: is_watched(root, path), debounce=space.config.limits.watch_debounce_ms,
        step=50, stop_event=stop, raise_interrupt=False,
    )  # fmt: skip
    for batch in changes:
        paths = watched_paths(root, (path for _, path in batch))
        report = sync(space, paths=paths, embed=embed) if paths is not None else sync(space, embed=embed)
        if report.added or report.changed or report.removed or report.moved:
            on_sync(report)


def is_watched(root: Path, path: str) -> bool:
    """Tells whether a path on disk is a note or a folder that may hold notes."""
    try:
        segments = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return bool(segments) and not any(segment.startswith(".") for segment in segments)


def watched_paths(root: Path, paths: Iterable[str]) -> list[str] | None:
    """Returns the note paths of a batch; None when a folder came or went and the whole vault must be looked at."""
    found = set()
    for path in paths:
        relative = Path(path).relative_to(root).as_posix()
        if is_note_name(relative.rsplit("/", 1)[-1]):
            found.add(relative)
        elif Path(path).is_dir() or not Path(path).exists():
            return None
    return sorted(found)
