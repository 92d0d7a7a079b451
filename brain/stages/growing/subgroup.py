"""Subgroup: a note with more parts than can be looked over gets groups, one plan for each note.

find (the crowded notes) → judge (rules: a tag, a note they all link, a folder that parts share; then a model that sees
the numbered parts) → plan (a note for each group, and the part_of of its members) → commit. Without `apply` a plan is
put before a person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from brain.core.ids import fold, short_hash
from brain.core.judgement import Relates
from brain.core.plan import CreateNote, Edit, Plan, Question
from brain.core.tree import CATEGORY, CROWD, IMPORTANCE_OF_GROUP, Forest, children_of, crowded
from brain.models.judge.values import Grouped, Unanswered
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.growing.categories import FOLDER, free_path, note_text
from brain.stages.growing.parents import PART_OF, Change, Unwritable, edits_of
from brain.stages.growing.structure import Tending, leads_to, tending_of
from brain.stages.growing.traits import Traits, shown, traits_of
from brain.stages.report import RunReport, counted
from brain.stages.rules import RULES
from brain.stages.run import Run
from brain.stages.target import Planned
from brain.stages.unanswered import STOPS, asked_again
from brain.vault.parse import parse_note

STAGE = "tree"
GROUPS_MIN, GROUPS_MAX, MEMBERS_MIN = 2, 5, 2
FOLDER_OF_TOPICS, TOPIC = "Concepts", "concept"


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that belong together, by path, and what they are called."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups of one note, who found them and by what."""

    groups: tuple[Group, ...]
    judge: str
    why: str


def run(ctx: Context, node: str | None = None, *, threshold: int = CROWD, apply: bool = False, dry_run: bool = False) -> RunReport:
    """Groups the parts of one note (a path), or of every note that has more than `threshold`."""
    run = Run(ctx, STAGE, dry_run=dry_run)
    with ctx.catalog() as conn:
        tending = tending_of(ctx, run.reading)
        forest = tending.forest
        traits = traits_of(conn, forest)
    found = [path for path, _ in crowded(forest, most=threshold) if node in (None, path)]
    if not found:
        run.say(f"{node or 'No note'} has {'no ' if node else ''}more than {counted(threshold, 'part')}: nothing to group.")
    waiting, model = 0, ctx.model
    for path in found:
        parts = parts_of(forest, path)
        grouping: Grouping | Unanswered | None = by_rules(traits, parts, threshold)
        if grouping is None and model is not None:
            grouping = _by_model(replace(ctx, model=model), run, traits, path, parts)
        if isinstance(grouping, Grouping):
            tending = tending_of(ctx, run.reading) if apply else tending  # what waits changes nothing
            _write(tending, run, traits, path, grouping, apply=apply)
            continue
        waiting += 1
        if isinstance(grouping, Unanswered):
            run.say(asked_again(f"The parts of {path} got no answer", grouping))
            model = None if grouping.why in STOPS else model
        else:
            run.say(f"The {len(parts)} parts of {path} share no tags, links or folders that make groups; give some of them another part_of.")
    return run.report(found=len(found), waiting=waiting)


def parts_of(forest: Forest, path: str) -> list[str]:
    """Returns the parts of a note that can be grouped: of a category those that are none themselves."""
    of_category = forest.nodes[path].is_category
    return [part for part in children_of(forest.parents).get(path, ()) if part != forest.owner and not (of_category and forest.nodes[part].is_category)]


def by_rules(traits: Mapping[str, Traits], parts: Sequence[str], threshold: int) -> Grouping | None:
    """Returns the groups by the sort of sign that leaves fewest parts alone; None when none gives two groups, or too many stay."""
    signs = {
        "a tag that they share": _grouped(parts, lambda path: traits[path].tags, lambda key: key.replace("-", " ").capitalize()),
        "a note that they are linked with": _grouped(parts, lambda path: sorted(traits[path].neighbours - set(parts)), lambda key: traits[key].title),
        "a folder that they lie in": _grouped(parts, lambda path: traits[path].folders[-1:], str.capitalize),
    }
    ways = [(sum(len(group.members) for group in groups), groups, why) for why, groups in signs.items() if len(groups) >= GROUPS_MIN]
    covered, groups, why = max(ways, key=lambda way: way[0], default=(0, (), ""))
    left = len(parts) - covered
    return Grouping(groups, RULES.name, why) if groups and left <= threshold else None


def _grouped(parts: Sequence[str], keys_of: Callable[[str], Sequence[str]], name_of: Callable[[str], str]) -> tuple[Group, ...]:
    """Puts each part under the most shared of its keys; the largest groups that have enough members stay."""
    shared: dict[str, int] = defaultdict(int)
    for path in parts:
        for key in keys_of(path):
            shared[key] += 1
    found: dict[str, list[str]] = defaultdict(list)
    for path in parts:
        usable = [key for key in keys_of(path) if MEMBERS_MIN <= shared[key] < len(parts)]
        if usable:
            found[min(usable, key=lambda key: (-shared[key], key))].append(path)
    large = sorted((item for item in found.items() if len(item[1]) >= MEMBERS_MIN), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Group(name_of(key), tuple(sorted(members))) for key, members in large[:GROUPS_MAX])


