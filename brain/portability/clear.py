"""Clearing: what is derived is taken away, and with a word the history too. Never a note, never a setting.

The files are the truth, so that what can be cleared is what was made from them: the index and the embeddings. The
journal is no file of a person's, but what it holds (clocks, answers, undo) cannot be made anew: it goes only when it
is named. A backup comes first.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from brain.config import STATE_FOLDER
from brain.errors import BrainError
from brain.portability.backup import BEFORE_CLEAR, Backed, make_backup
from brain.stages.context import Context

DERIVED = ("index", "cache")
HISTORY = "journal"


@dataclass(frozen=True, slots=True)
class Cleared:
    """The folders that were removed, relative to the vault, and the backup that was made before."""

    removed: tuple[str, ...]
    before: Backed


def clear(ctx: Context, *, journal: bool) -> Cleared:
    """Makes a backup, then removes index and embeddings, and the journal when that is wished. Raises: BrainError, Locked."""
    before = make_backup(ctx, label=BEFORE_CLEAR)
    state = ctx.vault.root / STATE_FOLDER
    wanted = [state / name for name in (*DERIVED, *((HISTORY,) if journal else ())) if (state / name).exists()]
    with ctx.lock.exclusive("clear"):
        for folder in wanted:
            _remove(folder)
    return Cleared(tuple(sorted(folder.relative_to(ctx.vault.root).as_posix() for folder in wanted)), before)


def _remove(folder: Path) -> None:
    try:
        if folder.is_symlink():
            folder.unlink()
        else:
            shutil.rmtree(folder)
    except OSError as error:
        raise BrainError(f"{folder} could not be removed: {error.strerror}.", "look at its permissions, then run brain clear again") from error
