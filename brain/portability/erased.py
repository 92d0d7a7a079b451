"""Journal records and other lines of JSON with what is erased taken out of them. Pure.

A text that a file had is replaced by `{"purged": sha256}`, another string by `purged:sha256`, so that the record can
still be counted and nothing of it be read; of a path only the words go. Undo of it then says that it cannot. A change to other lines of a note
keeps its texts without the words, and can be undone.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from brain.core.ids import sha256_hex
from brain.core.plan import Patch
from brain.errors import BrainError
from brain.portability.needles import Needles
from brain.stages.record import file_records, patches_of
from brain.stages.shape import fault_of

Record = dict[str, Any]
STRUCTURE = frozenset({"kind", "at", "machine", "item", "run", "decision", "stage", "within", "task", "judge"})
"""What a record is told from others by: words and ids of brain, which hold nothing that a person wrote."""
OF_SOURCES = frozenset({"kind", "at", "machine", "plan", "judge"})
"""The same of a record of provenance, whose item may be a relation between two notes."""


def without(data: bytes, needles: Needles) -> bytes:
    """Returns a file of JSON lines without what is erased; a line that has none of it keeps its bytes."""
    return b"\n".join(_line(line, needles) for line in data.split(b"\n"))


def lines_with(data: bytes, needles: Needles) -> tuple[int, ...]:
    """Returns the numbers of the lines that hold something of it."""
    return tuple(number for number, line in enumerate(data.split(b"\n"), start=1) if _line(line, needles) != line)


def _line(line: bytes, needles: Needles) -> bytes:
    try:
        value = json.loads(line.decode("utf-8-sig")) if line.strip() else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return needles.cut(line)
    erased = _erased(value, needles)
    if erased == value and not needles.within(line):  # within: a key that stands twice, say, so that JSON reads one of them
        return line
    return json.dumps(erased, ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace")


def _erased(record: Record, needles: Needles) -> Record:
    record = dict(record)
    kind = record.get("kind")
    if kind == "intended" and isinstance(record.get("files"), list):
        record["files"] = _files(record, needles)
    if kind == "provenance" and record.get("episode") in needles.ids | needles.paths:
        record |= {name: _mark(record[name]) for name in ("quote", "reason") if isinstance(record.get(name), str)}
    if kind == "intended" and isinstance(record.get("provenance"), list):
        record["provenance"] = [_source(source, needles) for source in record["provenance"]]
    if kind == "answered" and (_is_about(record.get("about"), needles) or _holds(record.get("answer"), needles)):
        record |= {"answer": None, "purged": _hash(record.get("answer"))}  # no answer: what is asked again is asked anew
    if kind == "held" and isinstance(record.get("question"), dict) and _is_about(record["question"].get("about"), needles):
        record["question"] = {"purged": _hash(record["question"])}
    if kind == "walked" and isinstance(record.get("body_sha256"), str):
        record["body_sha256"] = needles.hashes.get(record["body_sha256"], record["body_sha256"])
    kept = OF_SOURCES if kind == "provenance" else STRUCTURE
    return {name: value if name in kept else _walked(value, needles) for name, value in record.items()}


def _files(record: Record, needles: Needles) -> list[Any]:
    files = record["files"]
    try:
        patches = patches_of(record) if fault_of(record) is None else ()
    except BrainError:
        patches = ()
    holding = {patch.path: patch for patch in patches if any(text is not None and needles.within(text) for text in (patch.before, patch.after))}
    return [_changed(file, holding, needles) for file in files]


def _changed(file: Any, holding: Mapping[str, Patch], needles: Needles) -> Any:
    patch = holding.get(file["path"]) if isinstance(file, dict) and isinstance(file.get("path"), str) else None
    if patch is not None and patch.path not in needles.paths:
        return _apart(file, patch, needles) or _file(file)
    return _file(file) if _is_meant(file, needles) else file


def _apart(file: Mapping[str, Any], patch: Patch, needles: Needles) -> Record | None:
    """Returns what is left of a change that has nothing to do with it, so that undo can still take that back; None when it has."""
    if patch.before is None or patch.after is None or any(_holds(hunk, needles) for hunk in file.get("hunks", ())):
        return None
    before, after = needles.cut(patch.before), needles.cut(patch.after)
    shorter = len(patch.before) - len(before), len(patch.after) - len(after)
    return file_records([Patch(patch.path, before, after)])[0] if shorter[0] == shorter[1] and before != after else None


def _is_meant(file: Any, needles: Needles) -> bool:
    """Tells whether the texts of a file that does not fit its own hashes hold something of it, or are those of an erased note."""
    if not isinstance(file, dict):
        return False
    return file.get("path") in needles.paths or any(_holds(file.get(name), needles) for name in ("before", "after", "hunks"))


def _file(file: Mapping[str, Any]) -> Record:
    changed = dict(file)
    for name in ("before", "after"):
        if changed.get(name) is not None:
            changed[name] = _purged(changed[name])
    if isinstance(changed.get("hunks"), list):
        changed["hunks"] = [[*hunk[:2], _purged(hunk[2])] if isinstance(hunk, list) and len(hunk) == 3 else hunk for hunk in changed["hunks"]]
    return changed


def _source(source: Any, needles: Needles) -> Any:
    if isinstance(source, dict) and source.get("episode") in needles.ids | needles.paths:
        return {**source, **{name: _mark(source[name]) for name in ("quote", "reason") if isinstance(source.get(name), str)}}
    return source


def _walked(value: Any, needles: Needles) -> Any:
    if isinstance(value, str):
        return _text(value, needles)
    if isinstance(value, list):
        return [_walked(item, needles) for item in value]
    if isinstance(value, dict):
        if (packed := value.get("base64")) is not None and isinstance(packed, str) and _holds(value, needles):
            return _purged(value)
        return {name if name.isidentifier() else _text(name, needles): _walked(item, needles) for name, item in value.items()}
    return value


def _text(value: str, needles: Needles) -> str:
    """A path stays one, as its file gets the same name; so does a relation between two."""
    if not needles.in_text(value):
        return value
    parts = [needles.path_without(part) if part.lower().endswith(".md") else part for part in value.split("|")]
    left = "|".join(parts)
    return _mark(value) if "\n" in value or needles.in_text(left) else left


def _holds(value: Any, needles: Needles) -> bool:
    if isinstance(value, str):
        return needles.in_text(value)
    if isinstance(value, list):
        return any(_holds(item, needles) for item in value)
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("base64"), str):
        try:
            return needles.within(base64.b64decode(value["base64"]))
        except ValueError:
            return False
    return any(needles.in_text(name) or _holds(item, needles) for name, item in value.items())


def _is_about(about: Any, needles: Needles) -> bool:
    return isinstance(about, list) and any(isinstance(item, str) and item in needles.ids for item in about)


def _purged(value: Any) -> Record:
    return value if isinstance(value, dict) and "purged" in value else {"purged": _hash(value)}


def _mark(value: str) -> str:
    return value if value.startswith("purged:") else f"purged:{_hash(value)}"


def _hash(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True, sort_keys=True)
    return sha256_hex(text.encode("utf-8", "surrogatepass"))
