"""Asking a language model as data: what is asked, what it answered, or why it did not. Values only.

A request holds all of it: two equal requests are the same question, whichever backend answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from brain.core.ids import sha256_hex

if TYPE_CHECKING:
    from pydantic import BaseModel

FailureKind = Literal[
    "not_started", "timeout", "exit", "empty", "too_long", "not_text",  # a command
    "unreachable", "refused", "malformed", "over_limit",  # an endpoint
    "not_recorded", "not_asked",  # a recording, an estimate
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """One question: instructions of ours, data that is never an instruction, and the shape of the answer.

    `schema` is the JSON Schema of `shape` as text. `reply_tokens_max` and `tokens_max` (sent and received
    together) bind where tokens are counted, `reply_chars_max` everywhere.
    """

    task: str
    instructions: str
    data: str
    schema: str
    shape: type[BaseModel] = field(compare=False, repr=False)
    timeout_s: float = field(default=600.0, compare=False)
    reply_chars_max: int = field(default=200_000, compare=False)
    reply_tokens_max: int = field(default=8_000, compare=False)
    tokens_max: int = field(default=1_000_000, compare=False)

    @property
    def prompt(self) -> str:
        """The whole request as one text, for what reads one text."""
        shape = "Answer with one JSON object and nothing else. It fits this JSON Schema:"
        return f"{self.instructions}\n\n{shape}\n{self.schema}\n\n{self.data}\n"

    @property
    def key(self) -> str:
        """The sha256 of everything that is asked; how long to wait for it is no part of it."""
        return sha256_hex("\x1f".join((self.task, self.prompt)).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call took. `tokens` are both ways together; `is_estimate` when nobody counted them."""

    tokens: int = 0
    is_estimate: bool = True
    characters: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, whole and unchecked."""

    text: str
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply, and the next thing to do about it. An expected outcome, never raised."""

    kind: FailureKind
    message: str
    cure: str
    cost: Cost = Cost()


def estimated_tokens(text: str) -> int:
    """Returns about how many tokens a text has: a quarter of its ASCII characters and all others."""
    others = sum(1 for c in text if not c.isascii())
    return -(-(len(text) - others) // 4) + others


def estimated_cost(request: Request, reply: str = "", *, seconds: float = 0.0) -> Cost:
    """Returns the cost of a call whose tokens nobody counted."""
    prompt = request.prompt
    return Cost(estimated_tokens(prompt) + estimated_tokens(reply), True, len(prompt) + len(reply), seconds)
