"""What a command says beside its answer: how far the index is behind, a folder that is none, names that are near. Reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from brain.core.ids import fold
from brain.core.nearest import SIMILARITY_MIN, did_you_mean, nearest
from brain.errors import BrainError
from brain.sync.change import changes_of_scan
from brain.sync.space import Space
from brain.vault.scan import scan


def files_behind(space: Space, conn: sqlite3.Connection) -> int:
    """Returns how many files are not indexed as they are now, by stat alone; 0 above `limits.look_notes_max`, where nobody looks."""
    (notes,) = conn.execute("SELECT count(*) FROM note").fetchone()
    if notes > space.config.limits.look_notes_max or not space.config.limits.look_notes_max:
        return 0
    try:
        return changes_of_scan(conn, scan(space.vault.root, space.config)).count
    except OSError:
        return 0  # a folder that may not be listed is answered about all the same: only the remark is lost


def unknown_folder(conn: sqlite3.Connection, folder: str | None) -> str | None:
    """Returns the sentence about a folder below which no note lies, with the one that was likely meant; None when some do."""
    wanted = fold(folder).strip("/") if folder else ""
    known = {above for (path,) in conn.execute("SELECT DISTINCT folder FROM note") for above in _and_above(path)}
    if wanted in ("", ".") or wanted in map(fold, known):
        return None
    return f"No note lies in a folder {folder!r}. {did_you_mean(wanted, known)}".rstrip()


def names_near(conn: sqlite3.Connection, paths: Sequence[str]) -> dict[str, str]:
    """Returns, for each path of a note that was just made, the nearest name that another note has; paths without one are left out."""
    if not paths:
        return {}
    named = "SELECT a.text, n.path FROM name a JOIN note n USING(nid) WHERE n.kind<>'episode' AND n.status<>'superseded'"
    known = [(text, path) for text, path in conn.execute(named) if path not in paths]
    found = {path: [name for name in nearest(_stem(path), (text for text, _ in known)) if _may_be(_stem(path), name)] for path in paths}
    return {path: names[0] for path, names in found.items() if names}


def _may_be(made: str, known: str) -> bool:
    """Tells whether a name that is like another one is so by more than letters inside a word: `Ada` is no `Canada`."""
    made, known = fold(made), fold(known)
    return made not in known or len(made) >= SIMILARITY_MIN * len(known) or f" {made} " in f" {known} "


def _and_above(folder: str) -> list[str]:
    parts = folder.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def jobs_of(root: Path) -> dict[str, str]:
    """Returns what the schedulers of this machine have for a vault, by their names; one that cannot be asked has nothing."""
    from brain.schedule.job import name_of
    from brain.schedule.scheduler import schedulers

    found: dict[str, str] = {}
    for name, scheduler in schedulers().items():
        with suppress(BrainError, OSError):
            found[name] = scheduler.installed(name_of(str(root))) or ""
    return {name: text for name, text in found.items() if text}
