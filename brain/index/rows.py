"""The rows a note has in the catalog: values only. `sync.read` makes them, `index.catalog` stores them."""

from __future__ import annotations

from typing import Any, NamedTuple

from brain.core.finding import Finding
from brain.index.text import Prepared
from brain.vault.scan import Seen

BY_STEM, BY_ALIAS = 1, 2


class NoteRows(NamedTuple):
    """Everything the catalog keeps of one note, as tuples in column order.

    A named tuple, since a rebuild passes one for each note between processes: a data class takes three times as long.
    """

    seen: Seen
    sha256: str
    declared_id: str | None
    note: tuple[Any, ...]
    names: tuple[tuple[str, int, str], ...]
    tags: tuple[str, ...]
    links: tuple[tuple[Any, ...], ...]
    atoms: tuple[tuple[Any, ...], ...]
    findings: tuple[Finding, ...]
    tokens: tuple[str, ...]
    chunks: tuple[tuple[Any, ...], ...]
    text: Prepared
    """What the full-text index is given."""


def stem_of(path: str) -> str:
    """Returns the file name without its suffix."""
    return path.rsplit("/", 1)[-1][:-3]


def folder_of(path: str) -> str:
    """Returns the folder of a path, empty for the root."""
    return path.rpartition("/")[0]
