"""A bundle taken into a vault: what is missing comes in, and nothing that is there is written over or cut.

Doing it twice changes nothing the second time. Notes go through the one write path as one run; lines of the journal
that are missing are added; a file that is no note comes in where there is none.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from brain.portability.archive import add_file
from brain.portability.bundle import Bundle
from brain.portability.history import missing_from, unite
from brain.stages.context import Context
from brain.stages.importing import import_notes, sort_notes
from brain.stages.report import RunReport
from brain.vault.store import read_regular


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do. `differing` are there with other bytes and stay; `refused` lines are no records."""

    report: RunReport
    same: int
    differing: tuple[str, ...]
    renamed: dict[str, str]
    clashing: dict[str, tuple[str, ...]]
    records: int
    refused: int
    files: tuple[str, ...] = field(default_factory=tuple)


def take_in(ctx: Context, bundle: Bundle, *, from_what: str, rename: bool, dry_run: bool) -> Imported:
    """Takes a bundle in. Raises: BrainError when the disk refuses, Locked."""
    missing = missing_from(ctx.journal.folder, bundle.journal)
    found = sort_notes(ctx, bundle.notes, _declared(ctx), rename=rename)
    files = tuple(path for path in sorted(bundle.files) if not os.path.lexists(ctx.vault.root / path))
    kept = tuple(path for path in sorted(bundle.files) if path not in files and not _is_same(ctx.vault.root / path, bundle.files[path].data))
    if not dry_run:
        for path in files:
            add_file(ctx.vault.root, path, bundle.files[path].data, bundle.files[path].mtime_ns)
        with ctx.lock.exclusive("import"):
            unite(ctx.journal.folder, missing_from(ctx.journal.folder, bundle.journal))
    report = import_notes(ctx, found.fresh, from_what=from_what, dry_run=dry_run)
    return Imported(
        report, len(found.same), tuple(sorted((*found.differing, *kept))), found.renamed, found.clashing,
        sum(len(of.lines) for of in missing), sum(of.refused for of in missing), files,
    )  # fmt: skip


def _declared(ctx: Context) -> dict[str, str]:
    with ctx.catalog() as conn:
        return dict(conn.execute("SELECT declared_id, path FROM note WHERE declared_id IS NOT NULL ORDER BY path DESC"))


def _is_same(place: Path, data: bytes) -> bool:
    return place.is_file() and not place.is_symlink() and read_regular(place, place.name) == data
