"""Which pairs of notes a judge has told apart or could not tell, in the journal: they are not asked about until one of the two changes.

    {"kind": "compared", "at": …, "run": …, "judge": "played@same/1", "notes": [{"id": …, "sha256": …, "mark": …}],
     "distinct": [[0, 1]], "unsure": [[0, 2]]}

Pairs are places in `notes`. Of two records about one pair the later one counts; another model or prompt begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brain.stages.reconciling.shown import ShownNote
from brain.vault.journal import Journal

KIND = "compared"
Told = Literal["distinct", "unsure"]
Ends = frozenset[str]
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Compared:
    """What was said about a pair, and how its notes were: id → (sha256, mark)."""

    said: Told
    notes: Mapping[str, tuple[str, str]]

    def holds(self, sha256_of: Mapping[str, str], mark_of: Callable[[str], str | None]) -> bool:
        """Tells whether both notes still say what they said; a file that is as it was is not read."""
        return all(sha256_of.get(note_id) == sha256 or mark_of(note_id) == mark for note_id, (sha256, mark) in self.notes.items())


def compared_before(journal: Journal, judge: str) -> dict[Ends, Compared]:
    """Returns what one judge said about pairs, by their ids. A record that cannot be read counts for nothing."""
    records = (record for record in journal.records({KIND}) if record.get("judge") == judge)
    return {frozenset(compared.notes): compared for record in records for compared in _pairs(record)}


def compared_record(notes: Sequence[ShownNote], said: Iterable[tuple[Ends, Told]], *, judge: str, run: str, at: str) -> Record:
    """Returns the record of one answer; `said` are pairs of ids of these notes."""
    place = {note.excerpt.id: number for number, note in enumerate(notes)}
    pairs: dict[Told, list[list[int]]] = {"distinct": [], "unsure": []}
    for ends, told in said:
        pairs[told].append(sorted(place[end] for end in ends))
    shown = [{"id": note.excerpt.id, "sha256": note.sha256, "mark": note.mark} for note in notes]
    return {"kind": KIND, "at": at, "run": run, "judge": judge, "notes": shown, **{told: sorted(found) for told, found in pairs.items()}}


def _pairs(record: Record) -> Iterator[Compared]:
    notes = record.get("notes")
    if not isinstance(notes, list) or not all(_is_note(note) for note in notes):
        return
    told: Told
    for told in ("distinct", "unsure"):
        written = record.get(told)
        for pair in written if isinstance(written, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and all(type(place) is int and 0 <= place < len(notes) for place in pair):
                found = {notes[place]["id"]: (notes[place]["sha256"], notes[place]["mark"]) for place in pair}
                if len(found) == 2:
                    yield Compared(told, found)


def _is_note(note: object) -> bool:
    return isinstance(note, dict) and all(isinstance(note.get(key), str) for key in ("id", "sha256", "mark"))
