"""Category notes: which one a kind falls back to, and the note that is made when there is none. Reads, writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from brain.core.ids import fold, short_hash
from brain.core.plan import CreateNote
from brain.core.slug import file_stem
from brain.core.tree import CATEGORY, IMPORTANCE_OF_CATEGORY, Node, fallback_of
from brain.stages import paths
from brain.stages.context import Context
from brain.stages.target import Existing, Missing, Names, Planned
from brain.vault.render import entity_note

FOLDER = "Categories"


@dataclass(slots=True)
class Categories:
    """The categories of one run: those that are there, and those that it is to make under the owner, by path."""

    ctx: Context
    names: Names
    owner: str
    wanted: dict[str, str] = field(default_factory=dict)
    _paths: dict[str, str] = field(default_factory=dict)

    def place(self, node: Node) -> str:
        """Returns the path of the category that a note falls back to."""
        return self.called(fallback_of(node.kind))

    def called(self, name: str) -> str:
        """Returns the path of the category of a name; one that is to be made when no category answers to it."""
        key = fold(name)
        if key not in self._paths:
            self._paths[key] = self._found(name) or self._new(name)
        return self._paths[key]

    def creation(self, path: str) -> CreateNote | None:
        """Returns the edit that makes a category which is not there yet; None for one that is, or that no link can hang off the owner."""
        name, link = self.wanted.get(path), self.names.link_to(path, self.owner)
        if name is None or link is None:
            return None
        return CreateNote(path, note_text(self.ctx, path, name, link, kind=CATEGORY, importance=IMPORTANCE_OF_CATEGORY))

    def made(self, path: str, *, is_there: bool) -> None:
        """Takes note that a category was made; unless that was a rehearsal, the catalog knows it by now."""
        self.wanted.pop(path, None)
        if is_there:
            self.names.forget([path])

    def _found(self, name: str) -> str | None:
        for known in (name, f"{name} ({CATEGORY})"):
            found = self.names.find("", known)
            if isinstance(found, Existing) and found.kind == CATEGORY:
                return found.path
        return None

    def _new(self, name: str) -> str:
        path = free_path(self.ctx, self.names, name, FOLDER, CATEGORY)
        self.wanted[path] = name
        self.names.plan(Planned(path, CATEGORY))
        return path


def free_path(ctx: Context, names: Names, name: str, folder: str, kind: str) -> str:
    """Returns the path of a new note whose name no other note answers to: with its kind, then a number behind it where one does."""
    inside = paths.real_folder(ctx.vault.root, f"{ctx.config.folders.memory}/{folder}")
    ways = [name, f"{name} ({kind})", *(f"{name} ({kind} {number})" for number in range(2, 100))]
    stem = next((stem for way in ways if (stem := file_stem(way)) and isinstance(names.find("", stem), Missing)), "")
    return f"{inside}/{stem or short_hash('category', name, length=12)}.md"


def note_text(ctx: Context, path: str, name: str, link: str, *, kind: str, importance: float) -> str:
    """Returns a new note that others are filed under; `link` leads to its own parent."""
    stem = path.rsplit("/", 1)[-1][:-3]
    fields = [
        ("id", f"n-{short_hash('tree', path, name, length=16)}"), ("type", "entity"), ("kind", kind),
        ("title", name if name != stem else None), ("part_of", link), ("importance", importance), ("status", "active"), ("created", ctx.today),
    ]  # fmt: skip
    return entity_note(fields, ())
