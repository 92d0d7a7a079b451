"""Search: a query in, notes out, best first, with quotations and reasons. Reads the catalog; writes nothing.

Words find candidates in the full-text index, vectors find candidates in the matrix, each with its own cut-off;
`ranking` scores both kinds together. The graph is not needed, so search answers while a writer holds its lock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime

from brain.config import Limits
from brain.core.decay import is_faded
from brain.core.ids import fold
from brain.core.recall import Answer, Hit, Query
from brain.errors import BrainError, UsageError
from brain.index import text as fulltext
from brain.index.stems import Stems
from brain.ports import Embedder
from brain.recall import lexical
from brain.recall.filters import SUPERSEDED, Dropped, Filters, NoteRow, filters_of, passing, rows_of, weights_of
from brain.recall.hits import Ranked, neighbour, neighbours_of, order_notes, successors_of
from brain.recall.matches import Matcher
from brain.recall.ranking import VECTOR_SHARE, Scored, score_notes
from brain.recall.reading import Reading, read_notes
from brain.recall.semantic import Nearness, Vectors, nearness
from brain.recall.terms import QUERY_CHARS_MAX, Parsed, parse_query

MODES = ("hybrid", "lexical", "vector")
FILTERED_CANDIDATES_MAX = 8_000
WORDS_OF_BEST_MIN = 0.05
_SCORE_DIGITS = 6


def search(
    conn: sqlite3.Connection,
    query: Query,
    *,
    now: datetime,
    limits: Limits,
    embedder: Embedder | None = None,
    vectors: Vectors | None = None,
) -> Answer:
    """Answers a query from the catalog at `conn`; any query text is answered, if only by saying why nothing is.

    `now` is aware. Without `embedder` or `vectors` the words alone decide.
    Raises: UsageError for an unknown mode or a date that is none.
    """
    if query.mode not in MODES:
        raise UsageError(f"There is no search mode {query.mode!r}.", f"one of: {', '.join(MODES)}")
    filters = filters_of(query)
    parsed = parse_query(query.text, terms_max=limits.search_terms_max)
    totals = fulltext.totals(conn)
    if totals.notes == 0:
        return Answer((), (), why_empty="Nothing is indexed yet: run `brain index`.")
    if not parsed.terms:
        what = "has no word in it" if query.text.strip() else "is empty"
        return Answer((), (), why_empty=f"The query {what}: type a word or two to look for.")
    with closing(Stems()) as stems:
        terms = lexical.weigh(conn, parsed.terms, stems, totals.notes)
        matcher = Matcher([weighed.term for weighed in terms], stems)
        notices = _left_out_notices(parsed)
        limit = max(limits.search_candidates_max // 2, min(query.limit, FILTERED_CANDIDATES_MAX))
        reach = limit if filters.is_open else max(limit, FILTERED_CANDIDATES_MAX)
        near, by_vector, problem = _nearness(conn, query, embedder, vectors, reach)
        run = _Run(
            conn, query, filters, limits, now, limit, reach, terms, matcher, near, by_vector, totals, [*notices, *problem]
        )
        return _answer(run)


@dataclass(slots=True)
class _Run:
    """One search on its way."""

    conn: sqlite3.Connection
    query: Query
    filters: Filters
    limits: Limits
    now: datetime
    limit: int
    """How many notes of each signal are read."""
    reach: int
    """How many notes of each signal are filtered to get them."""
    terms: tuple[lexical.Weighed, ...]
    matcher: Matcher
    near: Nearness | None
    by_vector: list[int]
    totals: fulltext.Totals
    notices: list[str]
    dropped: Dropped = field(default_factory=Dropped)

    @property
    def signals(self) -> tuple[str, ...]:
        """Which signals took part."""
        words = ("words",) if self.query.mode != "vector" else ()
        return (*words, "vector") if self.near else words


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Notes that may answer and pass the filters, with those whose name is the query."""

    rows: dict[int, NoteRow]
    exact: set[int]
    by_vector: frozenset[int]


