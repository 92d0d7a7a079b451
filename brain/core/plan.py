"""Plans: what a stage wants to change, as data. Rendering and applying live elsewhere.

One plan is one decision. `base` names the sha256 of every file that was read to make it; a plan whose
base no longer holds is refused, never adapted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from brain.core.note import Span

Stage = Literal["walk", "reconcile", "link", "consolidate", "edit", "repair", "undo"]
Concern = Literal["people", "cross-folder", "alias-only", "ambiguous"]


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
    """Marks a note superseded in place and points it at its successor."""

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
    concerns: tuple[Concern, ...] = ()
    """What the gate should know about the decision, whatever its certainty."""


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
