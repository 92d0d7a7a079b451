"""What was taken out of one episode, held against its labels: found, wrong, or neither. Pure.

As the README of the sets says: an atom is found when an answer has its kind, its entity and a quote that overlaps.
One answer finds one atom, so that a quote of everything does not find everything. An answer is wrong when its quote
overlaps a tempting line from which its kind may not be taken, and no atom of its kind. What a claim says in its own
words is not compared: of a sentence that is turned into its opposite this notices nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from bench.quality.places import Place, overlap, paired, places
from bench.quality.rows import Atom, Task, Told, Wrong
from brain.core.judgement import Extracted
from brain.core.slug import compact
from brain.models.judge.values import Action
from brain.vault.fields import split_validity

NAMELESS = "vague_name"
RIGHT, AGAIN, WRONG, KIND, ENTITY, TASK, MORE = "right", "said again", "wrong", "of another kind", "about another thing", "tasks taken as claims", "more"
FITTING = (RIGHT, WRONG, KIND, ENTITY, AGAIN, TASK, MORE)
"""What a claim can be, in the order of reports. All but the first two are neither found nor wrong."""


@dataclass(frozen=True)
class Taken:
    """An episode and what a judge took out of it. `found` and `actions_found` lead from a label's place to an answer's.

    Without slots: the pairings are made once and kept.
    """

    row: Told
    claims: tuple[Extracted, ...]
    actions: tuple[Action, ...] = ()

    @cached_property
    def found(self) -> dict[int, int]:
        """The atoms that were found, each by one claim."""
        return paired(self.claims, self.row.atoms, self.fits)

    @cached_property
    def actions_found(self) -> dict[int, int]:
        """The tasks that were found, each by one action."""
        return paired(self.actions, self.row.actions, self.meets)

    @cached_property
    def wrong_lines(self) -> dict[int, tuple[Wrong, ...]]:
        """The tempting lines that wrong claims were taken from, by the place of the claim."""
        right = set(self.found.values())
        fallen = {place: tuple(self._tempting(claim)) for place, claim in enumerate(self.claims) if place not in right}
        return {place: lines for place, lines in fallen.items() if lines}

    @property
    def unfounded(self) -> int:
        """How many quotes do not stand on the line that is given with them."""
        answers: tuple[Extracted | Action, ...] = (*self.claims, *self.actions)
        return sum(not self.place(answer) for answer in answers)

    def place(self, answer: Extracted | Action) -> tuple[Place, ...]:
        """Returns where the quote of an answer stands."""
        return places(self.row.text, answer.quote, answer.line)

    def meets(self, answer: Extracted | Action, label: Atom | Wrong | Task) -> bool:
        """Tells whether two quotes overlap."""
        return overlap(self.row.text, self.place(answer), places(self.row.text, label.quote))

    def fits(self, claim: Extracted, atom: Atom) -> bool:
        """Tells whether a claim is the atom: quote, kind and entity."""
        return claim.kind in atom.kinds and is_about(claim, atom) and self.meets(claim, atom)

    def has_right_day(self, atom: int, claim: int) -> bool:
        """Tells whether a found claim begins or ends on the labelled day, or has no day when none is said."""
        days = set(split_validity(self.claims[claim].text)[1:]) - {None}
        return bool(days & set(self.row.atoms[atom].dates)) if days else None in self.row.atoms[atom].dates

    def has_right_due(self, task: int, action: int) -> bool:
        """Tells whether a found action is due on the labelled day."""
        return self.actions[action].due == self.row.actions[task].due

    def _tempting(self, claim: Extracted) -> Iterator[Wrong]:
        if any(claim.kind in atom.kinds and self.meets(claim, atom) for atom in self.row.atoms):
            return
        for line in self.row.wrong:
            if claim.kind not in line.allowed and self.meets(claim, line) and (line.trap != NAMELESS or not self._is_named(claim)):
                yield line

    def _is_named(self, claim: Extracted) -> bool:
        """Tells whether a claim is about a thing that has a name: of somebody who has none, a new note is the mistake."""
        names = {*self.row.existing, *(name for atom in self.row.atoms for name in atom.entities)}
        return compact(claim.entity) in set(map(compact, names))


def is_about(claim: Extracted, atom: Atom) -> bool:
    """Tells whether a claim is about the thing of an atom."""
    return atom.is_entity_open or compact(claim.entity) in set(map(compact, atom.entities))


def graded(taken: Taken) -> Iterator[str]:
    """Yields what each claim is, one of `FITTING`."""
    right = set(taken.found.values())
    for place, claim in enumerate(taken.claims):
        if place in right:
            yield RIGHT
        elif place in taken.wrong_lines:
            yield WRONG
        else:
            yield _neither(taken, claim)


def wrong_actions(taken: Taken) -> tuple[Wrong, ...]:
    """Returns the tempting line of each action that was taken from one and is no task. An action needs no name."""
    found = set(taken.actions_found.values())
    strays = [action for place, action in enumerate(taken.actions) if place not in found]
    lines = (next((line for line in taken.row.wrong if line.trap != NAMELESS and taken.meets(action, line)), None) for action in strays)
    return tuple(line for line in lines if line is not None)


def _neither(taken: Taken, claim: Extracted) -> str:
    near = [atom for atom in taken.row.atoms if taken.meets(claim, atom)]
    if any(taken.fits(claim, atom) for atom in near):
        return AGAIN
    if any(is_about(claim, atom) for atom in near):
        return KIND
    if near:
        return ENTITY
    return TASK if any(taken.meets(claim, task) for task in taken.row.actions) else MORE