def _by_model(ctx: Context, run: Run, traits: Mapping[str, Traits], path: str, parts: Sequence[str]) -> Grouping | Unanswered | None:
    node = shown(ctx, run.reading, path, traits[path])
    members = [note for part in parts if (note := shown(ctx, run.reading, part, traits[part])) is not None]
    if node is None or ctx.model is None:
        return None
    answer = ctx.model.subgroup(node, members)
    if isinstance(answer, Unanswered):
        return answer
    return _named(answer) if answer else None


def _named(groups: Sequence[Grouped]) -> Grouping:
    return Grouping(tuple(Group(group.name, group.members) for group in groups), groups[0].judge, "; ".join(f"{group.name}: {group.reason}" for group in groups))


def _write(tending: Tending, run: Run, traits: Mapping[str, Traits], path: str, grouping: Grouping, *, apply: bool) -> None:
    node = traits[path].id
    about = (node, *(f"{group.name}\t{' '.join(traits[member].id for member in group.members)}" for group in grouping.groups))
    key = f"group|{node}|{short_hash('group', *sorted(traits[member].id for group in grouping.groups for member in group.members))}"
    plan = plan_groups(tending, path, grouping.groups, key=key, why=grouping.why)
    if isinstance(plan, Unwritable):
        run.say(f"{path} was left as it is: {plan.why}.")
    elif (undoing := run.ledger.declines.get(decision_id(plan))) is not None:
        run.leave_out("grouping", decision_id(plan), undoing)
    elif apply:
        run.commit(plan)
    elif decision_id(plan) not in run.ledger.settled:
        verdict = Relates(grouping.judge, grouping.why, path, PART_OF, path, 0, "")
        evidence = tuple(f"{group.name}: {', '.join(traits[member].title for member in group.members)}" for group in grouping.groups)
        run.commit(replace(plan, certain=False, question=Question(verdict, about, evidence, float(len(grouping.groups)))))


def plan_groups(tending: Tending, path: str, groups: Sequence[Group], *, key: str, why: str) -> Plan | Unwritable:
    """Returns the plan that makes the notes of the groups and moves the members; a group that is there already only gets members."""
    kind = tending.forest.nodes[path].kind
    group_kind = CATEGORY if kind == CATEGORY else TOPIC
    edits: list[Edit] = []
    base: dict[str, str] = {}
    for group in groups:
        place, made = _place(tending, path, group.name, group_kind)
        if isinstance(made, Unwritable):
            return made
        edits += [made] if made else []
        for member in group.members:
            changed = _joined(tending, member, place, path)
            if isinstance(changed, Unwritable):
                return changed
            edits += changed[0]
            base |= changed[1]
    tending.names.forget([edit.path for edit in edits if isinstance(edit, CreateNote)])
    names = ", ".join(f"{group.name} ({len(group.members)})" for group in groups)
    return Plan("tree", key, base, tuple(edits), f"{path} gets groups: {names}; by {why}")


def _place(tending: Tending, path: str, name: str, kind: str) -> tuple[str, CreateNote | Unwritable | None]:
    ctx, names = tending.ctx, tending.names
    with ctx.catalog() as conn:
        known = dict(conn.execute("SELECT path, title FROM note"))
    here = [part for part in children_of(tending.forest.parents).get(path, ()) if tending.forest.nodes[part].kind == kind and fold(known[part]) == fold(name)]
    if here:
        return here[0], None
    place = free_path(ctx, names, name, FOLDER if kind == CATEGORY else FOLDER_OF_TOPICS, kind)
    names.plan(Planned(place, kind))
    link = names.link_to(place, path)
    if link is None:
        return place, Unwritable(f"no link can lead from {place} to it")
    return place, CreateNote(place, note_text(ctx, place, name, link, kind=kind, importance=IMPORTANCE_OF_GROUP))


def _joined(tending: Tending, member: str, place: str, path: str) -> tuple[tuple[Edit, ...], dict[str, str]] | Unwritable:
    """Returns the edits that make a part of the note a part of a group of it."""
    source, link = tending.reading.read(member), tending.names.link_to(member, place)
    if source is None or link is None:
        return Unwritable(f"{member} is gone, or no link there can lead to {place}")
    note = parse_note(member, source.text, tending.ctx.config.limits)
    change = Change(PART_OF, frozenset((path,)), unsaid=frozenset((path,)), added=link)
    edits = edits_of(note, source, change, leads_to(tending.names, member), tending.ctx.config.limits)
    return edits if isinstance(edits, Unwritable) else (edits, {source.path: source.sha256})
