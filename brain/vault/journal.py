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
from operator import itemgetter
from pathlib import Path

from brain.config import STATE_FOLDER
from brain.core.finding import Finding
from brain.vault.journal_index import TAIL_BYTES_MIN, Check, Placed, keep, kept
from brain.vault.journal_lines import Record, pieces_of
from brain.vault.store import sync_folder


@dataclass(slots=True)
class Journal:
    """Appends records for one machine and reads those of all."""

    folder: Path
    machine: str
    index: Path | None = None
    """Where a short form of it is kept (`vault.journal_index`), of files with so many bytes more than are kept of them."""
    tail_bytes_min: int = TAIL_BYTES_MIN
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
        """Returns the records of every machine, ordered by instant, then machine, then place in the file.

        With no `kinds` all lines are read, and those that are no records are listed in `unreadable`.
        """
        return [found.record for found in self._placed(kinds)]

    def checked(self, kinds: set[str], check: Check) -> list[tuple[Record, str | None]]:
        """Returns the records of these kinds as `records` does, each with what `check` says of it."""
        return [(found.record, None if found.is_sound else check(found.record)) for found in self._placed(kinds)]

    def keep_short(self, check: Check) -> None:
        """Keeps a short form of what is sound in the index, if there is one, so that the next reading takes less time."""
        if self.index is not None and self.index.parent.is_dir():
            keep(self.index, self.folder, self.names(), check, tail_bytes_min=self.tail_bytes_min)

    def names(self) -> list[str]:
        """Returns the paths of its files inside its folder, sorted."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.glob("*/*.jsonl"))

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
        if durable and size == 0:  # a new file is durable when its name is, and so is a new folder
            for folder in (path.parent, self.folder, self.folder.parent):
                sync_folder(folder)

    def _placed(self, kinds: set[str] | None) -> list[Placed]:
        names = self.names()
        known, found = kept(self.index, self.folder, names, kinds) if self.index and kinds is not None else ({}, [])
        self.unreadable.clear()
        for name in names:
            start, lines = (known[name].bytes, known[name].lines) if name in known else (0, 0)
            for piece in pieces_of(self.folder / name, start, lines):
                if piece.record is None:
                    self.unreadable.append(_no_record(name, piece.number))
                elif kinds is None or piece.record["kind"] in kinds:
                    found.append(Placed(str(piece.record["at"]), name.partition("/")[0], piece.number, name, piece.record, False))
        found.sort(key=itemgetter(0, 1, 2, 3))
        return found


def _no_record(name: str, line: int) -> Finding:
    path = f"{STATE_FOLDER}/journal/{name}"
    return Finding("journal-line", "warning", path, line, "This journal line is not a record.", f'look at line {line} of "{path}"')


def machine_id(environ: dict[str, str] | os._Environ[str] = os.environ) -> str:
    """Returns this machine's random id, made on first use and kept outside every vault."""
    named = environ.get("BRAIN_MACHINE")
    if named and named.replace("-", "").isalnum():
        return named
    base = Path(environ.get("XDG_STATE_HOME") or Path(environ.get("HOME") or Path.home()) / ".local" / "state")
    path = base / "brain" / "machine"
    try:
        return _id_in(path) or _made(path) or "m-shared"
    except OSError:
        return "m-shared"  # no place to keep an id (read-only home): one shared folder, still append-only


def _made(path: Path) -> str | None:
    """Gives this machine an id; of several that start at once, one gives it and the others take it."""
    whole = path.with_name(f"machine-{secrets.token_hex(5)}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:  # written whole before it gets its name, so that a kill cannot leave an empty id behind
        whole.write_text(f"m-{secrets.token_hex(5)}\n", "ascii")
        os.link(whole, path)
    except FileExistsError:
        if _id_in(path) is None:  # a file that holds no id
            os.replace(whole, path)
    except PermissionError:  # no links here: the last of those that start at once gives it
        os.replace(whole, path)
    finally:
        whole.unlink(missing_ok=True)
    return _id_in(path)


def _id_in(path: Path) -> str | None:
    """Returns the id in a file, None when there is none to be read."""
    try:
        return path.read_text("ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
