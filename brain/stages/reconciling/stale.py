"""Notes that nobody has confirmed for long turn `status: stale`, and lose it again when they are confirmed or changed.

Only a note that states when it was last confirmed takes part; episodes, pinned notes, what does not fade and what is
superseded or archived do not. What counts beside the day in the note is when a stage last wrote to it. A status that
a person wrote is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from brain.core.dates import civil_date
from brain.core.ids import fold, short_hash
from brain.core.note import Note
from brain.core.plan import Plan, SetField
from brain.core.vocabulary import EPISODE_TYPES
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.ledger import Ledger, Record
from brain.stages.record import patches_of
from brain.stages.report import counted
from brain.stages.run import Run
from brain.vault.frontmatter import read_frontmatter
from brain.vault.parse import decode, parse_note
from brain.vault.store import Source

STALE, FRESH = "stale", "fresh"
PAGE = 100_000


@dataclass(frozen=True, slots=True)
class Marked:
    """What marking came to: notes that changed their status, and those that wait for the next run."""

    found: int = 0
    left: int = 0
    waiting: int = 0


def mark_stale(ctx: Context, run: Run) -> Marked:
    """Sets and takes back `status: stale`, at most `limits.stale_per_run_max` notes in one run; 0 days turn it off."""
    days, most = ctx.config.limits.stale_days, ctx.config.limits.stale_per_run_max
    given = _given(run.ledger)
    plans = list(_refreshed(ctx, run, given))
    if days:
        before = (date.fromisoformat(ctx.today) - timedelta(days=min(days, 300_000))).isoformat()
        plans += _gone_stale(ctx, run, before)
    kept = plans[: most or None]
    run.commit_many(kept)
    if len(kept) < len(plans):
        run.say(f"{counted(len(plans) - len(kept), 'note')} more changes whether they are stale; the next run goes on (limits.stale_per_run_max).")
    return Marked(len(plans), len(plans) - len(kept))


def _gone_stale(ctx: Context, run: Run, before: str) -> Iterator[Plan]:
    """Yields the plans of notes last confirmed, and last written to by a stage, before a day."""
    folders = ctx.config.folders
    left_out = tuple(f"{folder}/" for folder in (folders.inbox, folders.timeline, folders.archive))
    written = _written(run.ledger)
    for row in ctx.graph.run("unconfirmed", before=before, limit=PAGE):
        note_id, path, confirmed = row["id"], row["path"], row["confirmed"].isoformat()
        source = run.reading.read(path)
        if path.startswith(left_out) or source is None or written.get(path, "") >= before:
            continue
        note = parse_note(path, source.text, ctx.config.limits)
        said = civil_date(note.properties.get("last_confirmed"))
        if note.malformed or note.status != "active" or said is None or said >= before or fold(note.type or "") in EPISODE_TYPES:
            continue  # an episode that states another kind, or somebody wrote to it since it was indexed
        plan = _plan(source, STALE, note_id, f"{said}|{_mark(note, source)}", STALE, f"{path} was last confirmed on {confirmed}")
        if decision_id(plan) not in run.ledger.settled:
            yield plan


def _refreshed(ctx: Context, run: Run, given: Mapping[str, Record]) -> Iterator[Plan]:
    """Yields the plans of notes that this rule made stale and that were confirmed or changed since: their status is as it was."""
    with ctx.catalog() as conn:
        rows = [row for note_id in sorted(given) for row in conn.execute("SELECT id, path FROM note WHERE id=? AND status='stale'", (note_id,))]
    for note_id, path in rows:
        source = run.reading.read(path)
        if source is None:
            continue
        note = parse_note(path, source.text, ctx.config.limits)
        day, mark = given[note_id]["key"].split("|")[2:4]
        said = civil_date(note.properties.get("last_confirmed")) or ""
        if note.status != STALE or note.malformed or (said <= day and _mark(note, source) == mark):
            continue
        why = f"was confirmed on {said}" if said > day else "says something else by now"
        plan = _plan(source, FRESH, note_id, f"{said}|{_mark(note, source)}|{ctx.today}", _status_before(given[note_id], ctx), f"{path} {why}")
        if decision_id(plan) not in run.ledger.settled:
            yield plan


def _plan(source: Source, what: str, note_id: str, state: str, status: str | None, because: str) -> Plan:
    key = f"{what}|{note_id}|{state}"
    return Plan("reconcile", key, {source.path: source.sha256}, (SetField(source.path, "status", status),), because)


def _mark(note: Note, source: Source) -> str:
    """Returns the hash of a note's text below its frontmatter."""
    return short_hash("stale", source.text[note.body_start :])


def _what(record: Record) -> str:
    """Returns which of its two changes this rule made with an intent; empty for any other intent."""
    what, _, rest = str(record["key"]).partition("|")
    return what if record["stage"] == "reconcile" and what in (STALE, FRESH) and rest.count("|") >= 2 else ""


def _given(ledger: Ledger) -> dict[str, Record]:
    """Returns by note id the intent that made it stale, unless this rule took that back since."""
    given: dict[str, Record] = {}
    for record in ledger.standing():
        match _what(record):
            case "stale":
                given[record["key"].split("|")[1]] = record
            case "fresh":
                given.pop(record["key"].split("|")[1], None)
            case _:
                pass
    return given


def _written(ledger: Ledger) -> dict[str, str]:
    """Returns the day on which a stage last wrote to each path; that a note went stale is no news of it."""
    days: dict[str, str] = {}
    for record in ledger.standing():
        if record["stage"] != "undo" and _what(record) != STALE:
            days |= {file["path"]: max(days.get(file["path"], ""), str(record["at"])[:10]) for file in record["files"]}
    return days


def _status_before(record: Record, ctx: Context) -> str | None:
    """Returns the status as it was written before this rule changed it; None when none was."""
    before = next((patch.before for patch in patches_of(record) if patch.before is not None), b"")
    block = read_frontmatter(decode(before)[0], ctx.config.limits).block
    found = [str(entry.value) for entry in block.find("status")] if block else []
    return found[0] if found else None
