"""What a person asks and what comes back: queries, hits, snippets. Values only."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Query:
    """A search. Dates are ISO civil dates; empty tuples mean no filter; `limit` counts notes."""

    text: str
    limit: int = 10
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str | None = None
    since: str | None = None
    as_of: str | None = None
    mode: str = "hybrid"
    expand: bool = False
    include_superseded: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a note, with the place it stands: 1-based line and the nearest heading."""

    text: str
    line: int
    heading: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One note that answers. `parts` maps signal name → its share of `score`; score is in [0, 1]-ish."""

    id: str
    path: str
    title: str
    kind: str
    status: str
    score: float
    snippets: tuple[Snippet, ...]
    parts: dict[str, float] = field(default_factory=dict)
    via: str | None = None
    successor: str | None = None
    """Path of the note that replaces this one, when it is superseded."""
    faded: bool = False
    """Whether so little weight is left that the note counts as faded; it is found all the same."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first; `signals` says which ran; `why_empty` and `notices` speak to a person."""

    hits: tuple[Hit, ...]
    signals: tuple[str, ...]
    notices: tuple[str, ...] = ()
    why_empty: str | None = None
    filtered_out: int = 0
