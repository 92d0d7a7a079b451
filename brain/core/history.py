"""Which notes tell of a moment: they were right when they were written, and nothing later makes them wrong. Pure.

A `date:` property is no signal: living notes carry one too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from brain.core.ids import fold
from brain.core.vocabulary import EPISODE_TYPES

HISTORICAL_FOLDERS = frozenset(("archive", "1-1", "meetings", "thinking", "memories", "journal", "incidents"))
HISTORICAL_STATUSES = frozenset(("superseded", "archived", "completed", "deprecated", "done"))
HISTORICAL_NAMES = frozenset(("changelog", "history", "release notes"))
_DATED = re.compile(r"(?<!\d)\d{4}([-_. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")


def why_historical(path: str, *, type: str | None, status: str, folders: Iterable[str] = ()) -> str | None:  # noqa: A002 - the property's name
    """Returns why a note is history, for a person; None when it speaks of the present.

    `folders` are the vault's own places for episodes, audits and archived notes.
    """
    *above, name = path.split("/")
    if fold(type or "") in EPISODE_TYPES:
        return "it is an episode"
    if status in HISTORICAL_STATUSES:
        return f"its status is {status}"
    named = next((folder for folder in above if fold(folder) in HISTORICAL_FOLDERS), None)
    own = next((folder for folder in map(_bare, folders) if folder and fold(path).startswith(f"{fold(folder)}/")), None)
    if named or own:
        return f"it lies in {named or own}/"
    if fold(name.removesuffix(".md")) in HISTORICAL_NAMES:
        return "its name is that of a history"
    return "its name has a date" if _DATED.search(name) else None


def _bare(folder: str) -> str:
    return folder.strip("/")
