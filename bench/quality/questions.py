"""What the sets ask a model judge: their lines as the values that the product asks about. No label is in any of it.

The sets know less than a vault: a note of the relations holds the one sentence, an existing thing of an episode
has a name and nothing else, and of a claim only the day is known on which it was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from bench.quality.rows import Rival, Said, Sentence, Told, episodes, rivals, sentences
from brain.config import Limits
from brain.core.ids import fold, sha256_hex
from brain.core.judgement import Episode
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import (
    Claim,
    ClaimPair,
    Compared,
    Excerpt,
    Extraction,
    Known,
    NotePair,
    Related,
    Unanswered,
)

LIMITS = Limits()
FIRST, SECOND = "first", "second"


def ask_relations(judge: ModelJudge, rows: Sequence[Sentence]) -> dict[str, Related]:
    """Asks what each sentence states, as many pairs in a request as the product puts there; splits never share one."""
    answers: dict[str, Related] = {}
    for _, of_split in groupby(rows, key=lambda row: row.split):
        batch = list(of_split)
        answers |= zip((row.id for row in batch), judge.relate([note_pair(row) for row in batch]), strict=True)
    return answers


def ask_episodes(judge: ModelJudge, rows: Sequence[Told]) -> dict[str, tuple[Extraction | Unanswered, ...]]:
    """Asks what each episode claims, piece by piece."""
    return {row.id: tuple(judge.extract(piece, known_things(row)) for piece in judge.pieces(episode(row), LIMITS, day=row.recorded)) for row in rows}


def ask_rivals(judge: ModelJudge, rows: Sequence[Rival]) -> dict[str, Compared]:
    """Asks how each pair of claims stands to each other; splits never share a request."""
    answers: dict[str, Compared] = {}
    for _, of_split in groupby(rows, key=lambda row: row.split):
        batch = list(of_split)
        answers |= zip((row.id for row in batch), judge.conflict([claim_pair(row) for row in batch]), strict=True)
    return answers


ASKING: dict[str, Callable[[ModelJudge, str], object]] = {
    "relate": lambda judge, split: ask_relations(judge, sentences(split)),
    "extract": lambda judge, split: ask_episodes(judge, episodes(split)),
    "conflict": lambda judge, split: ask_rivals(judge, rivals(split)),
}


def episode(row: Told) -> Episode:
    """Returns an episode as it would wait in the inbox."""
    return Episode(row.id, f"Inbox/{row.id}.md", sha256_hex(row.text.encode("utf-8")), row.text)


def note_pair(row: Sentence) -> NotePair:
    """Returns the note of the first name, in which the sentence stands, and the empty note of the second."""
    return NotePair(Excerpt(f"{row.id}:1", FIRST, row.first, "note", text=row.text), Excerpt(f"{row.id}:2", SECOND, row.second, "note"))


def known_things(row: Told) -> tuple[Known, ...]:
    """Returns the existing notes of an episode, by name."""
    return tuple(Known(f"n-{name}", name, name, "note") for name in sorted(row.existing, key=fold))


def claim_pair(row: Rival) -> ClaimPair:
    """Returns the two claims with the days on which they were recorded."""
    return ClaimPair(_claim(FIRST, row.id, row.kind, row.first), _claim(SECOND, row.id, row.kind, row.second), row.about)


def _claim(place: str, row_id: str, kind: str, said: Said) -> Claim:
    return Claim(f"{row_id}:{place}", said.text, kind, (("recorded", said.recorded),) if said.recorded else ())
