"""Checks of upkeep: runs that are due, episodes that wait, backups that are old. A vault that never was looked after so is fine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from brain.config import STATE_FOLDER
from brain.core.dates import instant_of
from brain.core.finding import Finding
from brain.core.ids import fold
from brain.doctor.jobs import Jobs
from brain.doctor.view import View
from brain.stages.ledger import body_sha256
from brain.stages.night import last_night
from brain.stages.reading.places import inboxes
from brain.stages.report import counted
from brain.sync.space import Space

NIGHTS_MISSED_MAX = timedelta(days=3)
WAITING_MAX = timedelta(days=7)
BACKUP_AGE_MAX = timedelta(days=7)
NOTES_MIN = 50
"""A vault of fewer notes is tried out, and wants no backup yet."""
READ_AGAIN_MAX = 200
_BACKUP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z.*\.zip")


def late_nights(space: Space, jobs: Jobs) -> Iterator[Finding]:
    """A schedule under which nothing has run for days; one that never ran is new."""
    record = last_night(space.journal) if jobs else None
    at = instant_of(str(record["at"])) if record else None
    if at is not None and space.clock.now() - at > NIGHTS_MISSED_MAX:
        days = (space.clock.now() - at).days
        message = f"brain maintain is scheduled with {', '.join(sorted(jobs))}, and ran last {days} days ago."
        yield Finding("maintenance-late", "warning", "", 0, message, f"brain maintain, and look into {STATE_FOLDER}/maintain.log why it did not run")


def waiting_episodes(view: View) -> Iterator[Finding]:
    """Episodes that were not walked for a week, and those whose words changed since they were; both in a vault that has runs."""
    if not view.ledger.started:
        return
    now, waiting, changed = view.space.clock.now(), 0, list[str]()
    for note_id, path, sha256, mtime_ns, is_stamped in _episodes(view):
        walks = view.ledger.walked(note_id)
        if not walks and not is_stamped:
            waiting += now - datetime.fromtimestamp(mtime_ns / 1e9, now.tzinfo) > WAITING_MAX
        elif walks and all(record["sha256"] != sha256 for record in walks):
            changed.append(path)
    if waiting:
        message = f"{counted(waiting, 'episode')} in the inbox {'waits' if waiting == 1 else 'wait'} for more than {WAITING_MAX.days} days."
        yield Finding("inbox-waiting", "info", view.space.config.folders.inbox, 0, message, "brain walk")
    for path in changed[:READ_AGAIN_MAX]:
        if _is_other(view, path):
            yield Finding("changed-episode", "info", path, 0, "Its words changed since it was walked; claims still quote what it said.", "brain walk")


def old_backups(space: Space) -> Iterator[Finding]:
    """A newest backup that is more than a week old; none at all, in a vault of some size whose history git does not keep."""
    folder = space.layout.state / "backups"
    made = sorted(iso for path in folder.glob("*.zip") if (iso := _made(path.name))) if folder.is_dir() else []
    at = instant_of(made[-1]) if made else None
    if at is not None and space.clock.now() - at > BACKUP_AGE_MAX:
        message = f"The newest backup is {(space.clock.now() - at).days} days old."
        yield Finding("backup-old", "info", f"{STATE_FOLDER}/backups", 0, message, "brain backup")


def no_backup(view: View) -> Iterator[Finding]:
    """A vault in which brain works, of some size, without a backup and without git."""
    (notes,) = view.conn.execute("SELECT count(*) FROM note").fetchone()
    root, folder = view.space.vault.root, view.space.layout.state / "backups"
    if notes > NOTES_MIN and view.ledger.started and not (root / ".git").exists() and not any(folder.glob("*.zip")):
        message = f"There is no backup of these {notes} notes here, and no git."
        yield Finding("backup-old", "info", f"{STATE_FOLDER}/backups", 0, message, "brain backup")


def _episodes(view: View) -> Iterator[tuple[str, str, str, int, bool]]:
    """Yields what lies in the inboxes and is no note of loops: id, path, sha256, time of the file, whether it has a stamp."""
    folders, loops = tuple(map(fold, inboxes(view.space.config))), fold(view.space.config.folders.loops)
    below = tuple(f"{inbox}/" for inbox in folders)
    known = [name for (name,) in view.conn.execute("SELECT DISTINCT folder FROM note ORDER BY folder") if fold(name) in folders or fold(name).startswith(below)]
    rows = view.conn.execute(
        "SELECT id, path, sha256, mtime_ns, json_type(properties, '$.brain_processed') IS NOT NULL FROM note"
        f" WHERE folder IN ({','.join('?' * len(known))}) AND status NOT IN ('superseded','archived') ORDER BY path", known,
    )  # fmt: skip
    yield from (row for row in rows if fold(row[1]) != loops)


def _is_other(view: View, path: str) -> bool:
    """Tells whether the text below the frontmatter is none of those that were walked."""
    (source,) = view.space.vault.read_many([path]).values() or (None,)
    if source is None:
        return False
    row = view.conn.execute("SELECT id FROM note WHERE path=?", (path,)).fetchone()
    digest = body_sha256(source.text, view.space.config.limits)
    return all(record["body_sha256"] != digest for record in view.ledger.walked(row[0]))


def _made(name: str) -> str | None:
    match = _BACKUP.fullmatch(name)
    return f"{match[1]}T{match[2]}:{match[3]}:{match[4]}Z" if match else None
