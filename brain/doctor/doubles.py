"""Checks for notes that may be one thing: those of one name, and those that say nearly the same.

Clashes of aliases are `notes.alias_clashes`; what `reconcile` would merge it asks for itself. Two notes that a person
set apart (`distinct_from`), and those that are no longer current, are none.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from shlex import quote
from typing import NamedTuple

from brain.core.dates import date_in
from brain.core.finding import Finding
from brain.core.ids import fold
from brain.doctor.closeness import Pair, close_pairs
from brain.doctor.view import View
from brain.index.rows import stem_of
from brain.stages.growing.forest import owner_of
from brain.stages.report import counted
from brain.sync.embedding import vector_store
from brain.sync.run import why_rebuild

COSINE_MIN = 0.98
SIZE_RATIO_MIN = 0.8
"""A note and one that says the same and much more are no doubles."""
PARTNERS_MAX = 10
"""Notes that are like more others were begun from one form, and say nothing of their own yet."""
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
            yield Finding("duplicate-name", "info", paths[0], 0, f"{name!r} is also the name of {shown}.", _cure(view, paths[0], paths[1]))


def same_meanings(view: View) -> Iterator[Finding]:
    """Pairs of notes of about one length whose first pieces lie nearly at one place; `vectors-waiting` says when there are none."""
    rows, pairs = _near(view)
    apart = _apart(view.conn)
    partners = Counter(row for one, other, _ in pairs for row in (one, other))
    shown = 0
    for one, other, cosine in pairs:
        left, right = rows[one], rows[other]
        if max(partners[one], partners[other]) > PARTNERS_MAX or not _are_of_a_size(left.size, right.size) or frozenset((left.nid, right.nid)) in apart:
            continue
        shown += 1
        if shown <= PAIRS_SHOWN_MAX:
            message = f"It says nearly what {right.path} says (cosine {cosine:.2f})."
            yield Finding("duplicate-meaning", "info", left.path, 0, message, _cure(view, left.path, right.path))
    if shown > PAIRS_SHOWN_MAX:
        message = f"{counted(shown - PAIRS_SHOWN_MAX, 'pair')} more of notes that say nearly the same."
        yield Finding("duplicate-meaning", "info", "", 0, message, "look at the pairs above first")


class _Lead(NamedTuple):
    nid: int
    path: str
    size: int
    hash: str


def _near(view: View) -> tuple[list[_Lead], list[Pair]]:
    """Returns the notes that have a vector, by path, and the pairs of their places that are close; none without a whole matrix."""
    store = None if why_rebuild(view.space) else vector_store(view.space, view.conn)
    if store is None or not store.count:
        return [], []
    found = view.conn.execute(
        f"SELECT n.nid, n.path, n.size, c.hash FROM note n JOIN chunk c ON c.nid=n.nid AND c.ordinal=0 JOIN vector v ON v.hash=c.hash WHERE {_LIVE}"
        " ORDER BY n.path"
    )
    timeline = f"{fold(view.space.config.folders.timeline)}/"
    rows = [lead for lead in map(_Lead._make, found) if not fold(lead.path).startswith(timeline)]
    known, matrix = store.rows_of([lead.hash for lead in rows])
    if len(rows) < 2 or len(known) < len(rows):
        return [], []  # a lost matrix is `vectors_state`'s
    return rows, close_pairs(matrix, COSINE_MIN)


def _are_of_a_size(one: int, other: int) -> bool:
    return min(one, other) >= SIZE_RATIO_MIN * max(one, other)


def _cure(view: View, path: str, other: str) -> str:
    """Returns how two notes become one, unless the tree forbids that, and how they are kept apart."""
    apart = f'write distinct_from: "[[{other[:-3]}]]" into "{path}"'
    owner = owner_of(view.conn, view.space.config.owner)
    keep, gone = (other, path) if other == owner else (path, other)
    return f"brain merge {quote(keep)} {quote(gone)}, or keep them apart: {apart}" if _can_merge(view.conn, keep, gone, owner) else apart


def _can_merge(conn: sqlite3.Connection, keep: str, gone: str, owner: str | None) -> bool:
    """Tells whether `brain merge` takes two notes: a category is one thing with another one alone, and only categories are part of the owner."""
    categories = conn.execute("SELECT count(*) FROM note WHERE path IN (?,?) AND kind='category'", (keep, gone)).fetchone()[0]
    parts = (
        "SELECT 1 FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE t.path IN (?,?) AND l.edge_type='part_of' AND l.nid<>t.nid AND s.kind<>'category'"
    )
    return categories != 1 and (keep != owner or conn.execute(parts, (keep, gone)).fetchone() is None)


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
