"""What stood in a note before it was archived, as the journal has it. Reads only."""

from __future__ import annotations

from itertools import accumulate

from brain.core.merge import hunks_between, lines_of, merged
from brain.core.note import Span
from brain.core.plan import Edit, Patch, ReplaceSpan, SetField
from brain.errors import BrainError
from brain.stages.context import Context
from brain.stages.ledger import read_ledger
from brain.stages.moving import ReadNote
from brain.stages.record import Record, patches_of
from brain.stages.repoint import as_field
from brain.vault.frontmatter import read_frontmatter
from brain.vault.links import NOT_LIVE
from brain.vault.parse import decode, parse_note


def edits_back(ctx: Context, read: ReadNote, note_id: str) -> list[Edit]:
    """Returns the edits that give an archived note the status it had.

    Byte for byte where the lines are as archiving left them, else the value; without a record of it the note is active.
    """
    path, limits = read.note.path, ctx.config.limits
    patch = _archiving(ctx, note_id)
    if patch is None or patch.before is None or patch.after is None:
        return [SetField(path, "status", "active")]
    before, after = decode(patch.before)[0], decode(patch.after)[0]
    text = merged(after, read.source.text, before)
    if text is not None and _is_current(path, text, ctx):
        return list(_replacing(path, read.source.text, text))
    block = read_frontmatter(before, limits).block
    values = [entry.value for entry in block.find("status") if entry.value is not None] if block else []
    found = [field if (field := as_field(value)) is not None else str(value) for value in values]
    return [SetField(path, "status", found[0] if found else None)]


def _archiving(ctx: Context, note_id: str) -> Patch | None:
    """Returns what the last `forget` or `prune` did to a note, unless `forget --back` came after it."""
    found: Record | None = None
    for record in read_ledger(ctx.journal).standing():
        what, _, rest = str(record["key"]).partition("|")
        if record["stage"] == "edit" and what in ("forget", "prune") and rest.split("|")[0] == note_id:
            found = None if (what, rest) == ("forget", f"{note_id}|True") else record
    try:
        return None if found is None else next(iter(patches_of(found)), None)
    except BrainError:
        return None  # a damaged record: doctor says so


def _is_current(path: str, text: str, ctx: Context) -> bool:
    note = parse_note(path, text, ctx.config.limits)
    return not note.malformed and note.status not in NOT_LIVE


def _replacing(path: str, now: str, wanted: str) -> list[ReplaceSpan]:
    lines = lines_of(now)
    at = [0, *accumulate(map(len, lines))]
    spans = [(Span(at[hunk.start], at[hunk.end]), hunk.text) for hunk in hunks_between(now, wanted)]
    return [ReplaceSpan(path, span, now[span.start : span.end], text) for span, text in spans]
