"""Checks for notes that may be one thing: those of one name, and those that say nearly the same.

Clashes of aliases are `notes.alias_clashes`; what `reconcile` would merge it asks for itself. Two notes that a person
set apart (`distinct_from`), and those that are no longer current, are none.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from shlex import quote

from brain.core.dates import date_in
from brain.core.finding import Finding
from brain.core.ids import fold
from brain.doctor.closeness import close_pairs
from brain.doctor.view import View
from brain.index.rows import stem_of
from brain.stages.report import counted
from brain.sync.embedding import vector_store
from brain.sync.run import why_rebuild

COSINE_MIN = 0.98
SIZE_RATIO_MIN = 0.8
"""A note and one that says the same and much more are no doubles."""
PAIRS_SHOWN_MAX = 100
NAMED_MAX = 5
LETTERS_MIN = 3
_LIVE = "n.status NOT IN ('superseded','archived') AND n.malformed=0 AND n.kind<>'episode'"
_GENERIC = re.compile(r"_?(?:readme|index|home|changelog|license|legal|contributing|overview|introduction|summary|notes?|todo|log|template|untitled)(?: \d+)?")
"""File names that say what a file is for in its folder, not what it is about."""
_BLANK = re.compile(r"\{\{|<%|\$\{")


def same_names(view: View) -> Iterator[Finding]:
    """Notes of one title or file name; a name that is a day or says nothing is none. One finding a name."""
    apart = _apart(view.conn)
    told: set[tuple[str, ...]] = set()
    for name, notes in sorted(_by_name(view.conn).items()):
        pairs = [pair for pair in combinations(sorted(notes), 2) if frozenset((pair[0][1], pair[1][1])) not in apart]
        paths = tuple(sorted({path for pair in pairs for path, _ in pair}))
        if paths and paths not in told:
            told.add(paths)
            shown = ", ".join(paths[1:NAMED_MAX]) + (f" and {len(paths) - NAMED_MAX} more" if len(paths) > NAMED_MAX else "")
            yield Finding("duplicate-name", "info", paths[0], 0, f"{name!r} is also the name of {shown}.", _cure(paths[0], paths[1]))


def same_meanings(view: View) -> Iterator[Finding]:
    """Pairs of notes of about one length whose first pieces lie nearly at one place; `vectors-waiting` says when there are none."""
    store = None if why_rebuild(view.space) else vector_store(view.space, view.conn)
    if store is None or not store.count:
        return
    rows = view.conn.execute(
        f"SELECT n.nid, n.path, n.size, c.hash FROM note n JOIN chunk c ON c.nid=n.nid AND c.ordinal=0 JOIN vector v ON v.hash=c.hash WHERE {_LIVE}"
        " ORDER BY n.path"
    ).fetchall()
    timeline = f"{fold(view.space.config.folders.timeline)}/"
    rows = [row for row in rows if not fold(row[1]).startswith(timeline)]
    if len(rows) < 2:
        return
    known, matrix = store.rows_of([row[3] for row in rows])
    if len(known) < len(rows):
        return  # a lost matrix is `vectors_state`'s
    apart, shown = _apart(view.conn), 0
    for one, other, cosine in close_pairs(matrix, COSINE_MIN):
        (left, path, size, _), (right, twin, length, _) = rows[one], rows[other]
        if min(size, length) < SIZE_RATIO_MIN * max(size, length) or frozenset((left, right)) in apart:
            continue
        shown += 1
        if shown <= PAIRS_SHOWN_MAX:
            message = f"It says nearly what {twin} says (cosine {cosine:.2f})."
            yield Finding("duplicate-meaning", "info", path, 0, message, _cure(path, twin))
    if shown > PAIRS_SHOWN_MAX:
        message = f"{counted(shown - PAIRS_SHOWN_MAX, 'pair')} more of notes that say nearly the same."
        yield Finding("duplicate-meaning", "info", "", 0, message, "look at the pairs above first")


def _cure(path: str, other: str) -> str:
    return f'brain merge {quote(path)} {quote(other)}, or keep them apart: write distinct_from: "[[{other[:-3]}]]" into "{path}"'


def _by_name(conn: sqlite3.Connection) -> dict[str, set[tuple[str, int]]]:
    """Returns the notes of each name that more than one has, as path and row id."""
    found: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for nid, path, title in conn.execute(f"SELECT n.nid, n.path, n.title FROM note n WHERE {_LIVE}"):
        for name in {fold(stem_of(path)), *([fold(title)] if _is_full(title) else ())}:
            found[name].add((path, nid))
    return {name: notes for name, notes in found.items() if len(notes) > 1 and _says_what(name)}


def _is_full(title: str) -> bool:
    """Tells whether a title can stand alone: a word such as `API` is the name of a part in many places, and a form's `{{title}}` is none."""
    return (" " in title or not title.isascii()) and not _BLANK.search(title)


def _says_what(name: str) -> bool:
    return sum(map(str.isalpha, name)) >= LETTERS_MIN and date_in(name) is None and _GENERIC.fullmatch(name) is None


def _apart(conn: sqlite3.Connection) -> set[frozenset[int]]:
    """Returns the pairs of notes that are set apart, or of which one took the other's place."""
    rows = conn.execute("SELECT nid, target_nid FROM link WHERE relation IN ('distinct_from','superseded_by') AND target_nid IS NOT NULL")
    return {frozenset(row) for row in rows}