def _answer(run: _Run) -> Answer:
    candidates = _candidates(run)
    readings = _read(run, candidates)
    scored = _scored(run, candidates, readings)
    shows_superseded = run.query.include_superseded or run.filters.asks_for_superseded
    rows = candidates.rows
    superseded = [note.nid for note in scored if rows[note.nid].status == SUPERSEDED]
    successors = successors_of(run.conn, superseded)
    rows = rows | _allowed(run, set(successors.values()) - rows.keys())
    if run.filters.as_of is not None:
        # On that day a note whose successor was not there yet still held.
        rows = {nid: _as_it_stood(row, successors, rows) for nid, row in rows.items()}
    weights = weights_of(run.conn, [note.nid for note in scored], run.now)
    order = order_notes(
        scored, rows, successors, weights=weights, limit=max(0, min(run.query.limit, FILTERED_CANDIDATES_MAX)), shows_superseded=shows_superseded
    )
    ranked = order.ranked
    if run.query.expand:
        ranked, rows = _expanded(run, ranked, rows)
    hits = _hits(run, ranked, rows, readings, {note.nid: note for note in scored})
    notices = [*run.notices, *_unknown_words_notices(run)]
    if order.hidden:
        notices.append(f"{order.hidden} superseded {_notes(order.hidden)} left out; --superseded shows them.")
    if order.pushed_out:
        notices.append(f"{order.pushed_out} faded {_notes(order.pushed_out)} gave way to fresher ones.")
    why = None if hits else _why_empty(run, order.hidden)
    return Answer(hits, run.signals, tuple(notices), why, run.dropped.total)


def _nearness(
    conn: sqlite3.Connection, query: Query, embedder: Embedder | None, vectors: Vectors | None, reach: int
) -> tuple[Nearness | None, list[int], list[str]]:
    """Returns the query's vector, the notes near it (nearest first), and what to tell when there is no such signal."""
    if query.mode == "lexical":
        return None, [], []
    if embedder is None:
        return None, [], ["There is no embedding model to search by meaning with."] if query.mode == "vector" else []
    if vectors is None or vectors.count == 0:
        return None, [], [f"No note is embedded with {embedder.model} yet, so only words count: run `brain index`."]
    try:
        near = nearness(conn, embedder, vectors, query.text[:QUERY_CHARS_MAX].replace("\0", " "))
        return near, list(dict.fromkeys(place.nid for place in near.nearest(reach))), []
    except BrainError as error:
        return None, [], [f"Only words counted: {error.message} ({error.cure})"]


def _candidates(run: _Run) -> _Candidates:
    """Collects what the signals find, keeps what passes the filters, and cuts each signal to its half of the limit."""
    limit, by_vector = run.limit, run.by_vector
    titles: list[int] = []
    exact: set[int] = set()
    by_words: list[int] = []
    if run.query.mode != "vector":
        titles, exact = lexical.titled(run.conn, run.query.text.strip(), run.terms)
        by_words = lexical.candidates(run.conn, run.terms, run.reach)
    rows = rows_of(run.conn, {*titles, *exact, *by_words, *by_vector})
    if run.query.mode != "vector":
        wanted = lexical.wanted_name(run.query.text)
        exact |= {nid for nid, row in rows.items() if fold(row.title) == wanted}
    kept = passing(run.conn, rows.values(), run.filters, run.dropped)
    chosen = {*titles, *exact, *_first(by_words, kept, limit), *_first(by_vector, kept, limit)} & kept
    return _Candidates({nid: rows[nid] for nid in sorted(chosen)}, exact & chosen, frozenset(by_vector))


def _first(nids: Sequence[int], kept: set[int], limit: int) -> list[int]:
    return [nid for nid in nids if nid in kept][:limit]


def _allowed(run: _Run, nids: set[int]) -> dict[int, NoteRow]:
    """Returns rows of further notes that pass the filters, without counting those that do not."""
    rows = rows_of(run.conn, nids)
    kept = passing(run.conn, rows.values(), run.filters, run.dropped, counted=False)
    return {nid: row for nid, row in rows.items() if nid in kept}


def _read(run: _Run, candidates: _Candidates) -> dict[int, Reading]:
    nids = list(candidates.rows)
    places = run.near.within(nids) if run.near and nids else {}
    return read_notes(run.conn, nids, run.matcher, places=places, exact=candidates.exact, as_of=run.filters.as_of)


