"""What becomes of a proposed note: rules first, then whoever `Decide` is. Pure.

A reply is read strictly: one bare JSON object with a known action, and a target only where one belongs, given as
the number of a note that was shown. A reply that is anything else decides nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from brain.core.ids import fold
from brain.core.note import Note
from brain.core.proposal import Candidate, Create, Decision, Discard, Supersede, Update
from brain.errors import BrainError
from brain.vault.store import Source

TITLE_SHARE, BODY_SHARE = 0.6, 0.4
NEAR_DUPLICATE_MIN, RELATED_MIN = 0.75, 0.35
_WORD = re.compile(r"\w+")
_KEYS: dict[str, frozenset[str]] = {
    "update": frozenset({"action", "target", "body"}), "supersede": frozenset({"action", "target"}),
    "create": frozenset({"action"}), "discard": frozenset({"action"}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Similar:
    """A note that comes near a candidate, read from disk. `likeness` is of titles and bodies, in [0, 1]."""

    source: Source
    note: Note
    body: str
    likeness: float
    distance: float | None
    bm25: float
    is_writable: bool

    @property
    def path(self) -> str:
        """Where the note lies."""
        return self.source.path


class BadDecision(BrainError):
    """A reply that is no decision; nothing was written."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The reply decides nothing: {why}.", "run it again, or without the model")


class Decide(Protocol):
    """Decides about a candidate beside the notes that come near it. No lock is held meanwhile."""

    @property
    def name(self) -> str:
        """Its name and version, as the journal keeps it."""
        ...

    def decide(self, candidate: Candidate, similar: Sequence[Similar]) -> Decision:
        """Returns what is to become of the candidate. Raises: BrainError when nothing could be decided."""
        ...


@dataclass(frozen=True, slots=True)
class ByRules:
    """Decides what is certain: what a note says already is discarded, everything else is a note of its own."""

    name: str = "rules/1"

    def decide(self, candidate: Candidate, similar: Sequence[Similar]) -> Decision:
        """Returns Discard for a candidate that is there word for word, else Create."""
        same = next((known for known in similar if is_same(candidate, known)), None)
        return Discard(f"{same.path} says the same") if same else Create()


@dataclass(frozen=True, slots=True)
class ByReply:
    """Decides by what somebody replies to the candidate and the notes shown with it, numbered from 1."""

    name: str
    ask: Callable[[Candidate, Sequence[Similar]], str]

    def decide(self, candidate: Candidate, similar: Sequence[Similar]) -> Decision:
        """Returns the decision of the reply. Raises: BadDecision."""
        return decision_of(self.ask(candidate, similar), similar)


def decision_of(reply: str, similar: Sequence[Similar]) -> Decision:
    """Reads a reply: `{"action": "update", "target": 2, "body": "…"}`, supersede with a target, create, or discard. Raises: BadDecision."""
    try:
        value = json.loads(reply, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise BadDecision("it is not one bare JSON object") from error
    if not isinstance(value, dict) or not isinstance(value.get("action"), str) or value["action"] not in _KEYS:
        raise BadDecision(f"its action is none of {', '.join(_KEYS)}")
    action = value["action"]
    if value.keys() != _KEYS[action]:
        raise BadDecision(f"{action} has the keys {', '.join(sorted(_KEYS[action]))} and no others")
    if action == "create":
        return Create()
    if action == "discard":
        return Discard("it says nothing new")
    target = _target(value, similar)
    if action == "supersede":
        return Supersede(target)
    if not isinstance(value["body"], str) or not value["body"].strip():
        raise BadDecision("the body is empty or no text")
    return Update(target, value["body"])


def is_same(candidate: Candidate, known: Similar) -> bool:
    """Tells whether a note has the title and the words of a candidate."""
    return fold(candidate.title) == fold(known.note.title) and candidate.body.split() == known.body.split()


def is_near_duplicate(candidate: Candidate, known: Similar) -> bool:
    """Tells whether a candidate is refused beside a note, unless it is forced: nearly the same, and of no other kind."""
    return known.likeness >= NEAR_DUPLICATE_MIN and not (candidate.type and known.note.type and fold(candidate.type) not in (fold(known.note.kind), fold(known.note.type)))


def likeness(title: str, body: str, other_title: str, other_body: str) -> float:
    """Returns how alike two notes are: the shares of words that titles and bodies have in common (Jaccard), weighted."""
    return TITLE_SHARE * _jaccard(title, other_title) + BODY_SHARE * _jaccard(body, other_body)


def _jaccard(one: str, other: str) -> float:
    words, others = (set(_WORD.findall(fold(text))) for text in (one, other))
    return len(words & others) / len(words | others) if words | others else 1.0


def _target(value: Mapping[str, Any], similar: Sequence[Similar]) -> str:
    number = value["target"]
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(similar):
        raise BadDecision(f"the target is no number of a note that was shown (1 to {len(similar)})")
    return similar[number - 1].path


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises: ValueError for an object that says two things under one name."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made
