"""How alike two texts are, by their word pairs. Pure.

A text is kept as the smallest hashes of its pairs, from which the share that two texts have in common is
estimated; it is exact up to `SKETCH_PAIRS` pairs. Source: Broder 1997, "On the resemblance and
containment of documents".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise
from zlib import crc32

from brain.index.tokens import UNSPACED_RUN

SKETCH_PAIRS = 256
HASHES = 1 << 32
CHARS_MAX = 200_000  # what a longer text says after this is not compared
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Sketch:
    """The smallest hashes of a text's word pairs, twice: to look up and in order; and how many different pairs it has."""

    hashes: frozenset[int]
    ordered: tuple[int, ...]
    pairs: int

    @property
    def reach(self) -> int:
        """Up to which hash all of the text's pairs are known."""
        return self.ordered[-1] if self.pairs > len(self.ordered) else HASHES


def sketch_of(text: str) -> Sketch:
    """Returns the sketch of a text; letter case, punctuation and order over more than two words do not count."""
    text = text[:CHARS_MAX].casefold()
    if not text.isascii():
        text = UNSPACED_RUN.sub(lambda run: f" {' '.join(run[0])} ", text)
    pairs = {crc32(f"{a} {b}".encode("utf-8", "surrogatepass")) for a, b in pairwise(_WORD.findall(text))}
    ordered = nsmallest(SKETCH_PAIRS, pairs)
    return Sketch(frozenset(ordered), tuple(ordered), len(pairs))


def resemblance(one: Sketch, other: Sketch) -> float:
    """Returns the share of the pairs of both texts together that stand in each, in [0, 1]."""
    common = one.hashes & other.hashes
    if not common:
        return 0.0
    reach = min(one.reach, other.reach)
    both = sum(number <= reach for number in common)
    either = bisect_right(one.ordered, reach) + bisect_right(other.ordered, reach) - both
    return both / either


def containment(one: Sketch, other: Sketch) -> float:
    """Returns the share of the shorter text's pairs that stand in the longer one, in [0, 1]."""
    shorter = min(one.pairs, other.pairs)
    share = resemblance(one, other)
    return min(1.0, share / (1 + share) * (one.pairs + other.pairs) / shorter) if shorter else 0.0
