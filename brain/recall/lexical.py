"""Which notes may answer by their words: the plan that keeps FTS5 from ranking half the vault. Reads only.

FTS5 spends about a microsecond on each note it ranks and almost nothing on one it only counts. So terms are
counted first; the rare ones find the notes, and terms that stand everywhere only narrow each other down.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain.core.ids import fold
from brain.index import text as fulltext
from brain.index.stems import Stems
from brain.recall.terms import Term

RANKED_NOTES_MAX = 6_000
TITLES_MAX = 20
NEAR_WORDS = (10, 3)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A term, the number of notes it stands in, and what it tells: ln(1 + (N - n + .5) / (n + .5))."""

    term: Term
    notes: int
    idf: float


def weigh(conn: sqlite3.Connection, terms: Sequence[Term], stems: Stems, notes: int) -> tuple[Weighed, ...]:
    """Counts terms; a compound or symbol word that no note has is replaced by its parts. In the order typed."""
    stems.learn(word for term in terms for word in term.words)
    counted: dict[tuple[tuple[str, ...], bool], Weighed] = {}
    for term in terms:
        count = _count(conn, term, stems)
        for part in term.instead if count == 0 and term.instead else (term,):
            found = count if part is term else _count(conn, part, stems)
            key = (tuple(stem for word in part.words for stem in stems.of(word)), part.is_required)
            counted.setdefault(key, Weighed(part, found, idf(found, notes)))
    return tuple(counted.values())


def idf(count: int, notes: int) -> float:
    """Returns Lucene's idf; counts above `notes` (an index being written) count as `notes`."""
    count = min(count, notes)
    return math.log(1.0 + (notes - count + 0.5) / (count + 0.5))


def candidates(conn: sqlite3.Connection, terms: Sequence[Weighed], limit: int) -> list[int]:
    """Returns the row ids of up to `limit` notes that have a term, likeliest first, those with all terms among them."""
    known = sorted((w for w in terms if w.notes), key=lambda w: (w.notes, w.term.expression))
    required = [w for w in terms if w.term.is_required]
    if not known or any(w.notes == 0 for w in required):
        return []
    if required:
        return _with_required(conn, required, known, limit)
    rare = _affordable(known)
    common = known[len(rare) :]
    found: dict[int, None] = {}
    if len(known) > 1:
        _add(found, _with_all(conn, known, limit // 2, pays=not rare))
    if rare:
        wanted = _any(rare) if not common else f"({_any(rare)}) AND ({_any(known)})"
        _add(found, fulltext.best_matching(conn, wanted, limit))
    if common and len(found) < limit:
        _add(found, _with_all(conn, common, limit, pays=not found))
    return list(found)[:limit]


def titled(conn: sqlite3.Connection, text: str, terms: Sequence[Weighed]) -> tuple[list[int], set[int]]:
    """Returns notes whose names have all the words of the query in a row, and those that are named exactly so.

    A name is a title, the file's name with or without `.md`, an alias, or a path.
    """
    wanted = wanted_name(text)
    rows = conn.execute(
        "SELECT nid FROM name WHERE key=? UNION SELECT nid FROM note WHERE path IN (?, ?)", (wanted, text, f"{text}.md")
    )
    exact = {row[0] for row in rows}
    words = [word for w in terms if w.term.literal is None for word in w.term.words]
    near: list[int] = []
    if words:
        near = fulltext.best_matching(conn, f'{{title names}} : "{" ".join(words)}"', TITLES_MAX)
    return near, exact


def wanted_name(text: str) -> str:
    """Returns the name that a query asks for when it is one: folded, without link brackets and `.md`."""
    return fold(fold(text).removeprefix("[[").removesuffix("]]").removesuffix(".md"))


def _with_required(conn: sqlite3.Connection, required: Sequence[Weighed], known: Sequence[Weighed], limit: int) -> list[int]:
    must = " AND ".join(f"({w.term.expression})" for w in required)
    return fulltext.best_matching(conn, f"{must} AND ({_any(known)})", limit)


def _affordable(known: Sequence[Weighed]) -> Sequence[Weighed]:
    """Returns the rarest terms that together stand in few enough notes to rank them all."""
    total = 0
    for place, weighed in enumerate(known):
        total += weighed.notes
        if total > RANKED_NOTES_MAX:
            return known[:place]
    return known


def _with_all(conn: sqlite3.Connection, terms: Sequence[Weighed], limit: int, *, pays: bool) -> list[int]:
    """Returns the best notes that have all the terms; where those are too many, those that have them close together.

    `pays`: nothing else will find a note, so too many are ranked all the same rather than none.
    """
    everything = " AND ".join(f"({w.term.expression})" for w in terms)
    if len(terms) == 1:
        in_names = f"{{title names}} : ({terms[0].term.expression})" if terms[0].term.literal is None else None
        found = fulltext.best_matching(conn, in_names, limit) if in_names and not pays else []
        return fulltext.best_matching(conn, everything, limit) if pays else found
    for expression in (everything, *_close_together(terms)):
        count = fulltext.notes_matching(conn, expression)
        if count <= RANKED_NOTES_MAX and (count >= limit or expression == everything):
            return fulltext.best_matching(conn, expression, limit)
    return fulltext.best_matching(conn, everything, limit) if pays else []


def _close_together(terms: Sequence[Weighed]) -> Iterable[str]:
    if any(w.term.literal is not None or w.term.is_start for w in terms):
        return
    phrases = " ".join(w.term.expression for w in terms)
    for words in NEAR_WORDS:
        yield f"NEAR({phrases}, {words})"


def _any(terms: Sequence[Weighed]) -> str:
    return " OR ".join(f"({w.term.expression})" for w in terms)


def _add(found: dict[int, None], nids: Iterable[int]) -> None:
    found.update(dict.fromkeys(nids))


def _count(conn: sqlite3.Connection, term: Term, stems: Stems) -> int:
    if term.is_start or len(term.words) != 1 or len(stems.of(term.words[0])) != 1:
        return fulltext.notes_matching(conn, term.expression) if term.words else 0
    return fulltext.notes_with_word(conn, stems.of(term.words[0])[0])
