"""Walk: what an episode says becomes atoms and relations in the notes of the things it is about.

find (episodes in the inboxes) → adjudicate (marked lines and written-out relations by rules, the rest by a model)
→ plan (one for each episode) → commit. An episode whose text was walked once is not walked again, whatever its
frontmatter says; where a model did not answer, what it did not read is asked again by the next run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.ids import fold
from brain.core.judgement import Episode
from brain.core.plan import Conflict, Plan, Receipt
from brain.stages import rules
from brain.stages.context import Context
from brain.stages.failures import Failures
from brain.stages.gate import decision_id
from brain.stages.ledger import Record, body_sha256
from brain.stages.paths import real_folder
from brain.stages.reading.model import NOTHING, WHOLE, Heard, Reader
from brain.stages.reading.places import inboxes, loops_path
from brain.stages.report import RunReport, counted
from brain.stages.run import Run, landed
from brain.stages.siblings import carry_in
from brain.stages.target import Names
from brain.stages.walking import STAMP, Walking, plan_episode
from brain.vault.frontmatter import read_frontmatter

PAGE = 200
TRIES_MAX = 2


@dataclass(frozen=True, slots=True)
class Waiting:
    """The episodes of one run, and how many more there are."""

    paths: tuple[tuple[str, str], ...]
    left_out: int


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Walks at most `limit` episodes (default: the setting; 0: all) and returns what became of them."""
    run = Run(ctx, "walk", dry_run=dry_run)
    most = ctx.config.limits.episodes_per_run_max if limit is None else limit
    failures = Failures.of(ctx, run, "walk")
    waiting = find_episodes(ctx, run, failures, limit=most)
    names = Names(ctx)
    waiting = _with_siblings(ctx, run, names, waiting, limit=most)
    reader = Reader.of(ctx, names)
    if reader:
        reader.on_failure = lambda episode, answer: failures.note(answer, [f"{episode.id}|{episode.sha256}"])
        loops_path(ctx.config)  # a setting that is no path is said before anything is asked
    for_a_model = 0
    for note_id, path in waiting.paths:
        for_a_model += _walk_one(ctx, run, names, reader, note_id, path)
    for notice in reader.notices() if reader else ():
        run.say(notice)
    if for_a_model and reader is None:
        run.say(f"{for_a_model} of {counted(len(waiting.paths), 'episode')} with words that only a language model can turn into atoms; they stay searchable.")
    return run.report(found=len(waiting.paths), waiting=for_a_model, left_out=waiting.left_out)


def find_episodes(ctx: Context, run: Run, failures: Failures, *, limit: int) -> Waiting:
    """Returns the episodes that were not walked, as (note id, path): in path order, those that a model failed on last."""
    rows = [row for row in _waiting_notes(ctx) if _is_waiting(ctx, run, *row)]
    found = [(note_id, path) for note_id, path, _ in (failures.last(rows, lambda row: f"{row[0]}|{row[2]}") if ctx.model else rows)]
    kept = found[:limit] if limit else found
    return Waiting(tuple(kept), len(found) - len(kept))


def _with_siblings(ctx: Context, run: Run, names: Names, waiting: Waiting, *, limit: int) -> Waiting:
    """Brings in what the folders outside the vault hold, as far as the limit leaves room for it."""
    came = carry_in(ctx, run, names, room=limit - len(waiting.paths) if limit else None)
    return Waiting(tuple(dict.fromkeys((*waiting.paths, *came.episodes))), waiting.left_out + came.left_out)


def adjudicate(episode: Episode, ctx: Context) -> rules.Reading:
    """Returns what the judge reads out of an episode."""
    return ctx.judge.read(episode, ctx.config.limits)


def plan_walk(walking: Walking, episode: Episode, verdicts: rules.Reading, heard: Heard = NOTHING) -> tuple[Plan, ...]:
    """Returns the plans of one episode: what a person must decide first (held), then all that is certain as one.

    Where a model answered nothing and rules say nothing new there is nothing to write down.
    """
    with walking.names.session():
        certain = plan_episode(walking, episode, verdicts, heard)
    held = {decision_id(plan): plan for plan in walking.questions(episode)}
    asked = [plan for decision, plan in held.items() if decision not in walking.ledger.settled]
    return (*asked, certain) if certain.edits or certain.read or walking.ctx.model is None else tuple(asked)


