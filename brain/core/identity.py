"""Which id a note has: its own `id:`, else a hash of its path and of how often that path was given up.

Pure. Moves come from the journal, so a rebuild gives every note the id it had before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import NamedTuple

from brain.core.ids import fold, note_id_of_path, short_hash


@dataclass(slots=True)
class Identity:
    """A fold over `moved` records, oldest first."""

    _ids: dict[str, str] = field(default_factory=dict)
    _given_up: Counter[str] = field(default_factory=Counter)

    def move(self, source: str, target: str, note_id: str) -> None:
        """Takes one record: the note at `source`, with this id, is at `target` now."""
        self._ids.pop(source, None)
        self._given_up[source] += 1
        self._ids[target] = note_id

    def id_of(self, path: str) -> str:
        """Returns the id of the note at a path that declares none."""
        return self._ids.get(path) or note_id_of_path(path, self._given_up[path])


def identity_of(moves: Iterable[tuple[str, str, str]]) -> Identity:
    """Folds `(from, to, id)` rows, oldest first."""
    identity = Identity()
    for source, target, note_id in moves:
        identity.move(source, target, note_id)
    return identity


Place = tuple[str, int]
"""A path and a number in it: tells claims apart, and of two equal ones the lower comes first."""
Twin = Callable[[int], str]


class Claim(NamedTuple):
    """What a note or an atom would be called, in the order of its wishes.

    `declared` is written in the file, `derived` follows from what the thing is, and `twin` makes further ids without end.
    """

    place: Place
    declared: str | None
    derived: str | None
    twin: Twin


def note_claim(path: str, base: str, *, is_declared: bool) -> Claim:
    """Returns the claim of a note; `base` is the id it asks for."""
    return Claim((path, 0), base if is_declared else None, None if is_declared else base, partial(_note_twin, base, path))


def atom_claim(path: str, ordinal: int, declared: str | None, derived: str) -> Claim:
    """Returns the claim of an atom."""
    return Claim((path, ordinal), declared, derived, partial(_atom_twin, derived))


def wishes(claim: Claim) -> Iterator[tuple[int, str]]:
    """Yields the ids of a claim, each with its rank, lower first: an id belongs to the lowest rank that asks for it."""
    if claim.declared is not None:
        yield 0, claim.declared
    if claim.derived is not None:
        yield 1, claim.derived
    for number in count():
        yield 2, claim.twin(number)


def settled(claims: Iterable[Claim]) -> dict[str, Place]:
    """Gives each claim an id of its own: its first wish that no better claim has. Returns who holds which id.

    Of several that wish for one id the lowest rank has it, then the first place; the others go on to their next wish.
    The order of the claims makes no difference, and every id that was ever wished for is held.
    """
    holders: dict[str, tuple[int, Place, Iterator[tuple[int, str]]]] = {}
    for claim in claims:
        place, left = claim.place, wishes(claim)
        while True:
            rank, wanted = next(left)
            holder = holders.get(wanted)
            if holder is not None and holder[:2] < (rank, place):
                continue
            holders[wanted] = (rank, place, left)
            if holder is None:
                break
            _, place, left = holder  # the one that must give way goes on with its next wish
    return {wanted: place for wanted, (_, place, _) in holders.items()}


def assigned_ids(claims: Iterable[tuple[int, str, bool, str]]) -> dict[int, str]:
    """Gives each note its id. A claim is (row id, path, whether the id is declared, the id it asks for).

    Of several notes that ask for one id (a copied file, two clones that moved one note to two places)
    a declared one comes first, then the first path; the others get an id of their own, which nobody asks for.
    """
    rows = list(claims)
    askers = Counter(base for _, _, _, base in rows)
    free = {base: row for row in rows if askers[base := row[3]] == 1}
    shared = [row for row in rows if askers[row[3]] > 1]
    holders: dict[str, Place] = {}
    while shared:  # nearly all ids have one asker: only those that a shared one leads to are settled with it
        holders = settled(note_claim(path, base, is_declared=is_declared) for _, path, is_declared, base in shared)
        led_to = sorted(holders.keys() & free.keys())
        if not led_to:
            break
        shared += [free.pop(base) for base in led_to]
    nid_of = {path: nid for nid, path, _, _ in shared}
    return {row[0]: base for base, row in free.items()} | {nid_of[path]: note_id for note_id, (path, _) in holders.items()}


def _note_twin(base: str, path: str, number: int) -> str:
    return "n-" + short_hash("twin", base, path, *([str(number)] if number else []), length=16)


def _atom_twin(derived: str, number: int) -> str:
    return "a-" + short_hash("twin", derived, str(number))


@dataclass(frozen=True, slots=True)
class Facts:
    """What rename detection compares: `sha256` of the bytes and the declared id."""

    path: str
    sha256: str
    declared_id: str | None
    size: int


Sign = Callable[[Facts], str | None]


def find_renames(gone: Sequence[Facts], fresh: Sequence[Facts]) -> tuple[tuple[str, str], ...]:
    """Pairs vanished notes with new ones, surest sign first: declared id, path but for case, equal bytes.

    A sign counts only when it is unique on both sides; empty files are never paired by their bytes.
    """
    pairs: list[tuple[str, str]] = []
    left, right = list(gone), list(fresh)
    signs: tuple[Sign, ...] = (
        lambda note: note.declared_id,
        lambda note: fold(note.path),
        lambda note: note.sha256 if note.size else None,
    )
    for sign in signs:
        matched = _unique_matches(left, right, sign)
        pairs.extend((old.path, new.path) for old, new in matched)
        taken_old, taken_new = {old.path for old, _ in matched}, {new.path for _, new in matched}
        left = [note for note in left if note.path not in taken_old]
        right = [note for note in right if note.path not in taken_new]
    return tuple(sorted(pairs))


def _unique_matches(left: list[Facts], right: list[Facts], sign: Sign) -> list[tuple[Facts, Facts]]:
    old, new = _by_sign(left, sign), _by_sign(right, sign)
    return [(old[key][0], new[key][0]) for key in sorted(old) if len(old[key]) == 1 and len(new.get(key, ())) == 1]


def _by_sign(notes: list[Facts], sign: Sign) -> dict[str, list[Facts]]:
    grouped: dict[str, list[Facts]] = {}
    for note in notes:
        key = sign(note)
        if key:
            grouped.setdefault(key, []).append(note)
    return grouped
