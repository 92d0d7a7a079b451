"""Where a plan may write: inside the vault, to notes, under names that every file system can hold.

Lexical rules are `vault.layout`'s, links are `vault.store`'s; what a name would collide with is asked here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from brain.core.ids import fold
from brain.core.plan import CreateNote, MoveNote, Plan
from brain.errors import UsageError
from brain.vault.layout import checked_note_path
from brain.vault.store import Vault


def check(vault: Vault, plan: Plan, taken: Callable[[str], str | None]) -> None:
    """Checks every path of a plan.

    Raises: UsageError for a path outside the vault, through a link, hidden, reserved or not a note; for a
    new name that a note or a case twin has; for a change to a file that is not in the plan's base.
    """
    for edit in plan.edits:
        vault.absolute(edit.path)
        match edit:
            case CreateNote(path=path) | MoveNote(to=path):
                vault.absolute(checked_note_path(path))
                twin = taken(path)  # a note is not in its own way when only the letter case of its name changes
                _check_new(vault.root, path, None if isinstance(edit, MoveNote) and twin == edit.path != path else twin)
            case _:
                pass
        if not isinstance(edit, CreateNote) and edit.path not in plan.base:
            raise UsageError(f"The plan changes {edit.path}, which it has not read.", "run the command again")


def real_folder(root: Path, folder: str) -> str:
    """Returns a folder path in the case its existing parts have on disk; missing parts are kept as given."""
    actual = ""
    for segment in folder.split("/") if folder else ():
        place = root / actual
        names = sorted(os.listdir(place)) if place.is_dir() else []
        twin = segment if segment in names else next((name for name in names if fold(name) == fold(segment)), segment)
        actual = f"{actual}/{twin}" if actual else twin
    return actual


def _check_new(root: Path, path: str, twin: str | None) -> None:
    if twin is not None:
        raise UsageError(f"{path} cannot be created: {twin} is there already.", f'brain get "{twin}"')
    folder = path.rpartition("/")[0]
    actual = real_folder(root, folder)
    if actual != folder:
        raise UsageError(f"{path} cannot be created: the folder is there as {actual}.", f'use "{actual}/"')
