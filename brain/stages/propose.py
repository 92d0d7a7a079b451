"""Propose: a note that an agent or a person offers goes in through here, or is kept with the reason why not.

What comes near it, by the product's own search and within a cut-off that must be given, is read from disk; then one
decision, by rules or a language model: update, supersede, create, discard. What would be a near-duplicate is refused unless it is forced. A note
that changes meanwhile is looked at once more, and then the candidate becomes a note of its own. Writes through
`commit`; what was not written is in the discard log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from brain.core.ids import fold, short_hash
from brain.core.note import Span
from brain.core.plan import (
    Applied,
    Conflict,
    CreateNote,
    Edit,
    Held,
    MarkSuperseded,
    Plan,
    Provenance,
    Receipt,
    Refused,
    ReplaceSpan,
    SetField,
)
from brain.core.proposal import Candidate, Create, Cutoffs, Decision, Discard, Near, Supersede, Update
from brain.core.slug import file_stem
from brain.core.vocabulary import ENTITY_KINDS
from brain.errors import UsageError
from brain.stages import discards, paths
from brain.stages.context import Context
from brain.stages.deciding import RELATED_MIN, ByRules, Decide, Similar, is_near_duplicate, likeness
from brain.stages.gate import decision_id
from brain.stages.placing import ByModel, NoAnswer
from brain.stages.run import Run
from brain.stages.target import Existing, Names, Planned, Unclear
from brain.vault.layout import checked_note_path
from brain.vault.parse import parse_note
from brain.vault.render import note_text
from brain.vault.store import Source

SIMILAR_MAX = 5
TITLE_CHARS_MAX = 200
AGENT, SOURCE = "brain_agent", "brain_source"
FOLDER_OF_KIND = {
    "person": "People", "organization": "Organizations", "project": "Projects", "concept": "Concepts", "skill": "Skills", "event": "Events",
    "artifact": "Artifacts", "insight": "Insights", "category": "Categories", "decision": "Decisions",
}  # fmt: skip
FOLDER_OTHERS = "Notes"
Find = Callable[[str, int], Sequence[Near]]
Outcome = Literal["created", "updated", "superseded", "discarded", "refused"]
_SECTION = re.compile(r"^## +(\S.*?)[ \t]*\r?$", re.M)


@dataclass(frozen=True, slots=True)
class Proposed:
    """What became of a candidate. `receipt` is None when nothing was to be written; `related` comes near it, likest first."""

    outcome: Outcome
    why: str
    receipt: Receipt | None
    related: tuple[Similar, ...]


def propose(
    ctx: Context, candidate: Candidate, cutoffs: Cutoffs, *, find: Find, decide: Decide | None = None, force: bool = False, dry_run: bool = False
) -> Proposed:
    """Decides about one candidate and writes what was decided; a dry run writes nothing, not even to the discard log.

    Raises: UsageError for a candidate that can be no note, or without a cut-off; BadDecision; BrainError, Locked.
    """
    _check(ctx, candidate, cutoffs)
    run = Run(ctx, "propose", dry_run=dry_run)
    decide = decide or (ByModel(ctx.model, ctx.config.limits) if ctx.model else ByRules())
    done = _once(ctx, run, candidate, cutoffs, find, decide, force=force)
    if done is None:  # a note changed between reading and writing: once more, with what it says now
        done = _once(ctx, run, candidate, cutoffs, find, decide, force=force)
    if done is None:
        done = _carried_out(ctx, run, candidate, Create("what it was to change is being written by someone else"), (), force=force)
    assert done is not None
    if done.outcome in ("discarded", "refused") and not dry_run:
        discards.keep(ctx, candidate, done.why, done.related)
    return done


def _once(
    ctx: Context, run: Run, candidate: Candidate, cutoffs: Cutoffs, find: Find, decide: Decide, *, force: bool
) -> Proposed | None:
    """Looks, decides and writes; None when a note of the plan changed meanwhile."""
    similar = find_similar(ctx, run, candidate, cutoffs, find)
    rules = ByRules().decide(candidate, similar)
    if isinstance(rules, Discard):
        return Proposed("discarded", rules.reason, None, similar)
    near = next((known for known in similar if is_near_duplicate(candidate, known)), None)
    if near is not None and not force:
        why = f"{near.path} is nearly the same ({near.likeness:.2f} of 1); --force writes it all the same"
        return Proposed("refused", why, None, similar)
    try:
        decision = _allowed((ByRules() if force else decide).decide(candidate, similar), similar)
    except NoAnswer as error:
        return Proposed("refused", f"{error.message} ({error.cure})", None, similar)
    return _carried_out(ctx, run, candidate, decision, similar, force=force)


def find_similar(ctx: Context, run: Run, candidate: Candidate, cutoffs: Cutoffs, find: Find) -> tuple[Similar, ...]:
    """Returns the notes within the cut-offs as they are on disk now, likest first; what is superseded or archived is left out."""
    found = []
    for near in find(f"{candidate.title}\n{candidate.body}", SIMILAR_MAX):
        source = run.reading.read(near.path) if _is_within(near, cutoffs) else None
        known = _similar(ctx, candidate, near, source) if source else None
        found += [known] if known else []
    return tuple(sorted(found, key=lambda known: (-known.likeness, known.path)))


def plan_decision(ctx: Context, candidate: Candidate, decision: Update | Supersede | Create, similar: Sequence[Similar]) -> Plan | str:
    """Returns the plan of a decision, or why it cannot be carried out."""
    known = {one.path: one for one in similar}
    path = _new_path(ctx, candidate)
    match decision:
        case Update(target=target, body=body):
            return _plan(candidate, target, _updated(known[target], candidate, body), known[target].source)
        case Supersede(target=target):
            link = Names(ctx, [Planned(path, "note", _aliases(candidate, path))]).link_to(target, path)
            if link is None:
                return f"no link that can stand in {target} leads to {path}"
            edits = (CreateNote(path, _text(ctx, candidate, path)), MarkSuperseded(target, link, ctx.today))
            return _taken(ctx, candidate, {target}) or _plan(candidate, path, edits, known[target].source)
        case Create():
            return _taken(ctx, candidate, set()) or _plan(candidate, path, (CreateNote(path, _text(ctx, candidate, path)),), None)
        case _:
            assert_never(decision)


def _carried_out(ctx: Context, run: Run, candidate: Candidate, decision: Decision, similar: tuple[Similar, ...], *, force: bool) -> Proposed | None:
    if isinstance(decision, Discard):
        return Proposed("discarded", decision.reason, None, similar)
    plan = plan_decision(ctx, candidate, decision, similar)
    if isinstance(plan, str):
        return Proposed("refused", plan, None, similar)
    plan = _grounded(plan, decision, similar)
    if decision_id(plan) in run.ledger.declines and not force:
        return Proposed("refused", f"a person took it back (brain undo {run.ledger.declines[decision_id(plan)]} brings it back)", None, similar)
    receipt = run.commit(plan)
    related = tuple(known for known in similar if known.likeness >= RELATED_MIN)
    match receipt:
        case Applied():
            return Proposed(_OUTCOMES[type(decision)], decision.reason or plan.because, receipt, related)
        case Conflict():
            run.replaced(plan.key)
            return None
        case Refused(why=why) | Held(why=why):
            return Proposed("refused", why, receipt, similar)
        case _:
            assert_never(receipt)


def _grounded(plan: Plan, decision: Decision, similar: Sequence[Similar]) -> Plan:
    """Returns the plan with the words that a model's decision to change a note stands on, and its reason."""
    if not isinstance(decision, Update | Supersede) or decision.grounds is None:
        return plan
    grounds, source = decision.grounds, next(known.source for known in similar if known.path == decision.target)
    item = f"{decision.target}|{_OUTCOMES[type(decision)]}|{short_hash('proposed', plan.key)}"
    provenance = Provenance(item, source.path, source.sha256, grounds.line, grounds.quote, decision.reason, grounds.judge)
    return replace(plan, provenance=(provenance,), because=f"{plan.because}: {decision.reason}")


