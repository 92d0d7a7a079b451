"""What the rules of the tree know of notes: names, tags, folders, neighbours. Reads only."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from brain.core.ids import fold
from brain.core.names import name_tokens
from brain.core.tree import Forest
from brain.models.judge.values import Excerpt
from brain.stages.context import Context, Reading
from brain.stages.linking.notes import excerpt, read_note


@dataclass(frozen=True, slots=True)
class Traits:
    """One note: its id, title, folders and tags (folded, the last part of each), and the live notes it is linked with, either way."""

    id: str
    title: str
    folders: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    neighbours: frozenset[str] = field(default_factory=frozenset)

    @property
    def words(self) -> frozenset[str]:
        """The words of its title."""
        return frozenset(name_tokens(self.title))


def traits_of(conn: sqlite3.Connection, forest: Forest) -> Mapping[str, Traits]:
    """Returns what is known of each note of a forest, by path; `part_of` makes no neighbours."""
    known = forest.nodes.keys()
    tags: dict[str, list[str]] = defaultdict(list)
    for path, tag in conn.execute("SELECT n.path, g.tag FROM tag g JOIN note n USING(nid) ORDER BY n.path, g.rowid"):
        tags[path].append(fold(tag.rsplit("/", 1)[-1]))
    near: dict[str, set[str]] = defaultdict(set)
    rows = conn.execute(
        "SELECT s.path, t.path FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND ifnull(l.edge_type,'')<>'part_of' AND s.nid<>t.nid"
    )
    for source, target in rows:
        if source in known and target in known:
            near[source].add(target)
            near[target].add(source)
    notes = conn.execute("SELECT path, id, title FROM note ORDER BY path").fetchall()
    return {
        path: Traits(note_id, title, tuple(map(fold, path.split("/")[:-1])), tuple(dict.fromkeys(tags[path])), frozenset(near[path]))
        for path, note_id, title in notes if path in known
    }  # fmt: skip


def category_of(forest: Forest, path: str) -> str | None:
    """Returns the nearest category that a note is in, itself when it is one."""
    seen: set[str] = set()
    at: str | None = path
    while at is not None and at not in seen:
        if forest.nodes[at].is_category:
            return at
        seen.add(at)
        at = next(iter(forest.parents.get(at, ())), None)
    return None


def shown(ctx: Context, reading: Reading, path: str, traits: Traits) -> Excerpt | None:
    """Returns a note as a model is shown it; None when it cannot be read."""
    read = read_note(reading, path, ctx.config.limits)
    return None if read is None else excerpt(read, traits.id, chars_max=ctx.config.judge.note_chars_max)
