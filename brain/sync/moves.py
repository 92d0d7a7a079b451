"""Renames since the last sync: which old note is which new file, so that id, history and weight go along.

Signs that leave no doubt come first: the same file with the same bytes, the journal, and those of
`core.identity.find_renames`. A note that was edited too is known by its words (`alike`). What stays open
is a new note. Reads catalogs and the journal, and appends to the journal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from brain.core.dates import iso_utc
from brain.core.identity import Identity, find_renames, identity_of
from brain.sync.alike import Alike, are_too_many, unique_pairs
from brain.sync.moving import New, Old, new_of, old_of
from brain.vault.journal import Journal

Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Moves:
    """Pairs of old and new path, sorted; `not_compared` counts new notes that were too many to compare by words."""

    pairs: tuple[tuple[str, str], ...] = ()
    not_compared: int = 0

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should hear."""
        if not self.not_compared:
            return ()
        what = "new notes were too many to compare with those that are gone: one that was renamed and edited at once counts as new"
        return (f"{self.not_compared} {what}.",)


def find_moves(
    conn: sqlite3.Connection, journaled: Identity, gone: Iterable[int], altered: Iterable[tuple[int, New]], added: Sequence[New]
) -> Moves:
    """Pairs notes of the catalog `conn` with files at new paths.

    `gone` are row ids of notes without a file; `altered` notes whose path may hold another file now.
    """
    if not added:
        return Moves()
    inodes = {new.inode for new in added}
    displaced = (old_of(conn, nid, new) for nid, new in altered)
    olds = [old_of(conn, nid) for nid in gone]
    olds += [old for old in displaced if old.present and old.inode != old.present.inode and old.inode in inodes]
    news, pairs = list(added), Pairs()
    for sign in (_same_file, lambda o, n: _journaled(journaled, o, n), _renames):
        olds, news, pairs = _without(olds, news, pairs, sign(olds, news))
    for _ in range(2):  # when they are too many, those of one name go first, and may leave few enough
        were_too_many = are_too_many(olds, news)
        olds, news, pairs = _without(olds, news, pairs, Alike(conn, olds, news).pairs())
        if not were_too_many:
            break
    return Moves(tuple(sorted(pairs)), len(news) if were_too_many else 0)


def moves_between(
    before: sqlite3.Connection, after: sqlite3.Connection, journaled: Identity, is_there: Callable[[str], bool]
) -> Moves:
    """Pairs the notes of two whole catalogs, for a rebuild that finds an older one; `is_there` as in `still_there`."""
    query = "SELECT path, nid, inode FROM note"
    olds = {path: (nid, inode) for path, nid, inode in before.execute(query)}
    news = {path: (nid, inode) for path, nid, inode in after.execute(query)}
    added = [new_of(after, news[path][0]) for path in sorted(news.keys() - olds.keys())]
    gone = sorted(olds[path][0] for path in olds.keys() - news.keys() if not is_there(path))
    both = sorted(path for path in olds.keys() & news.keys() if olds[path][1] != news[path][1]) if added else []
    return find_moves(before, journaled, gone, [(olds[path][0], new_of(after, news[path][0])) for path in both], added)


def still_there(root: Path, skipped: Mapping[str, str]) -> Callable[[str], bool]:
    """Returns a test for notes that have not moved: they are left out now, or in a folder that cannot be listed."""

    def is_there(path: str) -> bool:
        folders = path.split("/")[:-1]
        is_hidden = any("/".join(folders[:count]) in skipped for count in range(1, len(folders) + 1))
        return is_hidden or (path in skipped and not (root / path).is_symlink())

    return is_there


def journaled_moves(journal: Journal) -> Identity:
    """Returns the moves that are written down, by a sync, by a stage or by another machine."""
    return identity_of((r["from"], r["to"], r["id"]) for r in journal.records({"moved"}))


def journal_moves(before: sqlite3.Connection, journal: Journal, moves: Moves, journaled: Identity, now: datetime) -> None:
    """Writes the moves down that the journal does not have yet; a declared id needs none, unless one was written down for it before."""
    records = []
    for source, target in moves.pairs:
        note_id, declared = before.execute("SELECT id, declared_id FROM note WHERE path=?", (source,)).fetchone()
        if (declared is None or journaled.id_of(source) == note_id) and journaled.id_of(target) != note_id:
            records.append({"kind": "moved", "at": iso_utc(now), "from": source, "to": target, "id": note_id})
    journal.append(records)


def _same_file(olds: list[Old], news: list[New]) -> Pairs:
    """One file under another name: the number of the file and every byte are the same."""
    places = unique_pairs([(old.inode, old.facts.sha256) for old in olds], [(new.inode, new.facts.sha256) for new in news])
    return [(olds[o].path, news[n].path) for o, n in places]


def _journaled(journaled: Identity, olds: list[Old], news: list[New]) -> Pairs:
    """What another run or machine has written down: the new path has the old note's id; of several the first one."""
    gone = {old.note_id: old.path for old in olds if old.present is None}
    paths = sorted((new.path for new in news if new.facts.declared_id is None), reverse=True)
    at = {journaled.id_of(path): path for path in paths}
    return [(source, at[note_id]) for note_id, source in gone.items() if note_id in at]


def _renames(olds: list[Old], news: list[New]) -> Pairs:
    return list(find_renames([old.facts for old in olds if old.present is None], [new.facts for new in news]))


def _without(olds: list[Old], news: list[New], pairs: Pairs, found: Pairs) -> tuple[list[Old], list[New], Pairs]:
    sources, targets = {source for source, _ in found}, {target for _, target in found}
    left = [old for old in olds if old.path not in sources], [new for new in news if new.path not in targets]
    return *left, [*pairs, *found]
