"""Insights: what the notes around a hub teach together becomes an insight note, or more lines in the one there is.

The usual answer is that they teach nothing. A hub is asked about again only when the notes around it changed. An
insight that is there already is deepened only by evidence that it does not have yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.core.ids import short_hash
from brain.core.plan import AppendToSection, Conflict, CreateNote, Edit, Plan, Provenance
from brain.core.slug import file_stem
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import Evidence, Excerpt, Hub, Lesson, Unanswered
from brain.stages.commit import append
from brain.stages.context import Context
from brain.stages.edges import RELATED, relation_line
from brain.stages.failures import Failures
from brain.stages.gate import decision_id
from brain.stages.growing.placing import Placing
from brain.stages.linking.looked import abstracted, abstracted_record
from brain.stages.linking.notes import LiveNote, Read, excerpt, live_notes, read_note
from brain.stages.linking.quoting import quoted
from brain.stages.paths import real_folder
from brain.stages.report import counted
from brain.stages.run import Run
from brain.stages.target import Existing, Missing, Names, Planned
from brain.stages.unanswered import STOPS, asked_again, judged_by
from brain.vault.render import note_text

HUBS_MAX, LOOKED_MAX = 20_000, 200
SHOWN_SHARE = 0.5
"""How much of a request the notes may fill."""
EVIDENCE_MIN = 3
ABOUT, FROM = "about", "follows_from"
DEEPENED = "Deepened"


@dataclass(slots=True)
class Learned:
    """What came of the hubs of one run: asked about, left without an answer or for a person, and left for the next run."""

    asked: int = 0
    waiting: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """A hub and the notes it is connected with; `mark` changes with any of them."""

    center: LiveNote
    connected: tuple[LiveNote, ...]
    mark: str

    @property
    def decision(self) -> str:
        """The key of a new insight about these very notes: what was taken back is not made again of the same ones."""
        return f"insight|{self.center.id}|{short_hash('group', *sorted(note.id for note in self.connected))}"


def abstract(ctx: Context, run: Run, model: ModelJudge) -> Learned:
    """Asks about hubs that changed, the largest first, and writes what they teach; the judge's own limit ends it."""
    learned, judge = Learned(), judged_by(model, "insight")
    known = abstracted(ctx.journal, judge)
    failures = Failures.of(ctx, run, "link")
    fresh = failures.last((group for group in find_hubs(ctx) if known.get(group.center.id) != group.mark), lambda group: f"hub|{group.center.id}@{group.mark}")
    learned.left = max(0, len(fresh) - LOOKED_MAX)
    for place, group in enumerate(fresh[:LOOKED_MAX], start=1):
        shown = _shown(ctx, run, group)
        if shown is None:
            continue
        answer = model.insight(shown.hub)
        learned.asked += 1
        if isinstance(answer, Unanswered):
            learned.waiting += 1
            failures.note(answer, [f"hub|{group.center.id}@{group.mark}"])
            run.say(asked_again(f"What the notes around {group.center.path} teach got no answer", answer))
            if answer.why in STOPS:
                learned.left = len(fresh) - place
                break
            continue
        if isinstance(answer, Lesson) and not _write(ctx, run, shown, answer, learned):
            continue
        if not run.is_dry:
            append(ctx, [abstracted_record(group.center.id, group.mark, judge=judge, run=run.id, at=ctx.at)])
    return learned


def find_hubs(ctx: Context) -> list[Group]:
    """Returns the notes with enough typed connections, those with the most first."""
    with ctx.catalog() as conn:
        live = {note.id: note for note in live_notes(conn, ctx.config).values()}
    notes_min, groups = ctx.config.judge.insight_notes_min, []
    for row in ctx.graph.run("insight-hubs", notes_min=notes_min, limit=HUBS_MAX):
        center, connected = live.get(row["hub"]), tuple(live[note_id] for note_id in row["connected"] if note_id in live)
        if center is not None and len(connected) >= notes_min:
            mark = short_hash("hub", *(part for note in (center, *connected) for part in (note.id, note.sha256)))
            groups.append(Group(center, connected, mark))
    return groups


