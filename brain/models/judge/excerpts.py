"""Notes as a request shows them: a numbered head, other names, and quoted lines that cannot pass for a head. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain.models.judge.ask import Asker
from brain.models.judge.fence import one_line, quoted_lines
from brain.models.judge.values import Excerpt

ALIASES_MAX = 12


def trimmed(asker: Asker, note: Excerpt) -> Excerpt:
    """Returns the note with no more of its text than one note may take; a cut is counted."""
    return replace(note, text=asker.cut(note.text, asker.settings.note_chars_max), aliases=note.aliases[:ALIASES_MAX])


def rendered(label: str, note: Excerpt) -> str:
    """Returns a note as the lines of a request."""
    body = quoted_lines("\n".join(filter(None, (_aliases(note), note.text.rstrip()))))
    return f"{label} {one_line(note.title)} ({one_line(note.kind)})\n{body}"


def listed(notes: Sequence[Excerpt], *, first: int = 1, mark: str = "") -> str:
    """Returns several notes, numbered from `first`."""
    return "\n\n".join(rendered(f"{mark}{number}.", note) for number, note in enumerate(notes, start=first))


def words_of(note: Excerpt) -> str:
    """Returns everything a request shows of a note, for finding a quote in it."""
    return "\n".join((one_line(note.title), _aliases(note), note.text))


def _aliases(note: Excerpt) -> str:
    return f"also called: {'; '.join(map(one_line, note.aliases))}" if note.aliases else ""
