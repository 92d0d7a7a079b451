"""Which notes wait to be looked at: new ones, those whose own words changed, and those in which a new name is found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from brain.config import Limits
from brain.stages.context import Reading
from brain.stages.failures import Failures
from brain.stages.linking.candidates import Vault, in_order
from brain.stages.linking.looked import Looked
from brain.stages.linking.notes import LiveNote, read_note


def key_of(note: LiveNote) -> str:
    """Returns the name of the questions about a note, as it is now."""
    return f"{note.id}@{note.sha256}"


@dataclass(slots=True)
class Waiting:
    """The notes of a vault in their order, and what was looked at before.

    `done` are the ids of those that are done with now, `asked` what was asked before of a note whose words are as they were.
    """

    vault: Vault
    known: Mapping[str, Looked]
    reading: Reading
    limits: Limits
    failures: Failures
    done: set[str] = field(default_factory=set)
    asked: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[LiveNote]:
        """Yields the notes that wait; a file is read only when it is not as it was."""
        for note in self.failures.last(in_order(self.vault), key_of):
            looked = self.known.get(note.id)
            is_changed = looked is None or (looked.sha256 != note.sha256 and self._has_changed(note, looked))
            if looked is not None and not is_changed:
                if not self._is_named_anew(note, looked):
                    self.done.add(note.id)
                    continue
                self.asked[note.id] = looked.asked
            yield note

    @property
    def left(self) -> int:
        """How many notes wait still, without a look into any file."""
        return sum(note.id not in self.done and self._may_wait(note) for note in self.vault.live.values())

    def _may_wait(self, note: LiveNote) -> bool:
        looked = self.known.get(note.id)
        return looked is None or looked.sha256 != note.sha256 or self._is_named_anew(note, looked)

    def _is_named_anew(self, note: LiveNote, looked: Looked) -> bool:
        return any(self.vault.live[mention.target].id not in looked.asked for mention in self.vault.named_in.get(note.nid, ()))

    def _has_changed(self, note: LiveNote, looked: Looked) -> bool:
        read = read_note(self.reading, note.path, self.limits)
        return read is not None and read.mark != looked.mark
