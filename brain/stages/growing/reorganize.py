"""Reorganize: notes that fit better into another category are moved there, one category at a time.

find (the members of each category) → judge (rules, then a model that sees one category and a list of all, by numbers)
→ plan → commit. Certain is only what a note states itself, by a tag or folder of a category's name, while it lies in a
category of last resort; all else is put before a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from brain.core.ids import fold
from brain.core.judgement import Relates
from brain.core.plan import Plan, Question
from brain.core.tree import FALLBACK, FALLBACK_OF_KIND, Forest, Move, above, children_of, moved
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import Unanswered
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.growing.parents import PART_OF, Unwritable
from brain.stages.growing.structure import Tending, plan_move, tending_of
from brain.stages.growing.traits import Traits, category_of, shown, traits_of
from brain.stages.report import RunReport, counted
from brain.stages.rules import RULES
from brain.stages.run import Run
from brain.stages.unanswered import STOPS, asked_again

STAGE = "tree"
LINKS_MIN = 3
LAST_RESORTS = frozenset(map(fold, (FALLBACK, *FALLBACK_OF_KIND.values())))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A note that belongs in another category: paths, why, who says so, and whether the note states it itself."""

    note: str
    category: str
    why: str
    judge: str
    score: float
    certain: bool = False


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Looks at the members of at most `limit` categories (default: the setting; 0: all)."""
    run = Run(ctx, STAGE, dry_run=dry_run)
    tending = tending_of(ctx, run.reading)
    forest = tending.forest
    with ctx.catalog() as conn:
        traits = traits_of(conn, forest)
    members = members_of(forest)
    most = ctx.config.limits.sources_per_run_max if limit is None else limit
    looked, waiting = list(members)[: most or None], 0
    model, categories = ctx.model, _categories(forest)
    for place, category in enumerate(looked):
        others = _others(forest, categories, category)
        proposals = {found.note: found for path in members[category] if (found := by_rules(forest, traits, path, category, others)) is not None}
        if model is not None:
            answer = _by_model(ctx, run, model, traits, category, [path for path in members[category] if path not in proposals], categories)
            if isinstance(answer, Unanswered):
                waiting += 1
                run.say(asked_again(f"The notes of {category} got no answer", answer))
                model = None if answer.why in STOPS else model
                waiting += len(looked) - place - 1 if model is None else 0
            else:
                proposals |= answer
        for plan in _plans(tending, run, traits, proposals):
            run.commit(plan)
    if not members:
        run.say("No category has members: there is nothing to reorganize.")
    return run.report(found=sum(len(members[category]) for category in looked), waiting=waiting, left_out=len(members) - len(looked))


def members_of(forest: Forest) -> dict[str, list[str]]:
    """Returns the direct members of each category that has some, subcategories and notes with several parents aside."""
    found: dict[str, list[str]] = {}
    for path, parts in sorted(children_of(forest.parents).items()):
        if path in forest.nodes and forest.nodes[path].is_category:
            kept = [part for part in parts if not forest.nodes[part].is_category and len(forest.parents[part]) == 1 and part != forest.owner]
            found |= {path: kept} if kept else {}
    return found


def by_rules(forest: Forest, traits: Mapping[str, Traits], path: str, category: str, others: Sequence[str]) -> Proposal | None:
    """Returns in which of the others rules say that a member of a category belongs, None when they say nothing."""
    note = traits[path]
    tagged = [other for other in (*others, category) if fold(traits[other].title) in (*note.tags, *note.folders)]
    if category in tagged or len(tagged) > 1:
        return None
    if tagged:
        why = f"its tag or folder is called {traits[tagged[0]].title}"
        return Proposal(path, tagged[0], why, RULES.name, 50.0, certain=fold(traits[category].title) in LAST_RESORTS)
    return _by_links(forest, traits, path, category, others) or _by_name(traits, path, others)


def _by_links(forest: Forest, traits: Mapping[str, Traits], path: str, category: str, others: Sequence[str]) -> Proposal | None:
    places = Counter(place for near in sorted(traits[path].neighbours) if (place := category_of(forest, near)) is not None)
    total = sum(places.values())
    best = max(others, key=lambda other: (places[other], other), default=None)
    if best is None or places[best] < LINKS_MIN or 2 * places[best] <= total:
        return None
    why = f"{places[best]} of the {counted(total, 'note')} that it is linked with are in {traits[best].title}, {places[category]} in {traits[category].title}"
    return Proposal(path, best, why, RULES.name, 10.0 * places[best] / total)


def _by_name(traits: Mapping[str, Traits], path: str, others: Sequence[str]) -> Proposal | None:
    named = [other for other in others if traits[other].words and traits[other].words <= traits[path].words]
    return Proposal(path, named[0], f"its name has the words of {traits[named[0]].title}", RULES.name, 1.0) if len(named) == 1 else None


def _others(forest: Forest, categories: Sequence[str], category: str) -> list[str]:
    """Returns the categories that a member of one may go to: not those that it is in anyway."""
    higher = above(forest.parents, category)
    return [other for other in categories if other != category and other not in higher]


def _categories(forest: Forest) -> list[str]:
    return sorted(path for path, node in forest.nodes.items() if node.is_category)


def _by_model(
    ctx: Context, run: Run, model: ModelJudge, traits: Mapping[str, Traits], category: str, paths: Sequence[str], categories: Sequence[str]
) -> dict[str, Proposal] | Unanswered:
    notes = [note for path in paths if (note := shown(ctx, run.reading, path, traits[path])) is not None]
    ordered = (category, *(other for other in categories if other != category))
    places = [place for path in ordered if (place := shown(ctx, run.reading, path, traits[path])) is not None]
    if not places or places[0].path != category:
        return {}
    answer = model.reorganize(notes, places)
    if isinstance(answer, Unanswered):
        return answer
    return {move.note: Proposal(move.note, move.category, move.reason, move.judge, 0.0) for move in answer}


def _plans(tending: Tending, run: Run, traits: Mapping[str, Traits], proposals: Mapping[str, Proposal]) -> Iterator[Plan]:
    for _, found in sorted(proposals.items()):
        ids = (traits[found.note].id, traits[found.category].id)
        plan = plan_refiling(tending, found.note, found.category, key=f"move|{ids[0]}|{ids[1]}", because=f"{found.note} fits into {found.category}: {found.why}")
        if isinstance(plan, Unwritable):
            run.say(f"{found.note} was left as it is: {plan.why}.")
        elif (undoing := run.ledger.declines.get(decision_id(plan))) is not None:
            run.leave_out("move", decision_id(plan), undoing)
        elif decision_id(plan) not in run.ledger.settled:
            verdict = Relates(found.judge, found.why, found.note, PART_OF, found.category, 0, "")
            question = None if found.certain else Question(verdict, ids, (found.why,), found.score)
            yield replace(plan, certain=found.certain, question=question)


def plan_refiling(tending: Tending, note: str, category: str, *, key: str, because: str) -> Plan | Unwritable:
    """Returns the plan that makes one category the only parent of a note."""
    forest = tending.forest
    if note in above(forest.parents, category) or note == category:
        return Unwritable(f"{category} is part of it")
    move = Move(PART_OF, note, tuple(parent for parent in forest.parents.get(note, ()) if parent != category), category)
    plan = plan_move(tending, move, moved(forest, [move]), stage_key=key, because=because, is_refiled=True)
    return plan if isinstance(plan, Unwritable) else replace(plan, stage="tree", because=because)
