"""Scoring decisions: one answer to each row, an edge or that there is none. Pure; relations and rivals share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.quality.counts import Counts, Share
from bench.quality.rows import Edge
from brain.core.judgement import Unsure
from brain.models.judge.values import Unanswered

Decision = Edge | Unsure | Unanswered


@dataclass(frozen=True, slots=True)
class Case:
    """A row and its right answers. `label` is the word it is counted under, `trap` what makes it hard."""

    id: str
    label: str
    edges: tuple[Edge, ...]
    trap: str


@dataclass(frozen=True, slots=True)
class Scores:
    """What the decisions came to. Edges alone count for precision and recall; that there is none is no find."""

    total: Counts
    counts: Mapping[str, int]
    labels: Mapping[str, Counts]
    traps: Mapping[str, Share]


def score(cases: Sequence[Case], decisions: Mapping[str, Decision], *, nothing: str) -> Scores:
    """Counts what is right. `nothing` is the word of the answer that there is no edge."""
    judged = [(case, decisions[case.id]) for case in cases]
    kinds = Counter(_kind(case, decision, nothing) for case, decision in judged)
    words = sorted({case.label for case in cases} | {decision[0] for _, decision in judged if isinstance(decision, tuple)})
    labels = {word: _of_label(judged, word) for word in words}
    counts = {
        "edges turned around": kinds["turned"], "edges of another kind": kinds["other"], f"false edges where {nothing} is right": kinds["false"],
        f"edges called {nothing}": kinds["missed"], f"{nothing}, rightly": kinds["none"], "abstentions": kinds["unsure"], "unanswered": kinds["unanswered"],
    }  # fmt: skip
    total = sum((_edge_counts(case, decision, nothing) for case, decision in judged), Counts())
    return Scores(total, counts, labels, _by_trap(judged))


def failures(decisions: Mapping[str, Decision]) -> Iterator[tuple[str, int]]:
    """Yields why rows were not answered, and how many; what was not answered is no decision that there is no edge."""
    whys = Counter(decision.why for decision in decisions.values() if isinstance(decision, Unanswered))
    yield from ((f"unanswered: {why}", count) for why, count in sorted(whys.items()))


def _kind(case: Case, decision: Decision, nothing: str) -> str:
    if isinstance(decision, Unanswered):
        return "unanswered"
    if isinstance(decision, Unsure):
        return "unsure"
    is_edge_right = case.edges[0][0] != nothing
    if decision[0] == nothing:
        return "missed" if is_edge_right else "none"
    if decision in case.edges:
        return "right"
    if not is_edge_right:
        return "false"
    return "turned" if decision[0] in {word for word, _ in case.edges} else "other"


def _edge_counts(case: Case, decision: Decision, nothing: str) -> Counts:
    is_wanted, is_given = case.edges[0][0] != nothing, isinstance(decision, tuple) and decision[0] != nothing
    is_right = is_given and decision in case.edges
    return Counts(int(is_right), int(is_given), int(is_right and is_wanted), int(is_wanted))


def _of_label(judged: Sequence[tuple[Case, Decision]], word: str) -> Counts:
    """Precision of the answers under a word, recall of the rows labelled with it."""
    given = [(case, decision) for case, decision in judged if isinstance(decision, tuple) and decision[0] == word]
    wanted = [(case, decision) for case, decision in judged if case.label == word]
    return Counts(_right(given), len(given), _right(wanted), len(wanted))


def _by_trap(judged: Sequence[tuple[Case, Decision]]) -> dict[str, Share]:
    traps: dict[str, Share] = {}
    for case, decision in judged:
        traps[case.trap] = traps.get(case.trap, Share()) + Share(int(decision in case.edges), 1)
    return dict(sorted(traps.items()))


def _right(judged: Sequence[tuple[Case, Decision]]) -> int:
    return sum(decision in case.edges for case, decision in judged)
