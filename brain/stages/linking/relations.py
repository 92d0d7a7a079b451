"""A relation that the judge read out of a note → the plan that writes its line. Reads, writes nothing.

What only a person should say (that two things are one, that one replaces another, a second parent in the tree) is
put before one. The words that say it are looked up again in the note as it is now: a plan never rests on a quote
that is no longer there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from brain.core.judgement import Relates
from brain.core.note import Link, Note
from brain.core.plan import AppendToSection, Concern, Plan, Provenance, Question
from brain.core.tree import is_backwards
from brain.core.vocabulary import RELATIONS
from brain.errors import BrainError
from brain.models.judge.values import NotePair
from brain.stages.context import Context
from brain.stages.edges import RELATED, has_edge, relation_line
from brain.stages.gate import decision_id
from brain.stages.linking.candidates import SIGNALS, Candidate
from brain.stages.linking.notes import Read, read_note
from brain.stages.linking.tree import Tree
from brain.stages.run import Run
from brain.stages.target import Existing, Names
from brain.vault.sections import append_to_section

A_PERSON_SAYS = {
    "same_entity": "that two notes are one thing is for a person to say",
    "supersedes": "that one note replaces another is for a person to say",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """One pair as it was shown: the candidate, its notes as they were read, and the excerpts."""

    candidate: Candidate
    left: Read
    right: Read
    pair: NotePair

    @property
    def paths(self) -> frozenset[str]:
        """The two notes."""
        return frozenset((self.candidate.source.path, self.candidate.target.path))


@dataclass(frozen=True, slots=True)
class Stuck:
    """A relation that cannot be written where it belongs: the note has to be put right first."""

    why: str


def is_about(verdict: Relates, shown: Shown) -> bool:
    """Tells whether a verdict is one about this very pair, in words of the vocabulary."""
    ends = frozenset((verdict.source, verdict.target))
    return len(ends) == 2 and ends == shown.paths and verdict.relation in RELATIONS


def plan_relation(ctx: Context, run: Run, tree: Tree, shown: Shown, verdict: Relates) -> Plan | Stuck | None:
    """Returns the plan of one edge; None when it is there already, was decided before, or its quote is gone."""
    verdict = _turned(run, ctx, verdict)
    item = f"{verdict.source}|{verdict.relation}|{verdict.target}"
    evidence = read_note(run.reading, shown.candidate.source.path, ctx.config.limits)
    ends = [read_note(run.reading, path, ctx.config.limits) for path in (verdict.source, verdict.target)]
    source, target = ends
    line = None if evidence is None else _line_of(evidence.source.text, verdict.quote, verdict.line)
    if evidence is None or source is None or target is None or line is None or _is_declined(run, item):
        return None
    names = Names(ctx)
    if has_edge(source.note, verdict.relation, verdict.target, _end_of(names, verdict.source)):
        return None
    if verdict.relation == "relates_to" and tree.joins(verdict.source, verdict.target):
        return None
    link = names.link_to(verdict.source, verdict.target)
    objection = _objection(tree, source.note, target.note, verdict.relation)
    lines = () if link is None else (relation_line(verdict.relation, link, verdict.reason, ctx.config.limits),)
    concerns: tuple[Concern, ...] = ("unlinkable",) if link is None else ()
    try:
        append_to_section(source.source.text, RELATED, lines or ("-",))
    except BrainError as error:
        return Stuck(f"{verdict.source} cannot take the relation to {verdict.target}: {error.message} ({error.cure})")
    plan = Plan(
        "link", item, {read.source.path: read.source.sha256 for read in (source, target)},
        (AppendToSection(verdict.source, RELATED, lines),) if lines else (), _because(verdict, shown, line, objection),
        (Provenance(item, evidence.source.path, evidence.source.sha256, line, verdict.quote, verdict.reason, verdict.judge),),
        certain=objection is None, concerns=concerns,
        question=Question(verdict, _ids(shown, verdict), (objection,) if objection else ()) if objection or concerns else None,
    )  # fmt: skip
    return None if decision_id(plan) in run.ledger.settled else plan


def _turned(run: Run, ctx: Context, verdict: Relates) -> Relates:
    """Returns a relation so that a passive one leads to the one who does it."""
    source, target = (read_note(run.reading, path, ctx.config.limits) for path in (verdict.source, verdict.target))
    if source and target and is_backwards(verdict.relation, source.note.kind, target.note.kind):
        return replace(verdict, source=verdict.target, target=verdict.source)
    return verdict


def _ids(shown: Shown, verdict: Relates) -> tuple[str, ...]:
    ids = {note.path: note.id for note in (shown.candidate.source, shown.candidate.target)}
    return ids[verdict.source], ids[verdict.target]


def _because(verdict: Relates, shown: Shown, line: int, objection: str | None) -> str:
    signals = ", ".join(SIGNALS[signal] for signal in shown.candidate.signals)
    said = f"{verdict.source} {verdict.relation} {verdict.target}, as line {line} of {shown.candidate.source.path} says ({signals})"
    return f"{said}; but {objection}" if objection else said


def _objection(tree: Tree, source: Note, target: Note, relation: str) -> str | None:
    return tree.objection(source, target) if relation == "part_of" else A_PERSON_SAYS.get(relation)


def _is_declined(run: Run, item: str) -> bool:
    undoing = run.ledger.declines.get(item)
    if undoing is not None:
        run.leave_out("relation", item, undoing)
    return undoing is not None


def _line_of(text: str, quote: str, near: int) -> int | None:
    """Returns the 1-based line on which a quote begins, the one nearest to where it stood; None when it is gone."""
    lines: list[int] = []
    at = text.find(quote) if quote else -1
    while at >= 0:
        lines.append(text.count("\n", 0, at) + 1)
        at = text.find(quote, at + 1)
    return min(lines, key=lambda line: (abs(line - near), line), default=None)


def _end_of(names: Names, path: str) -> Callable[[Link], str | None]:
    def end(link: Link) -> str | None:
        found = names.find(path, link.target, link.form)
        return found.path if isinstance(found, Existing) else None

    return end
