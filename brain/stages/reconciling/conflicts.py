"""Setting the claims of each note against each other: a dated change closes the earlier claim, the rest is a person's.

Rules go first. A judge's answers are its own memory: what it was asked once, it is not asked again. No lock is held
while it answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from brain.core.judgement import Contradicts, Supersedes, Unsure
from brain.core.plan import Applied, Plan
from brain.models.judge.judge import ModelJudge
from brain.models.judge.values import Compared, Compatible, Unanswered
from brain.stages.context import Context
from brain.stages.failures import Failures
from brain.stages.gate import decision_id, why_held
from brain.stages.reconciling.replacing import key_of, plan_contradiction, plan_replacing, read_two
from brain.stages.reconciling.rivals import Rivals, by_rules, find_rivals
from brain.stages.report import counted
from brain.stages.reviewing.titles import titled
from brain.stages.run import Run
from brain.stages.unanswered import NoAnswers

Verdict = Supersedes | Contradicts
ROUNDS_MAX = 4

@dataclass(slots=True)
class Settling:
    """One run's claims and what came of them. `room` is how many more questions can be put before a person."""

    ctx: Context
    run: Run
    room: int
    failures: Failures
    found: int = 0
    asked: int = 0
    left: int = 0
    unsure: set[str] = field(default_factory=set)
    roomless: set[str] = field(default_factory=set)
    unanswered: NoAnswers[str] = field(default_factory=NoAnswers)
    """Keys of the pairs that got no answer."""
    done: set[str] = field(default_factory=set)
    """Keys of the pairs that were planned in this run, or got no answer in it."""

    @property
    def waiting(self) -> int:
        """How many pairs wait for a model or a person."""
        return len(self.unsure) + len(self.roomless) + len(self.unanswered)

    @property
    def is_stopped(self) -> bool:
        """Whether the judge answers no more in this run."""
        return self.unanswered.is_final


def settle_claims(ctx: Context, run: Run, room: int, *, limit: int) -> Settling:
    """Closes claims that a later one replaces, and puts before a person what contradicts itself; asks about at most `limit` pairs.

    What was closed is no rival any more and makes room for others, so this is repeated until nothing more is closed.
    """
    settling = Settling(ctx, run, room, Failures.of(ctx, run, "reconcile"))
    for _ in range(ROUNDS_MAX):
        if not _round(settling, limit) or run.is_dry:
            break
    settling.found += settling.asked
    _say(settling)
    return settling


def _round(settling: Settling, limit: int) -> int:
    """Sets the claims against each other once; returns how many were closed."""
    model = settling.ctx.model
    found = find_rivals(settling.ctx, only_certain=model is None)
    fresh = [rivals for rivals in found.rivals if not _is_settled(settling, rivals) and _key(rivals) not in settling.done]
    certain = [(rivals, verdict) for rivals in fresh if (verdict := by_rules(rivals)) is not None]
    settling.found += len(certain)
    closed = _write(settling, certain)
    if model is None:
        return closed
    settling.left = found.left
    ruled = {_key(rivals) for rivals, _ in certain}
    still_open = settling.failures.last((rivals for rivals in fresh if _key(rivals) not in ruled), _key)
    for place, batch in _batches(still_open, settling.ctx.config.judge.pairs_per_call_max):
        if settling.asked >= limit or settling.is_stopped:
            settling.left += len(still_open) - place
            break
        before = model.tally.remembered
        closed += _write(settling, list(_heard(settling, model, batch)))
        settling.asked += len(batch) - (model.tally.remembered - before)
    return closed


def _heard(settling: Settling, model: ModelJudge, batch: Sequence[Rivals]) -> Iterator[tuple[Rivals, Verdict]]:
    """Yields what the judge says is to be done; the rest is counted."""
    for rivals, answer in zip(batch, model.conflict([rivals.pair for rivals in batch]), strict=True):
        verdict = _sorted(settling, _key(rivals), answer)
        if verdict is not None:
            yield rivals, verdict


def _sorted(settling: Settling, key: str, answer: Compared) -> Verdict | None:
    """Returns what changes a claim; counts what does not."""
    match answer:
        case Supersedes() | Contradicts():
            return answer
        case Unsure():
            settling.unsure.add(key)
        case Unanswered():
            settling.unanswered.add(answer, key)
            settling.failures.note(answer, [key])
            settling.done.add(key)
        case Compatible():
            pass
    return None


def _write(settling: Settling, stated: Sequence[tuple[Rivals, Verdict]]) -> int:
    """Carries out the plans one by one, each made from the note as the one before left it; returns how many landed."""
    closed = 0
    for rivals, verdict in stated:
        plan = _planned(settling, rivals, verdict)
        if plan is None:
            continue
        if why_held(plan) is not None:
            if settling.room <= 0:
                settling.roomless.add(plan.key)
                continue
            settling.room -= 1
        closed += isinstance(settling.run.commit(plan), Applied)
    return closed


def _planned(settling: Settling, rivals: Rivals, verdict: Verdict) -> Plan | None:
    key = _key(rivals)
    claims = read_two(settling.ctx, settling.run.reading, rivals.path, rivals.left.id, rivals.right.id)
    if claims is None or key in settling.done:
        return None
    settling.done.add(key)
    match verdict:
        case Supersedes():
            plan = plan_replacing(claims, verdict, key=key, note_id=rivals.note)
        case Contradicts():
            plan = plan_contradiction(claims, verdict, key=key, note_id=rivals.note)
    if plan is None:
        settling.run.say(f"{rivals.path}: “{rivals.left.text}” and “{rivals.right.text}” cannot both stand, and the line of neither can say so.")
    if plan is None or plan.question is None:
        return plan
    return replace(plan, question=replace(plan.question, evidence=titled(settling.ctx, plan.question.evidence)))


def _is_settled(settling: Settling, rivals: Rivals) -> bool:
    decision, ledger = decision_id(Plan("reconcile", _key(rivals), {}, (), "")), settling.run.ledger
    if decision in ledger.declines:
        settling.run.leave_out("claim", decision, ledger.declines[decision])
    return decision in ledger.settled


def _key(rivals: Rivals) -> str:
    return key_of(rivals.note, rivals.left.id, rivals.right.id)


def _batches(rivals: Sequence[Rivals], size: int) -> Iterator[tuple[int, Sequence[Rivals]]]:
    step = max(1, min(size, 1_000))
    for start in range(0, len(rivals), step):
        yield start, rivals[start : start + step]


def _say(settling: Settling) -> None:
    for sentence in settling.unanswered.sentences(lambda count: f"{counted(count, 'pair')} of claims got no answer"):
        settling.run.say(sentence)
    if settling.unsure:
        settling.run.say(f"{counted(len(settling.unsure), 'pair')} of claims may not both hold; the language model cannot tell, only a person can.")
    if settling.roomless:
        settling.run.say(f"{counted(len(settling.roomless), 'pair')} of claims for a person to decide found no room (limits.review_items_max).")
