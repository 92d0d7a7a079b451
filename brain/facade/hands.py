"""The verbs that change one thing by hand: no judge, one run each, taken back by undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from brain.errors import NotFound, UsageError
from brain.facade.opened import Opened

if TYPE_CHECKING:
    from brain.stages.hands.hand import Done
    from brain.stages.hands.split import Split


class Hands(Opened):
    """What a person can do to single notes, named by path, file name, alias or id. All raise NotFound, Ambiguous, UsageError."""

    def merge(self, one: str, other: str, *, into: str | None = None, dry_run: bool = False) -> Done:
        """Makes one note of two; the first one stays, or the one that `into` names."""
        from brain.stages.hands.merge import merge

        kept, gone = self._paths(one, other)
        if into is not None and (wanted := self._path(into)) != kept:
            if wanted != gone:
                raise UsageError(f"{wanted} is neither of the two.", f'brain merge "{kept}" "{gone}" --into "{gone}"')
            kept, gone = gone, kept
        return merge(self._context(), kept, gone, dry_run=dry_run)

    def split(self, name: str, *, dry_run: bool = False) -> Split:
        """Takes the merge in which a note was absorbed apart again."""
        from brain.stages.hands.split import split

        (path,) = self._paths(name)
        return split(self._context(), path, dry_run=dry_run)

    def move(self, name: str, parent: str | None = None, *, to: str | None = None, top: bool = False, dry_run: bool = False) -> Done:
        """Makes a note part of another one (`top`: of none), moves its file to the folder `to`, or both."""
        from brain.stages.hands.move import move

        path, *above = self._paths(name, *([parent] if parent is not None else []))
        return move(self._context(), path, above[0] if above else None, to=to, top=top, dry_run=dry_run)

    def rename(self, name: str, new: str, *, dry_run: bool = False) -> Done:
        """Gives a note another name, or a folder when no note has the name."""
        from brain.stages.hands.rename import rename, rename_folder

        try:
            (path,) = self._paths(name)
        except NotFound:
            if not (self.root / name.strip("/")).is_dir() or ".." in name.split("/") or name.startswith("."):
                raise
            return rename_folder(self._context(), name, new, dry_run=dry_run)
        return rename(self._context(), path, new, dry_run=dry_run)

    def retype(self, name: str, kind: str, *, file: bool = False, dry_run: bool = False) -> Done:
        """Says what kind of thing a note is about; `file` puts it into the folder of that kind."""
        from brain.stages.hands.retype import retype

        (path,) = self._paths(name)
        return retype(self._context(), path, kind, file=file, dry_run=dry_run)

    def describe(self, name: str, words: str, *, dry_run: bool = False) -> Done:
        """Puts words in the place of a note's own text above its first section."""
        from brain.stages.hands.describe import describe

        (path,) = self._paths(name)
        return describe(self._context(), path, words, dry_run=dry_run)

    def forget(self, name: str, *, back: bool = False, dry_run: bool = False) -> Done:
        """Archives a note, or brings it back."""
        from brain.stages.hands.forget import forget

        (path,) = self._paths(name)
        return forget(self._context(), path, back=back, dry_run=dry_run)

    def importance(self, name: str, value: float, *, dry_run: bool = False) -> Done:
        """Says how much a note matters, from 0 to 1."""
        from brain.stages.hands.importance import set_importance

        (path,) = self._paths(name)
        return set_importance(self._context(), path, value, dry_run=dry_run)

    def pin(self, name: str, *, off: bool = False, dry_run: bool = False) -> Done:
        """Pins a note, or takes the pin out."""
        from brain.stages.hands.pin import pin

        (path,) = self._paths(name)
        return pin(self._context(), path, off=off, dry_run=dry_run)

    def tag(self, name: str, tags: Sequence[str], *, off: bool = False, dry_run: bool = False) -> Done:
        """Gives a note tags, or takes them away."""
        from brain.stages.hands.tag import tag

        (path,) = self._paths(name)
        return tag(self._context(), path, tags, off=off, dry_run=dry_run)

    def link(self, source: str, relation: str, target: str, *, reason: str = "", dry_run: bool = False) -> Done:
        """Writes a typed relation from one note to another."""
        from brain.stages.hands.link import link, relation_of

        relation_of(relation)  # a slip there is likelier than a note of that name
        one, other = self._paths(source, target)
        return link(self._context(), one, relation, other, reason=reason, dry_run=dry_run)

    def unlink(self, source: str, target: str, *, relation: str | None = None, dry_run: bool = False) -> Done:
        """Takes typed relations from one note to another out."""
        from brain.stages.hands.unlink import unlink

        one, other = self._paths(source, target)
        return unlink(self._context(), one, other, word=relation, dry_run=dry_run)

    def path_of(self, name: str) -> str:
        """Returns the path of the note that a person means, as the files are now."""
        (path,) = self._paths(name)
        return path

    def _paths(self, *names: str) -> list[str]:
        """Returns the paths of notes as they are now: the index is brought up to the files first."""
        self.index(embed=False)
        return [self._path(name) for name in names]
