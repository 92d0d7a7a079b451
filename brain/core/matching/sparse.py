"""Notes as sets of hashed numbers: who shares rare ones, and whose three-letter pieces are nearest. Pure.

Similarity is the cosine of binary vectors weighed by inverse document frequency (Salton and Buckley 1988),
over an inverted index. Only the rarest pieces of a note are followed, so that a pass over a large vault stays
near linear; measured on records, the 48 rarest find what all of them find (ADR 0017).
"""

from __future__ import annotations

from binascii import crc32
from collections.abc import Iterable
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.uint32]

GRAM_BITS = 22
GRAMS_FOLLOWED_MAX = 48
POSTINGS_FOLLOWED_MAX = 50_000
ROWS_PER_BLOCK = 4_096
TINY = 1e-9
COMMON_SHARE = 0.1
COMMON_MIN = 20
_MIX = (np.uint32(2654435761), np.uint32(2246822519), np.uint32(3266489917))


def hashed(features: Iterable[str]) -> Ids:
    """Returns the sorted distinct 32-bit hashes of texts; a collision makes a feature look less rare, no more."""
    return np.unique(np.fromiter((crc32(feature.encode("utf-8", "surrogatepass")) for feature in features), np.uint32))


def grams_of(text: str) -> Ids:
    """Returns the sorted distinct hashes of all pieces of three characters of a text."""
    codes = np.frombuffer(f" {text} ".encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)
    if len(codes) < 3:
        return np.zeros(0, np.uint32)
    mixed = codes[:-2] * _MIX[0] ^ codes[1:-1] * _MIX[1] ^ codes[2:] * _MIX[2]
    return np.unique((mixed ^ mixed >> np.uint32(15)) & np.uint32((1 << GRAM_BITS) - 1))


class Sets:
    """The sets of all notes, row by row: `ids[starts[n]:starts[n + 1]]` are those of row n."""

    def __init__(self, rows: Iterable[Ids] = ()) -> None:
        self._data = bytearray()
        self._lengths: list[int] = []
        for row in rows:
            self.add(row)

    def add(self, row: Ids) -> None:
        """Adds the set of the next row; before anything is asked."""
        self._data += row.tobytes()
        self._lengths.append(len(row))

    def __len__(self) -> int:
        return len(self._lengths)

    @cached_property
    def ids(self) -> Ids:
        """The sets behind each other."""
        return np.frombuffer(self._data, np.uint32)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each row begins, and where the last one ends."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self._lengths, dtype=np.int64)])

    def of(self, row: int) -> Ids:
        """Returns the set of one row."""
        return self.ids[self.starts[row] : self.starts[row + 1]]


