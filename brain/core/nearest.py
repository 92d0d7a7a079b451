"""Which of the known words a mistyped one may have meant. Pure; the words come from the caller.

Method: optimal string alignment, the edit distance in which swapping two neighbours is one slip
(Boytsov 2011), relative to the length of the longer word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain.core.ids import fold

SUGGESTIONS_MAX = 3
SIMILARITY_MIN = 0.6
CHARS_TO_CONTAIN_MIN = 3


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Returns at most three known words that `word` is likely a slip of, the nearest first, ties by name.

    Words that hold all of it (`server` in `Home Server`) come after those that are spelled nearly like it.
    """
    from rapidfuzz.distance import OSA

    wanted = fold(word)
    found: list[tuple[float, str]] = []
    for candidate in set(known):
        folded = fold(candidate)
        similarity = OSA.normalized_similarity(wanted, folded, score_cutoff=SIMILARITY_MIN)
        if similarity:
            found.append((-similarity, candidate))
        elif len(wanted) >= CHARS_TO_CONTAIN_MIN and wanted in folded:
            found.append((len(folded) / len(wanted), candidate))
    return tuple(candidate for _, candidate in sorted(found)[:SUGGESTIONS_MAX])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns `did you mean "this" or "that"?`, or the empty text when nothing is near."""
    return any_of(nearest(word, known))


def any_of(words: Sequence[str]) -> str:
    """Returns the question whether one of these words was meant, the empty text for none."""
    quoted = [f'"{word}"' for word in words]
    if len(quoted) < 2:
        return f"did you mean {quoted[0]}?" if quoted else ""
    return f"did you mean {', '.join(quoted[:-1])} or {quoted[-1]}?"
