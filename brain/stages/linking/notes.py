"""The notes that the link stage looks at, and how one is shown to a judge. Reads only.

Left out are episodes (said once, never rewritten), categories (the tree says what is in them), what is no longer current,
and what the stages write themselves, the list of what is still to be done among it.
A note is shown without its `## Related`: what this stage writes there makes no new question of an old one.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from brain.config import Config, Limits
from brain.core.ids import fold, short_hash
from brain.core.note import Note
from brain.models.judge.values import Excerpt
from brain.stages.context import Reading
from brain.vault.linkscan import Lines
from brain.vault.mask import mask
from brain.vault.outline import find_headings
from brain.vault.parse import parse_note
from brain.vault.store import Source

RELATED_KEY = "related"
SECTION_LEVEL = 2
LEAD_SHARE = 0.3
"""How much of an excerpt may stand before the line it is about."""
_NOT_NEWLINE = re.compile(r"[^\n]+")


class LiveNote(NamedTuple):
    """A note that may state a relation or be the end of one; `day` is the last day it states, empty when it states none."""

    nid: int
    id: str
    path: str
    title: str
    kind: str
    sha256: str
    day: str


@dataclass(frozen=True, slots=True)
class Read:
    """A note as it was read: `prose` is its text below the frontmatter without `## Related`, starting on `line` of the file.

    `mark` is the hash of the lines of that prose that say something, and of the names: what the stage itself writes,
    and the empty lines that are left of it, does not change it.
    """

    source: Source
    note: Note
    prose: str
    line: int
    mark: str


def live_notes(conn: sqlite3.Connection, config: Config) -> dict[int, LiveNote]:
    """Returns the notes that can be linked, by row id."""
    folders = config.folders
    left_out = tuple(f"{fold(folder)}/" for folder in (folders.inbox, folders.timeline, folders.archive, folders.insights))
    rows = conn.execute(
        "SELECT nid, id, path, title, kind, sha256, max(coalesce(confirmed,''), coalesce(created,''), coalesce(dated,'')) FROM note"
        " WHERE kind NOT IN ('episode','insight','category') AND status NOT IN ('superseded','archived') AND malformed=0 ORDER BY nid"
    )
    loops = fold(folders.loops)
    return {row[0]: LiveNote(*row) for row in rows if not fold(row[2]).startswith(left_out) and fold(row[2]) != loops}


def read_note(reading: Reading, path: str, limits: Limits) -> Read | None:
    """Reads a note for the judge; None when the file is gone or can no longer be linked."""
    source = reading.read(path)
    if source is None:
        return None
    note = parse_note(path, source.text, limits)
    if note.malformed or note.status in ("superseded", "archived") or note.kind == "episode":
        return None
    start = note.body_start
    text = prose_of(mask(source.text, start), source.text, start)[start:]
    body = text.lstrip("\r\n")
    line = source.text.count("\n", 0, start) + text.count("\n", 0, len(text) - len(body)) + 1
    prose = body.rstrip()
    words = "\n".join(line for line in prose.replace("\r\n", "\n").split("\n") if line.strip())
    return Read(source, note, prose, line, short_hash("prose", note.title, *note.aliases, "\n", words))


def prose_of(masked: str, text: str, start: int) -> str:
    """Returns a text from `start` on with the lines of `## Related` emptied; `masked` is the text with code blanked out.

    Every line keeps its number.
    """
    headings = find_headings(masked, text, start, Lines(text))
    for place, heading in enumerate(headings):
        if heading.level == SECTION_LEVEL and fold(heading.text) == RELATED_KEY:
            after = (later.span.start for later in headings[place + 1 :] if later.level <= SECTION_LEVEL)
            text = _emptied(text, heading.span.start, next(after, len(text)))
    return text


def excerpt(read: Read, note_id: str, *, chars_max: int, about: int | None = None) -> Excerpt:
    """Returns what a judge is shown of a note: all of it, or from a place on such that the line `about` is in the first `chars_max`.

    The judge cuts, and counts what it cuts. A part that is not the beginning has an id of its own, so that both can
    stand in one request.
    """
    start = 0 if about is None else _start_of(read, about, chars_max)
    skipped = read.prose.count("\n", 0, start)
    part = f"{note_id}:{read.line + skipped}" if start else note_id
    note = read.note
    return Excerpt(part, note.path, note.title, note.kind, note.aliases, read.prose[start:], read.line + skipped)


def _start_of(read: Read, about: int, chars_max: int) -> int:
    """Returns where an excerpt begins that holds a line of the file."""
    ends = [0, *(match.end() for match in re.finditer("\n", read.prose))]
    at = ends[max(0, min(about - read.line, len(ends) - 1))]
    if at < chars_max * (1 - LEAD_SHARE):
        return 0
    return min(start for start in ends if at - chars_max * LEAD_SHARE <= start <= at)


def _emptied(text: str, start: int, end: int) -> str:
    """Blanks a part of a text with spaces, so that no offset moves."""
    return text[:start] + _NOT_NEWLINE.sub(lambda run: " " * len(run[0]), text[start:end]) + text[end:]
