"""The verbs of the tree: who hangs where, and plans that put crowded places in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain.facade.opened import Opened

if TYPE_CHECKING:
    from brain.recall.listing import Tree
    from brain.stages.report import RunReport


class Growing(Opened):
    """What can be done to the tree."""

    def tree(
        self, name: str | None = None, *, depth: int = 0, weight_min: float = 0.0, kinds: tuple[str, ...] = (), atoms: bool = False
    ) -> Tree:
        """Returns the tree of `part_of`, whole or below one note, weighed now; filters keep what their notes hang off.

        Raises: NotFound, Ambiguous.
        """
        from brain.recall.listing import Wanted, tree_of
        from brain.recall.note_view import find_note

        self._must_be_indexed()
        with self.space.catalog() as conn:
            root = find_note(conn, name) if name else None
            config = self.space.config
            wanted = Wanted(self._now(), weight_min, kinds, atoms)
            return tree_of(conn, root=root, owner=config.owner, depth=depth, levels_max=config.limits.tree_levels_max, wanted=wanted)

    def reorganize(self, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
        """Moves notes into categories that fit better, or asks a person; at most `limit` categories are looked at."""
        from brain.stages.growing.reorganize import run
        from brain.stages.review import reviewed

        self.index(embed=False)
        ctx = self._judged()
        return reviewed(ctx, lambda: run(ctx, limit=limit, dry_run=dry_run), dry_run=dry_run)

    def subgroup(self, name: str | None = None, *, threshold: int, apply: bool = False, dry_run: bool = False) -> RunReport:
        """Makes groups of the parts of one note, or of every note with more than `threshold`; without `apply` a person is asked.

        Raises: NotFound, Ambiguous.
        """
        from brain.stages.growing.subgroup import run
        from brain.stages.review import reviewed

        self.index(embed=False)
        path = self._path(name) if name else None
        ctx = self._judged()
        return reviewed(ctx, lambda: run(ctx, path, threshold=threshold, apply=apply, dry_run=dry_run), dry_run=dry_run)

    def render(self, *, dry_run: bool = False) -> RunReport:
        """Writes the tree as pages to read into the folder of views. Raises: UsageError when the settings name none."""
        from brain.stages.rendering import run

        self.index(embed=False)
        return run(self._context(), dry_run=dry_run)
