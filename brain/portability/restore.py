"""A backup brought back: into a new folder as it is, or into the vault itself, where nothing is lost by it.

In the vault, notes go back as one run that undo takes back; the journal is united and never cut; a file that is no note
comes back where it is missing and is left alone, and named, where it differs. A backup of the present state comes first.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from brain.config import STATE_FOLDER
from brain.core.ids import sha256_hex
from brain.errors import BrainError, NotFound, UsageError
from brain.portability.archive import Archive, Entry, add_file, opened_archive, unpack
from brain.portability.backup import BEFORE_RESTORE, Backed, make_backup
from brain.portability.belonging import is_journal
from brain.portability.history import missing_from, unite
from brain.stages.context import Context
from brain.stages.report import RunReport
from brain.stages.restoring import Kept, restore_notes
from brain.vault.generated import is_view
from brain.vault.layout import is_note_name
from brain.vault.store import read_regular

JOURNAL = f"{STATE_FOLDER}/journal/"


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did, or would do. `report` is the run of the notes, `added` other files that were missing.

    `differing` are other files that are not as in the backup and stay; `newer` notes are not in the backup and stay.
    """

    report: RunReport
    added: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
    records: int = 0
    before: Backed | None = None


def restore_to(path: Path, folder: Path) -> int:
    """Makes a new folder of a backup; returns the number of its files. Raises: UsageError when it is there; BrainError."""
    folder = folder.expanduser().absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already.", "name a new folder")
    with opened_archive(path) as archive:
        begun = folder.with_name(f".{folder.name}.restoring")
        try:
            begun.mkdir(parents=True)
        except FileExistsError:
            raise UsageError(f"{begun} is there already: another restore is under way, or died.", f'rm -r "{begun}", then run it again') from None
        except OSError as error:
            raise _refused(folder, error) from error
        try:
            count = unpack(archive, begun)
            os.rename(begun, folder)
        except OSError as error:
            raise _refused(folder, error) from error
        finally:
            shutil.rmtree(begun, ignore_errors=True)
    return count


def restore_into(ctx: Context, path: Path, *, notes: Sequence[str] = (), dry_run: bool) -> Restored:
    """Brings a backup back into the vault; with `notes`, those alone. A dry run tells what would change.

    Raises: NotFound for a note that is not in it; UsageError for a backup that is none or not safe; BrainError; Locked.
    """
    with opened_archive(path) as archive:
        entries = _chosen(ctx, archive, notes)
        changed = [entry for entry in entries if is_note_name(Path(entry.path).name) and not _is_same(ctx.vault.root / entry.path, entry)]
        kept = [Kept(entry.path, archive.read(entry), entry.mtime_ns) for entry in changed]
        others = [] if notes else [entry for entry in archive.manifest.files if not is_note_name(Path(entry.path).name)]
        for entry in others:
            archive.check(entry)  # before anything is written: a damaged backup changes nothing
        before = None if dry_run else make_backup(ctx, label=BEFORE_RESTORE)
        records = _history(ctx, archive, others, dry_run=dry_run)
        added, differing = _files(ctx, archive, others, dry_run=dry_run)
    report = restore_notes(ctx, kept, from_what=path.name, dry_run=dry_run)
    newer = () if notes else tuple(sorted(set(ctx.vault.paths()) - {entry.path for entry in archive.manifest.files}))
    return Restored(report, added, differing, newer, records, before)


def _chosen(ctx: Context, archive: Archive, notes: Sequence[str]) -> list[Entry]:
    """The entries that are notes, but for views, which are written anew from the journal."""
    there = {entry.path: entry for entry in archive.manifest.files}
    if missing := next((note for note in notes if note not in there), None):
        raise NotFound(f"{missing} is not in {archive.path.name}.", f'unzip -l "{archive.path}" lists what is')
    wanted = [there[note] for note in dict.fromkeys(notes)] or list(archive.manifest.files)
    if other := next((entry.path for entry in wanted if notes and not is_note_name(Path(entry.path).name)), None):
        raise UsageError(f"{other} is no note.", f'unzip "{archive.path}" "{other}" takes it out')
    return [entry for entry in wanted if not is_view(ctx.vault.root, entry.path, ctx.config.folders)]


def _history(ctx: Context, archive: Archive, entries: Sequence[Entry], *, dry_run: bool) -> int:
    lines = {entry.path.removeprefix(JOURNAL): archive.read(entry).split(b"\n") for entry in entries if is_journal(entry.path)}
    with ctx.lock.exclusive("restore"):
        missing = missing_from(ctx.journal.folder, lines)
        return sum(len(of.lines) for of in missing) if dry_run else unite(ctx.journal.folder, missing)


def _files(ctx: Context, archive: Archive, entries: Sequence[Entry], *, dry_run: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    added: list[str] = []
    differing: list[str] = []
    for entry in entries:
        if is_journal(entry.path):
            continue
        place = ctx.vault.root / entry.path
        if _is_blocked(ctx.vault.root, entry.path):
            differing.append(entry.path)
        elif not os.path.lexists(place):
            added.append(entry.path)
            if not dry_run:
                add_file(ctx.vault.root, entry.path, archive.read(entry), entry.mtime_ns)
        elif not _is_same(place, entry):
            differing.append(entry.path)
    return tuple(sorted(added)), tuple(sorted(differing))


def _is_blocked(root: Path, path: str) -> bool:
    """Tells whether something that is no folder stands where a folder is wanted; a link is none."""
    above = (root / folder for folder in list(PurePosixPath(path).parents)[:-1])
    return any(os.path.lexists(place) and (place.is_symlink() or not place.is_dir()) for place in above)


def _is_same(place: Path, entry: Entry) -> bool:
    try:
        return not place.is_symlink() and place.stat().st_size == entry.bytes and sha256_hex(read_regular(place, place.name)) == entry.sha256
    except (BrainError, OSError):
        return False


def _refused(folder: Path, error: OSError) -> BrainError:
    return BrainError(f"{folder} could not be written: {error.strerror}.", "free disk space, or choose another folder")

