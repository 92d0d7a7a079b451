"""A plan and the texts it was made from → patches. Pure: no disk, no clock.

Every edit is textual and local. Spans refer to the text as it was read; properties and sections are
changed after the spans, in the order the plan names them. What no edit names keeps its bytes.
The templates of new notes are here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, assert_never

from brain.config import Limits
from brain.core.plan import (
    AppendToSection,
    CreateNote,
    Edit,
    MarkSuperseded,
    MoveNote,
    Patch,
    Plan,
    ReplaceSpan,
    SetField,
)
from brain.errors import BrainError
from brain.vault.frontmatter import FieldValue, line_break_of, read_frontmatter, set_field
from brain.vault.parse import encode
from brain.vault.sections import append_to_section


class Text(Protocol):
    """A file as it was read (`vault.store.Source` is one)."""

    @property
    def data(self) -> bytes:
        """The bytes as they are in the file."""
        ...

    @property
    def text(self) -> str:
        """The decoded text."""
        ...


class PlanError(BrainError):
    """A plan whose edits cannot be carried out on the texts it names; nothing was written."""

    def __init__(self, message: str, cure: str = "run the command again") -> None:
        super().__init__(message, cure)


def render(plan: Plan, sources: Mapping[str, Text], limits: Limits | None = None) -> tuple[Patch, ...]:
    """Returns one patch for each path that changes, sorted by path; a move gives two.

    Raises: PlanError when an edit names a file that was not read, a span that holds something else or
    overlaps another, or a path that is created twice; BrainError when a frontmatter cannot be changed.
    """
    limits = limits or Limits()
    patches = [_created(plan, edit, sources) for edit in plan.edits if isinstance(edit, CreateNote)]
    for path in sorted({edit.path for edit in plan.edits if not isinstance(edit, CreateNote)}):
        edits = [edit for edit in plan.edits if edit.path == path]
        if path not in sources or any(isinstance(edit, CreateNote) for edit in edits):
            raise PlanError(f"The plan changes {path}, which it has not read.")
        before = sources[path].data
        after = encode(_edited(sources[path].text, edits, limits))
        patches.extend(_patches(path, before, after, edits))
    _check_once(patches)
    return tuple(sorted((patch for patch in patches if patch.before != patch.after), key=lambda patch: patch.path))


def note_text(fields: Sequence[tuple[str, FieldValue | None]], body: str) -> str:
    """Returns a new note: frontmatter with these fields in order (None is left out), then the body."""
    text = ""
    for key, value in fields:
        if value is not None:
            text = set_field(text, key, value, where="The new note")
    return text + body


def entity_note(fields: Sequence[tuple[str, FieldValue | None]], atoms: Sequence[str], related: Sequence[str] = ()) -> str:
    """Returns the text of a new entity note with its atoms and relation lines."""
    sections = [
        f"## {heading}\n" + "".join(f"{line}\n" for line in lines)
        for heading, lines in (("Atoms", atoms), ("Related", related))
        if lines
    ]
    return note_text(fields, "\n" + "\n".join(sections))


def episode_note(fields: Sequence[tuple[str, FieldValue | None]], body: str) -> str:
    """Returns the text of a new episode note; the words are kept as they are."""
    return note_text(fields, f"\n{body if body.endswith(chr(10)) else body + chr(10)}")


def _created(plan: Plan, edit: CreateNote, sources: Mapping[str, Text]) -> Patch:
    if edit.path in sources or sum(isinstance(other, CreateNote) and other.path == edit.path for other in plan.edits) > 1:
        raise PlanError(f"The plan creates {edit.path}, which is there already.", f'brain get "{edit.path}"')
    return Patch(edit.path, None, encode(edit.text))


def _patches(path: str, before: bytes, after: bytes, edits: Sequence[Edit]) -> list[Patch]:
    moves = [edit for edit in edits if isinstance(edit, MoveNote)]
    if len(moves) > 1:
        raise PlanError(f"The plan moves {path} twice.")
    if moves:
        return [Patch(path, before, None), Patch(moves[0].to, None, after)]
    return [Patch(path, before, after)]


def _check_once(patches: Sequence[Patch]) -> None:
    paths = [patch.path for patch in patches]
    twice = sorted({path for path in paths if paths.count(path) > 1})
    if twice:
        raise PlanError(f"The plan writes {twice[0]} twice.")


def _edited(text: str, edits: Sequence[Edit], limits: Limits) -> str:
    changed = _spans_replaced(text, [edit for edit in edits if isinstance(edit, ReplaceSpan)])
    for edit in edits:
        match edit:
            case SetField():
                changed = set_field(changed, edit.key, edit.value, where=edit.path, limits=limits)
            case AppendToSection():
                changed = _appended(changed, edit)
            case MarkSuperseded():
                changed = _superseded(changed, edit, limits)
            case ReplaceSpan() | MoveNote() | CreateNote():
                pass
            case _:
                assert_never(edit)
    return changed


def _spans_replaced(text: str, edits: Sequence[ReplaceSpan]) -> str:
    eol = line_break_of(text)
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        start, end = edit.span.start, edit.span.end
        if not 0 <= start <= end <= len(text) or text[start:end] != edit.expected:
            raise PlanError(f"The text of {edit.path} at character {start} is not what the plan expects.")
        if start < at:
            raise PlanError(f"Two edits of {edit.path} overlap at character {start}.")
        pieces += [text[at:start], _with_line_end(edit.text, eol)]
        at = end
    return "".join([*pieces, text[at:]])


def _with_line_end(text: str, eol: str) -> str:
    return text if eol == "\n" else text.replace("\r\n", "\n").replace("\n", eol)


def _appended(text: str, edit: AppendToSection) -> str:
    try:
        return append_to_section(text, edit.heading, edit.lines)
    except BrainError as error:
        raise PlanError(f"{edit.path}: {error.message}", error.cure) from error


def _superseded(text: str, edit: MarkSuperseded, limits: Limits) -> str:
    """Sets the properties and puts the forwarding line on top, so that a reader sees it in any editor."""
    for key, value in (("status", "superseded"), ("superseded_by", edit.successor), ("superseded_on", edit.on)):
        text = set_field(text, key, value, where=edit.path, limits=limits)
    body = read_frontmatter(text, limits).end
    eol = line_break_of(text)
    gap = "" if text[:body].endswith("\n") else eol  # a block whose last line has no end
    return f"{text[:body]}{gap}> Superseded by {edit.successor} on {edit.on}.{eol}{eol}{text[body:]}"