class Inverted:
    """Which rows hold an id. Ids that one row alone has, or more than `most` rows, are counted and not followed."""

    def __init__(self, sets: Sets, *, most: int) -> None:
        # Id above, row below: one sort of whole numbers puts the rows of an id together.
        packed = np.empty(len(sets.ids), "<u8")
        rows, ids = packed.view("<u4")[0::2], packed.view("<u4")[1::2]
        rows[:] = np.repeat(np.arange(len(sets), dtype=np.uint32), np.diff(sets.starts))
        ids[:] = sets.ids
        packed.sort()
        edges = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1], [True]])) if len(ids) else np.zeros(1, np.int64)
        self.distinct = ids[edges[:-1]]
        self.counts = np.diff(edges).astype(np.int32)
        kept = (self.counts > 1) & (self.counts <= most)
        self.rows = rows[np.repeat(kept, self.counts)].astype(np.int32)
        self.first = np.zeros(len(self.distinct) + 1, np.int64)
        np.cumsum(np.where(kept, self.counts, 0), out=self.first[1:])
        self.bits = np.log2((len(sets) + 1) / np.maximum(1, self.counts))  # one more, so that two notes may share what both have
        self._row_count = len(sets)

    def df(self, number: int) -> int:
        """Returns how many rows have an id."""
        at = int(np.searchsorted(self.distinct, np.uint32(number)))
        return int(self.counts[at]) if at < len(self.distinct) and self.distinct[at] == number else 0

    def df_many(self, numbers: Ids) -> list[int]:
        """Returns how many rows have each of the ids."""
        if not len(self.distinct):
            return [0] * len(numbers)
        at = np.searchsorted(self.distinct, numbers).clip(max=len(self.distinct) - 1)
        return np.where(self.distinct[at] == numbers, self.counts[at], 0).tolist()  # type: ignore[no-any-return]

    def partners(
        self, ids: Ids, worth: NDArray[np.float64], *, rarest: int, postings_max: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Returns the rows that share followed ids, and the summed worth of those; only the rarest are followed."""
        at = self._places(ids)[:rarest]
        at = at[: int(np.searchsorted(np.cumsum(self.counts[at]), postings_max, side="right"))]
        if not len(at):
            return np.zeros(0, np.int64), np.zeros(0)
        rows = np.concatenate([self.rows[self.first[place] : self.first[place + 1]] for place in at])
        weights = np.repeat(worth[at], self.counts[at])
        if len(rows) * 8 > self._row_count:
            sums = np.bincount(rows, weights=weights)
            found = np.flatnonzero(sums)
            return found.astype(np.int64), sums[found].astype(np.float64)
        found, places = np.unique(rows, return_inverse=True)
        return found.astype(np.int64), np.bincount(places, weights=weights).astype(np.float64)

    def _places(self, ids: Ids) -> NDArray[np.int64]:
        """Returns the places of those ids that are followed, rarest first. The ids are those of a row of the sets."""
        at = np.searchsorted(self.distinct, ids)
        at = at[self.first[at + 1] > self.first[at]]
        return at[np.argsort(self.counts[at], kind="stable")]


class Nearest:
    """Finds the rows whose pieces are nearest to a row's."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        self._inverted = Inverted(sets, most=max(COMMON_MIN, int(COMMON_SHARE * len(sets))))
        self._worth = np.square(self._inverted.bits)
        self._norms = self._all_norms()

    def of(self, row: int, count: int) -> list[tuple[int, float]]:
        """Returns up to `count` (row, cosine), best first, ties by row; a lower bound where not every piece is followed."""
        rows, found = self._inverted.partners(
            self._sets.of(row), self._worth, rarest=GRAMS_FOLLOWED_MAX, postings_max=POSTINGS_FOLLOWED_MAX
        )
        return best_of(rows, found / (self._norms[rows] * self._norms[row]), row, count)

    def cosine(self, row: int, other: int) -> float:
        """Returns the cosine of two rows, every piece counted."""
        few, many = sorted((self._sets.of(row), self._sets.of(other)), key=len)
        if not len(few):
            return 0.0
        common = few[many[np.searchsorted(many, few).clip(max=len(many) - 1)] == few]
        worth = self._worth[np.searchsorted(self._inverted.distinct, common)]
        return float(worth.sum() / (self._norms[row] * self._norms[other]))

    def _all_norms(self) -> NDArray[np.float64]:
        norms = np.empty(len(self._sets))
        for start in range(0, len(norms), ROWS_PER_BLOCK):  # all at once would take several times the memory of the index
            edges = self._sets.starts[start : start + ROWS_PER_BLOCK + 1]
            ids = self._sets.ids[edges[0] : edges[-1]]
            sums = np.concatenate([np.zeros(1), np.cumsum(self._worth[np.searchsorted(self._inverted.distinct, ids)])])
            norms[start : start + ROWS_PER_BLOCK] = sums[edges[1:] - edges[0]] - sums[edges[:-1] - edges[0]]
        return np.sqrt(np.maximum(norms, TINY))


def best_of(rows: NDArray[np.int64], scores: NDArray[np.float64], without: int, count: int) -> list[tuple[int, float]]:
    """Returns the `count` best (row, score) but one, best first, ties by row."""
    if len(rows) > count + 1:
        best = np.argpartition(scores, len(scores) - count - 1)[-count - 1 :]
        rows, scores = rows[best], scores[best]
    found = [(int(row), float(score)) for row, score in zip(rows, scores, strict=True) if row != without and score > 0]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:count]
