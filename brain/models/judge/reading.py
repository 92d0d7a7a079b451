"""A reply's text → the one JSON object that answers this request. Total: an object, or a word for why there is none.

The object is known by its ticket, which stands nowhere else: an example of the prompt, a piece of a note or an
answer to another request is never taken for it, whatever surrounds the object.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

REQUEST = "request"
STARTS_MAX = 256
THINKING_ENDS = "</think>"

WhyUnread = Literal["echo", "no-answer", "half-json", "two-answers"]


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a reply holds no answer."""

    why: WhyUnread


def read_object(text: str, *, ticket: str, mark: str) -> dict[str, Any] | Unread:
    """Returns the object whose `request` is the ticket; prose, code fences and a model's thinking around it are passed over."""
    said = text.rpartition(THINKING_ENDS)[2]
    found = _objects(said, ticket)
    if not found:
        return Unread("echo" if mark in text else "half-json" if ticket in said and "{" in said else "no-answer")
    return found[0] if all(other == found[0] for other in found[1:]) else Unread("two-answers")


def _objects(text: str, ticket: str) -> list[dict[str, Any]]:
    """Returns the outermost objects with this ticket. The number of places tried is bounded."""
    decoder = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant)
    found: list[dict[str, Any]] = []
    at = 0
    for _ in range(STARTS_MAX):
        at = text.find("{", at)
        if at < 0 or text.find(ticket, at) < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        at = end
        if isinstance(value, dict) and value.get(REQUEST) == ticket:
            found.append(value)
    return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises: ValueError for an object that says two things under one name."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _no_constant(name: str) -> Any:
    """Raises: ValueError for `NaN` and `Infinity`, which are no JSON."""
    raise ValueError(name)
