"""Notes of another vault, taken in: what is not there yet is created, and nothing that is there is written over.

One plan a note, one run, taken back by undo. The same path with the same bytes is there already; with other bytes it
is kept as it is and named, or comes in beside it under a free name. Writes through `commit` only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brain.core.ids import sha256_hex
from brain.core.plan import CreateNote, Plan
from brain.stages.context import Context, Reading
from brain.stages.report import RunReport
from brain.stages.restoring import Kept, carried_out
from brain.vault.parse import decode, parse_note


@dataclass(frozen=True, slots=True)
class Sorted:
    """What is to be done with each note: `fresh` come in, `same` are there, `differing` are there with other bytes.

    `renamed` maps the path of a note that comes in beside another → its new path; `clashing` maps an id → the paths that claim it.
    """

    fresh: tuple[Kept, ...]
    same: tuple[str, ...]
    differing: tuple[str, ...]
    renamed: dict[str, str]
    clashing: dict[str, tuple[str, ...]]


def sort_notes(ctx: Context, notes: Mapping[str, Kept], ids: Mapping[str, str], *, rename: bool) -> Sorted:
    """Compares notes with those of the vault. `ids` are the declared ids that notes of the vault have, and where."""
    reading = Reading(ctx.vault)
    fresh: list[Kept] = []
    same: list[str] = []
    differing: list[str] = []
    renamed: dict[str, str] = {}
    for path, note in sorted(notes.items()):
        twin = ctx.vault.taken(path)
        source = reading.read(twin) if twin else None
        if twin is None:
            fresh.append(note)
        elif source is not None and source.data == note.data:
            same.append(path)
        elif not rename:
            differing.append(path)
        elif (beside := _beside(ctx, reading, note)) is None:
            same.append(path)
        else:
            renamed[path] = beside
            fresh.append(Kept(beside, note.data, note.mtime_ns))
    return Sorted(tuple(fresh), tuple(same), tuple(differing), renamed, _clashing(ctx, fresh, ids))


def import_notes(ctx: Context, notes: Sequence[Kept], *, from_what: str, dry_run: bool) -> RunReport:
    """Creates the notes as one run. Raises: BrainError, Locked."""
    plans = (
        Plan("import", f"{note.path} {sha256_hex(note.data)[:16]}", {}, (CreateNote(note.path, decode(note.data)[0]),), f"it came with {from_what}")
        for note in notes
    )
    return carried_out(ctx, "import", plans, notes, dry_run=dry_run)


def _beside(ctx: Context, reading: Reading, note: Kept) -> str | None:
    """The first free name beside a note that is there; None when the same bytes lie under one of them already."""
    stem, number = note.path[:-3], 1
    while True:
        number += 1
        path = f"{stem} ({number}){note.path[-3:]}"
        twin = ctx.vault.taken(path)
        if twin is None:
            return path
        source = reading.read(twin)
        if source is not None and source.data == note.data:
            return None


def _clashing(ctx: Context, fresh: Sequence[Kept], ids: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for note in fresh:
        declared = parse_note(note.path, decode(note.data)[0], ctx.config.limits).declared_id
        if declared:
            found.setdefault(declared, [ids[declared]] if declared in ids else []).append(note.path)
    return {name: tuple(paths) for name, paths in sorted(found.items()) if len(paths) > 1}
