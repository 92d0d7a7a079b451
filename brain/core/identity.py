"""Which id a note has: its own `id:`, else a hash of its path and of how often that path was given up.

Pure. Moves come from the journal, so a rebuild gives every note the id it had before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

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


def assigned_ids(claims: Iterable[tuple[int, str, bool, str]]) -> dict[int, str]:
    """Gives each note its id. A claim is (row id, path, whether the id is declared, the id it asks for).

    Of several notes that ask for one id (a copied file, two clones that moved one note to two places)
    a declared one comes first, then the first path; the others get an id of their own.
    """
    by_id: dict[str, list[tuple[bool, str, int]]] = {}
    for nid, path, is_declared, base in claims:
        by_id.setdefault(base, []).append((not is_declared, path, nid))
    ids: dict[int, str] = {}
    for base, askers in by_id.items():
        for place, (_, path, nid) in enumerate(sorted(askers)):
            ids[nid] = base if place == 0 else "n-" + short_hash("twin", base, path, length=16)
    return ids


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
