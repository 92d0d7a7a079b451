"""The verbs that carry a vault elsewhere and back: backup, restore, clear, export, import, purge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from brain.errors import NotFound, UsageError
from brain.facade.opened import Opened

if TYPE_CHECKING:
    from brain.portability.backup import Backed, Backup
    from brain.portability.clear import Cleared
    from brain.portability.purge import Purged
    from brain.portability.restore import Restored
    from brain.portability.take_in import Imported

FORMATS = ("jsonl", "graphml", "cypher", "csv", "canvas")


class Keeping(Opened):
    """How a vault is kept, moved and erased."""

    def backup(
        self, *, label: str = "", keep: int | None = None, to: Path | None = None, older_than_days: float | None = None
    ) -> Backed | None:
        """Makes a backup, verified; None when the newest one is not older than so many days. Raises: UsageError, BrainError, Locked."""
        from brain.portability.backup import backups_folder, is_due, make_backup

        ctx = self._context()
        if older_than_days is not None and not is_due(ctx, older_than_days, to or backups_folder(self.root)):
            return None
        return make_backup(ctx, label=label, keep=keep, to=to)

    def backups(self, folder: Path | None = None) -> tuple[Backup, ...]:
        """Returns the backups that lie in the vault, or in another folder, the newest first."""
        from brain.portability.backup import backups, backups_folder

        return backups(folder or backups_folder(self.root))

    def restore_to(self, file: str, folder: Path) -> int:
        """Makes a new folder of a backup; returns the number of files. Raises: NotFound, UsageError, BrainError."""
        from brain.portability.backup import found_backup
        from brain.portability.restore import restore_to

        return restore_to(found_backup(self.root, file), folder)

    def restore(self, file: str, *, notes: Sequence[str] = (), dry_run: bool) -> Restored:
        """Brings a backup back into the vault, or notes of it. Raises: NotFound, UsageError, BrainError, Locked."""
        from brain.portability.backup import found_backup
        from brain.portability.restore import restore_into

        self.index(embed=False)
        restored = restore_into(self._context(), found_backup(self.root, file), notes=notes, dry_run=dry_run)
        if not dry_run:
            self.index(embed=False)
        return restored

    def clear(self, *, journal: bool = False) -> Cleared:
        """Removes what is derived, and the history when that is wished; never a note. Raises: BrainError, Locked."""
        from brain.portability.clear import clear

        return clear(self._context(), journal=journal)

    def export_as(self, kind: str, *, now: datetime | None = None, lean: bool = False, full: bool = False) -> Iterator[str]:
        """Yields the lines of an export in one of `FORMATS` but csv, which is a folder of files."""
        from brain.portability.bundle import bundle_lines
        from brain.portability.canvas import canvas_text
        from brain.portability.export import export_lines, export_rows
        from brain.portability.graphml import graphml_lines
        from brain.portability.script import script_lines

        assert kind in FORMATS
        assert kind != "csv"
        self._must_be_indexed()
        moment = now or self._now()
        if kind == "jsonl":
            return bundle_lines(self.space, moment, lean=lean) if full else export_lines(self.space, moment, lean=lean)
        rows = export_rows(self.space, moment, lean=lean or kind == "canvas")
        if kind == "canvas":
            return iter(canvas_text(rows, with_links=not lean).splitlines())
        return graphml_lines(rows) if kind == "graphml" else script_lines(rows)

    def export_tables(self, folder: Path, *, now: datetime | None = None, lean: bool = False) -> dict[str, int]:
        """Writes the graph as CSV files into a new folder; returns file name → rows. Raises: UsageError, BrainError."""
        from brain.portability.export import export_rows
        from brain.portability.output import write_folder
        from brain.portability.tables import write_tables

        self._must_be_indexed()
        return write_folder(folder, lambda place: write_tables(place, export_rows(self.space, now or self._now(), lean=lean)))

    def import_bundle(self, file: Path, *, rename: bool = False, dry_run: bool = False) -> Imported:
        """Takes a bundle in; what is there is not written over. Raises: NotFound, UsageError, BrainError, Locked."""
        from brain.config import SETTINGS_FILE, load_config
        from brain.portability.archive import add_file
        from brain.portability.bundle import read_bundle
        from brain.portability.take_in import take_in
        from brain.sync.space import open_space

        bundle = read_bundle(file)
        settings = bundle.files.get(SETTINGS_FILE)
        if settings and not dry_run and not (self.root / SETTINGS_FILE).exists():  # what is a note depends on it, so it comes first
            add_file(self.root, SETTINGS_FILE, settings.data, settings.mtime_ns)
            try:
                load_config(self.root)
            except UsageError:
                (self.root / SETTINGS_FILE).unlink()  # settings that cannot be read would keep every command from running
                raise
            self.space = replace(open_space(self.root, load_config(self.root), self.space.clock), journal=self.space.journal)
        self.index(embed=False)
        imported = take_in(self._context(), bundle, from_what=file.name, rename=rename, dry_run=dry_run)
        if not dry_run:
            self.index()
        return imported

    def purge(self, text: str | None = None, *, note: str | None = None, dry_run: bool = True) -> Purged:
        """Erases a text, or a note, wherever it stands; a dry run lists the places. Raises: NotFound, Ambiguous, UsageError, BrainError."""
        from brain.portability.needles import Needles, needles_of_text
        from brain.portability.purge import find, is_half_done, needles_of, purge

        assert (text is None) != (note is None)
        self.index(embed=False)
        ctx = self._context()
        if text is not None:
            needles = needles_of_text(text)
        else:
            try:
                needles = needles_of(ctx, self._path(note or ""))
            except NotFound:
                if dry_run or not is_half_done(ctx):
                    raise
                needles = Needles(())  # the note went last, so that only what is derived is left to do
        return find(ctx, needles, text=text) if dry_run else purge(ctx, needles, text=text, index=self.index)
