"""Asking the judge about pairs of notes, batch by batch, and writing what it read out of them.

No lock is held while it answers. A note whose questions were all answered is not looked at again until its words
or the names in it change; what was not answered is asked again by the next run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from brain.core.judgement import Relates, Unsure
from brain.core.plan import Applied, Conflict, Plan
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import NotePair, Related, Unanswered, Unrelated
from brain.stages.commit import append
from brain.stages.context import Context
from brain.stages.failures import Failures
from brain.stages.gate import why_held
from brain.stages.linking.candidates import Candidate, Vault, find_candidates
from brain.stages.linking.looked import Looked, linked_record, looked_at
from brain.stages.linking.notes import LiveNote, Read, excerpt, read_note
from brain.stages.linking.relations import Shown, Stuck, is_about, plan_relation
from brain.stages.linking.tree import Tree
from brain.stages.linking.waiting import Waiting, key_of
from brain.stages.report import counted
from brain.stages.run import Run
from brain.stages.target import Names
from brain.stages.unanswered import NoAnswers, judged_by

PAGE, PAGES_MAX = 50, 20
Candidates = dict[int, list[Candidate]]


@dataclass(slots=True)
class Relating:
    """One run's questions about relations, and what came of them."""

    ctx: Context
    run: Run
    model: ModelJudge
    tree: Tree
    failures: Failures
    room: int
    """How many more plans can be put before a person."""
    asked: int = 0
    unsure: int = 0
    roomless: int = 0
    stuck: int = 0
    unanswered: NoAnswers[tuple[str, str]] = field(default_factory=NoAnswers)
    """Pairs of note ids, the first of which may state a relation, that got no answer."""
    seen: set[frozenset[str]] = field(default_factory=set)
    """Pairs that were asked about in this run."""
    marks: dict[str, str] = field(default_factory=dict)
    """Note id → the mark of the note as it was shown."""
    joined: set[frozenset[str]] = field(default_factory=set)
    """Pairs that got an edge in this run: they get no second one."""

    @property
    def is_stopped(self) -> bool:
        """Whether the judge answers no more in this run."""
        return self.unanswered.is_final

    @property
    def waiting(self) -> int:
        """How many pairs wait for a model or a person."""
        return self.unsure + self.roomless + self.stuck + len(self.unanswered)


def relate(ctx: Context, run: Run, model: ModelJudge, vault: Vault, *, limit: int) -> tuple[Relating, int]:
    """Asks about at most `limit` notes (0: all) and writes what was found; returns what came of it, and how many notes are left."""
    held = run.ledger.held.keys() - run.ledger.declines.keys()
    relating = Relating(ctx, run, model, Tree(ctx, Names(ctx)), Failures.of(ctx, run, "link"), max(0, ctx.config.limits.review_items_max - len(held)))
    waiting = Waiting(vault, looked_at(ctx.journal, judged_by(model, "relate")), run.reading, ctx.config.limits, relating.failures)
    queue, room = iter(waiting), limit or len(vault.live)
    for _ in range(PAGES_MAX if limit else len(vault.live)):
        page = list(islice(queue, PAGE))
        if not page or room <= 0 or relating.is_stopped:
            break
        candidates = find_candidates(ctx, vault, page, asked=waiting.asked)
        chosen = [note for note in page if candidates[note.nid]][:room]
        room -= len(chosen)
        _keep(relating, waiting, [note for note in page if not candidates[note.nid]], candidates)
        for batch in _batches(chosen, candidates, ctx.config.judge.pairs_per_call_max):
            if not relating.is_stopped:
                _keep(relating, waiting, _ask(relating, batch, candidates), candidates)
    _say(relating)
    return relating, waiting.left


def _ask(relating: Relating, notes: Sequence[LiveNote], candidates: Candidates) -> list[LiveNote]:
    """Asks about the pairs of some notes and writes the edges; returns the notes that are done with."""
    questions = list(_questions(relating, [candidate for note in notes for candidate in candidates[note.nid]]))
    answers = relating.model.relate([shown.pair for shown in questions])
    relating.asked += len(questions)
    stated: list[tuple[Shown, Relates]] = []
    still_open: set[str] = set()
    for shown, answer in zip(questions, answers, strict=True):
        if isinstance(answer, Relates) and is_about(answer, shown):
            stated.append((shown, answer))
        elif not _is_decided(relating, shown, answer):
            still_open.add(shown.candidate.source.id)
    still_open |= _write(relating, stated)
    return [note for note in notes if note.id not in still_open]