def _shown(ctx: Context, run: Run, group: Group) -> _Shown | None:
    """Returns a hub as the judge is shown it, the latest notes first; None when too little of it can be read or it was decided before."""
    judge, limits = ctx.config.judge, ctx.config.limits
    read: dict[str, Read] = {}
    excerpts: list[Excerpt] = []
    room = int(judge.prompt_chars_max * SHOWN_SHARE)
    for note in (group.center, *sorted(sorted(group.connected, key=lambda n: n.path), key=lambda n: n.day, reverse=True)):
        found = read_note(run.reading, note.path, limits)
        if found is None or room <= 0 or len(excerpts) > judge.shown_max:
            continue
        read[note.path] = found
        excerpts.append(excerpt(found, note.id, chars_max=judge.note_chars_max))
        room -= min(len(found.prose), judge.note_chars_max) + len(note.title)
    insight = _existing(ctx, run, group)
    if group.center.path not in read or (insight is None and _is_settled(run, group.decision)):
        return None
    known = excerpt(insight[1], insight[0], chars_max=judge.note_chars_max) if insight else None
    return _Shown(group, Hub(excerpts[0], tuple(excerpts[1:]), known), read, insight)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A hub as it was shown, the notes as they were read, and the insight there is about it: its id and text."""

    group: Group
    hub: Hub
    read: dict[str, Read]
    insight: tuple[str, Read] | None


def _existing(ctx: Context, run: Run, group: Group) -> tuple[str, Read] | None:
    ids = [note.id for note in (group.center, *group.connected)]
    for row in ctx.graph.run("insights-about", notes=ids, shared_min=EVIDENCE_MIN):
        found = read_note(run.reading, row["path"], ctx.config.limits)
        if found is not None:
            return row["id"], found
    return None


def _is_settled(run: Run, key: str) -> bool:
    decision = decision_id(Plan("link", key, {}, (), ""))
    undoing = run.ledger.declines.get(decision)
    if undoing is not None:
        run.leave_out("insight", decision, undoing)
    return decision in run.ledger.settled


def _write(ctx: Context, run: Run, shown: _Shown, lesson: Lesson, learned: Learned) -> bool:
    """Writes a lesson; tells whether the hub is done with (it is not when a note changed meanwhile)."""
    plan = _deeper(ctx, run, shown, lesson) if shown.insight else _new(ctx, run, shown, lesson, learned)
    if plan is None or decision_id(plan) in run.ledger.settled:
        return True
    return not isinstance(run.commit(plan), Conflict)


def _new(ctx: Context, run: Run, shown: _Shown, lesson: Lesson, learned: Learned) -> Plan | None:
    """Returns the plan of a new insight note; None when a note has that name, or no link can lead to what supports it."""
    center, names, stem = shown.group.center, Names(ctx), file_stem(lesson.title)
    path = f"{real_folder(ctx.vault.root, ctx.config.folders.insights)}/{stem}.md"
    if not all(isinstance(names.find(center.path, name), Missing) for name in (lesson.title, stem)) or run.reading.taken(path):
        learned.waiting += 1
        run.say(f"The notes around {center.path} teach {lesson.title!r}, but a note has that name or nearly; nothing was written.")
        return None
    aliases = (lesson.title,) if stem != lesson.title else ()
    names.plan(Planned(path, "insight", aliases))
    about = names.link_to(path, center.path)
    evidence = _evidence(ctx, names, path, shown, lesson.evidence)
    if about is None or len(evidence) < EVIDENCE_MIN:
        learned.waiting += 1
        run.say(f"The notes around {center.path} teach {lesson.title!r}, but no link can be written to what supports it.")
        return None
    placing = Placing(ctx, names)
    home = placing.home(path, "insight", [Existing(center.path, center.kind)])
    first = relation_line(ABOUT, about, lesson.reason, ctx.config.limits)
    fields = [
        ("id", f"n-{short_hash('insight', path, shown.group.decision, length=16)}"), ("type", "entity"), ("kind", "insight"),
        ("aliases", aliases or None), ("part_of", home.link if home else None), ("confidence", "inferred"), ("status", "active"), ("created", ctx.today),
    ]  # fmt: skip
    text = note_text(fields, "\n".join(["", lesson.text, "", f"## {RELATED}", first, *(line for _, line in evidence), ""]))
    hung = [(f"{path}|part_of|{home.path}", lesson.evidence[0])] if home else []
    items = ((f"{path}|{ABOUT}|{center.path}", lesson.evidence[0]), *((f"{path}|{FROM}|{ev.path}", ev) for ev, _ in evidence), *hung)
    return Plan(
        "link", shown.group.decision, _base(shown, lesson.evidence), (*placing.made, CreateNote(path, text)),
        f"{counted(len(evidence), 'note')} around {center.path} teach it: {lesson.reason}", _provenance(shown, lesson, items),
    )  # fmt: skip


def _deeper(ctx: Context, run: Run, shown: _Shown, lesson: Lesson) -> Plan | None:
    """Returns the plan that adds what is new to an insight; None when all that supports it is in there already."""
    if shown.insight is None:
        return None
    insight_id, read = shown.insight
    names, path = Names(ctx), read.source.path
    ends = {names.leads_to(path, link.target, link.form) for link in read.note.links}
    fresh = [ev for ev in lesson.evidence if ev.path not in ends and not _is_taken_back(run, f"{path}|{FROM}|{ev.path}")]
    evidence = _evidence(ctx, names, path, shown, fresh)
    if not evidence:
        return None
    edits: list[Edit] = [AppendToSection(path, RELATED, tuple(line for _, line in evidence))]
    if lesson.text not in read.source.text:
        edits.append(AppendToSection(path, DEEPENED, (f"- {ctx.today}: {lesson.text}",)))
    items = [(f"{path}|{FROM}|{ev.path}", ev) for ev, _ in evidence]
    return Plan(
        "link", f"deepen|{insight_id}|{short_hash('evidence', *sorted(ev.path for ev, _ in evidence))}",
        {**_base(shown, [ev for ev, _ in evidence]), path: read.source.sha256}, tuple(edits),
        f"{counted(len(evidence), 'more note')} around {shown.group.center.path} support it: {lesson.reason}", _provenance(shown, lesson, items),
    )  # fmt: skip


def _is_taken_back(run: Run, item: str) -> bool:
    undoing = run.ledger.declines.get(item)
    if undoing is not None:
        run.leave_out("relation", item, undoing)
    return undoing is not None


def _evidence(ctx: Context, names: Names, path: str, shown: _Shown, evidence: Sequence[Evidence]) -> list[tuple[Evidence, str]]:
    """Returns the evidence that was shown and that a link can lead to, each note once, with its line."""
    lines: dict[str, tuple[Evidence, str]] = {}
    for found in evidence:
        link = names.link_to(path, found.path) if found.path in shown.read and found.path not in lines else None
        if link is not None:
            lines[found.path] = (found, relation_line(FROM, link, quoted(found.quote, ctx.config.limits), ctx.config.limits))
    return list(lines.values())


def _base(shown: _Shown, evidence: Sequence[Evidence]) -> dict[str, str]:
    paths = {shown.group.center.path, *(found.path for found in evidence if found.path in shown.read)}
    return {path: shown.read[path].source.sha256 for path in sorted(paths)}


def _provenance(shown: _Shown, lesson: Lesson, items: Sequence[tuple[str, Evidence]]) -> tuple[Provenance, ...]:
    return tuple(
        Provenance(item, found.path, shown.read[found.path].source.sha256, found.line, found.quote, lesson.reason, lesson.judge)
        for item, found in items
    )
