"""The verbs of forgetting: what fades, what is touched, what is taken out by an explicit word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from brain.config import zone_of
from brain.errors import BrainError
from brain.facade.opened import Opened

if TYPE_CHECKING:
    from brain.recall.fading import Forecast
    from brain.stages.report import RunReport


@dataclass(frozen=True, slots=True)
class Reinforced:
    """A note that was touched by hand: what it weighed, what it weighs, and how many notes above it were touched a little."""

    path: str
    before: float
    after: float
    above: int


class Forgetting(Opened):
    """How the vault forgets, and how it is kept from it."""

    def decay(self, *, at: datetime | None = None, dry_run: bool = False) -> Forecast:
        """Returns what will have faded `at` an instant (now), and puts the weights of that instant into the graph.

        A dry run only looks. What a weight is counted from is never changed. Raises: NotFound, Locked, BrainError.
        """
        from brain.graph.clocks import weigh_all
        from brain.recall.fading import forecast_of
        from brain.sync.graph import graph_is_current, weigh

        now, zone = self._now(), zone_of(self.space.config)
        if dry_run:
            self._must_be_indexed()
            with self.space.catalog() as conn:
                return forecast_of(weigh_all(conn), now=now, at=at or now, zone=zone, dry_run=True)
        self.index(embed=False)
        with self.space.lock.exclusive("decay"), self.space.catalog() as conn:
            if graph_is_current(self.space, conn):  # else another process is about to make it, and weighs it then
                weigh(self.space, conn, at or now)
            return forecast_of(weigh_all(conn), now=now, at=at or now, zone=zone, dry_run=False)

    def reinforce(self, name: str) -> Reinforced:
        """Touches a note by hand: its weight is 1 again, and the notes above it have a share of that.

        Raises: NotFound, Ambiguous; BrainError when the journal cannot be written.
        """
        from brain.recall.filters import rows_of, weights_of
        from brain.recall.note_view import find_note

        self._must_be_indexed()
        now = self._now()
        with self.space.catalog() as conn:
            nid = find_note(conn, name)
            row, before = rows_of(conn, [nid])[nid], weights_of(conn, [nid], now)[nid]
        record = self._touched([row.id])
        try:
            self.space.journal.append([record])
        except OSError as error:
            raise BrainError(f"The journal could not be written: {error.strerror}.", "free disk space or make .brain/ writable") from error
        self.index(embed=False)
        with self.space.catalog() as conn:
            nid = find_note(conn, row.path)
            after = weights_of(conn, [nid], now)[nid]
        return Reinforced(row.path, before, after, sum(map(len, record.get("above", []))))

    def prune(self, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
        """Archives the notes that have faded and that nothing keeps; nothing is deleted, and `undo` takes it back."""
        from brain.stages import pruning

        self.index(embed=False)
        return pruning.run(self._context(), limit=limit, dry_run=dry_run)
