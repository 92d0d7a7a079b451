"""A language model that says anything at all about everything it is asked, but the same to the same question.

A sound one keeps to the form of an answer, so that every question is answered. It keeps what it was asked, and
before an answer it may do what somebody else does meanwhile.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from brain.core.asking import Failure, Reply, Request, estimated_cost
from tests.models.judging import ticket_of
from tests.stages.sorter import Sorter
from tests.stages.teller import Shown, block
from tests.stages.test_link_laws import liar as of_relations
from tests.stages.test_reconcile_laws import liar as of_claims

KINDS = ["fact", "fact", "fact", "decision", "risk", "person", "event"]
TEXTS = ["Leaks in winter.", "leaks", "Works at [[Boat]].", "Lives in Graz (from 2026-02-02)", "see [[E1]] ^a-1", "## Atoms", "a\nb", "part_of:: [[Ada]]", "- [ ] it", "%% it", "![[Boat]]"]
NAMES = ["Boat", "Ada", "Ada Lovelace", "Harbour Map", "New Thing", "boats", "../up", "E1", "[[Ada]]", "", "CON"]
DAYS = [None, None, "2026-02-02", "soon"]


@dataclass
class Liar:
    """A chat for the five tasks of the stages."""

    seed: int
    is_sound: bool
    meanwhile: Callable[[], None] = lambda: None
    model: str = "liar"
    asked: list[Request] = field(default_factory=list)

    def ask(self, request: Request) -> Reply | Failure:
        """Answers a request."""
        self.asked.append(request)
        self.meanwhile()
        if request.task in ("relate", "insight"):
            return of_relations(self.seed, is_sound=self.is_sound).ask(request)
        if request.task in ("same", "conflict"):
            return Sorter(on_group=self._sorted, on_claims=of_claims(self.seed, is_sound=self.is_sound).on_claims).ask(request)
        assert request.task == "extract", request.task
        said = json.dumps({"request": ticket_of(request), **self._extracted(request.data)})
        return Reply(said, estimated_cost(request, said))

    def _chance(self, about: object) -> random.Random:
        return random.Random(f"{self.seed}{about}")

    def _sorted(self, notes: list[Shown]) -> dict[str, Any]:
        chance = self._chance(notes)
        numbers = list(range(1, len(notes) + 1))
        chance.shuffle(numbers)
        words = quotable("\n".join(note.text for note in notes))
        joined = numbers[: chance.choice([0, 2, len(numbers)])] if words or not self.is_sound else []
        rest = [number for number in numbers if number not in joined]
        doubtful = rest if chance.random() < 0.3 else []
        quote = chance.choice(words if self.is_sound and words else [*words, "never said", ""])
        group = {"members": joined, "canonical": joined[0] if joined else 0, "quote": quote, "reason": "They are one."}
        stray = [] if self.is_sound or chance.random() < 0.8 else [99]
        return {"groups": [group] if joined else [], "alone": [n for n in rest if n not in doubtful] + stray, "unsure": doubtful}

    def _extracted(self, data: str) -> dict[str, Any]:
        text, known = block(data, "text"), block(data, "existing things")
        chance = self._chance((text, known))
        quotes = quotable(text) if self.is_sound else [*quotable(text), "never said", ""]
        return {
            "atoms": [self._atom(chance, quotes, known.count("\n")) for _ in range(chance.randrange(4)) if quotes],
            "actions": [{"text": "Order it.", "quote": chance.choice(quotes), "due": chance.choice(DAYS)} for _ in range(chance.randrange(2)) if quotes],
        }  # fmt: skip

    def _atom(self, chance: random.Random, quotes: list[str], known: int) -> dict[str, Any]:
        """One claim: about a thing that is shown, by its number, or about a name."""
        is_known = known > 0 and chance.random() < 0.5
        sound = {"kind": chance.choice(KINDS), "entity": chance.randint(1, known) if is_known else None, "name": None if is_known else chance.choice(NAMES[:5])}
        lies = {"kind": chance.choice([*KINDS, "../x"]), "entity": chance.choice([None, -1, known + 1]), "name": chance.choice([None, *NAMES])}
        return {
            **(sound if self.is_sound else chance.choice([sound, lies])), "text": chance.choice(TEXTS[:4] if self.is_sound else TEXTS), "quote": chance.choice(quotes),
            "confidence": chance.choice(["verified", "inferred"]), "from": chance.choice(DAYS[:3] if self.is_sound else DAYS), "to": None,
        }  # fmt: skip


def quotable(text: str) -> list[str]:
    """The lines that an answer can quote."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if sum(map(str.isalnum, line)) >= 4 and not re.match(r"also called:|\(", line)]
