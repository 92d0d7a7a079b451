"""Protocols with two implementations today. Everything else is concrete."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from brain.core.asking import Failure, Reply, Request

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Clock(Protocol):
    """Tells the time; the only place it comes from."""

    def now(self) -> datetime:
        """Returns the current instant, aware, in UTC."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors of one space, named by `model`."""

    @property
    def model(self) -> str:
        """Name of the vector space: two embedders with one name give interchangeable vectors."""
        ...

    @property
    def dims(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32[len(texts), dims], rows of unit length, none NaN, in the order given.

        Raises: BrainError when the model cannot be reached or answers with another shape.
        """
        ...


class Chat(Protocol):
    """Answers one request with text: a command, an endpoint, a recording."""

    @property
    def model(self) -> str:
        """Name of what answers, as verdicts carry it: never a key, never a command line."""
        ...

    def ask(self, request: Request) -> Reply | Failure:
        """Asks once and waits at most `request.timeout_s`. Expected troubles are failures, not exceptions."""
        ...
