"""What the link stage has looked at, in the journal: nothing is read again until a note's own words or names change.

    {"kind": "linked", "at": …, "run": …, "judge": "played@relate/1", "notes": [{"id": …, "sha256": …, "mark": …, "asked": [ids]}]}
    {"kind": "abstracted", "at": …, "run": …, "judge": "played@insight/1", "hubs": [{"id": …, "mark": …}]}

Of two records about one note the later one counts, and another model or prompt begins anew. What the answers were
is the judge's own memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from brain.vault.journal import Journal

LINKED, ABSTRACTED = "linked", "abstracted"
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Looked:
    """How a note was when it was looked at (`linking.notes.Read.mark`), and the ids of the notes that it was asked about with."""

    id: str
    sha256: str
    mark: str
    asked: tuple[str, ...] = ()


def looked_at(journal: Journal, judge: str) -> dict[str, Looked]:
    """Returns what one judge was shown, by note id. A record that cannot be read counts for nothing."""
    records = (record for record in journal.records({LINKED}) if record.get("judge") == judge)
    return {looked.id: looked for record in records for item in _listed(record, "notes") if (looked := _looked(item)) is not None}


def abstracted(journal: Journal, judge: str) -> dict[str, str]:
    """Returns the mark under which each hub was last shown to one judge, by note id."""
    records = (record for record in journal.records({ABSTRACTED}) if record.get("judge") == judge)
    items = (item for record in records for item in _listed(record, "hubs") if isinstance(item, dict))
    return {item["id"]: item["mark"] for item in items if isinstance(item.get("id"), str) and isinstance(item.get("mark"), str)}


def linked_record(looked: Iterable[Looked], *, judge: str, run: str, at: str) -> Record:
    """Returns the record of notes that were looked at."""
    return {"kind": LINKED, "at": at, "run": run, "judge": judge, "notes": [asdict(item) for item in looked]}


def abstracted_record(hub: str, mark: str, *, judge: str, run: str, at: str) -> Record:
    """Returns the record of a hub that was looked at."""
    return {"kind": ABSTRACTED, "at": at, "run": run, "judge": judge, "hubs": [{"id": hub, "mark": mark}]}


def _listed(record: Record, key: str) -> list[Any]:
    found = record.get(key)
    return found if isinstance(found, list) else []


def _looked(item: object) -> Looked | None:
    if not isinstance(item, dict):
        return None
    note_id, sha256, mark, asked = (item.get(key) for key in ("id", "sha256", "mark", "asked"))
    if not (isinstance(note_id, str) and isinstance(sha256, str) and isinstance(mark, str) and isinstance(asked, list)):
        return None
    return Looked(note_id, sha256, mark, tuple(other for other in asked if isinstance(other, str)))
