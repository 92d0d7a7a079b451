"""Asking the judge which notes are one thing, group by group. No lock is held while it answers.

A pair that it told apart, or could not tell, is remembered (`compared`) and not asked about until one of the notes
says something else; what was not answered is asked again by the next run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt

from brain.core.judgement import Distinct, Pair, Same, Subject, Unsure
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import Partition, Unanswered
from brain.stages.commit import append
from brain.stages.context import Context
from brain.stages.failures import Failures
from brain.stages.reconciling.compared import Compared, Ends, Told, compared_before, compared_record
from brain.stages.reconciling.questions import ends_of, questions
from brain.stages.reconciling.shown import ShownNote, show
from brain.stages.report import counted
from brain.stages.run import Run
from brain.stages.unanswered import NoAnswers, judged_by


@dataclass(slots=True)
class Answers:
    """What the judge said about the open pairs of one round: those it takes for one thing, and those it cannot tell."""

    same: list[tuple[Pair, Same]] = field(default_factory=list)
    unsure: list[tuple[Pair, Unsure]] = field(default_factory=list)
    names_alone: set[tuple[str, str]] = field(default_factory=set)
    """Pairs for which the judge quotes nothing but a name."""
    waiting: int = 0
    left: int = 0


@dataclass(slots=True)
class Asking:
    """One run's questions about notes. `room` is how many pairs more it may ask about."""

    ctx: Context
    run: Run
    model: ModelJudge
    room: int
    known: dict[Ends, Compared]
    failures: Failures
    asked: int = 0
    unanswered: NoAnswers[tuple[str, ...]] = field(default_factory=NoAnswers)
    """Groups that got no answer in this run, by the marks of their notes."""
    _shown: dict[str, ShownNote | None] = field(default_factory=dict)
    _sha256_of: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, ctx: Context, run: Run, *, room: int) -> Asking | None:
        """Returns the asking of a run; None without a model."""
        model = ctx.model
        if model is None:
            return None
        return cls(ctx, run, model, room, compared_before(ctx.journal, judged_by(model, "same")), Failures.of(ctx, run, "reconcile"))

    @property
    def is_stopped(self) -> bool:
        """Whether the judge answers no more in this run."""
        return self.unanswered.is_final

    def judged(self, pairs: Sequence[Pair]) -> Answers:
        """Returns what the judge says about pairs, from memory where nothing changed since."""
        answers, self._shown = Answers(), {}
        subjects = {subject.id: subject for pair in pairs for subject in (pair.left, pair.right)}
        fresh = self._not_known(pairs, subjects, answers)
        groups = questions(fresh, group_max=min(self.ctx.config.judge.group_max, _notes_in(self.room)))
        for group in self.failures.last(groups, self._key_of):
            if self.room < len(group):
                answers.left += len(group)
            elif self.is_stopped:
                answers.waiting += len(group)
            else:
                self._ask(group, subjects, answers)
        return answers

    def say(self, waiting: int) -> None:
        """Says what was not answered, and why."""
        pairs = counted(max(waiting, 1), "pair")
        for sentence in self.unanswered.sentences(lambda _: f"{pairs} of notes got no answer whether they are one thing"):
            self.run.say(sentence)

    def _not_known(self, pairs: Sequence[Pair], subjects: Mapping[str, Subject], answers: Answers) -> list[Pair]:
        """Returns the pairs that nothing is remembered of; those that the judge could not tell are told again."""
        with self.ctx.catalog() as conn:
            sha256_of = self._sha256_of = dict(conn.execute("SELECT id, sha256 FROM note"))

        def mark_of(note_id: str) -> str | None:
            shown = self._show(subjects[note_id])
            return None if shown is None else shown.mark

        fresh = []
        for pair in pairs:
            compared = self.known.get(frozenset(ends_of(pair)))
            if compared is None or not compared.holds(sha256_of, mark_of):
                fresh.append(pair)
            elif compared.said == "unsure":
                answers.unsure.append((pair, self._unsure(pair)))
        return fresh

    def _ask(self, group: Sequence[Pair], subjects: Mapping[str, Subject], answers: Answers) -> None:
        ids = sorted({end for pair in group for end in ends_of(pair)})
        notes = [shown for note_id in ids if (shown := self._show(subjects[note_id])) is not None]
        marks = tuple(note.mark for note in notes)
        if len(notes) < len(ids):
            return  # one is gone since it was indexed
        if marks in self.unanswered:
            answers.waiting += len(group)
            return
        calls = self.model.tally.calls
        answer = self.model.same([note.excerpt for note in notes])
        if self.model.tally.calls > calls:
            self.room -= len(group)
            self.asked += len(group)
        if isinstance(answer, Unanswered):
            self.unanswered.add(answer, marks)
            self.failures.note(answer, [self._key_of(group)])
            answers.waiting += len(group)
        else:
            self._take(group, notes, answer, answers)

    def _take(self, group: Sequence[Pair], notes: Sequence[ShownNote], answer: Partition, answers: Answers) -> None:
        """Sorts a partition into pairs, and remembers those that are not one thing."""
        id_of = {note.excerpt.path: note.excerpt.id for note in notes}
        pair_of = {frozenset(ends_of(pair)): pair for pair in group}
        told: list[tuple[Ends, Told]] = []
        for verdict in answer.verdicts:
            paths = verdict.about if isinstance(verdict, Unsure) else (verdict.left, verdict.right)
            ends = frozenset(id_of.get(path, "") for path in paths)
            pair = pair_of.get(ends)
            if pair is None:
                continue
            match verdict:
                case Same():
                    answers.same.append((pair, verdict))
                    if any(note.names_say(verdict.quote) for note in notes if note.excerpt.id in ends):
                        answers.names_alone.add(ends_of(pair))
                case Unsure():
                    answers.unsure.append((pair, self._unsure(pair)))
                    told.append((ends, "unsure"))
                case Distinct():
                    told.append((ends, "distinct"))
        self._keep(notes, told)

    def _keep(self, notes: Sequence[ShownNote], told: Sequence[tuple[Ends, Told]]) -> None:
        if not told:
            return
        state = {note.excerpt.id: (note.sha256, note.mark) for note in notes}
        self.known |= {ends: Compared(said, {end: state[end] for end in ends}) for ends, said in told}
        if not self.run.is_dry:
            judge = judged_by(self.model, "same")
            append(self.ctx, [compared_record(notes, told, judge=judge, run=self.run.id, at=self.ctx.at)])

    def _key_of(self, group: Sequence[Pair]) -> str:
        """The name of a question: its notes as they are."""
        return "|".join(f"{end}@{self._sha256_of.get(end, '')}" for end in sorted({end for pair in group for end in ends_of(pair)}))

    def _unsure(self, pair: Pair) -> Unsure:
        return Unsure(judged_by(self.model, "same"), "the language model cannot tell whether they are one thing", (pair.left.path, pair.right.path))

    def _show(self, subject: Subject) -> ShownNote | None:
        if subject.id not in self._shown:
            chars_max = self.ctx.config.judge.note_chars_max
            self._shown[subject.id] = show(self.run.reading, subject, self.ctx.config.limits, chars_max=chars_max)
        return self._shown[subject.id]


def _notes_in(pairs: int) -> int:
    """Returns how many notes have no more than these pairs among them."""
    return (1 + isqrt(1 + 8 * max(0, pairs))) // 2
