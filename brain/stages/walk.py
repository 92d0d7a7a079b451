"""Walk: what an episode says becomes atoms and relations in the notes of the things it is about.

find (episodes in the inbox) → adjudicate (marked lines, written-out relations) → plan (one for each episode)
→ commit. An episode whose text was walked once is not walked again, whatever its frontmatter says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.judgement import Episode
from brain.core.plan import Conflict, Plan
from brain.stages import rules
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.ledger import body_sha256
from brain.stages.paths import real_folder
from brain.stages.report import RunReport, counted
from brain.stages.run import Run
from brain.stages.target import Names
from brain.stages.walking import STAMP, Walking, plan_episode, plan_unclear
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
    waiting = find_episodes(ctx, run, limit=ctx.config.limits.episodes_per_run_max if limit is None else limit)
    names = Names(ctx)
    for_a_model = 0
    for note_id, path in waiting.paths:
        for_a_model += _walk_one(ctx, run, names, note_id, path)
    if for_a_model:
        run.say(f"{for_a_model} of {counted(len(waiting.paths), 'episode')} with words that only a language model can turn into atoms; they stay searchable.")
    return run.report(found=len(waiting.paths), waiting=for_a_model, left_out=waiting.left_out)


def find_episodes(ctx: Context, run: Run, *, limit: int) -> Waiting:
    """Returns the episodes that were not walked, in path order, as (note id, path)."""
    found = [row[:2] for row in _in_inbox(ctx) if _is_waiting(ctx, run, *row)]
    kept = found[:limit] if limit else found
    return Waiting(tuple(kept), len(found) - len(kept))


def adjudicate(episode: Episode, ctx: Context) -> rules.Reading:
    """Returns what the judge reads out of an episode."""
    return ctx.judge.read(episode, ctx.config.limits)


def plan_walk(walking: Walking, episode: Episode, verdicts: rules.Reading) -> tuple[Plan, ...]:
    """Returns the plans of one episode: its unclear claims first (held), then all that is certain as one."""
    held = tuple(plan for plan in plan_unclear(walking, episode, verdicts) if decision_id(plan) not in walking.ledger.settled)
    return (*held, plan_episode(walking, episode, verdicts))


def _walk_one(ctx: Context, run: Run, names: Names, note_id: str, path: str) -> bool:
    """Walks one episode, planning anew once when a person writes meanwhile; tells whether words wait for a model."""
    verdicts = None
    for attempt in range(TRIES_MAX):
        source = run.reading.read(path)
        if source is None:
            break
        episode = Episode(note_id, path, source.sha256, source.text)
        verdicts = adjudicate(episode, ctx)
        walking = Walking(ctx, run.reading, names, run.ledger)
        receipts = [run.commit(plan) for plan in plan_walk(walking, episode, verdicts)]
        if attempt:
            run.replaced(receipts[-1].plan.key)
        if not isinstance(receipts[-1], Conflict):
            walking.remember()
            break
    if verdicts and verdicts.nameless:
        lines = ", ".join(str(line) for line in verdicts.nameless)
        run.say(f"{path}: marked lines that link no note give no atom (line {lines}).")
    return verdicts is not None and verdicts.is_prose_left


def _in_inbox(ctx: Context) -> Iterator[tuple[str, str, str]]:
    after = ""
    folder = real_folder(ctx.vault.root, ctx.config.folders.inbox)
    with ctx.graph.session():
        while True:
            rows = ctx.graph.run("episodes", folder=folder, after=after, limit=PAGE)
            yield from ((row["id"], row["path"], row["sha256"]) for row in rows)
            if len(rows) < PAGE:
                return
            after = rows[-1]["path"]


def _is_waiting(ctx: Context, run: Run, note_id: str, path: str, sha256: str) -> bool:
    """The journal decides; only for an episode it never saw the stamp counts. A file as it was left is not read."""
    walks = run.ledger.walked(note_id)
    if any(record["sha256"] == sha256 for record in walks):
        return False
    source = run.reading.read(path)
    if source is None:
        return False
    if walks:
        digest = body_sha256(source.text, ctx.config.limits)
        return all(record["body_sha256"] != digest for record in walks)
    block = read_frontmatter(source.text, ctx.config.limits).block
    return block is None or not block.find(STAMP)
