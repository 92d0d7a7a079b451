"""Checks of coverage: notes that matter, or that stand for a thing, and say nothing of their own. Reads the catalog."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from shlex import quote

from brain.core.finding import Finding
from brain.core.vocabulary import ENTITY_KINDS
from brain.doctor.view import View
from brain.stages.growing.forest import owner_of

IMPORTANT = 0.8
BARE_BYTES_MAX = 2_000
"""A larger file says something."""
_THINGS = tuple(kind for kind in ENTITY_KINDS if kind not in ("note", "episode", "category", "insight"))
_LIVE = "n.status NOT IN ('superseded','archived') AND n.malformed=0 AND NOT EXISTS (SELECT 1 FROM atom a WHERE a.nid=n.nid)"
_EMPTY = re.compile(r"\s*(?:#{1,6}(?:\s.*)?|[-*_]{3,}|[-*+]|<!--.*-->|%%.*%%)?\s*")


def empty_important(view: View) -> Iterator[Finding]:
    """Notes that a person called important, without a word or a claim of their own; the owner's note and categories may be so."""
    owner = owner_of(view.conn, view.space.config.owner)
    rows = view.conn.execute(
        "SELECT n.path, n.importance, t.body FROM note n JOIN text_doc t USING(nid)"
        f" WHERE n.importance>=? AND n.size<=? AND n.kind<>'category' AND json_type(n.properties, '$.importance') IS NOT NULL AND {_LIVE} ORDER BY n.path",
        (IMPORTANT, BARE_BYTES_MAX),
    )
    for path, importance, body in rows:
        if says_nothing(body) and path != owner:
            message = f"Its importance is {importance:g}, and it says nothing."
            yield Finding("empty-important", "info", path, 0, message, f'write what matters about it into "{path}", or brain importance "{path}" 0.5')


def bare_entities(view: View) -> Iterator[Finding]:
    """Notes of a thing, such as a person or a project, with no claim, no text and no link; `orphans` leaves them to this.

    The owner's note may be so. What cannot be forgotten, a person or a pinned note, is not offered to be.
    """
    owner = owner_of(view.conn, view.space.config.owner)
    pinned = {path for (path,) in view.conn.execute("SELECT path FROM note WHERE json_extract(properties, '$.pinned') IN (1, 'true', 'yes')")}
    for path, kind in bare_of(view.conn):
        if path == owner:
            continue
        forgetting = "" if kind == "person" or path in pinned else f", or brain forget {quote(path)}"
        cure = f'brain describe {quote(path)} "what it is"{forgetting}'
        yield Finding("bare-entity", "info", path, 0, f"Nothing is known of this {kind.replace('_', ' ')}: no text, no claim, no link.", cure)


def bare_of(conn: sqlite3.Connection) -> list[tuple[str, str]]:
    """Returns path and kind of the notes of a thing of which nothing is known, by path."""
    rows = conn.execute(
        f"SELECT n.path, n.kind, t.body FROM note n JOIN text_doc t USING(nid) WHERE n.kind IN ({','.join('?' * len(_THINGS))}) AND n.size<=? AND {_LIVE}"
        " AND NOT EXISTS (SELECT 1 FROM link l WHERE l.nid=n.nid) AND NOT EXISTS (SELECT 1 FROM link l WHERE l.target_nid=n.nid)"
        " ORDER BY n.path", (*_THINGS, BARE_BYTES_MAX),
    )  # fmt: skip
    return [(path, kind) for path, kind, body in rows if says_nothing(body)]


def says_nothing(body: str) -> bool:
    """Tells whether a body has headings, rules, empty bullets and comments alone."""
    return all(_EMPTY.fullmatch(line) for line in body.splitlines())
