"""The journal: append-only JSONL under `.brain/journal/<machine>/<YYYY-MM>.jsonl`. Truth, not cache.

One writer folder per machine, so that a vault synced by git or a file syncer merges without
conflicts. A torn last line (a kill in mid-write) is not a record; the next append ends it.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brain.core.finding import Finding

Record = dict[str, Any]


@dataclass(slots=True)
class Journal:
    """Appends records for one machine and reads those of all."""

    folder: Path
    machine: str
    unreadable: list[Finding] = field(default_factory=list)

    def append(self, records: Sequence[Record], *, durable: bool = True) -> None:
        """Appends records; each needs `kind` and `at` (ISO, UTC). One write call, then fsync.

        Raises: OSError when the disk refuses; nothing after a failed append may be assumed written.
        """
        if not records:
            return
        by_month: dict[str, list[str]] = {}
        for record in records:
            line = json.dumps({**record, "machine": self.machine}, ensure_ascii=False, sort_keys=True, default=str)
            by_month.setdefault(str(record["at"])[:7], []).append(line.encode("utf-8", "backslashreplace").decode("utf-8"))
        for month, lines in sorted(by_month.items()):
            self._append_lines(self.folder / self.machine / f"{month}.jsonl", lines, durable=durable)

    def records(self, kinds: set[str] | None = None) -> list[Record]:
        """Returns the records of every machine, ordered by instant, then machine, then place in the file."""
        found: list[tuple[str, str, int, Record]] = []
        self.unreadable.clear()
        for path in sorted(self.folder.glob("*/*.jsonl")):
            for place, record in enumerate(self._read_file(path)):
                if kinds is None or record.get("kind") in kinds:
                    found.append((str(record.get("at", "")), path.parent.name, place, record))
        found.sort(key=lambda item: item[:3])
        return [record for *_, record in found]

    def size_bytes(self) -> int:
        """Returns how many bytes the journal has: a cheap sign that another process appended."""
        return sum(path.stat().st_size for path in self.folder.glob("*/*.jsonl"))

    def _append_lines(self, path: Path, lines: list[str], *, durable: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            data = (("\n" if torn else "") + "\n".join(lines) + "\n").encode("utf-8")
            while data:
                data = data[os.write(handle, data) :]
            if durable:
                os.fsync(handle)
        finally:
            os.close(handle)

    def _read_file(self, path: Path) -> list[Record]:
        records: list[Record] = []
        lines = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, dict) and is_record(record):
                records.append(record)
            elif number < len(lines):
                self.unreadable.append(
                    Finding("journal-line", "warning", path.name, number, "This journal line is not a record.", f'look at line {number} of "{path}"')
                )
        return records


_REQUIRED: dict[str, tuple[str, ...]] = {
    "touched": ("ids",), "moved": ("from", "to", "id"), "run_started": ("run",), "intended": ("item", "run", "decision", "stage", "files"),
    "landed": ("item", "decision"), "rolled_back": ("item",), "undone": ("item", "within"),
    "declined": ("decision", "items", "within"), "held": ("decision",), "walked": ("id", "item", "sha256", "body_sha256"),
    "provenance": ("item",),
}  # fmt: skip


def is_record(record: Record) -> bool:
    """Tells whether a record has what its kind is read for; a kind of a later version is fine."""
    return isinstance(record.get("kind"), str) and all(name in record for name in ("at", *_REQUIRED.get(record["kind"], ())))


def machine_id(environ: dict[str, str] | os._Environ[str] = os.environ) -> str:
    """Returns this machine's random id, made on first use and kept outside every vault."""
    named = environ.get("BRAIN_MACHINE")
    if named and named.replace("-", "").isalnum():
        return named
    base = Path(environ.get("XDG_STATE_HOME") or Path(environ.get("HOME") or Path.home()) / ".local" / "state")
    path = base / "brain" / "machine"
    try:
        known = path.read_text("ascii").strip()
        if known:
            return known
    except (OSError, UnicodeDecodeError):
        known = ""
    fresh = f"m-{secrets.token_hex(5)}"
    whole = path.with_name(f"machine-{secrets.token_hex(5)}.tmp")
    try:  # written whole before it gets its name, so that a kill cannot leave an empty id behind
        path.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(f"{fresh}\n", "ascii")
        if path.exists():
            os.replace(whole, path)
        else:
            os.link(whole, path)
    except FileExistsError:
        return path.read_text("ascii").strip() or fresh
    except OSError:
        return "m-shared"  # no place to keep an id (read-only home): one shared folder, still append-only
    finally:
        whole.unlink(missing_ok=True)
    return fresh
