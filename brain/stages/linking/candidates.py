"""Which notes may be related: the notes to look at, and for each its likeliest partners with what proposed them. Reads only.

Signals: a name in the text without a link (full text), notes two links away (Cypher), notes near in meaning
(vectors), and notes that share rare words (full text).
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

from brain.index.stems import Stems
from brain.stages.context import Context
from brain.stages.linking import near
from brain.stages.linking.kept import kept_mentions
from brain.stages.linking.mentions import Mentions, Unlinked, find_mentions, linked_with
from brain.stages.linking.notes import LiveNote, live_notes

Signal = Literal["mention", "neighbours", "meaning", "words"]
Partners = dict[int, dict[int, dict[Signal, float]]]
"""Row id → row id of a partner → what each signal gives it."""
SIGNALS: dict[Signal, str] = {
    "mention": "its text names it without a link",
    "neighbours": "both are linked with the same notes",
    "meaning": "near in meaning",
    "words": "both have rare words",
}
NEAR_PER_NOTE_MAX = 5
"""Partners that no name proposes: more of them cost a model more than they bring."""
NEIGHBOURS_PER_QUERY, NOTES_PER_QUERY = 2_000, 100
ISOLATED_MAX = 5


class Holding:
    """How many notes hold each term of the index: read in one pass, once it is asked for."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._held: Mapping[str, int] | None = None

    def __call__(self) -> Mapping[str, int]:
        """Returns term → notes."""
        if self._held is None:
            with self._ctx.catalog() as conn:
                self._held = near.terms_held(conn)
        return self._held


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two notes that may be related, the first of which may say so; `line` is where its text names the other, if it does."""

    source: LiveNote
    target: LiveNote
    signals: tuple[Signal, ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Vault:
    """What one run knows of the whole vault: its live notes, the unlinked mentions, the notes that nothing is linked with.

    `named_in` holds the mentions by the row id of the note they stand in, one for each name's note, the rarest first;
    `holding()` says how many notes hold each term of the index; `pairs` and `seconds` count what each signal proposed and took.
    """

    live: Mapping[int, LiveNote]
    mentions: Mentions
    isolated: tuple[LiveNote, ...]
    named_in: Mapping[int, list[Unlinked]]
    holding: Holding
    pairs: Counter[Signal] = field(default_factory=Counter)
    seconds: dict[Signal, float] = field(default_factory=lambda: defaultdict(float))


def survey(ctx: Context) -> Vault:
    """Looks over the whole vault. Raises: IndexBroken, Locked."""
    began = perf_counter()
    holding = Holding(ctx)
    with ctx.catalog() as conn:
        live = live_notes(conn, ctx.config)
        mentions = kept_mentions(ctx, lambda: find_mentions(conn, live, ctx.config.limits, holding=holding()))
    by_id = {note.id: note for note in live.values()}
    isolated = tuple(by_id[row["id"]] for row in ctx.graph.run("isolated", limit=ISOLATED_MAX) if row["id"] in by_id)
    vault = Vault(live, mentions, isolated, _by_source(mentions), holding)
    vault.pairs["mention"] = sum(map(len, vault.named_in.values()))
    vault.seconds["mention"] = perf_counter() - began
    return vault


def _by_source(mentions: Mentions) -> dict[int, list[Unlinked]]:
    found: dict[int, dict[int, Unlinked]] = defaultdict(dict)
    for mention in mentions.found:
        found[mention.source].setdefault(mention.target, mention)
    return {source: list(by_target.values()) for source, by_target in found.items()}


def in_order(vault: Vault) -> list[LiveNote]:
    """Returns the live notes in the order in which to look at them: those with unlinked mentions, isolated ones, then the latest."""
    named = list(dict.fromkeys(mention.source for mention in vault.mentions.found))
    first = list(dict.fromkeys((*(vault.live[nid] for nid in named), *vault.isolated)))
    known = set(first)
    rest = sorted((note for note in vault.live.values() if note not in known), key=lambda note: note.path)
    return [*first, *sorted(rest, key=lambda note: note.day, reverse=True)]


def find_candidates(
    ctx: Context, vault: Vault, notes: Sequence[LiveNote], *, asked: Mapping[str, Sequence[str]] | None = None, for_a_model: bool = True
) -> dict[int, list[Candidate]]:
    """Returns the candidates of some notes by row id, the likeliest first, no more of each than the limit.

    `asked` are the ids of the notes that a note, by its id, was asked about with before. What only a model can sift (notes
    two links away, shared words) is left out for a person, but for notes that nothing is linked with.
    """
    partners: Partners = {note.nid: defaultdict(dict) for note in notes}
    with ctx.catalog() as conn:
        _add_near(ctx, conn, vault, notes, partners, for_a_model=for_a_model)
        if for_a_model:
            _add_neighbours(ctx, vault, notes, partners)
        for note in notes:
            for other in linked_with(conn, note.nid) & partners[note.nid].keys():
                del partners[note.nid][other]
    most, before = ctx.config.limits.candidates_per_note_max, asked or {}
    found: dict[int, list[Candidate]] = {}
    for note in notes:
        joined = _joined(note, vault.named_in.get(note.nid, ()), partners[note.nid], vault.live)
        found[note.nid] = [candidate for candidate in joined if candidate.target.id not in before.get(note.id, ())][: most or None]
    return found


def _add_near(
    ctx: Context, conn: sqlite3.Connection, vault: Vault, notes: Sequence[LiveNote], partners: Partners, *, for_a_model: bool
) -> None:
    vectors = near.open_vectors(ctx, conn)
    isolated, stems = set(vault.isolated), Stems()
    try:
        for note in notes:
            began = perf_counter()
            if vectors is not None:
                _add(vault, partners[note.nid], "meaning", near.by_meaning(conn, vectors, note.nid), began)
            began = perf_counter()
            if for_a_model or note in isolated:
                _add(vault, partners[note.nid], "words", near.by_words(conn, stems, vault.holding(), note.nid), began)
    finally:
        stems.close()


def _add(vault: Vault, partners: dict[int, dict[Signal, float]], signal: Signal, found: Mapping[int, float], began: float) -> None:
    known = {other: strength for other, strength in found.items() if other in vault.live}
    for other, strength in known.items():
        partners[other][signal] = strength
    vault.pairs[signal] += len(known)
    vault.seconds[signal] += perf_counter() - began


def _add_neighbours(ctx: Context, vault: Vault, notes: Sequence[LiveNote], partners: Partners) -> None:
    began = perf_counter()
    nid_of = {note.id: nid for nid, note in vault.live.items()}
    with ctx.graph.session():
        for start in range(0, len(notes), NOTES_PER_QUERY):
            part = [note.id for note in notes[start : start + NOTES_PER_QUERY]]
            degrees = {row["through"]: row["degree"] for row in ctx.graph.run("few-linked", notes=part)}
            rows = ctx.graph.run("common-neighbours", notes=part, near=list(degrees), limit=NEIGHBOURS_PER_QUERY * len(part)) if degrees else ()
            for (one, other), strength in _closeness(rows, degrees).items():
                if other in nid_of:
                    partners[nid_of[one]][nid_of[other]]["neighbours"] = strength
                    vault.pairs["neighbours"] += 1
    vault.seconds["neighbours"] += perf_counter() - began


def _closeness(rows: Iterable[Mapping[str, Any]], degrees: Mapping[str, int]) -> dict[tuple[str, str], float]:
    """Returns how close two notes are by those they are both linked with: each counts the more, the fewer notes it is linked with.

    Source: Adamic and Adar, Friends and neighbors on the Web, 2003.
    """
    found: dict[tuple[str, str], float] = defaultdict(float)
    for row in rows:
        found[row["one"], row["other"]] += 1.0 / math.log(1.0 + degrees[row["through"]])
    return found


def _joined(
    note: LiveNote, named: Iterable[Unlinked], partners: Mapping[int, Mapping[Signal, float]], live: Mapping[int, LiveNote]
) -> list[Candidate]:
    """Returns a note's candidates: whom it names first, then those that all signals together put highest."""
    found = {
        mention.target: Candidate(note, live[mention.target], ("mention", *sorted(partners.get(mention.target, ()))), mention.line) for mention in named
    }
    ranked = sorted(partners.items(), key=lambda item: (-sum(item[1].values()), live[item[0]].path))
    rest = [Candidate(note, live[other], tuple(sorted(signals))) for other, signals in ranked if other not in found and other != note.nid]
    return [*found.values(), *rest[:NEAR_PER_NOTE_MAX]]