_OUTCOMES: dict[type[Decision], Outcome] = {Update: "updated", Supersede: "superseded", Create: "created"}


def _check(ctx: Context, candidate: Candidate, cutoffs: Cutoffs) -> None:
    """Refuses what can be no note, and a look without a cut-off. Raises: UsageError."""
    if cutoffs.ceiling is None and cutoffs.bm25 is None:
        raise UsageError("There is no cut-off, so everything would count as similar.", "give --ceiling 0.35, or --bm25 5, or both")
    if not candidate.title.strip() or "\n" in candidate.title or len(candidate.title) > TITLE_CHARS_MAX:
        raise UsageError(f"The title is one line of 1 to {TITLE_CHARS_MAX} characters.", 'brain propose --title "A name" …')
    if not candidate.body.strip():
        raise UsageError("There is nothing to propose: the text is empty.", 'brain propose --title "A name" "what is known"')
    size = len(candidate.body.encode("utf-8", "surrogateescape"))
    if size > ctx.config.limits.note_bytes_max:
        raise UsageError(f"The text has {size} bytes, more than limits.note_bytes_max.", "propose it in parts")
    for name, value in (("agent", candidate.agent), ("source", candidate.source), ("type", candidate.type)):
        if value is not None and (not value.strip() or "\n" in value):
            raise UsageError(f"--{name} is blank or more than a line.", f"leave --{name} out, or give it a value")
    headings = [fold(found[1]) for found in _SECTION.finditer(candidate.body)]
    doubled = next((heading for heading in headings if headings.count(heading) > 1), None)
    if doubled is not None:
        raise UsageError(f"The text has two sections called {doubled!r}.", "make one of them")
    ctx.vault.absolute(checked_note_path(_new_path(ctx, candidate)))


