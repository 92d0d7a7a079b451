"""The pairs to compare: every signal asked for the notes at hand, joined, and bounded for each note. Reads only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from brain.stages.context import Context
from brain.stages.matching import signals
from brain.stages.matching.index import VaultIndex
from brain.stages.matching.meaning import Meanings
from brain.stages.matching.proposals import Ends, Proposals
from brain.stages.matching.signals import Partner, Signal

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
    """Returns the candidates of these notes among all. The graph is let go between batches, so that writers get their turn."""
    limits = ctx.config.limits
    pairs: dict[Ends, tuple[Signal, ...]] = {}
    counts: Counter[Signal] = Counter()
    seconds: dict[Signal, float] = defaultdict(float)
    left_out = 0
    changed = frozenset(fresh)
    for start in range(0, len(fresh), NOTES_PER_BATCH):
        part = fresh[start : start + NOTES_PER_BATCH]
        batch = Proposals(known=index.row_of.keys())
        with ctx.graph.session():
            batch.add("names", signals.by_names(ctx.graph, part, df_max=limits.token_df_max))
            batch.add("links", signals.by_links(ctx.graph, part, df_max=limits.token_df_max))
            if start == 0:
                batch.add("identifiers", signals.by_identifiers(ctx.graph, changed))
        batch.add("letters", _near(index, part))
        batch.add("words", _sharing(index, part))
        batch.add("meaning", meanings.near(part))
        for ends, found in batch.pairs(most=limits.candidates_per_note_max).items():
            pairs[ends] = tuple(sorted({*pairs.get(ends, ()), *found}))
        counts.update(batch.counts)
        for signal, spent in batch.seconds.items():
            seconds[signal] += spent
        left_out += batch.left_out
    return Candidates(pairs, counts, left_out, seconds)


def _near(index: VaultIndex, ids: Sequence[str]) -> Iterator[Partner]:
    for note_id in ids:
        yield from ((note_id, index.ids[row], cosine) for row, cosine in index.near(index.row_of[note_id], LETTERS_MAX))


def _sharing(index: VaultIndex, ids: Sequence[str]) -> Iterator[Partner]:
    for note_id in ids:
        yield from ((note_id, index.ids[row], bits) for row, bits in index.sharing_words(index.row_of[note_id], WORDS_MAX))
