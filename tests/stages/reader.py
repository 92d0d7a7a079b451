"""A language model for walk tests: it says of each text what a test told it to, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from brain.core.asking import Failure, Request
from brain.judging import Judge
from brain.models.deadline import Deadline
from brain.models.judge.judge import ModelJudge
from brain.models.spend import Spend
from brain.models.verdicts import Verdicts
from brain.stages.context import Context
from tests.models.judging import Answering, Played, atom, ticket_of
from tests.stages.support import Vault

__all__ = ["action", "atom", "failing_on", "reading", "saying_of"]


def action(text: str, quote: str, due: str | None = None) -> dict[str, Any]:
    """One action as a model would give it."""
    return {"text": text, "quote": quote, "due": due}


def saying_of(atoms: Sequence[dict[str, Any]] = (), actions: Sequence[dict[str, Any]] = ()) -> Answering:
    """A model that says of a piece those items whose quote it shows."""

    def answer(request: Request) -> str:
        shown = " ".join(request.data.split())
        said = {name: [item for item in items if item["quote"] in shown] for name, items in (("atoms", atoms), ("actions", actions))}
        return json.dumps({"request": ticket_of(request), **said})

    return answer


def failing_on(words: str, otherwise: Answering) -> Answering:
    """A model that is not reached when it is shown these words."""
    return lambda request: Failure("timeout", "It took too long.", "wait longer") if words in request.data else otherwise(request)


def reading(vault: Vault, chat: Played, *, deadline: Deadline | None = None, **settings: Any) -> Context:
    """The context of a command that has this model, as the facade makes it."""
    ctx, limits = vault.ctx, Judge(**settings)
    records = ctx.journal.records()
    spend = Spend(ctx.journal, records, limits, at=ctx.at, day=ctx.today)
    model = ModelJudge(chat, Verdicts(ctx.journal, records, at=ctx.at), spend, limits, deadline=deadline)
    return replace(ctx, config=replace(ctx.config, judge=limits), model=model)
