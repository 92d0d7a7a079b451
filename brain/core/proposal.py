"""A note that somebody proposes, what it was compared with, and what was decided about it. Values only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note to be. `agent` is who proposes it, `source` where its words come from; neither may be blank."""

    title: str
    body: str
    type: str | None = None
    folder: str | None = None
    agent: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """How near a note must come to count as similar: at most this far in meaning (0 to 2), or at least this much by its words."""

    ceiling: float | None = None
    bm25: float | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """A note that search finds for a candidate. `distance` is 1 - cosine, None when it is not embedded; `bm25` grows with likeness."""

    path: str
    distance: float | None
    bm25: float


@dataclass(frozen=True, slots=True)
class Grounds:
    """Who decided to change a note, and on which words of it: they stand on `line` of its file."""

    judge: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Update:
    """The candidate says more of what the note at `target` is about: this is that note's new body."""

    target: str
    body: str
    reason: str = ""
    grounds: Grounds | None = None


@dataclass(frozen=True, slots=True)
class Supersede:
    """The candidate holds instead of the note at `target`."""

    target: str
    reason: str = ""
    grounds: Grounds | None = None


@dataclass(frozen=True, slots=True)
class Create:
    """The candidate is a note of its own."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Discard:
    """The candidate says nothing new."""

    reason: str = ""


Decision = Update | Supersede | Create | Discard
