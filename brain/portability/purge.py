"""Real erasure: what a person wants gone is taken out of the notes, the journal and every copy that brain keeps (ADR 0019).

The one exception to "nothing is lost". A mark lies in `.brain/` while it runs, so that after a kill the same command
completes it; the mark holds nothing of what is erased. What cannot be reached (a settings file, a picture, git, a
syncer's own versions, backups that were put elsewhere) is named.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from brain.errors import BrainError, NotFound, UsageError
from brain.portability.archive import Archive, Manifest, opened_archive, write_archive
from brain.portability.backup import verify
from brain.portability.belonging import is_state
from brain.portability.erased import without
from brain.portability.needles import Needles, needles_of_note
from brain.portability.past import commits_with
from brain.portability.places import MARKER, Place, find_places, given_name, is_lines, is_note
from brain.stages.commit import append, recover
from brain.stages.context import Context
from brain.stages.ledger import body_sha256
from brain.stages.purging import erase
from brain.vault.aside import beside
from brain.vault.layout import Layout
from brain.vault.parse import decode
from brain.vault.store import sync_folder


@dataclass(frozen=True, slots=True)
class Purged:
    """What was found, or what was erased; `left` is what could not be. `commits` of git hold it still (None: no git)."""

    places: tuple[Place, ...]
    left: tuple[Place, ...]
    commits: tuple[str, ...] | None
    dry_run: bool
    is_completed: bool = False
    """Whether an erasure that died before was completed."""


def needles_of(ctx: Context, path: str) -> Needles:
    """Returns what to search for to erase a note: its words, the paths it has had, its id. Raises: NotFound."""
    source = ctx.vault.read(path)
    others = [other.text for other in ctx.vault.read_many(other for other in ctx.vault.paths() if other != path).values()]
    with ctx.catalog() as conn:
        row = conn.execute("SELECT id FROM note WHERE path=?", (path,)).fetchone()
    if row is None:
        raise NotFound(f"{path} is not indexed.", "brain index")
    moves = [record for record in ctx.journal.records({"moved"}) if record["id"] == row[0]]
    paths = {path, *(record[end] for record in moves for end in ("from", "to"))}
    elsewhere = {other for other in paths if other != path and ctx.vault.exists(other)}  # another note has that name by now
    return needles_of_note(source.text, others, paths=paths - elsewhere, ids=[row[0]])


def is_half_done(ctx: Context) -> bool:
    """Tells whether an erasure died before it was complete."""
    return (ctx.vault.root / MARKER).exists()


def find(ctx: Context, needles: Needles, *, text: str | None) -> Purged:
    """Returns every place, and changes nothing. Raises: BrainError."""
    places = find_places(ctx, needles)
    return Purged(places, _unreachable(places), commits_with(ctx.vault.root, text, tuple(sorted(needles.paths))), dry_run=True)


def purge(ctx: Context, needles: Needles, *, text: str | None, index: Callable[[], object]) -> Purged:
    """Erases. `index` makes what is derived anew, so that it holds what its sources hold, which are named, and words of its own.

    Raises: UsageError when a note would get the name of another one; BrainError, Locked.
    """
    recover(ctx)
    root = ctx.vault.root
    mark = root / MARKER
    with ctx.lock.exclusive("purge"):
        places = find_places(ctx, needles)
        _must_have_room(ctx, places, needles)
        was_left_half, refused = is_half_done(ctx), dict[str, str]()
        if places or was_left_half:
            mark.touch()
            refused = _erase_all(ctx, places, replace(needles, hashes=_hashes(ctx, places, needles)))
            _drop_index(Layout(root))
    if places or was_left_half:
        index()
        _drop_vectors(ctx)
        append(ctx, [{"kind": "purged", "at": ctx.at, "files": len(places)}])
        mark.unlink(missing_ok=True)
    left = tuple(replace(place, why=place.why or refused.get(place.path, "")) for place in find_places(ctx, needles) if place.kind != "index")
    return Purged(places, left, commits_with(root, text, tuple(sorted(needles.paths))), False, was_left_half)


def _must_have_room(ctx: Context, places: Iterable[Place], needles: Needles) -> None:
    """Refuses before anything is erased when a note's new name is another's: two notes would be one. Raises: UsageError."""
    wanted: dict[str, str] = {}
    for path in (place.path for place in places if place.kind == "name"):
        to = needles.path_without(path)
        data = ctx.vault.absolute(path).read_bytes()
        other = wanted.setdefault(to, path) if to in wanted else ctx.vault.taken(to) or wanted.setdefault(to, path)
        if other != path and ctx.vault.absolute(other).read_bytes() != needles.cut(data):  # else: a run that died had made it
            raise UsageError(f"{path} would be called {to}, as {other} is. Nothing was erased.", f'brain rename "{path}" to another name first')


def _unreachable(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(place for place in places if place.kind == "stuck")


def _erase_all(ctx: Context, places: Iterable[Place], needles: Needles) -> dict[str, str]:
    """Erases in every place; returns the paths of notes that had to be left → why."""
    refused: dict[str, str] = {}
    for place in sorted(places, key=lambda place: place.path in needles.paths):  # a note that goes as a whole goes last: a repeated command reads it
        match place.kind:
            case "note" | "view":
                if (why := _erase_note(ctx, place.path, needles)) is not None:
                    refused[place.path] = why
            case "journal" | "discards":
                _rewrite(ctx.vault.root, place.path, lambda data: without(data, needles))
            case "file":
                _rewrite(ctx.vault.root, place.path, needles.cut)
            case "backup":
                _rewrite_backup(ctx.vault.root / place.path, needles)
            case "index" | "cache" | "stuck" | "name":
                continue
    return refused


def _hashes(ctx: Context, places: Iterable[Place], needles: Needles) -> dict[str, str]:
    sources = ctx.vault.read_many(place.path for place in places if place.kind == "note" and place.path not in needles.paths)
    limits = ctx.config.limits
    return {body_sha256(found.text, limits): body_sha256(decode(needles.cut(found.data))[0], limits) for found in sources.values()}


def _erase_note(ctx: Context, path: str, needles: Needles) -> str | None:
    """Erases in one note, and in its name; the id follows, so that an episode that was walked stays walked. Returns why it was left."""
    try:
        source = ctx.vault.read(path)
    except NotFound:
        return None  # somebody deleted it meanwhile
    if path in needles.paths:
        return erase(ctx, source, None, path)
    to = needles.path_without(path) if needles.in_text(path) else path
    if to != path:
        with ctx.catalog() as conn:
            row = conn.execute("SELECT id FROM note WHERE path=? AND declared_id IS NULL", (path,)).fetchone()
        if row is not None:
            append(ctx, [{"kind": "moved", "at": ctx.at, "item": "purge", "from": f"purged-{row[0]}.md", "to": to, "id": row[0]}])
    return erase(ctx, source, needles.cut(source.data), to)


def _rewrite(root: Path, path: str, change: Callable[[bytes], bytes]) -> None:
    """Replaces a file by what `change` makes of it; what was appended while that was made comes along.

    Reading notes down what was served without a lock, so that a line may come at any moment.
    """
    place = root / path
    try:
        with open(place, "rb") as file:
            data = file.read()
            temporary = beside(place, "begun")
            try:
                _write(temporary, change(data), os.fstat(file.fileno()).st_mode & 0o777)
                os.replace(temporary, place)
            finally:
                temporary.unlink(missing_ok=True)
            late = file.read()
        if late:
            with open(place, "ab") as fresh:
                fresh.write(change(late))
        sync_folder(place.parent)
    except OSError as error:
        raise BrainError(f"{path} could not be written: {error.strerror}.", "look at its permissions, then run the same command again") from error


def _write(place: Path, data: bytes, mode: int) -> None:
    with open(place, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(place, mode)


def _rewrite_backup(place: Path, needles: Needles) -> None:
    temporary = beside(place, "begun")
    try:
        with opened_archive(place) as archive:
            write_archive(temporary, _manifest(archive.manifest, needles), _members(archive, needles))
        verify(temporary)
        os.replace(temporary, place)
        sync_folder(place.parent)
    except OSError as error:
        raise BrainError(f"{place.name} could not be written: {error.strerror}.", "free disk space, then run the same command again") from error
    finally:
        temporary.unlink(missing_ok=True)


def _manifest(said: Manifest, needles: Needles) -> Manifest:
    left_out = {needles.place_without(path): why for path, why in said.left_out.items()}
    return replace(said, label=_cut(said.label, needles), vault=_cut(said.vault, needles), files=(), left_out=left_out)


def _renamed(paths: Iterable[str], needles: Needles) -> dict[str, str]:
    """The paths of a backup whose names have it → the names they get, each free in there."""
    paths = tuple(paths)
    meant = [path for path in paths if needles.in_text(given_name(path)) and not is_state(path)]
    taken = set(paths) - set(meant)
    renamed: dict[str, str] = {}
    for path in meant:
        to = needles.place_without(path)
        stem, dot, suffix = to.rpartition(".")
        number = 1
        while to in taken:
            number += 1
            to = f"{stem} ({number}){dot}{suffix}" if dot and "/" not in suffix else f"{needles.place_without(path)} ({number})"
        taken.add(to)
        renamed[path] = to
    return renamed


def _members(archive: Archive, needles: Needles) -> Iterator[tuple[str, bytes, int]]:
    renamed = _renamed((entry.path for entry in archive.manifest.files), needles)
    for entry in archive.manifest.files:
        if entry.path in needles.paths and is_note(entry.path):
            continue
        data = archive.read(entry)
        yield renamed.get(entry.path, entry.path), without(data, needles) if is_lines(entry.path) else needles.cut(data), entry.mtime_ns


def _cut(text: str, needles: Needles) -> str:
    return needles.cut(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass") if needles.in_text(text) else text


def _drop_index(layout: Layout) -> None:
    if layout.index.exists():
        for place in sorted(layout.index.rglob("*"), reverse=True):
            place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


def _drop_vectors(ctx: Context) -> None:
    """Takes the vectors of texts that are no more out of the cache, whatever the model, and out of its free pages."""
    layout = Layout(ctx.vault.root)
    if not layout.cache_path.exists():
        return
    with ctx.catalog() as conn:
        wanted = list(conn.execute("SELECT DISTINCT hash FROM chunk"))
    try:
        with closing(sqlite3.connect(layout.cache_path, isolation_level=None, timeout=10.0)) as conn:
            conn.execute("PRAGMA secure_delete=ON")
            conn.execute("CREATE TEMP TABLE wanted(hash TEXT PRIMARY KEY)")
            conn.executemany("INSERT OR IGNORE INTO wanted VALUES(?)", wanted)
            conn.execute("DELETE FROM embedding WHERE hash NOT IN (SELECT hash FROM wanted)")
            conn.execute("VACUUM")
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError as error:
        raise BrainError(f"The embeddings cache could not be cleaned: {error}.", f'delete "{layout.cache_path}", then run the same command again') from error
