"""What the checks look at: an open vault, its catalog, and what is on disk and in the journal now. Reads only."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from brain.doctor.files import Files, files_of
from brain.stages.ledger import Ledger
from brain.sync.change import Changes, changes_of_scan
from brain.sync.space import Space
from brain.vault.scan import scan


@dataclass(frozen=True, slots=True)
class View:
    """One look at a vault; every check takes it and yields findings. `changes` are files that are not indexed as they are now."""

    space: Space
    conn: sqlite3.Connection
    ledger: Ledger
    changes: Changes
    files: Files


def view_of(space: Space, conn: sqlite3.Connection, ledger: Ledger) -> View:
    """Walks the vault once for all checks."""
    return View(space, conn, ledger, changes_of_scan(conn, scan(space.vault.root, space.config)), files_of(space.vault.root))
