"""All signals joined: for each note its strongest partners, each pair with every signal that proposed it. Values only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from time import perf_counter

from brain.stages.matching.signals import Partner, Signal

STRENGTHS: dict[Signal, float] = {"identifiers": 2.0, "names": 0.3, "links": 0.3, "words": 0.01, "letters": 1.0, "meaning": 0.5}
"""What a signal's strength counts when a note has more partners than fit; letters count by their cosine."""
Ends = tuple[str, str]


@dataclass(slots=True)
class Proposals:
    """What was proposed so far, from the side of each note that is looked at; what is not `known` is passed over."""

    known: Set[str]
    _partners: dict[str, dict[str, dict[Signal, float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(dict)))
    counts: Counter[Signal] = field(default_factory=Counter)
    """Pairs by signal, before the limit."""
    seconds: dict[Signal, float] = field(default_factory=lambda: defaultdict(float))
    """Time that each signal took."""
    left_out: int = 0
    """Partners that the limit left out."""

    def add(self, signal: Signal, partners: Iterable[Partner]) -> None:
        """Takes what one signal proposes; what it proposes again is stronger."""
        began = perf_counter()
        for one, other, strength in partners:
            if one not in self.known or other not in self.known:
                continue
            known = self._partners[one][other]
            self.counts[signal] += signal not in known
            known[signal] = known.get(signal, 0.0) + strength
        self.seconds[signal] += perf_counter() - began

    def pairs(self, *, most: int) -> dict[Ends, tuple[Signal, ...]]:
        """Returns the pairs, ends in order: of each note its `most` strongest partners."""
        found: dict[Ends, set[Signal]] = defaultdict(set)
        self.left_out = 0
        for one, partners in sorted(self._partners.items()):
            ranked = sorted(partners, key=lambda other: (-_strength(partners[other]), other))
            self.left_out += max(0, len(ranked) - most)
            for other in ranked[:most]:
                found[(one, other) if one < other else (other, one)].update(partners[other])
        return {ends: tuple(sorted(signals)) for ends, signals in sorted(found.items())}


def _strength(signals: dict[Signal, float]) -> float:
    return sum(STRENGTHS[signal] * strength for signal, strength in signals.items())
