"""Erasing in notes: the one change that no plan carries and that cannot be undone (ADR 0019). Notes only, and only what was read.

A plan would write into the journal what is to be erased. The caller holds the lock, and nothing but `purge` calls this.
"""

from __future__ import annotations

from brain.errors import BrainError
from brain.stages.context import Context
from brain.vault.store import Source
from brain.vault.write import create_note, remove_note, replace_note


def erase(ctx: Context, source: Source, data: bytes | None, path: str) -> str | None:
    """Writes a note as it was read without what is erased, at `path`, or takes it away; returns why it was left, None when it was not."""
    try:
        if data is None:
            remove_note(ctx.vault, source.path, source.sha256)
        elif path != source.path:
            if ctx.vault.read_many([path]).get(path, source).data != data:  # else: a run that died had made it already
                create_note(ctx.vault, path, data)
            remove_note(ctx.vault, source.path, source.sha256)
        else:
            replace_note(ctx.vault, source.path, data, source.sha256)
    except BrainError as error:  # it changed since it was read, or the disk refuses: the others are erased all the same
        return error.message
    return None
