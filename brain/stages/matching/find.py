"""Finding what may be one thing: only notes that changed are looked at, everything else is remembered.

Reads marks, makes forms of what is new, finds their candidates, judges the pairs, and keeps those that are
worth a decision. Writes nothing but its own derived file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from itertools import combinations

from brain.core.matching.context import Likeness
from brain.core.matching.grouping import grouped, linked
from brain.core.matching.profile import Profile, profile_of
from brain.core.matching.tiers import Judged, judge
from brain.stages.context import Context
from brain.stages.matching.candidates import find_candidates
from brain.stages.matching.facts import Row, live_rows, read_facts
from brain.stages.matching.form import form_of
from brain.stages.matching.index import VaultIndex
from brain.stages.matching.meaning import Meanings, meanings_of
from brain.stages.matching.proposals import Ends
from brain.stages.matching.signals import Signal
from brain.stages.matching.speaking import sides_of, speaks
from brain.stages.matching.store import VERSION, Match, Store, open_store
from brain.vault.layout import Layout

NOTES_PER_BATCH = 2_000
PAIRS_PER_BATCH = 2_000
PROFILES_KEPT_MAX = 100_000
PAIRS_KEPT_MAX = 20_000
"""Open pairs that are remembered, the likeliest: more questions than anyone answers before the notes have changed."""
GROWTH_MAX = 1.5
"""When a vault has grown or shrunk by this much, what counts as rare is not what it was: everything is looked at anew."""
KEPT = ("certain", "stated", "open")


@dataclass(frozen=True, slots=True)
class Found:
    """The pairs worth a decision, best first, how many there are in all, and what this run did for them."""

    matches: tuple[Match, ...]
    total: int
    looked_at: int = 0
    proposed: int = 0
    left_out: int = 0
    counts: Mapping[Signal, int] = field(default_factory=dict)
    seconds: Mapping[Signal, float] = field(default_factory=dict)


def find_matches(ctx: Context, *, most: int = PAIRS_KEPT_MAX, spoken_first: bool = False) -> Found:
    """Brings the pairs up to the catalog and returns those worth a decision, of the open ones the `most` likeliest.

    With `spoken_first` those that something speaks for come before any other.
    Raises: IndexBroken, Locked.
    """
    with ctx.catalog() as conn, open_store(Layout(ctx.vault.root).index) as store:
        rows = live_rows(conn, left_out=(ctx.config.folders.timeline, ctx.config.folders.loops))
        fresh, gone = _changed(ctx, store, rows)
        store.forget(gone)
        if not fresh:
            return Found(tuple(store.matches(most, spoken_first=spoken_first)), store.count())
        index = index_of(ctx, conn, store, fresh)
        meanings = meanings_of(ctx, conn, index.row_of.keys())
        candidates = find_candidates(ctx, index, meanings, [row.id for row in fresh])
        profiles = Profiles(conn, {row.id: row.nid for row in rows}, index, meanings)
        kept = ((ends, judged) for ends, judged in compare(profiles, list(candidates.pairs)) if judged.tier in KEPT)
        store.settle({row.id: row.mark for row in fresh}, (_match(judged, candidates.pairs[ends]) for ends, judged in _likeliest(kept)))
        store.trim(PAIRS_KEPT_MAX)
        store.doubt(_unfitting(profiles, store.matches(0)))
        return Found(tuple(store.matches(most, spoken_first=spoken_first)), store.count(), len(fresh), len(candidates.pairs), candidates.left_out, candidates.counts, candidates.seconds)


def _likeliest(found: Iterator[tuple[Ends, Judged]]) -> Iterator[tuple[Ends, Judged]]:
    """Yields all that is certain or stated, and as many open pairs as are kept, in no order."""
    best: list[tuple[float, Ends, Judged]] = []
    for ends, judged in found:
        if judged.tier != "open":
            yield ends, judged
        elif len(best) < PAIRS_KEPT_MAX:
            heappush(best, (judged.rank, ends, judged))
        else:
            heappushpop(best, (judged.rank, ends, judged))
    yield from ((ends, judged) for _, ends, judged in best)


def compare(profiles: Profiles, pairs: Sequence[Ends]) -> Iterator[tuple[Ends, Judged]]:
    """Judges pairs of notes, in order."""
    for start in range(0, len(pairs), PAIRS_PER_BATCH):
        part = pairs[start : start + PAIRS_PER_BATCH]
        known = profiles.of({note_id for ends in part for note_id in ends})
        for one, other in part:
            likeness = Likeness(profiles.index.cosine(one, other), profiles.meanings.cosine(one, other))
            yield (one, other), judge(known[one], known[other], profiles.index.rarity, likeness)


def index_of(ctx: Context, conn: sqlite3.Connection, store: Store, fresh: Sequence[Row]) -> VaultIndex:
    """Stores the forms of what is new, not yet marked as looked at, and makes the index of all."""
    for start in range(0, len(fresh), NOTES_PER_BATCH):
        part = fresh[start : start + NOTES_PER_BATCH]
        store.put([form_of(facts) for _, facts in read_facts(conn, [row.nid for row in part])])
    return VaultIndex(store.forms(), token_df_max=ctx.config.limits.token_df_max)


def _changed(ctx: Context, store: Store, rows: Sequence[Row]) -> tuple[list[Row], set[str]]:
    """Returns the notes to look at and the ids that are gone; forgets everything when the method or the vault is another."""
    limits = ctx.config.limits
    method = f"{VERSION} {limits.token_df_max} {limits.candidates_per_note_max} {ctx.config.folders.timeline} {ctx.config.folders.loops}"
    before = int(store.meta("notes") or 0)
    if store.meta("method") != method or not before <= len(rows) * GROWTH_MAX or not len(rows) <= before * GROWTH_MAX:
        store.clear()
        store.remember({"method": method, "notes": str(len(rows))})
    marks = store.marks()
    return [row for row in rows if marks.get(row.id) != row.mark], marks.keys() - {row.id for row in rows}


class Profiles:
    """Profiles by note id, made when asked for; a bounded number is kept."""

    def __init__(self, conn: sqlite3.Connection, nid_of: Mapping[str, int], index: VaultIndex, meanings: Meanings) -> None:
        self._conn = conn
        self._nid_of = nid_of
        self.index = index
        self.meanings = meanings
        self._known: dict[str, Profile] = {}

    def of(self, ids: set[str]) -> Mapping[str, Profile]:
        """Returns the profiles of these notes."""
        if len(self._known) > PROFILES_KEPT_MAX:
            self._known = {note_id: profile for note_id, profile in self._known.items() if note_id in ids}
        missing = [self._nid_of[note_id] for note_id in sorted(ids - self._known.keys())]
        for _, facts in read_facts(self._conn, missing):
            self._known[facts.id] = profile_of(facts, self.index.rarity)
        return self._known


def _unfitting(profiles: Profiles, matches: Sequence[Match]) -> tuple[Ends, ...]:
    """Returns the certain pairs that would bring notes together which do not fit: a person decides about those."""
    certain = {(match.one, match.other): match.margin for match in matches if match.tier == "certain"}
    crossing = [ends for group in linked(certain) for ends in combinations(group, 2) if ends not in certain]
    judged = dict(compare(profiles, crossing))
    scores = {**certain, **{ends: pair.margin for ends, pair in judged.items()}}
    return grouped(certain, scores, frozenset(ends for ends, pair in judged.items() if pair.vetoes)).refused


def _match(judged: Judged, signals: tuple[Signal, ...]) -> Match:
    certain = "" if judged.certain is None else "=".join(judged.certain)
    evidence, against = sides_of(judged.evidence)
    vetoes = tuple(veto.words for veto in judged.vetoes)
    return Match(judged.left.id, judged.right.id, judged.tier, judged.margin, judged.rank, certain, judged.stated, signals, evidence, vetoes, against, speaks(judged))
