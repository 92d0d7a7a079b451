"""What planning an item anew may look at, and what can come of it. Reads, writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from brain.core.plan import Plan
from brain.stages.context import Context, Reading
from brain.stages.ledger import Ledger
from brain.stages.matching.find import find_matches
from brain.stages.matching.store import Match


@dataclass(frozen=True, slots=True)
class Obsolete:
    """The item holds no longer: there is nothing left to decide."""

    why: str


@dataclass(frozen=True, slots=True)
class Stuck:
    """The item holds, and cannot be carried out as things are; `cure` is what a person can do."""

    why: str
    cure: str


Answer = Plan | Obsolete | Stuck


@dataclass(frozen=True, slots=True)
class Known:
    """A note as the catalog knows it."""

    id: str
    path: str
    title: str
    kind: str
    status: str


@dataclass(slots=True)
class Desk:
    """One command's look at the items: the notes as they are now, and what matching finds in them, asked once."""

    ctx: Context
    reading: Reading
    ledger: Ledger
    told: tuple[str, ...] = ()
    """What a person said an unclear name means: `NOTE`, or `NAME=NOTE`."""
    _matches: dict[tuple[str, str], Match] | None = field(default=None)

    def match(self, one: str, other: str) -> Match | None:
        """Returns what speaks for two notes, by id, being one thing; None when nothing does any more."""
        if self._matches is None:
            self._matches = {(match.one, match.other): match for match in find_matches(self.ctx).matches}
        return self._matches.get((min(one, other), max(one, other)))

    def note(self, note_id: str) -> Known | None:
        """Returns the note that has an id now, wherever it lies."""
        with self.ctx.catalog() as conn:
            row = conn.execute("SELECT id, path, title, kind, status FROM note WHERE id=?", (note_id,)).fetchone()
            return None if row is None else Known(*row)

    def is_note(self, path: str) -> bool:
        """Tells whether a note lies at a path."""
        with self.ctx.catalog() as conn:
            return conn.execute("SELECT 1 FROM note WHERE path=?", (path,)).fetchone() is not None
