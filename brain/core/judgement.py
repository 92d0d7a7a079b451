"""Judgement as data: what a stage found (candidates) and what a judge decided about it (verdicts).

Judges live elsewhere (`stages.rules`, models); a verdict is only ever one of the closed union below and
always names its judge and its reason. Paths are vault-relative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from brain.core.note import Json


@dataclass(frozen=True, slots=True)
class Episode:
    """A note waiting to be walked. `id` is the note's id; `sha256` is of the bytes that were read."""

    id: str
    path: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What identity is judged on: one note's names, kind and own properties."""

    id: str
    path: str
    title: str
    kind: str
    aliases: tuple[str, ...]
    properties: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two notes that may be one thing. `signals` say what proposed them; left sorts before right.

    `certain` is the identifier (`key=value`) that makes them one thing by rules alone, empty when none does.
    `stated` says why the question comes before others: a note calls itself by the other's name, repeats its text,
    or has its identifier. `evidence` and `vetoes` are sentences for a person, the weightiest first.
    """

    left: Subject
    right: Subject
    signals: tuple[str, ...]
    certain: str = ""
    stated: Literal["", "alias", "copy", "identifier"] = ""
    evidence: tuple[str, ...] = ()
    vetoes: tuple[str, ...] = ()
    rank: float = 0.0
    """What pairs are ordered by: bits of evidence above the cut, with something off for each doubt."""
    against: tuple[str, ...] = ()
    """Sentences about what was compared and does not agree; unlike a veto they hold nothing back."""
    speaks: bool = True
    """Whether names, stated facts or nearly equal texts speak for it: else no person is asked."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where one note names a relation to another: `quote` stands verbatim on `line` of `path`."""

    path: str
    relation: str
    target: str
    line: int
    quote: str
    reason: str | None


Candidate = Episode | Pair | Mention


@dataclass(frozen=True, slots=True)
class Extracted:
    """A claim about `entity` (a link target as written), with the words it was taken from.

    `line` is 1-based in the episode and `quote` stands there verbatim.
    """

    judge: str
    reason: str
    kind: str
    text: str
    entity: str
    line: int
    quote: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Same:
    """Two notes are one thing; `quote` is the evidence they share, as `key: value`."""

    judge: str
    reason: str
    left: str
    right: str
    quote: str


@dataclass(frozen=True, slots=True)
class Distinct:
    """Two notes are two things."""

    judge: str
    reason: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Supersedes:
    """A later claim replaces an earlier one from an ISO date on; both are atom ids."""

    judge: str
    reason: str
    later: str
    earlier: str
    on: str


@dataclass(frozen=True, slots=True)
class Contradicts:
    """Two claims cannot both hold and no date tells which came later."""

    judge: str
    reason: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Relates:
    """A typed edge: `relation` is canonical, `source` and `target` are link targets as written."""

    judge: str
    reason: str
    source: str
    relation: str
    target: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Unsure:
    """The judge does not know: counted, said, and left for a model or a person."""

    judge: str
    reason: str
    about: tuple[str, ...]


Verdict = Extracted | Same | Distinct | Supersedes | Contradicts | Relates | Unsure