def _walk_one(ctx: Context, run: Run, names: Names, reader: Reader | None, note_id: str, path: str) -> bool:
    """Walks one episode, planning anew once when a person writes meanwhile; tells whether words wait for a model."""
    verdicts: rules.Reading | None = None
    receipts: list[Receipt] = []
    for _ in range(TRIES_MAX):
        source = run.reading.read(path)
        if source is None:
            break
        episode = Episode(note_id, path, source.sha256, source.text)
        verdicts = adjudicate(episode, ctx)
        heard = reader.read(episode, verdicts, _read_before(run, note_id)) if reader else NOTHING
        walking = Walking(ctx, run.reading, names, run.ledger)
        if receipts:
            run.withdraw(receipts[-1])
        receipts = [run.commit(plan) for plan in plan_walk(walking, episode, verdicts, heard)]
        for item, taken in walking.declined.items():
            run.leave_out(taken.what, f"{note_id} {item}", taken.undoing)
        for notice in walking.notices:
            run.say(notice)
        if not (run.is_dry and receipts and landed(receipts[-1])):
            names.forget(walking.new_paths)  # the catalog knows them by now, or they were not made
        if not (receipts and isinstance(receipts[-1], Conflict)):
            break
    if reader is not None:
        return not any(landed(receipt) and WHOLE in receipt.plan.read for receipt in receipts)
    if verdicts and verdicts.nameless:
        lines = ", ".join(str(line) for line in verdicts.nameless)
        run.say(f"{path}: marked lines that link no note give no atom (line {lines}).")
    return verdicts is not None and verdicts.is_prose_left


def _read_before(run: Run, note_id: str) -> set[str]:
    """The pieces of an episode that a model read in earlier runs."""
    return {piece for record in run.ledger.walked(note_id) for piece in _read(record)}


def _read(record: Record) -> list[str]:
    read = record.get("read")
    return [piece for piece in read if isinstance(piece, str)] if isinstance(read, list) else []


def _waiting_notes(ctx: Context) -> list[tuple[str, str, str]]:
    """The notes of all inboxes but the note of loops, in path order: id, path, sha256."""
    rows = {row for folder in inboxes(ctx.config) for row in _in_folder(ctx, folder)}
    return sorted((row for row in rows if fold(row[1]) != fold(ctx.config.folders.loops)), key=lambda row: row[1])


def _in_folder(ctx: Context, inbox: str) -> Iterator[tuple[str, str, str]]:
    after = ""
    folder = real_folder(ctx.vault.root, inbox)
    with ctx.graph.session():
        while True:
            rows = ctx.graph.run("episodes", folder=folder, after=after, limit=PAGE)
            yield from ((row["id"], row["path"], row["sha256"]) for row in rows)
            if len(rows) < PAGE:
                return
            after = rows[-1]["path"]


def _is_waiting(ctx: Context, run: Run, note_id: str, path: str, sha256: str) -> bool:
    """The journal decides; only for an episode it never saw the stamp counts. A file as it was left is not read."""
    walks = [record for record in run.ledger.walked(note_id) if ctx.model is None or WHOLE in _read(record)]
    if any(record["sha256"] == sha256 for record in walks):
        _leave_out(ctx, run, note_id)
        return False
    source = run.reading.read(path)
    if source is None:
        return False
    if walks:
        digest = body_sha256(source.text, ctx.config.limits)
        if all(record["body_sha256"] != digest for record in walks):
            return True
        _leave_out(ctx, run, note_id)
        return False
    if ctx.model is not None and run.ledger.walked(note_id):
        return True  # by rules alone, or not to its end
    block = read_frontmatter(source.text, ctx.config.limits).block
    return block is None or not block.find(STAMP)


def _leave_out(ctx: Context, run: Run, note_id: str) -> None:
    """An episode that was walked stays walked; what a person took back of it, and nobody said since, is told."""
    for taken in run.ledger.taken_back(note_id):
        if not Names(ctx).is_atom_id(taken.item):
            run.leave_out(taken.what, f"{note_id} {taken.item}", taken.undoing)
