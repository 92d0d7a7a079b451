"""Plans: what a stage wants to change, as data. Rendering and applying live elsewhere.

One plan is one decision. `base` names the sha256 of every file that was read to make it; a plan whose
base no longer holds is refused, never adapted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from brain.core.judgement import Verdict
from brain.core.note import Span

Stage = Literal[
    "walk", "reconcile", "link", "consolidate", "edit", "repair", "undo", "review", "review-note", "timeline", "propose",
    "correct", "tree", "import", "restore", "render",
]  # fmt: skip
VIEWS: tuple[Stage, ...] = ("review-note", "timeline", "render")
"""What is written anew from the journal: no run of a person's, and nothing to take back."""
Concern = Literal["people", "cross-folder", "alias-only", "ambiguous", "unlinkable"]
REVIEW_RULES = ("people", "cross-folder", "alias-only", "near-duplicate", "identifier", "uncertain", "ambiguous", "unlinkable")
"""Why a plan waits for a person, in a word: its concerns, what its question states, and doubt."""


@dataclass(frozen=True, slots=True)
class CreateNote:
    """Writes a new file; refused when the path (or a case twin) exists."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceSpan:
    """Replaces `span` of the text as it was read; `expected` is what stands there, checked."""

    path: str
    span: Span
    expected: str
    text: str


@dataclass(frozen=True, slots=True)
class SetField:
    """Sets one frontmatter key by textual patch; `value` None removes it. A tuple is a list."""

    path: str
    key: str
    value: str | int | float | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class AppendToSection:
    """Appends lines after the last non-blank line of a `## heading`, adding the heading at the end."""

    path: str
    heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoveNote:
    """Moves a file; the id follows through the journal."""

    path: str
    to: str


@dataclass(frozen=True, slots=True)
class MarkSuperseded:
    """Marks a note superseded in place and points it at its successor, by a link as it is to be written."""

    path: str
    successor: str
    on: str


Edit = CreateNote | ReplaceSpan | SetField | AppendToSection | MoveNote | MarkSuperseded


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one machine-made atom or edge comes from: law 5's record.

    `item` is the atom id, or `source|type|target`; `line` is 1-based in the episode and `quote` stands
    there verbatim; `judge` names rule or model and its version.
    """

    item: str
    episode: str
    episode_sha256: str
    line: int
    quote: str
    reason: str
    judge: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked when a plan is held: enough to make the plan again from the notes as they are then.

    `about` are the ids of the notes it is about, then the name that is unclear, if one is. `evidence` are sentences,
    the weightiest first; `score` is what questions are ordered by, in bits of evidence (`WRITTEN_BITS` for what a
    person wrote down). `stated` is the pair's.
    """

    verdict: Verdict
    about: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    score: float = 0.0
    stated: str = ""


WRITTEN_BITS = 100.0


@dataclass(frozen=True, slots=True)
class Plan:
    """One decision: its edits, what it was read from, why, and whether it needs a person."""

    stage: Stage
    key: str
    base: dict[str, str]
    edits: tuple[Edit, ...]
    because: str
    provenance: tuple[Provenance, ...] = ()
    certain: bool = True
    walked: tuple[str, ...] = ()
    """Episode paths that count as walked once this plan has landed."""
    read: tuple[str, ...] = ()
    """The pieces of those that a language model read, as it names them."""
    concerns: tuple[Concern, ...] = ()
    """What the gate should know about the decision, whatever its certainty."""
    question: Question | None = None
    """What is kept when the plan is held."""
    declines: tuple[str, ...] = ()
    """Decisions that a person says no to: they count as declined once this plan has landed, until it is undone."""


@dataclass(frozen=True, slots=True)
class Patch:
    """The rendered effect of a plan on one path. `before` None: the file is new; `after` None: gone."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Applied:
    """The plan landed. `item` is what `brain undo` takes."""

    item: str
    plan: Plan
    patches: tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """The gate kept the plan for a person."""

    item: str
    plan: Plan
    why: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The plan cannot be carried out as written (taken name, path outside the vault, bad edit)."""

    plan: Plan
    why: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file changed since it was read; nothing was written to any file of the plan."""

    plan: Plan
    path: str


Receipt = Applied | Held | Refused | Conflict