def _is_within(near: Near, cutoffs: Cutoffs) -> bool:
    by_meaning = cutoffs.ceiling is not None and near.distance is not None and near.distance <= cutoffs.ceiling
    return by_meaning or (cutoffs.bm25 is not None and near.bm25 >= cutoffs.bm25)


def _similar(ctx: Context, candidate: Candidate, near: Near, source: Source) -> Similar | None:
    note = parse_note(source.path, source.text, ctx.config.limits)
    if note.status in ("superseded", "archived"):
        return None
    body = source.text[note.body_start :]
    folders = (ctx.config.folders.inbox, ctx.config.folders.timeline, ctx.config.folders.archive)
    is_kept = note.malformed or note.kind == "episode" or any(fold(source.path).startswith(fold(f"{folder}/")) for folder in folders)
    return Similar(source, note, body, likeness(candidate.title, candidate.body, note.title, body), near.distance, near.bm25, not is_kept)


def _allowed(decision: Decision, similar: Sequence[Similar]) -> Decision:
    """Returns the decision when its target was shown and may be written; else the candidate is a note of its own."""
    if isinstance(decision, Create | Discard):
        return decision
    target = next((known for known in similar if known.path == decision.target), None)
    return decision if target is not None and target.is_writable else Create(f"{decision.target} is not to be changed")


def _new_path(ctx: Context, candidate: Candidate) -> str:
    memory = ctx.config.folders.memory
    usual = ctx.config.folders.insights if candidate.type == "insight" else f"{memory}/{FOLDER_OF_KIND.get(candidate.type or '', FOLDER_OTHERS)}"
    folder = usual if candidate.folder is None else candidate.folder.strip().rstrip("/")
    stem = file_stem(candidate.title)
    path = f"{folder}/{stem}.md" if folder else f"{stem}.md"
    checked_note_path(path)  # before the folder is looked for on disk
    return f"{paths.real_folder(ctx.vault.root, folder)}/{stem}.md" if folder else path


def _taken(ctx: Context, candidate: Candidate, but: set[str]) -> str | None:
    """Returns why no note of this name is made: another one answers to it, or to nearly the same."""
    found = Names(ctx).find("", file_stem(candidate.title))
    if isinstance(found, Existing) and found.path not in but:
        return f"{found.path} has that name already"
    if isinstance(found, Unclear) and not set(found.candidates) <= but:
        return f"{', '.join(found.candidates)}: {found.why}"
    return None


def _aliases(candidate: Candidate, path: str) -> tuple[str, ...]:
    title = candidate.title.strip()
    return () if title == path.rsplit("/", 1)[-1][:-3] else (title,)


def _text(ctx: Context, candidate: Candidate, path: str) -> str:
    kind = candidate.type.strip() if candidate.type else None
    is_entity = kind in ENTITY_KINDS and kind not in ("episode", "note")
    body = candidate.body if candidate.body.endswith("\n") else f"{candidate.body}\n"
    fields = [
        ("id", f"n-{short_hash('propose', path, candidate.body, length=16)}"), ("type", "entity" if is_entity else kind),
        ("kind", kind if is_entity else None), ("aliases", _aliases(candidate, path) or None), ("created", ctx.today),
        (AGENT, candidate.agent), (SOURCE, candidate.source),
    ]  # fmt: skip
    return note_text(fields, f"\n{body}")


def _updated(known: Similar, candidate: Candidate, body: str) -> tuple[Edit, ...]:
    start, text = known.note.body_start, known.source.text
    whole = ("\n" if known.note.frontmatter else "") + body.strip("\r\n") + "\n"
    stamps = (SetField(known.path, AGENT, candidate.agent), SetField(known.path, SOURCE, candidate.source))
    return (ReplaceSpan(known.path, Span(start, len(text)), text[start:], whole), *stamps)


def _plan(candidate: Candidate, path: str, edits: tuple[Edit, ...], source: Source | None) -> Plan:
    base = {} if source is None else {source.path: source.sha256}
    by = candidate.agent or "the command line"
    key = f"{path}|{short_hash(*sorted(base.values()), candidate.title, candidate.body, length=16)}"
    return Plan("propose", key, base, edits, f"{by} proposes {candidate.title.strip()}")
