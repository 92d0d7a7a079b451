"""What every verb stands on: a vault that is open, its clock, its judge, and what must be there first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.core.dates import iso_utc
from brain.errors import NotFound
from brain.sync.report import Progress, SyncReport, silent
from brain.sync.space import Space

if TYPE_CHECKING:
    from brain.stages.context import Context


class Opened:
    """One vault, open. Opening reads settings and touches nothing; every verb opens and closes what it needs."""

    def __init__(self, space: Space) -> None:
        self.space = space

    @property
    def root(self) -> Path:
        """The folder of the vault."""
        return self.space.vault.root

    def _context(self) -> Context:
        from brain.stages.context import context_of

        return context_of(self.space, now=self._now())

    def _judged(self, *, only_estimate: bool = False) -> Context:
        """The context of a stage, with the language model that the settings choose. Raises: UsageError when that cannot be used."""
        ctx, settings = self._context(), self.space.config.judge
        if settings.backend == "rules":
            return ctx
        from brain.models.deadline import Deadline
        from brain.models.judge.judge import open_judge

        deadline = Deadline.after(settings.ingest_deadline_s) if settings.ingest_deadline_s else None
        model = open_judge(
            settings, ctx.journal, root=self.root, at=ctx.at, day=ctx.today, deadline=deadline, only_estimate=only_estimate
        )
        return replace(ctx, model=model)

    def _now(self) -> datetime:
        return self.space.clock.now()

    def _touch(self, ids: Sequence[str]) -> None:
        """Notes in the journal what was served; a vault that cannot be written is only read."""
        if not ids:
            return
        try:
            self.space.journal.append([self._touched(ids)], durable=False)
        except OSError:
            return  # reading a read-only vault is fine: only the memory of having read is lost

    def _touched(self, ids: Sequence[str]) -> dict[str, Any]:
        """Returns the record of a touch, with the notes up to three levels above in the tree: they are touched a little too."""
        from brain.graph.clocks import ancestors_of

        with self.space.catalog() as conn:
            above = ancestors_of(conn, ids)
        spread = {"above": [list(level) for level in above]} if any(above) else {}
        return {"kind": "touched", "at": iso_utc(self._now()), "ids": sorted(ids), **spread}

    def _path(self, name: str) -> str:
        """Returns the path of the note that a person means, as it is indexed. Raises: NotFound, Ambiguous."""
        from brain.recall.note_view import find_note, path_at

        with self.space.catalog() as conn:
            return path_at(conn, find_note(conn, name))

    def _must_be_indexed(self) -> None:
        if not self.space.layout.catalog_path.exists():
            raise NotFound("This vault is not indexed yet.", "brain index")

    def _must_have_graph(self) -> None:
        if not self.space.graph_path.exists():
            raise NotFound("This vault has no graph yet.", "brain index")

    def index(self, *, full: bool = False, embed: bool = True, progress: Progress = silent) -> SyncReport:
        """Brings the index to what the files say; `full` makes it anew."""
        from brain.sync.run import sync

        return sync(self.space, full=full, embed=embed, progress=progress)
