"""A bundle: the canonical lines of the graph, and below them all that they are made from. One JSON object a line.

    {"bundle": "brain", "version": 1, "at": …, "vault": …}
    {"node": …} and {"edge": …}           the graph, as the plain export has it; an import leaves them out
    {"note": path, "mtime_ns": …, "sha256": …, "text": …}     `base64` for bytes that are no UTF-8
    {"file": path, …}                     brain.toml and `.brain/discarded.jsonl`, in the same form
    {"journal": "machine/2026-05.jsonl", "line": …}           each line of the journal as it stands
    {"end": {"note": 3, "file": 1, "journal": 40}}            so that a bundle that was cut off is known
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from brain.config import SETTINGS_FILE, STATE_FOLDER
from brain.core.dates import iso_utc
from brain.core.ids import sha256_hex
from brain.core.note import Json
from brain.errors import NotFound, UsageError
from brain.portability.belonging import (
    TIME_NS_MAX,
    is_journal,
    is_state,
    leads_out,
    read_steady,
    state_files,
    twofold,
    unsafe,
)
from brain.portability.export import export_lines
from brain.stages.restoring import Kept
from brain.sync.space import Space
from brain.vault.journal_lines import pieces_of
from brain.vault.layout import is_note_name

FORMAT, VERSION = "brain", 1
PARTS = ("note", "file", "journal")
JOURNAL = f"{STATE_FOLDER}/journal/"


@dataclass(slots=True)
class Bundle:
    """What a bundle holds besides the graph: notes and files by path, lines of the journal by file name."""

    vault: str
    notes: dict[str, Kept] = field(default_factory=dict)
    files: dict[str, Kept] = field(default_factory=dict)
    journal: dict[str, list[bytes]] = field(default_factory=dict)


def bundle_lines(space: Space, now: datetime, *, lean: bool = False) -> Iterator[str]:
    """Yields the lines of a bundle. Raises: NotFound, Locked, BrainError."""
    counts: Counter[str] = Counter()
    with space.lock.shared("export"):
        yield _line({"bundle": FORMAT, "version": VERSION, "at": iso_utc(now), "vault": space.vault.root.name})
        yield from export_lines(space, now, lean=lean)
        for part, line in _parts(space):
            counts[part] += 1
            yield line
        yield _line({"end": {part: counts[part] for part in PARTS}})


def read_bundle(path: Path) -> Bundle:
    """Reads a bundle whole and checks it. Raises: NotFound; UsageError when it is none, is cut off, or names what it may not."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            return _read(path, file)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.", "brain export --full --output FILE makes one") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder.", "name the file of a bundle") from None


def _parts(space: Space) -> Iterator[tuple[str, str]]:
    for path in space.vault.paths():
        if (line := _file(space.vault.root, "note", path)) is not None:
            yield "note", line
    for path in (SETTINGS_FILE, *(path for path in state_files(space.layout) if path.endswith(".jsonl") and not is_journal(path))):
        if (line := _file(space.vault.root, "file", path)) is not None:
            yield "file", line
    for name in space.journal.names():
        place = space.journal.folder / name
        with open(place, "rb") as file:
            for piece in pieces_of(place):
                file.seek(piece.start)
                yield "journal", _line({"journal": name, "line": _text(file.read(piece.length))})


def _file(root: Path, part: str, path: str) -> str | None:
    try:
        data, mtime_ns, _ = read_steady(root / path, path)
    except NotFound:
        return None
    return _line({part: path, "mtime_ns": mtime_ns, "sha256": sha256_hex(data), **_packed(data)})


def _packed(data: bytes) -> dict[str, Json]:
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _text(line: bytes) -> Json:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(line).decode("ascii")}


def _line(values: dict[str, Json]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def _read(path: Path, lines: Iterator[str]) -> Bundle:
    first = _object(path, 1, next(lines, ""))
    if first.get("bundle") != FORMAT or first.get("version") != VERSION:
        raise UsageError(f"{path.name} is no bundle of brain, or not one of this version.", "brain export --full --output FILE makes one")
    bundle, counts, end = Bundle(str(first.get("vault"))), Counter[str](), None
    for number, line in enumerate(lines, start=2):
        row = _object(path, number, line)
        part = next((part for part in PARTS if part in row), None)
        if part is not None:
            _take(bundle, part, row, f"line {number} of {path.name}")
            counts[part] += 1
        elif "end" in row:
            end = row["end"]
    if end != {part: counts[part] for part in PARTS}:
        raise UsageError(f"{path.name} was cut off: its last line does not count what it holds. Nothing was written.", "export it again")
    if both := twofold([*bundle.notes, *bundle.files]):
        raise UsageError(f"{path.name} is damaged: {both} is a file and a folder in it. Nothing was written.", "export it again")
    return bundle


def _take(bundle: Bundle, part: str, row: dict[str, Any], where: str) -> None:
    try:
        if part == "journal":
            name, line = str(row["journal"]), row["line"]
            if not is_journal(f"{JOURNAL}{name}") or leads_out(name):
                raise UsageError(f"{where} names {name!r}, which is no file of a journal. Nothing was written.", "export it again")
            data = base64.b64decode(line["base64"], validate=True) if isinstance(line, dict) else line.encode("utf-8", "surrogateescape")
            if b"\n" in data:
                raise ValueError(where)
            bundle.journal.setdefault(name, []).append(data)
            return
        path = str(row[part])
        data = base64.b64decode(row["base64"], validate=True) if "base64" in row else row["text"].encode("utf-8")
        kept = Kept(path, data, int(row["mtime_ns"]))
        if abs(kept.mtime_ns) > TIME_NS_MAX:
            raise ValueError(where)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise UsageError(f"{where} is damaged. Nothing was written.", "export it again") from error
    if why := unsafe(path) or _not_of(part, path):
        raise UsageError(f"{where} is not safe to read: {path!r}: {why}. Nothing was written.", "export it again")
    if sha256_hex(data) != row.get("sha256"):
        raise UsageError(f"{where}: {path} is not what was put in. Nothing was written.", "export it again")
    (bundle.notes if part == "note" else bundle.files)[path] = kept


def _not_of(part: str, path: str) -> str | None:
    if part == "note":
        return None if is_note_name(path.rpartition("/")[2]) else "it is no note"
    return None if path == SETTINGS_FILE or (is_state(path) and path.endswith(".jsonl")) else "it is no file of a bundle"


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise UsageError(f"Line {number} of {path.name} is no JSON object; it is no bundle of brain.", "brain export --full --output FILE makes one")
    return row


