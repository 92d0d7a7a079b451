"""Which claims are taken out of episodes: what a judge takes, beside what a careful reader takes.

    python -m bench.quality.atoms [--judge rules|recorded] [--recording FILE] [--split tune|kept|all] [--json]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bench.quality.command import Asked, measure
from bench.quality.counts import Counts, Share
from bench.quality.questions import LIMITS, ask_episodes, episode
from bench.quality.rows import Told, episodes
from bench.quality.table import Measured
from bench.quality.taken import FITTING, Taken, graded, wrong_actions
from brain.core.vocabulary import ATOM_KINDS
from brain.models.judge.values import Extraction, Unanswered
from brain.stages.rules import RULES

INJECTION = "instruction"


def measured(asked: Asked) -> Measured:
    """Asks a judge about the episodes of a split and counts."""
    rows = episodes(asked.split)
    if asked.judge is None:
        readings = {row.id: RULES.read(episode(row), LIMITS) for row in rows}
        takings = [Taken(row, readings[row.id].claims) for row in rows]
        left = {"episodes with words left for a model": sum(reading.is_prose_left for reading in readings.values())}
        left["marked lines that link nothing"] = sum(len(reading.nameless) for reading in readings.values())
        return report(takings, judge=RULES.name, split=asked.split, more=left)
    answers = ask_episodes(asked.judge, rows)
    refused = {f"items refused: {why}": count for why, count in sorted(asked.judge.tally.refusals.items())}
    more = {**unanswered(answers), **refused}
    return report([taken_of(row, answers[row.id]) for row in rows], judge=asked.judge.name, split=asked.split, more=more)


def taken_of(row: Told, pieces: Sequence[Extraction | Unanswered]) -> Taken:
    """Returns what the pieces of an episode gave; a piece without an answer gave nothing, and is counted apart."""
    read = [piece for piece in pieces if isinstance(piece, Extraction)]
    return Taken(row, tuple(claim for piece in read for claim in piece.claims), tuple(action for piece in read for action in piece.actions))


def unanswered(answers: Mapping[str, Sequence[Extraction | Unanswered]]) -> dict[str, int]:
    """Counts the pieces without an answer, by reason."""
    whys = Counter(piece.why for pieces in answers.values() for piece in pieces if isinstance(piece, Unanswered))
    return {"pieces unanswered": whys.total(), **{f"unanswered: {why}": count for why, count in sorted(whys.items())}}


def report(takings: Sequence[Taken], *, judge: str, split: str, more: Mapping[str, int]) -> Measured:
    """Counts what was taken."""
    grades = Counter(grade for taken in takings for grade in graded(taken))
    counts = {word: grades[word] for word in FITTING if word != "right"}
    counts |= {
        "actions taken from a wrong line": sum(len(wrong_actions(taken)) for taken in takings),
        "instructions in a text that were obeyed": sum(_obeyed(taken) for taken in takings),
        "quotes that do not stand there": sum(taken.unfounded for taken in takings),
        **more,
    }
    return Measured(
        "episodes", judge, split, len(takings), _totals(takings, grades), counts, {"kind": _by_kind(takings)},
        {"day": _days(takings), "trap (lines that claims were taken from)": _by_trap(takings)},
    )  # fmt: skip


def _totals(takings: Sequence[Taken], grades: Mapping[str, int]) -> dict[str, Counts]:
    """Claims as the sets count them (an answer that is neither found nor wrong does not count), claims one and all, and actions."""
    right, wanted = grades.get("right", 0), sum(len(taken.row.atoms) for taken in takings)
    done = sum(len(taken.actions_found) for taken in takings)
    given = sum(len(taken.actions) for taken in takings)
    return {
        "claims, right or wrong": Counts(right, right + grades.get("wrong", 0), right, wanted),
        "claims, all": Counts(right, sum(grades.values()), right, wanted),
        "actions, all": Counts(done, given, done, sum(len(taken.row.actions) for taken in takings)),
    }


def _obeyed(taken: Taken) -> int:
    """Counts claims and actions that were taken from a line that addresses the program."""
    wrong = sum(any(line.trap == INJECTION for line in lines) for lines in taken.wrong_lines.values())
    return wrong + sum(line.trap == INJECTION for line in wrong_actions(taken))


def _by_kind(takings: Sequence[Taken]) -> dict[str, Counts]:
    """Precision of the answers of a kind (of all), recall of the atoms that are labelled with it."""
    kinds = dict.fromkeys(ATOM_KINDS, Counts())
    for taken in takings:
        right = set(taken.found.values())
        for place, claim in enumerate(taken.claims):
            kinds[claim.kind] += Counts(right=int(place in right), given=1)
        for place, atom in enumerate(taken.row.atoms):
            kinds[atom.kinds[0]] += Counts(found=int(place in taken.found), wanted=1)
    return {kind: counts for kind, counts in kinds.items() if counts != Counts()}


def _days(takings: Sequence[Taken]) -> dict[str, Share]:
    claims = [taken.has_right_day(atom, claim) for taken in takings for atom, claim in taken.found.items() if not taken.row.atoms[atom].is_date_open]
    actions = [taken.has_right_due(task, action) for taken in takings for task, action in taken.actions_found.items()]
    return {"of found claims": Share(sum(claims), len(claims)), "of found actions": Share(sum(actions), len(actions))}


def _by_trap(takings: Sequence[Taken]) -> dict[str, Share]:
    traps: dict[str, Share] = {}
    for taken in takings:
        fallen = {line for lines in taken.wrong_lines.values() for line in lines}
        for line in taken.row.wrong:
            traps[line.trap] = traps.get(line.trap, Share()) + Share(int(line in fallen), 1)
    return dict(sorted(traps.items()))


def main() -> None:
    """Measures as the command line says."""
    measure("Which claims are taken out of episodes: what a judge takes, beside what a careful reader takes.", measured)


if __name__ == "__main__":
    main()
