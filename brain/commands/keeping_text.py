"""What the commands of keeping print: values → text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from brain.stages.report import counted

if TYPE_CHECKING:
    from pathlib import Path

    from brain.portability.backup import Backed, Backup
    from brain.portability.purge import Purged
    from brain.portability.restore import Restored
    from brain.portability.take_in import Imported

NAMED_MAX = 20
"""Names in one list for a person; the JSON has all of them."""
ELSEWHERE = (
    "brain cannot reach what a file syncer keeps of older versions, other machines until they have synced, backups that lie elsewhere,"
    " what is packed (zip, office and PDF files), and the history of your shell (brain purge - reads the text from standard input)."
)


def backed_text(made: Backed) -> str:
    """Says what was backed up, that it was verified, and what is not in it."""
    backup = made.backup
    said = [f"{backup.path}: {counted(backup.files, 'file')}, {backup.bytes} bytes, verified by unpacking it and comparing every hash"]
    said += _listed("left out", [f"{path} ({why})" for path, why in sorted(made.left_out.items())])
    said += _listed("changed in every reading, so that it may be half of what was saved", made.unsteady)
    said += _listed("removed, as newer ones are enough", made.removed)
    return _text([*said, "not in it, as it can be made anew: the index and the embeddings; nor hidden folders of other programs, such as .git"])


def backups_text(found: Sequence[Backup], folder: Path) -> str:
    """Lists backups, the newest first, or says that there are none."""
    if not found:
        return f"there is no backup in {folder}: brain backup makes one\n"
    return _text(f"{backup.path.name}  {_described(backup)}" for backup in found)


def _described(backup: Backup) -> str:
    label = f"  [{backup.label}]" if backup.label else ""
    return backup.why or f"{counted(backup.files, 'file')}, {backup.bytes} bytes{label}"


def restored_text(restored: Restored, command: str, *, dry_run: bool) -> str:
    """Says what a restore did to what is no note, or would do; `command` is what was typed, without --yes."""
    would = "would be " if dry_run else ""
    said = [f"before it: {restored.before.backup.path} (verified)"] if restored.before else []
    said += _listed(f"{would}added, as it was missing", restored.added)
    said += _listed("differs and stays as it is; unzip takes it out of the backup", restored.differing)
    said += _listed("not in the backup and stays as it is", restored.newer)
    if restored.records:
        said.append(f"{counted(restored.records, 'line')} of the journal {would}added; none is ever taken away")
    return _text([*said, f"{command} --yes does it; brain undo takes the notes back" if dry_run else "brain undo takes the notes back"])


def imported_text(imported: Imported, *, dry_run: bool) -> str:
    """Says what an import did to what is no note of the run, or would do."""
    would = "would be " if dry_run else ""
    said = [f"{counted(imported.same, 'note')} there already"]
    said += _listed(f"{would}added", imported.files)
    said += _listed("there with other bytes, and kept as it is (--rename puts the other beside it)", imported.differing)
    said += _listed(f"{would}put beside", [f"{path} → {new}" for path, new in sorted(imported.renamed.items())])
    said += _listed("the same id is claimed by", [f"{name}: {', '.join(paths)}" for name, paths in imported.clashing.items()])
    said.append(f"{counted(imported.records, 'line')} of the journal {would}added")
    if imported.refused:
        said.append(f"{counted(imported.refused, 'line')} of its journal are no records and were not taken")
    return _text(said)


def purged_text(purged: Purged) -> str:
    """Lists the places, what is left, and what brain cannot reach."""
    said = [f"{place.path}{_where(place.lines, place.inside)}  [{place.kind}]{f': {place.why}' if place.why else ''}" for place in purged.places]
    if purged.dry_run:
        said += ["it stands nowhere"] if not purged.places else ["nothing was erased: the same command with --yes does it, and nothing can take that back"]
    else:
        said.append("an erasure that had died was completed" if purged.is_completed else f"erased in {counted(len(purged.places), 'file')}")
        said += _listed("STILL THERE", [f"{place.path}: {place.why or place.kind}" for place in purged.left])
        said.append("" if purged.left else "a search of every file of the folder finds nothing any more; the index was made anew")
    return _text([*filter(None, said), _git(purged.commits), ELSEWHERE])


def _git(commits: tuple[str, ...] | None) -> str:
    if commits is None:
        return "git: no repository here, or git did not answer"
    if not commits:
        return "git: no commit has it"
    return f"git: its history still holds it, in {', '.join(commits)} (at most so many are looked for); only rewriting the history erases it there"


def _where(lines: Sequence[int], inside: Sequence[str]) -> str:
    shown = [f"line {', '.join(map(str, lines[:NAMED_MAX]))}"] if lines else []
    shown += [", ".join(inside[:NAMED_MAX])] if inside else []
    more = max(len(lines), len(inside)) - NAMED_MAX
    return f" ({'; '.join(shown)}{f' and {more} more' if more > 0 else ''})" if shown else ""


def _listed(what: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = [f"  and {len(names) - NAMED_MAX} more"] if len(names) > NAMED_MAX else []
    return [f"{what} ({len(names)}):", *(f"  {name}" for name in names[:NAMED_MAX]), *more]


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"
