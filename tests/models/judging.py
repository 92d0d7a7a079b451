"""A judge on a real journal whose language model is played by a function, and what its tests ask about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from brain.core.asking import Failure, Reply, Request, estimated_cost
from brain.judging import Judge
from brain.models.deadline import Deadline
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import Excerpt, Known, Piece
from brain.models.spend import Spend
from brain.models.verdicts import Verdicts
from brain.vault.journal import Journal

AT, DAY = "2026-05-01T12:00:00.000000Z", "2026-05-01"
EPISODE = """Call with Ada Lovelace on Monday.
She joined Initech in March, as head of platform.

The home server gets a second disk in May.
Bo orders the disk this week.
"""
PIECE = Piece("e-1", EPISODE, line=5, title="2026-05-01 call", day=DAY)
HOME_SERVER = Known("n-1", "Home Server", "Home Server", "project", ("HS",), "The old laptop runs the backups.")

Answering = Callable[[Request], str | Failure]


class Played:
    """A chat that answers as it is told and keeps what it was asked."""

    def __init__(self, *answers: str | Failure | Answering, model: str = "played") -> None:
        self.model = model
        self.asked: list[Request] = []
        self._answers = list(answers)

    def ask(self, request: Request) -> Reply | Failure:
        self.asked.append(request)
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        said = answer(request) if callable(answer) else answer
        return said if isinstance(said, Failure) else Reply(said, estimated_cost(request, said))


def ticket_of(request: Request) -> str:
    """The word that a reply to a request must hold, as the type of its reply says it."""
    return str(get_args(request.shape.model_fields["request"].annotation)[0])


def saying(**fields: Any) -> Answering:
    """A model that answers every request with these fields."""
    return lambda request: json.dumps({"request": ticket_of(request), **fields})


def journal_in(folder: Path) -> Journal:
    return Journal(folder / "journal", "m-test")


def judge_with(chat: Played, folder: Path, *, keeps: bool = True, deadline: Deadline | None = None, at: str = AT, day: str = DAY, **settings: Any) -> ModelJudge:
    """A judge of one run, as `open_judge` makes it, over the journal in a folder."""
    journal, limits = journal_in(folder), Judge(**settings)
    records = journal.records()
    spend = Spend(journal, records, limits, at=at, day=day, keeps=keeps)
    return ModelJudge(chat, Verdicts(journal, records, at=at, keeps=keeps), spend, limits, deadline=deadline)


def atom(**changes: Any) -> dict[str, Any]:
    """One claim as a model would give it."""
    usual = {
        "kind": "fact", "entity": None, "name": "Ada Lovelace", "text": "Works at Initech.", "quote": "She joined Initech in March",
        "confidence": "verified", "from": None, "to": None,
    }  # fmt: skip
    return {**usual, **changes}


def note(number: int, title: str, text: str = "", **more: Any) -> Excerpt:
    """A note as a request shows it; its text begins on line 10 of its file."""
    return Excerpt(f"n-{number}", f"Memory/{title}.md", title, more.pop("kind", "concept"), text=text, line=10, **more)


def kinds_in(folder: Path) -> list[str]:
    """The kinds of the journal's records, in order."""
    return [record["kind"] for record in journal_in(folder).records()]
