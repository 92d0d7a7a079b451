"""A language model that is played: it sees what a request shows, and a function says what it answers about each pair or hub."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from brain.core.asking import Failure, Reply, Request, estimated_cost
from brain.core.dates import iso_utc
from brain.models.deadline import Deadline
from brain.models.judge.judge import ModelJudge
from brain.models.spend import Spend
from brain.models.verdicts import Verdicts
from brain.stages.context import Context
from tests.models.judging import ticket_of
from tests.stages.support import NOW, Vault

NONE = {"relation": "none", "direction": "forward", "quote": None, "reason": None}
UNSURE = {**NONE, "relation": "unsure"}


@dataclass(frozen=True)
class Shown:
    """A note as the model sees it."""

    title: str
    kind: str
    text: str


Pairs = Callable[[Shown, Shown], dict[str, Any] | None]
"""What is said about a pair: the fields of an item, None to leave it out of the reply."""
Hubs = Callable[[list[Shown], str], dict[str, Any] | None]
"""What is said about a hub and its notes (and the insight that is there, as text): a lesson or None."""


@dataclass
class Teller:
    """A chat. `pairs` keeps the titles of the pairs it was asked about, `hubs` those of the hubs."""

    on_pair: Pairs = lambda left, right: NONE
    on_hub: Hubs = lambda notes, insight: None
    model: str = "played"
    failure: Failure | None = None
    calls: int = 0
    pairs: list[tuple[str, str]] = field(default_factory=list)
    hubs: list[str] = field(default_factory=list)

    def ask(self, request: Request) -> Reply | Failure:
        self.calls += 1
        if self.failure is not None:
            return self.failure
        fields = self._related(request.data) if request.task == "relate" else self._learned(request.data)
        said = json.dumps({"request": ticket_of(request), **fields})
        return Reply(said, estimated_cost(request, said))

    def _related(self, data: str) -> dict[str, Any]:
        notes = notes_in(block(data, "notes"), "N")
        items = []
        for number, left, right in re.findall(r"(\d+)\. N(\d+) and N(\d+)", block(data, "pairs")):
            ends = notes[int(left)], notes[int(right)]
            self.pairs.append((ends[0].title, ends[1].title))
            said = self.on_pair(*ends)
            items += [{"pair": int(number), **said}] if said is not None else []
        return {"pairs": items}

    def _learned(self, data: str) -> dict[str, Any]:
        notes = notes_in(block(data, "notes"), "")
        self.hubs.append(notes[0].title)
        return {"lesson": self.on_hub([notes[number] for number in sorted(notes)], block(data, "existing insight"))}


def block(data: str, label: str) -> str:
    """The text of one block of a request."""
    match = re.search(rf"^=== \w+ {label}\n(.*?)(?=^=== )", data, re.M | re.S)
    return match[1] if match else ""


def notes_in(text: str, mark: str) -> dict[int, Shown]:
    """The numbered notes of a block."""
    heads = list(re.finditer(rf"^{mark}(\d+)\. (.*) \((\w+)\)$", text, re.M))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {
        int(head[1]): Shown(head[2], head[3], "\n".join(line[2:] for line in text[head.end() : end].splitlines() if line.startswith("|")))
        for head, end in zip(heads, ends, strict=True)
    }


def judged(vault: Vault, chat: Teller, *, keeps: bool = True, deadline: Deadline | None = None, **settings: Any) -> Context:
    """The context of one command whose judge asks a chat."""
    journal, limits = vault.space.journal, replace(vault.space.config.judge, **settings)
    records, at, day = journal.records(), iso_utc(NOW), NOW.date().isoformat()
    spend = Spend(journal, records, limits, at=at, day=day, keeps=keeps)
    model = ModelJudge(chat, Verdicts(journal, records, at=at, keeps=keeps), spend, limits, deadline=deadline)
    ctx = vault.ctx
    return replace(ctx, model=model, config=replace(ctx.config, judge=limits))


def related(relation: str, quote: str, reason: str = "It says so.", direction: str = "forward") -> dict[str, Any]:
    """One item of a reply."""
    return {"relation": relation, "direction": direction, "quote": quote, "reason": reason}
