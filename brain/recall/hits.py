"""Scored notes → the order they are shown in: decay, corrections above what they replace, neighbours. Reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from brain.recall.filters import SUPERSEDED, NoteRow
from brain.recall.ranking import Scored, decay_factor

BELOW = 0.999
NEIGHBOUR_SHARE = 0.5
_CHAIN_MAX = 16


@dataclass(frozen=True, slots=True)
class Ranked:
    """A note in the answer. `parts` add up to `score`. `via` is the path of the note that led here."""

    nid: int
    score: float
    parts: dict[str, float]
    via: str | None = None
    successor: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """Notes best first, how many superseded ones were left out, and how many decay pushed below the limit."""

    ranked: tuple[Ranked, ...]
    hidden: int
    pushed_out: int


def order_notes(
    scored: Sequence[Scored],
    rows: Mapping[int, NoteRow],
    successors: Mapping[int, int],
    *,
    weights: Mapping[int, float],
    limit: int,
    shows_superseded: bool,
) -> Order:
    """Orders notes. A superseded note brings its successor, which stands above it even if it did not match itself.

    `rows` holds every note that may be shown, `weights` how much is left of those that have a score; `successors` maps a superseded note to the one that holds now.
    """
    fresh = sorted(scored, key=lambda note: (-note.score, rows[note.nid].path))
    faded = {note.nid: _faded(note, weights[note.nid]) for note in scored}
    before = {note.nid for note in fresh[:limit]}
    after = sorted(faded.values(), key=lambda note: (-note.score, rows[note.nid].path))[:limit]
    pushed_out = len(before - {note.nid for note in after})
    corrected, hidden = _corrected(faded, rows, successors, shows_superseded=shows_superseded)
    ranked = sorted(corrected.values(), key=lambda note: (-note.score, rows[note.nid].path))
    return Order(tuple(ranked[:limit]), hidden, pushed_out)


def successors_of(conn: sqlite3.Connection, nids: Iterable[int]) -> dict[int, int]:
    """Returns, for superseded notes, the note that holds now: links `superseded_by` followed to their end."""
    found: dict[int, int] = {}
    for nid in sorted(set(nids)):
        current, seen = nid, {nid}
        for _ in range(_CHAIN_MAX):
            row = conn.execute(
                "SELECT target_nid FROM link WHERE nid=? AND relation='superseded_by' AND status='resolved'"
                " AND target_nid IS NOT NULL ORDER BY ordinal LIMIT 1",
                (current,),
            ).fetchone()
            if row is None or row[0] in seen:
                break
            current = row[0]
            seen.add(current)
        if current != nid:
            found[nid] = current
    return found


def neighbours_of(conn: sqlite3.Connection, ranked: Sequence[Ranked], limit: int) -> list[tuple[int, Ranked]]:
    """Returns notes one link away from the hits, in either direction, with the hit that leads there; hits left out."""
    shown = {note.nid for note in ranked}
    found: dict[int, Ranked] = {}
    for note in ranked:
        rows = conn.execute(
            "SELECT target_nid FROM link WHERE nid=? AND status='resolved' AND target_nid IS NOT NULL"
            " UNION SELECT nid FROM link WHERE target_nid=? AND status='resolved' ORDER BY 1 LIMIT ?",
            (note.nid, note.nid, limit + len(shown)),
        )
        for (nid,) in rows:
            if nid not in shown:
                found.setdefault(nid, note)
    return list(found.items())


def neighbour(nid: int, origin: Ranked, path: str) -> Ranked:
    """Returns a neighbour as part of an answer, worth a share of the hit at `path` that led to it."""
    score = origin.score * NEIGHBOUR_SHARE
    return Ranked(nid, score, {"link": score}, via=path)


def _faded(note: Scored, weight: float) -> Ranked:
    factor = decay_factor(weight)
    parts = dict(note.parts)
    if factor < 1.0:
        parts["decay"] = note.score * (factor - 1.0)
    return Ranked(note.nid, note.score * factor, parts)


def _corrected(
    notes: Mapping[int, Ranked], rows: Mapping[int, NoteRow], successors: Mapping[int, int], *, shows_superseded: bool
) -> tuple[dict[int, Ranked], int]:
    placed = dict(notes)
    hidden = 0
    for nid, note in sorted(notes.items(), key=lambda item: (-item[1].score, rows[item[0]].path)):
        if rows[nid].status != SUPERSEDED:
            continue
        now_holds = successors.get(nid)
        if now_holds is not None and now_holds in rows:
            current = placed.get(now_holds) or Ranked(now_holds, 0.0, {}, via=rows[nid].path)
            current = _at_least(current, note.score, "replaces")
            placed[now_holds] = current
            note = replace(_at_most(note, current.score * BELOW), successor=rows[now_holds].path)
            placed[nid] = note
        if not shows_superseded:
            del placed[nid]
            hidden += 1
    return placed, hidden


def _at_least(note: Ranked, score: float, part: str) -> Ranked:
    if note.score >= score:
        return note
    return replace(note, score=score, parts={**note.parts, part: score - note.score})


def _at_most(note: Ranked, score: float) -> Ranked:
    if note.score <= score:
        return note
    return replace(note, score=score, parts={**note.parts, "superseded": score - note.score})
