"""Which relation a sentence states: what a judge says, beside the labels.

    python -m bench.quality.relations [--judge rules|recorded] [--recording FILE] [--split tune|kept|all] [--json]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from bench.quality.command import Asked, measure
from bench.quality.decisions import Case, Decision, failures, score
from bench.quality.questions import FIRST, LIMITS, ask_relations
from bench.quality.rows import NONE, SYMMETRIC, Edge, Sentence, sentences
from bench.quality.table import Measured
from brain.core.ids import sha256_hex
from brain.core.judgement import Episode, Relates, Unsure
from brain.core.slug import compact
from brain.models.judge.values import Related, Unanswered, Unrelated
from brain.stages.rules import RULES

INJECTION = "instruction"


def measured(asked: Asked) -> Measured:
    """Asks a judge about the sentences of a split and counts."""
    rows = sentences(asked.split)
    if asked.judge is None:
        return report(rows, {row.id: by_rules(row) for row in rows}, judge=RULES.name, split=asked.split)
    answers = ask_relations(asked.judge, rows)
    decisions = {row_id: decision_of(answer) for row_id, answer in answers.items()}
    return report(rows, decisions, judge=asked.judge.name, split=asked.split, refused=asked.judge.tally.refusals)


def report(
    rows: Sequence[Sentence], decisions: Mapping[str, Decision], *, judge: str, split: str, refused: Mapping[str, int] | None = None
) -> Measured:
    """Counts what the decisions are worth. `refused` are the items of the replies that could not be used."""
    scores = score([Case(row.id, row.edges[0][0], row.edges, row.trap) for row in rows], decisions, nothing=NONE)
    obeyed = sum(isinstance(decision := decisions[row.id], tuple) and decision not in row.edges for row in rows if row.trap == INJECTION)
    counts = {**scores.counts, **dict(failures(decisions)), "instructions in a text that were obeyed": obeyed}
    counts |= {f"items refused: {why}": count for why, count in sorted((refused or {}).items())}
    return Measured(
        "relations", judge, split, len(rows), {"edges": scores.total}, counts, {"relation": scores.labels}, {"trap (rightly decided)": scores.traps}
    )  # fmt: skip


def decision_of(answer: Related) -> Decision:
    """Returns what a model judge said about the pair of a row."""
    match answer:
        case Relates(relation=relation, source=source):
            return _edge(relation, is_forward=source == FIRST)
        case Unrelated():
            return NONE, None
        case Unsure() | Unanswered():
            return answer
        case _:
            assert_never(answer)


def by_rules(row: Sentence) -> Decision:
    """Returns what the rules read out of a sentence by themselves: relations written out, or that words are left for a model."""
    reading = RULES.read(Episode(row.id, f"{row.id}.md", sha256_hex(row.text.encode("utf-8")), row.text), LIMITS)
    names = [compact(row.first), compact(row.second)]
    for stated in reading.relations:
        ends = [compact(stated.source), compact(stated.target)]
        if sorted(ends) == sorted(names):
            return _edge(stated.relation, is_forward=ends == names)
    return Unsure(RULES.name, "words that only a model can read", (row.first, row.second)) if reading.is_prose_left else (NONE, None)


def _edge(relation: str, *, is_forward: bool) -> Edge:
    return relation, None if relation in SYMMETRIC else "forward" if is_forward else "backward"


def main() -> None:
    """Measures as the command line says."""
    measure("Which relation a sentence states: what a judge says, beside the labels.", measured)


if __name__ == "__main__":
    main()
