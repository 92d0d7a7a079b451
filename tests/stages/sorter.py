"""A language model that is played for reconcile: it says which notes are one thing, and how two claims stand to each other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from brain.core.asking import Failure, Reply, Request, estimated_cost
from tests.models.judging import ticket_of
from tests.stages.teller import Shown, Teller, block, notes_in

Partitions = Callable[[list[Shown]], dict[str, Any]]
"""What is said about a group: `groups`, `alone` and `unsure`, by number from 1."""
Claims = Callable[[str, str, str], dict[str, Any] | None]
"""What is said about the lines A and B of a pair, and what they are about; None to leave it out of the reply."""
COMPATIBLE = {"verdict": "compatible", "later": None, "on": None, "reason": None}
DOUBT = {**COMPATIBLE, "verdict": "unsure"}


def alone(notes: list[Shown]) -> dict[str, Any]:
    """Says that every note is a thing of its own."""
    return {"groups": [], "alone": list(range(1, len(notes) + 1)), "unsure": []}


def unsure(notes: list[Shown]) -> dict[str, Any]:
    """Says that it cannot tell."""
    return {"groups": [], "alone": [], "unsure": list(range(1, len(notes) + 1))}


def one_thing(quote: str | None = None, reason: str = "They are one.") -> Partitions:
    """Says that all notes are one thing, on words of the first one, or on these."""

    def answer(notes: list[Shown]) -> dict[str, Any]:
        words = quote or next(line for note in notes for line in note.text.splitlines() if sum(map(str.isalnum, line)) >= 4 and not line.startswith("also called"))
        return {"groups": [{"members": list(range(1, len(notes) + 1)), "canonical": 1, "quote": words, "reason": reason}], "alone": [], "unsure": []}

    return answer


def replaces(later: str, on: str | None, reason: str = "It came after.") -> dict[str, Any]:
    """One claim replaces the other from a day on."""
    return {"verdict": "supersedes", "later": later, "on": on, "reason": reason}


def contradicts(reason: str = "Only one can be true.") -> dict[str, Any]:
    """Both cannot be true."""
    return {"verdict": "contradicts", "later": None, "on": None, "reason": reason}


@dataclass
class Sorter(Teller):
    """A chat. `groups` keeps the titles of the notes it was asked about, `claims` the claims."""

    on_group: Partitions = alone
    on_claims: Claims = lambda left, right, about: COMPATIBLE
    groups: list[tuple[str, ...]] = field(default_factory=list)
    claims: list[tuple[str, str]] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)

    def ask(self, request: Request) -> Reply | Failure:
        self.calls += 1
        self.asked.append(request)
        if self.failure is not None:
            return self.failure
        fields = self._sorted(request.data) if request.task == "same" else self._compared(request.data)
        said = json.dumps({"request": ticket_of(request), **fields})
        return Reply(said, estimated_cost(request, said))

    def _sorted(self, data: str) -> dict[str, Any]:
        notes = notes_in(block(data, "notes"), "")
        self.groups.append(tuple(sorted(notes[number].title for number in notes)))
        return self.on_group([notes[number] for number in sorted(notes)])

    def _compared(self, data: str) -> dict[str, Any]:
        items = []
        for number, about, left, right in re.findall(r"^(\d+)\. about (.*)\n   A: (.*)\n   B: (.*)$", block(data, "pairs"), re.M):
            self.claims.append((left, right))
            said = self.on_claims(left, right, about)
            items += [{"pair": int(number), **said}] if said is not None else []
        return {"pairs": items}
