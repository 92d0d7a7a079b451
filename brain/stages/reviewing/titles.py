"""Sentences for a person name notes by their titles: an id says nothing to anyone. Reads only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.stages.context import Context

_ID = re.compile(r"(?<![\w-])n(?:-(?P<written>[0-9a-z]{6,})|(?P<code>[0-9a-z]{16}))(?![\w-])")
"""An id as it is written, or as matching compares codes: without its hyphen."""


def titled(ctx: Context, sentences: Sequence[str]) -> tuple[str, ...]:
    """Returns sentences with the id of every note in them replaced by its title; an id that is no note's stays."""
    ids = sorted({_id(found) for sentence in sentences for found in _ID.finditer(sentence)})
    if not ids:
        return tuple(sentences)
    with ctx.catalog() as conn:
        rows = [conn.execute("SELECT id, title FROM note WHERE id=?", (note_id,)).fetchone() for note_id in ids]
    title_of = {row[0]: f"“{row[1]}”" for row in rows if row is not None}
    return tuple(_ID.sub(lambda found: title_of.get(_id(found), found[0]), sentence) for sentence in sentences)


def _id(found: re.Match[str]) -> str:
    return f"n-{found['written'] or found['code']}"
