"""Renames of notes that were edited too, by their words. Nothing is guessed: what comes near is as good as what fits.

An old and a new text must be alike, and clearly more alike than either is to any other note that it could
have been: another one that is gone or new, one that is still there, or what took the old one's path.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from brain.core.ids import fold
from brain.index.rows import folder_of, stem_of
from brain.sync.likeness import Sketch, containment, resemblance, sketch_of
from brain.sync.moving import New, Old, body_of

ALIKE_MIN = 0.6
"""Least share of common word pairs when nothing but the words speaks for it."""
NAMED_ALIKE_MIN = 0.5
"""Least share of the shorter text when it is the same file, or has the same name in another folder."""
LEAD_MIN = 0.1
"""By how much the best must be ahead of the next best."""
PAIRS_MIN, NAMED_PAIRS_MIN = 8, 3
"""Texts with fewer different word pairs say too little."""
COMPARED_MAX = 100_000
"""Old notes times new ones that are compared by words alone."""
NEIGHBOURS_MAX = 25
"""Notes of one folder, nearest in size, that a new one could be a copy of, or that were begun from the same form."""


def are_too_many(olds: Sequence[Old], news: Sequence[New]) -> bool:
    """Tells whether only notes are compared that are the same file or have the same name."""
    return len(olds) * len(news) > COMPARED_MAX


class Alike:
    """Compares the notes that the sure signs left; makes each sketch once."""

    def __init__(self, conn: sqlite3.Connection, olds: Sequence[Old], news: Sequence[New]) -> None:
        """Takes the catalog the old notes are in. A declared id says for itself which note a file is."""
        self._conn = conn
        self._olds = [old for old in olds if old.facts.declared_id is None]
        self._news = [new for new in news if new.facts.declared_id is None]
        self._of_nid: dict[int, Sketch] = {}
        self._of_path: dict[str, Sketch] = {}
        self._neighbours: dict[str, list[tuple[int, int]]] | None = None

    def pairs(self) -> list[tuple[str, str]]:
        """Returns the pairs that no other note comes near; each side stands in one pair at most."""
        named = set(_named(self._olds, self._news))
        is_whole = not are_too_many(self._olds, self._news)
        asked = [(o, n) for o in range(len(self._olds)) for n in range(len(self._news))] if is_whole else sorted(named)
        shares = {(o, n): self._share(self._olds[o], self._news[n]) for o, n in asked}
        enough = [(o, n) for (o, n), share in shares.items() if self._is_enough(o, n, share, is_named=(o, n) in named)]
        rivals = _rivals(shares)
        found = [(self._olds[o], self._news[n]) for o, n in enough if shares[o, n] >= rivals(o, n) + LEAD_MIN]
        return [(old.path, new.path) for old, new in found if self._share(old, new) >= self._elsewhere(old, new) + LEAD_MIN]

    def _is_enough(self, o: int, n: int, share: float, *, is_named: bool) -> bool:
        old, new = self._old(self._olds[o].nid), self._new(self._news[n])
        if is_named:
            return min(old.pairs, new.pairs) >= NAMED_PAIRS_MIN and containment(old, new) >= NAMED_ALIKE_MIN
        # A note that another file took the place of is known by its file alone: a copy of it has its words too.
        return self._olds[o].present is None and min(old.pairs, new.pairs) >= PAIRS_MIN and share >= ALIKE_MIN

    def _elsewhere(self, old: Old, new: New) -> float:
        """Returns how near the notes that stayed come to the new text, and what took the old note's path to the old one."""
        others = [resemblance(self._old(nid), self._new(new)) for nid in self._beside(old, new)]
        return max([*others, self._share(old, old.present) if old.present else 0.0])

    def _beside(self, old: Old, new: New) -> Iterator[int]:
        """Yields notes that are still there, of the folders of both, nearest in size first."""
        if self._neighbours is None:
            self._neighbours = self._read_neighbours()
        for folder in sorted({folder_of(old.path), folder_of(new.path)}):
            nearest = sorted(self._neighbours[folder], key=lambda pair: (abs(pair[0] - new.facts.size), pair[1]))
            yield from (nid for _, nid in nearest[:NEIGHBOURS_MAX])

    def _read_neighbours(self) -> dict[str, list[tuple[int, int]]]:
        folders: dict[str, list[tuple[int, int]]] = {folder_of(old.path): [] for old in self._olds}
        folders |= {folder_of(new.path): [] for new in self._news}
        leaving = {old.nid for old in self._olds}
        for nid, folder, size in self._conn.execute("SELECT nid, folder, size FROM note ORDER BY nid"):
            if folder in folders and nid not in leaving:
                folders[folder].append((size, nid))
        return folders

    def _share(self, old: Old, new: New) -> float:
        return resemblance(self._old(old.nid), self._new(new))

    def _old(self, nid: int) -> Sketch:
        if nid not in self._of_nid:
            self._of_nid[nid] = sketch_of(body_of(self._conn, nid))
        return self._of_nid[nid]

    def _new(self, new: New) -> Sketch:
        if new.path not in self._of_path:
            self._of_path[new.path] = sketch_of(new.body())
        return self._of_path[new.path]


def _named(olds: list[Old], news: list[New]) -> Iterator[tuple[int, int]]:
    """Yields places of pairs that are one file, or have one name in different folders, where that is so of one pair only."""
    yield from unique_pairs([old.inode for old in olds], [new.inode for new in news])
    gone = [fold(stem_of(old.path)) if old.present is None else None for old in olds]
    yield from unique_pairs(gone, [fold(stem_of(new.path)) for new in news])


def unique_pairs(left: Sequence[object], right: Sequence[object]) -> Iterator[tuple[int, int]]:
    """Yields the places of equal values that stand once on either side; None is no value."""
    counts, others = Counter(left), Counter(right)
    places = {sign: place for place, sign in enumerate(right)}
    for place, sign in enumerate(left):
        if sign is not None and counts[sign] == 1 and others[sign] == 1:
            yield place, places[sign]


def _rivals(shares: Mapping[tuple[int, int], float]) -> Callable[[int, int], float]:
    """Returns a function that gives, for a pair, the largest share of another pair with one of its sides."""
    of_old: dict[int, list[float]] = {}
    of_new: dict[int, list[float]] = {}
    for (o, n), share in shares.items():
        for found in (of_old.setdefault(o, [0.0, 0.0]), of_new.setdefault(n, [0.0, 0.0])):
            found[:] = sorted((*found, share))[1:]  # the two largest, last the largest

    def rival(o: int, n: int) -> float:
        share = shares[o, n]
        return max(second if share == first else first for second, first in (of_old[o], of_new[n]))

    return rival