def _scored(run: _Run, candidates: _Candidates, readings: Mapping[int, Reading]) -> list[Scored]:
    """Scores the candidates and applies what only reading could tell: phrases, dates of claims, cut-offs."""
    required = {index for index, weighed in enumerate(run.terms) if weighed.term.is_required}
    evidence = []
    for nid in sorted(readings):
        reading = readings[nid]
        if required and not required <= reading.terms():
            run.dropped.by_filter["phrase"] += 1
        elif run.filters.as_of and 0.0 in reading.evidence.factors and not reading.terms() and nid not in candidates.by_vector:
            run.dropped.by_filter["as_of"] += 1
        else:
            evidence.append(reading.evidence)
    share = 0.0 if run.near is None else 1.0 if run.query.mode == "vector" else VECTOR_SHARE
    idfs = [weighed.idf for weighed in run.terms]
    mean = run.totals.chars / run.totals.notes
    scored = score_notes(evidence, idfs, vector_share=share, note_chars_mean=mean)
    if run.query.mode == "vector":
        return [note for note in scored if note.nid in candidates.by_vector]
    best = max((note.parts.get("note", 0.0) for note in scored), default=0.0)
    return [note for note in scored if note.nid in candidates.by_vector or _tells(note, best)]


def _tells(note: Scored, best: float) -> bool:
    return "exact name" in note.parts or (note.has_words and note.parts.get("note", 0.0) >= WORDS_OF_BEST_MIN * best)


def _as_it_stood(row: NoteRow, successors: Mapping[int, int], rows: Mapping[int, NoteRow]) -> NoteRow:
    successor = successors.get(row.nid)
    return replace(row, status="active") if successor is not None and successor not in rows else row


def _expanded(run: _Run, ranked: tuple[Ranked, ...], rows: dict[int, NoteRow]) -> tuple[tuple[Ranked, ...], dict[int, NoteRow]]:
    """Appends notes one link away, at most as many as the query's limit."""
    limit = min(max(0, run.query.limit), FILTERED_CANDIDATES_MAX)
    found = neighbours_of(run.conn, ranked, limit)
    allowed = _allowed(run, {nid for nid, _ in found})
    shows_superseded = run.query.include_superseded or run.filters.asks_for_superseded
    more = [
        neighbour(nid, origin, rows[origin.nid].path)
        for nid, origin in found
        if nid in allowed and (shows_superseded or allowed[nid].status != SUPERSEDED)
    ]
    more.sort(key=lambda note: (-note.score, allowed[note.nid].path))
    return (*ranked, *more[:limit]), rows | allowed


def _hits(
    run: _Run, ranked: Sequence[Ranked], rows: Mapping[int, NoteRow], readings: Mapping[int, Reading], scored: Mapping[int, Scored]
) -> tuple[Hit, ...]:
    unread = [note.nid for note in ranked if note.nid not in readings]
    more = read_notes(run.conn, unread, run.matcher, places={}, exact=set(), as_of=run.filters.as_of) if unread else {}
    weights = weights_of(run.conn, [note.nid for note in ranked], run.now)
    hits = []
    for note in ranked:
        row, reading = rows[note.nid], readings.get(note.nid) or more[note.nid]
        known = scored.get(note.nid)
        scores = known.blocks if known else [float(len(found)) for found in reading.matches]
        hits.append(
            Hit(
                id=row.id, path=row.path, title=row.title, kind=row.kind, status=row.status,
                score=round(note.score, _SCORE_DIGITS), snippets=reading.snippets(scores, run.limits.snippet_chars_max),
                parts={name: round(part, _SCORE_DIGITS) for name, part in note.parts.items()},
                via=note.via, successor=note.successor, faded=is_faded(weights[note.nid]),
            )
        )  # fmt: skip
    return tuple(hits)


def _left_out_notices(parsed: Parsed) -> list[str]:
    if not parsed.left_out:
        return []
    return [f"The last {parsed.left_out} words of the query were left out (limits.search_terms_max = {len(parsed.terms)})."]


def _unknown_words_notices(run: _Run) -> list[str]:
    unknown = [weighed.term.shown for weighed in run.terms if weighed.notes == 0]
    if run.query.mode == "vector" or not unknown or len(unknown) == len(run.terms):
        return []
    return [f"No note has: {', '.join(unknown)}."]


def _why_empty(run: _Run, hidden: int) -> str:
    dropped = run.dropped
    if hidden:
        return f"Only superseded notes match ({hidden}); --superseded shows them."
    if dropped.total:
        return f"{dropped.total} {_notes(dropped.total)} matched, but the filters leave none: {dropped.sentence()}."
    if run.query.mode == "vector" and run.near is None:
        return run.notices[0] if run.notices else "There is nothing to search by meaning with."
    shown = " ".join(run.query.text.split())[:80]
    near = " and none is near enough in meaning" if run.near else ""
    return f"None of {run.totals.notes} {_notes(run.totals.notes)} has a word of {shown!r}{near}."


def _notes(count: int) -> str:
    return "note" if count == 1 else "notes"
