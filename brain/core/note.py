"""What a Markdown note is once it has been read: values only, produced by `vault.parse`.

Offsets count characters of the decoded text exactly as it is in the file (a BOM is character 0,
CRLF is two characters), so a patch can be cut out of the original without moving anything else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from brain.core.finding import Finding

LinkForm = Literal["wikilink", "embed", "markdown", "image"]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range `[start, end)` in the decoded text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. `raw` is the exact text between `span`; `target` has no anchor or alias.

    `place` is "body" or "property"; `relation` is the frontmatter key or inline field that holds the
    link, exactly as written, or None for a plain link; `reason` is the text after ` - ` on a relation
    line. `valid_from` and `valid_to` are ISO dates from `(from DATE)` and `(to DATE)`.
    """

    raw: str
    target: str
    anchor: str | None
    alias: str | None
    form: LinkForm
    line: int
    span: Span
    place: Literal["body", "property"]
    relation: str | None = None
    reason: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A Dataview inline field (`key:: value`, `[key:: value]`, `(key:: value)`)."""

    key: str
    value: str
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class Heading:
    """An ATX or setext heading; `text` without the hashes and without a trailing `^block-id`."""

    level: int
    text: str
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class Atom:
    """One claim: a bullet under `## Atoms`.

    `id` is the block id when there is one, else None (the projector derives one from note id, text
    and ordinal among equal texts). `sources` are the targets of the trailing `[[source]]` links.
    `superseded_by` is an atom id without the caret. `span` covers the bullet line without its newline.
    """

    id: str | None
    text: str
    kind: str
    confidence: str | None
    status: str
    superseded_by: str | None
    superseded_on: str | None
    valid_from: str | None
    valid_to: str | None
    sources: tuple[str, ...]
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note. `properties` is the frontmatter as JSON-safe values (dates as ISO strings).

    `kind` is canonical; `type` is the `type:` property or None. `body_start` is the offset of the first
    character after the frontmatter block (0 when there is none; 1 when only a BOM precedes the body).
    `frontmatter` covers the whole block with both fences, or None. `block_ids` maps id → line.
    `tags` are without `#`, in first-seen order, frontmatter and body together.
    """

    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    type: str | None
    kind: str
    status: str
    declared_id: str | None
    properties: dict[str, Json]
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    fields: tuple[Field, ...]
    atoms: tuple[Atom, ...]
    block_ids: dict[str, int]
    frontmatter: Span | None
    body_start: int
    malformed: bool
    findings: tuple[Finding, ...] = field(default=())
