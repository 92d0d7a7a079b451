"""How two claims about one thing stand to each other: what a judge says, beside the labels.

    python -m bench.quality.rivals [--judge rules|recorded] [--recording FILE] [--split tune|kept|all] [--json]

A judge knows no word for two claims that say the same: it is right when it lets both stand. The rules do not
compare claims, so that they abstain from every pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from bench.quality.command import Asked, measure
from bench.quality.counts import Share
from bench.quality.decisions import Case, Decision, failures, score
from bench.quality.questions import ask_rivals
from bench.quality.rows import Rival, rivals
from bench.quality.table import Measured
from brain.core.judgement import Contradicts, Supersedes, Unsure
from brain.models.judge.values import Compared, Compatible, Unanswered
from brain.stages.rules import RULES

COMPATIBLE, CONTRADICTS, SUPERSEDES = "compatible", "contradicts", "supersedes"


def measured(asked: Asked) -> Measured:
    """Asks a judge about the pairs of a split and counts."""
    rows = rivals(asked.split)
    if asked.judge is None:
        return report(rows, {row.id: Unsure(RULES.name, "the rules do not compare claims", (row.id,)) for row in rows}, judge=RULES.name, split=asked.split)
    answers = ask_rivals(asked.judge, rows)
    return report(rows, answers, judge=asked.judge.name, split=asked.split, refused=asked.judge.tally.refusals)


def report(rows: Sequence[Rival], answers: Mapping[str, Compared], *, judge: str, split: str, refused: Mapping[str, int] | None = None) -> Measured:
    """Counts what the answers are worth. `refused` are the items of the replies that could not be used."""
    decisions = {row_id: decision_of(answer) for row_id, answer in answers.items()}
    scores = score([case_of(row) for row in rows], decisions, nothing=COMPATIBLE)
    counts = {**scores.counts, **dict(failures(decisions))}
    counts |= {f"items refused: {why}": count for why, count in sorted((refused or {}).items())}
    return Measured(
        "rivals", judge, split, len(rows), {"edges": scores.total}, counts, {"label": scores.labels},
        {"since when (of what is rightly superseded)": {"the labelled day": right_days(rows, answers)}, "shape (rightly decided)": scores.traps},
    )  # fmt: skip


def case_of(row: Rival) -> Case:
    """Returns the one right answer to a row."""
    word = COMPATIBLE if row.label == "same" else row.label
    return Case(row.id, row.label, ((word, row.holds if word == SUPERSEDES else None),), row.shape)


def decision_of(answer: Compared) -> Decision:
    """Returns what a model judge said, with the claim that holds as its direction."""
    match answer:
        case Supersedes(later=later):
            return SUPERSEDES, later.rpartition(":")[2]
        case Contradicts():
            return CONTRADICTS, None
        case Compatible():
            return COMPATIBLE, None
        case Unsure() | Unanswered():
            return answer
        case _:
            assert_never(answer)


def right_days(rows: Sequence[Rival], answers: Mapping[str, Compared]) -> Share:
    """Counts the rightly superseded claims whose day is the labelled one.

    A judge may name only a day that it was shown or that a claim writes out in full, so that a day told in words
    ("since 1 May") cannot be reached.
    """
    days = Share()
    for row in rows:
        answer = answers[row.id]
        if isinstance(answer, Supersedes) and decision_of(answer) in case_of(row).edges:
            days += Share(int(answer.on == row.since), 1)
    return days


def main() -> None:
    """Measures as the command line says."""
    measure("How two claims about one thing stand to each other: what a judge says, beside the labels.", measured)


if __name__ == "__main__":
    main()