def _is_decided(relating: Relating, shown: Shown, answer: Related) -> bool:
    """Counts an answer that makes no edge; tells whether the question is answered by it."""
    match answer:
        case Unrelated():
            return True
        case Unsure():
            relating.unsure += 1
            return True
        case Unanswered():
            relating.unanswered.add(answer, (shown.candidate.source.id, shown.candidate.target.id))
            relating.failures.note(answer, [key_of(shown.candidate.source)])
            return False
        case _:
            return False  # a verdict about other notes than those shown


def _questions(relating: Relating, candidates: Iterable[Candidate]) -> Iterator[Shown]:
    """Yields the pairs as they are shown. Two notes that only their nearness joins are asked about one way round."""
    limits, chars_max = relating.ctx.config.limits, relating.ctx.config.judge.note_chars_max
    read: dict[str, Read | None] = {}
    for candidate in candidates:
        source, target = candidate.source, candidate.target
        ends = frozenset((source.path, target.path))
        if ends in relating.joined or (ends in relating.seen and "mention" not in candidate.signals):
            continue
        for note in (source, target):
            if note.path not in read:
                read[note.path] = read_note(relating.run.reading, note.path, limits)
        left, right = read[source.path], read[target.path]
        if left is None or right is None:
            continue
        relating.seen.add(ends)
        relating.marks[source.id] = left.mark
        shown = excerpt(left, source.id, chars_max=chars_max, about=candidate.line), excerpt(right, target.id, chars_max=chars_max)
        yield Shown(candidate, left, right, NotePair(*shown))


def _write(relating: Relating, stated: Sequence[tuple[Shown, Relates]]) -> set[str]:
    """Carries out the plans, those of different notes together; returns the ids of the notes whose plan met a conflict."""
    conflicts: set[str] = set()
    while stated:
        touched: set[str] = set()
        together: list[tuple[Shown, Plan]] = []
        later: list[tuple[Shown, Relates]] = []
        for shown, verdict in stated:
            if touched & shown.paths:
                later.append((shown, verdict))
            elif shown.paths not in relating.joined and (plan := _planned(relating, shown, verdict)) is not None:
                touched |= shown.paths
                together.append((shown, plan))
        receipts = relating.run.commit_many([plan for _, plan in together])
        for (shown, _), receipt in zip(together, receipts, strict=True):
            if isinstance(receipt, Conflict):
                conflicts.add(shown.candidate.source.id)
            elif isinstance(receipt, Applied):
                relating.joined.add(shown.paths)
        stated = later
    return conflicts


def _planned(relating: Relating, shown: Shown, verdict: Relates) -> Plan | None:
    """Returns the plan of an edge, unless the note cannot take it, or it is for a person and there is no room."""
    plan = plan_relation(relating.ctx, relating.run, relating.tree, shown, verdict)
    if isinstance(plan, Stuck):
        relating.stuck += 1
        relating.run.say(plan.why)
        return None
    if plan is not None and why_held(plan) is not None:
        if relating.room <= 0:
            relating.roomless += 1
            return None
        relating.room -= 1
    elif plan is not None and verdict.relation == "part_of":
        relating.tree.plan(verdict.source, verdict.target)
    return plan


def _keep(relating: Relating, waiting: Waiting, notes: Sequence[LiveNote], candidates: Candidates) -> None:
    """Takes note of what was looked at; a dry run only counts it. A note that says something else by now waits still."""
    looked: list[Looked] = []
    for note in notes:
        read = read_note(relating.run.reading, note.path, relating.ctx.config.limits)
        if read is not None and relating.marks.get(note.id, read.mark) == read.mark:
            waiting.done.add(note.id)
            asked = (*waiting.asked.get(note.id, ()), *(candidate.target.id for candidate in candidates[note.nid]))
            looked.append(Looked(note.id, read.source.sha256, read.mark, asked))
    if looked and not relating.run.is_dry:
        judge = judged_by(relating.model, "relate")
        append(relating.ctx, [linked_record(looked, judge=judge, run=relating.run.id, at=relating.ctx.at)])


def _batches(notes: Sequence[LiveNote], candidates: Candidates, pairs: int) -> Iterator[list[LiveNote]]:
    """Yields notes together until they have as many pairs as one request takes."""
    batch: list[LiveNote] = []
    for note in notes:
        batch.append(note)
        if sum(len(candidates[other.nid]) for other in batch) >= pairs:
            yield batch
            batch = []
    if batch:
        yield batch


def _say(relating: Relating) -> None:
    for sentence in relating.unanswered.sentences(lambda count: f"{counted(count, 'pair')} of notes got no answer"):
        relating.run.say(sentence)
    if relating.unsure:
        relating.run.say(f"{counted(relating.unsure, 'pair')} of notes may be related; the language model cannot tell, only a person can.")
    if relating.roomless:
        relating.run.say(f"{counted(relating.roomless, 'relation')} for a person to decide found no room (limits.review_items_max).")
