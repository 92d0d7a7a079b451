"""Scores: what the words and the vectors say of blocks and notes → one number a note, with its parts. Pure.

The recipe was measured on conversations (questions against turns): BM25 with Lucene's idf on blocks, mixed with
cosines, each divided by its best; a kernel over two neighbours on each side inside a note; the
note's own words; its best block. Two parts are for notes and not measured there: the share of the query in the
note's names, and a name that is the query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BLOCK_K1, BLOCK_B = 0.6, 0.4
NOTE_K1, NOTE_B = 0.9, 0.4
VECTOR_SHARE = 0.4  # a half was best for single utterances; a chunk's cosine is spread over several blocks
KERNEL = ((1, 0.4), (2, 0.2))
NOTE_SHARE, BEST_BLOCK_SHARE, NAMES_SHARE = 0.2, 0.3, 0.3
FULL_SCORE = 1.0 + NOTE_SHARE + BEST_BLOCK_SHARE + NAMES_SHARE
NAME_COUNTS = 2
EXACT_NAME_BONUS = 1.0
DECAY_SHARE = 0.1
SUPERSEDED_BLOCK_FACTOR = 0.5

Frequencies = Mapping[int, int]
"""Term index → how often it stands in a text."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one note. `blocks` and `block_chars` and `cosines` run alike; a cosine is 0 when unknown.

    `names` are the terms in title, aliases and tags; they count in every block, as a speaker does in a turn,
    each as `NAME_COUNTS` words.
    `names_covered` is the share of the title's (or the nearest alias') words that the query has, in [0, 1].
    """

    nid: int
    names: Frequencies
    names_chars: int
    names_covered: float
    is_exact: bool
    blocks: tuple[Frequencies, ...]
    block_chars: tuple[int, ...]
    cosines: tuple[float, ...]
    factors: tuple[float, ...]
    """What a block's score is multiplied by: below 1 for what has been superseded."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A note's score before decay, its parts (they add up to it), and what each block got, for choosing snippets."""

    nid: int
    score: float
    parts: dict[str, float]
    blocks: tuple[float, ...]
    has_words: bool
    cosine: float


def score_notes(
    evidence: Sequence[Evidence], idfs: Sequence[float], *, vector_share: float, note_chars_mean: float
) -> tuple[Scored, ...]:
    """Scores notes against each other, in the order given.

    `vector_share` is 0 for words alone, 1 for vectors alone. `note_chars_mean` is the mean length of a body.
    """
    block_mean = _mean_block_chars(evidence)
    words = [_block_words(note, idfs, block_mean) for note in evidence]
    whole = [_note_words(note, idfs, note_chars_mean) for note in evidence]
    best_word = max((score for note in words for score in note), default=0.0) or 1.0
    best_cosine = max((cosine for note in evidence for cosine in note.cosines), default=0.0)
    best_cosine = best_cosine if best_cosine > 0 else 1.0
    word_share = 1.0 - vector_share
    by_words = [[word_share * score / best_word for score in note] for note in words]
    by_vector = [[vector_share * max(cosine, 0.0) / best_cosine for cosine in note.cosines] for note in evidence]
    smooth = [(_smoothed(a), _smoothed(b)) for a, b in zip(by_words, by_vector, strict=True)]
    best_smooth = max((x + y for a, b in smooth for x, y in zip(a, b, strict=True)), default=0.0) or 1.0
    best_raw = max((x + y for a, b in zip(by_words, by_vector, strict=True) for x, y in zip(a, b, strict=True)), default=0.0) or 1.0
    best_whole = max(whole, default=0.0) or 1.0
    scored = []
    for place, note in enumerate(evidence):
        raw = [x + y for x, y in zip(by_words[place], by_vector[place], strict=True)]
        lexical, vector = _best_pair(*smooth[place])
        parts = {
            "words": lexical / best_smooth,
            "vector": vector / best_smooth,
            "note": NOTE_SHARE * word_share * whole[place] / best_whole,
            "best block": BEST_BLOCK_SHARE * max(raw, default=0.0) / best_raw,
            "names": NAMES_SHARE * _names_share(note, idfs),
        }
        parts = {name: value / FULL_SCORE for name, value in parts.items() if value > 0}
        if note.is_exact:
            parts["exact name"] = EXACT_NAME_BONUS
        has_words = note.is_exact or bool(note.names) or any(note.blocks)
        cosine = max(note.cosines, default=0.0)
        scored.append(Scored(note.nid, sum(parts.values()), parts, tuple(raw), has_words, cosine))
    return tuple(scored)


def decay_factor(weight: float) -> float:
    """Returns what a score is multiplied by: a note that has faded to nothing keeps nine tenths."""
    return 1.0 - DECAY_SHARE * (1.0 - min(1.0, max(0.0, weight)))


def bm25(found: Frequencies, idfs: Sequence[float], *, length: float, k1: float, b: float) -> float:
    """Returns BM25 of a text; `length` is its length over the mean length."""
    norm = k1 * (1.0 - b + b * length)
    return sum(idfs[term] * count / (count + norm) for term, count in sorted(found.items()))


def _block_words(note: Evidence, idfs: Sequence[float], mean: float) -> list[float]:
    scores = []
    for found, chars, factor in zip(note.blocks, note.block_chars, note.factors, strict=True):
        together = _with_names(found, note.names)
        length = (chars + note.names_chars) / mean
        scores.append(factor * bm25(together, idfs, length=length, k1=BLOCK_K1, b=BLOCK_B) if together else 0.0)
    return scores


def _note_words(note: Evidence, idfs: Sequence[float], mean: float) -> float:
    together = _with_names({}, note.names)
    for found in note.blocks:
        for term, count in found.items():
            together[term] = together.get(term, 0) + count
    length = (sum(note.block_chars) + note.names_chars) / mean if mean > 0 else 1.0
    return bm25(together, idfs, length=length, k1=NOTE_K1, b=NOTE_B)


def _names_share(note: Evidence, idfs: Sequence[float]) -> float:
    total = sum(idfs)
    named = sum(idfs[term] for term in sorted(note.names))
    return named / total * (0.5 + 0.5 * note.names_covered) if total > 0 else 0.0


def _mean_block_chars(evidence: Sequence[Evidence]) -> float:
    count = sum(len(note.block_chars) for note in evidence)
    total = sum(sum(note.block_chars) + len(note.block_chars) * note.names_chars for note in evidence)
    return total / count if count and total else 1.0


def _smoothed(scores: Sequence[float]) -> list[float]:
    smooth = list(scores)
    for distance, share in KERNEL:
        for place, score in enumerate(scores):
            if score > 0.0:
                for neighbour in (place - distance, place + distance):
                    if 0 <= neighbour < len(smooth):
                        smooth[neighbour] += share * score
    return smooth


def _best_pair(lexical: Sequence[float], vector: Sequence[float]) -> tuple[float, float]:
    pairs = list(zip(lexical, vector, strict=True))
    return max(pairs, key=lambda pair: pair[0] + pair[1], default=(0.0, 0.0))


def _with_names(found: Frequencies, names: Frequencies) -> dict[int, int]:
    together = dict(found)
    for term, count in names.items():
        together[term] = together.get(term, 0) + NAME_COUNTS * count
    return together
