"""The pairs to compare: every signal asked for the notes at hand, joined, and bounded for each note. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from brain.stages.context import Context
from brain.stages.matching import signals
from brain.stages.matching.index import VaultIndex
from brain.stages.matching.meaning import Meanings
from brain.stages.matching.proposals import Ends, Proposals
from brain.stages.matching.signals import Blocks, Partner, Signal

NOTES_PER_BATCH = 5_000
LETTERS_MAX, WORDS_MAX = 10, 12


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs with the signals that proposed them; `counts` and `seconds` are by signal and before the limit, `left_out` fell to it."""

    pairs: Mapping[Ends, tuple[Signal, ...]]
    counts: Mapping[Signal, int]
    left_out: int
    seconds: Mapping[Signal, float]


def find_candidates(ctx: Context, index: VaultIndex, meanings: Meanings, fresh: Sequence[str]) -> Candidates:
    """Returns the candidates of these notes among all."""
    limits = ctx.config.limits
    pairs: dict[Ends, tuple[Signal, ...]] = {}
    counts: Counter[Signal] = Counter()
    seconds: Counter[Signal] = Counter()
    left_out = 0
    graph = _asked(ctx, frozenset(fresh), seconds)
    for start in range(0, len(fresh), NOTES_PER_BATCH):
        part = fresh[start : start + NOTES_PER_BATCH]
        batch = Proposals(known=index.row_of.keys())
        batch.add("names", graph.names.partners(part))
        batch.add("links", graph.links.partners(part))
        batch.add("identifiers", graph.identifiers if start == 0 else ())
        batch.add("letters", _near(index, part))
        batch.add("words", _sharing(index, part))
        batch.add("meaning", meanings.near(part))
        for ends, found in batch.pairs(most=limits.candidates_per_note_max).items():
            pairs[ends] = tuple(sorted({*pairs.get(ends, ()), *found}))
        counts.update(batch.counts)
        seconds.update(batch.seconds)
        left_out += batch.left_out
    return Candidates(pairs, counts, left_out, seconds)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the graph answered."""

    names: Blocks
    links: Blocks
    identifiers: tuple[Partner, ...]


def _asked(ctx: Context, changed: frozenset[str], seconds: Counter[Signal]) -> _Asked:
    """Asks the graph once for all, and lets it go, so that writers get their turn while pairs are made."""
    df_max = ctx.config.limits.token_df_max
    began = perf_counter()
    with ctx.graph.session():
        names = signals.blocks_by_name(ctx.graph, df_max=df_max)
        named = perf_counter()
        links = signals.blocks_by_link(ctx.graph, df_max=df_max)
        linked = perf_counter()
        identifiers = tuple(signals.by_identifiers(ctx.graph, changed))
    seconds.update({"names": named - began, "links": linked - named, "identifiers": perf_counter() - linked})
    return _Asked(names, links, identifiers)


def _near(index: VaultIndex, ids: Sequence[str]) -> Iterator[Partner]:
    for note_id in ids:
        yield from ((note_id, index.ids[row], cosine) for row, cosine in index.near(index.row_of[note_id], LETTERS_MAX))


def _sharing(index: VaultIndex, ids: Sequence[str]) -> Iterator[Partner]:
    for note_id in ids:
        yield from ((note_id, index.ids[row], bits) for row, bits in index.sharing_words(index.row_of[note_id], WORDS_MAX))
