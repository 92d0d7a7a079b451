"""What a stage is given: one vault, its journal and lock, readers of the derived stores, a judge, a clock reading.

Made by the facade, never by a stage. `now` is the instant of the command; `chance` is where run ids get
their randomness, so that a test may choose it.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from brain.config import Config, zone_of
from brain.core.dates import iso_utc
from brain.core.ids import sha256_hex
from brain.core.plan import Patch
from brain.graph.reader import GraphReader
from brain.stages.rules import RULES, Rules
from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.journal import Journal
from brain.vault.lock import VaultLock
from brain.vault.parse import decode
from brain.vault.store import Source, Vault

if TYPE_CHECKING:
    from brain.models.judge.judge import ModelJudge


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a stage may use. `catalog` opens a connection for one task; `sync` is given touched paths."""

    vault: Vault
    journal: Journal
    lock: VaultLock
    config: Config
    now: datetime
    graph: GraphReader
    catalog: Callable[[], AbstractContextManager[sqlite3.Connection]]
    sync: Callable[[Sequence[str]], object]
    judge: Rules = RULES
    chance: Callable[[int], str] = secrets.token_hex
    model: ModelJudge | None = None
    """Who judges what the rules leave open; None: that waits."""
    goes_on: str | None = None
    """The run that what is done now belongs to; None: it is a run of its own."""

    @property
    def at(self) -> str:
        """The instant of the command as ISO text in UTC."""
        return iso_utc(self.now)

    @property
    def today(self) -> str:
        """The civil date of the command in the vault's zone. Raises: UsageError for an unknown zone."""
        return self.now.astimezone(zone_of(self.config)).date().isoformat()

    def new_run(self) -> str:
        """Returns a fresh run id (`r-`, the date, some random characters), or that of the run which goes on."""
        return self.goes_on or f"r-{self.today}-{self.chance(3)}"


def context_of(space: Space, *, now: datetime | None = None) -> Context:
    """Bundles an open vault for a stage. Touched notes are indexed at once; embedding them is left to the caller's sync."""
    now = now or space.clock.now()
    return Context(
        vault=space.vault, journal=space.journal, lock=space.lock, config=space.config, now=now, graph=GraphReader(space),
        catalog=space.catalog, sync=lambda paths: sync(space, paths=paths, embed=False, now=now),
    )  # fmt: skip


class Reading:
    """The notes as a run sees them: the files, and over them the patches of a rehearsal."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._over: dict[str, Source | None] = {}

    def read_many(self, paths: Sequence[str]) -> dict[str, Source]:
        """Reads several notes; a missing one is left out."""
        found = self._vault.read_many(path for path in paths if path not in self._over)
        for path in paths:
            source = self._over.get(path)
            if source is not None:
                found[path] = source
        return found

    def read(self, path: str) -> Source | None:
        """Reads one note, None when it is missing."""
        return self.read_many([path]).get(path)

    def taken(self, path: str) -> str | None:
        """Returns the path that a new note of this path would collide with."""
        return path if self._over.get(path) is not None else self._vault.taken(path)

    def rehearse(self, patches: Sequence[Patch]) -> None:
        """Shows what the patches would leave to later reads, without writing anything."""
        for patch in patches:
            data = patch.after
            self._over[patch.path] = None if data is None else Source(patch.path, data, sha256_hex(data), decode(data)[0])
