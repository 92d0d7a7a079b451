"""The verbs of correction: a fact that was wrong, claims that want a look, the state of a day."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from brain.errors import UsageError
from brain.facade.opened import Opened

if TYPE_CHECKING:
    from brain.core.correction import Correction
    from brain.recall.as_of import Then
    from brain.recall.listing import Tree
    from brain.recall.stale import Wanting
    from brain.stages.correct import Correcting as Corrected
    from brain.stages.report import RunReport

NEAR_NOTES = 20


class Correcting(Opened):
    """How a vault is put right."""

    def correct(self, correction: Correction, *, authorities: Sequence[str] = (), limit: int | None = None, dry_run: bool = True) -> Corrected:
        """Carries a fact into the notes that restate it wrongly; `authorities` name the notes that know.

        A dry run, the default, shows the places. Raises: NotFound, Ambiguous; UsageError for a note that has no authority.
        """
        from brain.recall.literal import paths_with
        from brain.recall.similar import similar_in
        from brain.stages.correct import run

        self.index(embed=True)
        limits = self.space.config.limits
        paths = [self._path(name) for name in authorities]
        near = partial(similar_in, self.space, now=self._now())

        def literal(words: str) -> tuple[str, ...]:
            with self.space.catalog() as conn:
                return paths_with(conn, words, limits)

        return run(
            self._judged(), correction, authorities=paths, literal=literal, near=lambda words: [found.path for found in near(words, NEAR_NOTES)],
            limit=limits.correct_notes_max if limit is None else limit, dry_run=dry_run,
        )  # fmt: skip

    def stale(self, *, days: int | None = None) -> tuple[Wanting, ...]:
        """Returns the claims that time has overtaken, and what rests on claims that stand no more."""
        from brain.core.claims import PLAN_DAYS
        from brain.recall.stale import wanting

        self._must_be_indexed()
        with self.space.catalog() as conn:
            return wanting(conn, self._context().today, days=PLAN_DAYS if days is None else days)

    def confirm(self, name: str, *, dry_run: bool = False) -> RunReport:
        """Says that a note holds today: it gets today's `last_confirmed`. Raises: NotFound, Ambiguous."""
        from brain.stages.confirm import confirm

        self.index(embed=False)
        return confirm(self._context(), self._path(name), dry_run=dry_run)

    def as_of(self, name: str, day: str) -> Then:
        """Returns what held of a note on a day. Raises: NotFound, Ambiguous; UsageError for a date that is none."""
        from brain.recall.as_of import as_of
        from brain.recall.note_view import find_note

        self._must_be_indexed()
        on = _civil(day, "get NOTE")
        with self.space.catalog() as conn:
            return as_of(conn, find_note(conn, name), on)

    def tree_as_of(self, day: str, name: str | None = None, *, depth: int = 0, kinds: tuple[str, ...] = ()) -> Tree:
        """Returns the tree of `part_of` as of a day, whole or below one note: what was there, and the edges that held.

        Raises: NotFound, Ambiguous; UsageError for a date that is none, and for a note that is younger.
        """
        from brain.recall.listing import Wanted, tree_of
        from brain.recall.note_view import find_note, path_at

        self._must_be_indexed()
        on, config = _civil(day, "tree"), self.space.config
        with self.space.catalog() as conn:
            root = find_note(conn, name) if name else None
            tree = tree_of(conn, root=root, owner=config.owner, depth=depth, levels_max=config.limits.tree_levels_max, wanted=Wanted(kinds=kinds), day=on)
            if root is not None and not tree.branches:
                path = path_at(conn, root)
                raise UsageError(f"{path} was not there on {on}, by its own days.", f'brain asof {on} get "{path}"')
            return tree


def _civil(day: str, verb: str) -> str:
    """Returns an ISO civil day. Raises: UsageError."""
    from brain.core.dates import civil_date

    on = civil_date(day)
    if on is None or len(day.strip()) != len(on):
        raise UsageError(f"{day!r} is no date.", f"brain asof 2026-03-01 {verb}")
    return on
