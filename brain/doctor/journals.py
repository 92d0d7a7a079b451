"""Checks of the journal as files: whose they are, whether they can be written, whether they came along. No line is changed.

In which order the lines of a file stand does not matter: they are read by their instants. An instant that has not
come yet does, since what is done now is read as if it were before it.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from shlex import quote

from brain.config import STATE_FOLDER
from brain.core.dates import instant_of
from brain.core.finding import Finding
from brain.doctor.view import View
from brain.stages.ledger import Ledger
from brain.stages.record import Record
from brain.stages.report import counted
from brain.sync.space import Space
from brain.vault.journal_lines import record_of

TAIL_BYTES = 65_536
AHEAD = timedelta(days=1)
"""By so much two clocks may differ, zones included."""
BESIDE, MONTH_CHARS = "-2", len("2026-01")
_MONTH = re.compile(r"\d{4}-\d{2}\.jsonl")
_IGNORES = re.compile(rf"/?{re.escape(STATE_FOLDER)}(?:/\*{{0,2}}|/journal/?\*{{0,2}})?/?|\.\*/?")


def journal_files(space: Space) -> Iterator[Finding]:
    """Files that a syncer doubled, that another machine's lines stand in, that are dated ahead, or that cannot be written."""
    folder = space.journal.folder
    for name in space.journal.names():
        place, (machine, _, file) = folder / name, name.partition("/")
        path = place.relative_to(space.vault.root).as_posix()
        if not _MONTH.fullmatch(file):
            message = "A syncer left this copy of a journal file: two machines wrote under one name. Its lines count."
            cure = f"on one of the two machines remove the id file (~/.local/state/brain/machine), then give this one a folder: {_moved(path, machine)}"
            yield Finding("journal-machine", "warning", path, 0, message, cure)
            continue
        yield from _of_last_line(space, place, path, machine)
        if machine == space.journal.machine and not os.access(place, os.W_OK):
            message = "This journal file cannot be written, so that nothing can be added to the vault."
            yield Finding("journal-unwritable", "error", path, 0, message, f"chmod u+w {quote(path)}")


def walked_twice(space: Space, ledger: Ledger) -> Iterator[Finding]:
    """Episodes that two machines walked before they knew of each other; each may have written the same claims."""
    walks: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in space.journal.records({"walked"}):
        if record.get("item") in ledger.landed and record.get("item") not in ledger.undone and "body_sha256" in record:
            walks[record["id"], record["body_sha256"]].append(record)
    for records in walks.values():
        first, last = records[0], records[-1]
        read = [set(map(str, record.get("read") or ())) for record in (first, last)]
        if first.get("machine") != last.get("machine") and (read[0] & read[1] or not (read[0] or read[1])):
            message = f"It was walked on two machines ({first['at'][:16]} and {last['at'][:16]}); what the second one wrote may be there twice."
            yield Finding("walked-twice", "info", last["path"], 0, message, f"brain undo {last['item']}, if it is")


def missing_journal(view: View) -> Iterator[Finding]:
    """A vault whose notes brain wrote in, without a journal: what copied it left out the hidden folder."""
    if view.space.journal.names():
        return
    (claims,) = view.conn.execute("SELECT count(*) FROM atom WHERE declared_id LIKE 'a-%' AND instr(substr(declared_id, 3), '-')=0").fetchone()
    (walked,) = view.conn.execute("SELECT count(*) FROM note WHERE json_type(properties, '$.brain_processed') IS NOT NULL").fetchone()
    if claims or walked:
        message = f"brain wrote {counted(claims, 'claim')} and walked {counted(walked, 'episode')} here, and no journal came along: nothing can be undone or explained."
        cure = f"copy {STATE_FOLDER}/journal/ from where the vault came from, let the syncer take folders that begin with a dot, then brain index"
        yield Finding("journal-missing", "warning", f"{STATE_FOLDER}/journal", 0, message, cure)


def ignored_journal(space: Space) -> Iterator[Finding]:
    """A list of what is not synced that names the journal, which is truth, with what is derived."""
    for name in (".gitignore", ".stignore"):
        for number, line in enumerate(_lines(space.vault.root / name), start=1):
            if space.journal.names() and _IGNORES.fullmatch(line.strip()):
                message = f"{line.strip()} keeps the journal from being kept with the notes: it holds what cannot be made anew."
                cure = f'write {STATE_FOLDER}/index/ and {STATE_FOLDER}/cache/ in its place on line {number} of "{name}"'
                yield Finding("journal-ignored", "info", name, number, message, cure)


def _of_last_line(space: Space, place: Path, path: str, machine: str) -> Iterator[Finding]:
    record = _last_record(place)
    if record is None:
        return
    said = record.get("machine", machine)
    if machine not in (said, f"{said}{BESIDE}"):
        message = f"The last line of this file was written by {said}, in whose folder it does not stand: two machines share a name, or files were moved."
        yield Finding("journal-machine", "warning", path, 0, message, _moved(path, str(said)))
    at = instant_of(str(record.get("at")))
    if at is not None and at > space.clock.now() + AHEAD:
        message = f"Its last line is of {str(record['at'])[:16]}, which has not come yet: what is done now is read as if it were before that."
        yield Finding("journal-ahead", "warning", path, 0, message, "set the clocks right (on Linux: timedatectl set-ntp true); it passes by itself then")


def _moved(path: str, machine: str) -> str:
    """Returns the command that gives a file a folder of its own, whose lines are read as those of any other."""
    above, _, name = path.rsplit("/", 2)
    folder = f"{above}/{machine}{BESIDE}"
    return f"mkdir -p {quote(folder)} && mv -n {quote(path)} {quote(f'{folder}/{name[:MONTH_CHARS]}.jsonl')}"


def _last_record(place: Path) -> Record | None:
    with open(place, "rb") as file:
        file.seek(max(0, place.stat().st_size - TAIL_BYTES))
        lines = file.read().split(b"\n")[:-1]
    records = (record_of(line) for line in reversed(lines) if line.strip())
    return next((record for record in records if not isinstance(record, str)), None)


def _lines(place: Path) -> list[str]:
    try:
        return place.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []  # there is none
