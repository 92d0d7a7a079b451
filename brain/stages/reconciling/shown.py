"""How a note is shown to a judge that says whether it is the same thing as another. Reads only.

Of a claim its words alone are shown: a state, a date, an id or a source more, which the stages write, makes no new question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.config import Limits
from brain.core.ids import fold, short_hash
from brain.core.judgement import Subject
from brain.core.note import Atom
from brain.models.judge.values import Excerpt
from brain.stages.context import Reading
from brain.stages.linking.notes import read_note


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A note as it was read: `mark` changes whenever a judge would be shown something else."""

    excerpt: Excerpt
    sha256: str
    mark: str

    def names_say(self, quote: str) -> bool:
        """Tells whether words are some of its names, which says less than its text."""
        names = f"{self.excerpt.title}\nalso called: {'; '.join(self.excerpt.aliases)}"
        return fold(" ".join(quote.split())) in fold(names)


def show(reading: Reading, subject: Subject, limits: Limits, *, chars_max: int) -> ShownNote | None:
    """Reads a note for the judge; None when it is gone or can no longer be merged."""
    read = read_note(reading, subject.path, limits)
    if read is None:
        return None
    note, text = read.note, claims_as_words(read.prose, read.line, read.note.atoms)
    mark = short_hash("compared", note.title, note.kind, *note.aliases, "\n", text[:chars_max])
    return ShownNote(Excerpt(subject.id, note.path, note.title, note.kind, note.aliases, text, read.line), read.source.sha256, mark)


def claims_as_words(prose: str, first: int, atoms: Sequence[Atom]) -> str:
    """Returns a text that begins on line `first`, each claim in it as its words alone, without empty lines."""
    lines = [line.rstrip() for line in prose.split("\n")]
    for atom in atoms:
        if 0 <= atom.line - first < len(lines):
            lines[atom.line - first] = f"- {atom.text}"
    return "\n".join(line for line in lines if line)
