"""What `limits.chunks_per_note_max` left without a vector. Words still find all of it. Reads files, writes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from brain.config import Limits
from brain.index.rows import NoteRows
from brain.sync.space import Space

NAMED_MAX = 10


def left_out_of_rows(space: Space, rows: Iterable[NoteRows]) -> dict[str, int]:
    """Returns path → pieces left out, of notes that were just read."""
    return _counted(space, [r.seen.path for r in rows if len(r.chunks) >= max(1, space.config.limits.chunks_per_note_max)])


def left_out_of_catalog(space: Space, conn: sqlite3.Connection) -> dict[str, int]:
    """Returns path → pieces left out, of every note of the catalog."""
    rows = conn.execute(
        "SELECT n.path FROM note n JOIN (SELECT nid FROM chunk GROUP BY nid HAVING count(*)>=?) USING(nid) ORDER BY n.path",
        (max(1, space.config.limits.chunks_per_note_max),),
    )
    return _counted(space, [row[0] for row in rows])


def left_out_words(left_out: dict[str, int], limits: Limits) -> tuple[str, ...]:
    """Returns a sentence for each note, as far as a person would read them."""
    named = [
        f"{path}: {count} pieces have no vector (limits.chunks_per_note_max is {limits.chunks_per_note_max}): words find them,"
        " meaning does not."
        for path, count in sorted(left_out.items())
    ]  # fmt: skip
    rest = len(named) - NAMED_MAX
    return (*named[:NAMED_MAX], *([f"The same is so of {rest} more notes (brain doctor)."] if rest > 0 else []))


def _counted(space: Space, paths: Sequence[str]) -> dict[str, int]:
    """Splits the notes anew: nothing keeps what was left out, and few notes are that long."""
    if not paths:
        return {}
    from brain.index.chunk import count_left_out
    from brain.sync.read import readable
    from brain.vault.parse import parse_note

    limits = space.config.limits
    found = {}
    for path in sorted(paths):
        for source in space.vault.read_many([path]).values():
            text, _ = readable(source.data)
            found[path] = count_left_out(parse_note(path, text, limits), text, limits)
    return {path: count for path, count in found.items() if count}
