"""Pairs of vectors that lie close: exact for few, and for many among those that share a bucket of random planes. Pure.

Source: Charikar 2002, "Similarity estimation techniques from rounding algorithms". At a cosine of .98 two vectors
share at least one of 10 buckets of 16 planes in 98 % of cases; the planes are the same in every run, so the pairs
are too. In a crowd some of its pairs are missed, never all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

EXACT_MAX = 6_000
TABLES, PLANES = 10, 16
NEIGHBOURS = 3
"""How many that follow in a bucket each one is compared with: a large bucket costs no more than a small one."""
ROWS_PER_BLOCK = 1_024
CANDIDATES_MAX = 2_000_000
Pair = tuple[int, int, float]


def close_pairs(matrix: Matrix, cosine_min: float) -> list[Pair]:
    """Returns pairs of rows of unit length with at least this cosine, the closest first."""
    found = set(_exact(matrix, cosine_min) if len(matrix) <= EXACT_MAX else _bucketed(matrix, cosine_min))
    return sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))


def _exact(matrix: Matrix, cosine_min: float) -> Iterator[Pair]:
    import numpy as np

    for start in range(0, len(matrix), ROWS_PER_BLOCK):
        scores = matrix[start : start + ROWS_PER_BLOCK] @ matrix[start:].T
        for one, other in np.argwhere(scores >= cosine_min):
            if one < other:
                yield start + int(one), start + int(other), round(float(scores[one, other]), 4)


def _bucketed(matrix: Matrix, cosine_min: float) -> Iterator[Pair]:
    import numpy as np

    pairs = np.unique(np.concatenate(list(_neighbours(matrix))), axis=0)[:CANDIDATES_MAX]
    for start in range(0, len(pairs), ROWS_PER_BLOCK):
        one, other = pairs[start : start + ROWS_PER_BLOCK].T
        scores = np.einsum("ij,ij->i", matrix[one], matrix[other])
        for place in np.flatnonzero(scores >= cosine_min):
            yield int(one[place]), int(other[place]), round(float(scores[place]), 4)


def _neighbours(matrix: Matrix) -> Iterator[NDArray[np.int64]]:
    """Yields int64[n, 2] of the rows that share a bucket, the smaller first, for each table."""
    import numpy as np

    planes = np.random.default_rng(0).standard_normal((matrix.shape[1], TABLES * PLANES), dtype=np.float32)
    signs = np.concatenate([matrix[at : at + ROWS_PER_BLOCK] @ planes > 0 for at in range(0, len(matrix), ROWS_PER_BLOCK)])
    weights = 1 << np.arange(PLANES, dtype=np.int64)
    for table in range(TABLES):
        keys = signs[:, table * PLANES : (table + 1) * PLANES] @ weights
        order = np.argsort(keys, kind="stable")
        for gap in range(1, NEIGHBOURS + 1):
            same = keys[order[:-gap]] == keys[order[gap:]]
            yield np.sort(np.stack([order[:-gap][same], order[gap:][same]], axis=1), axis=1)
