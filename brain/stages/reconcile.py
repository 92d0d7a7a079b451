"""Reconcile: notes that are one thing become one note, claims that no longer hold are closed, and what nobody confirms goes stale.

find (pairs worth a decision: `stages.matching`) → adjudicate (a rare identifier that nothing speaks against is
certain; a language model, when there is one, says what it can of the rest) → plan (one for each merge) → commit.
What is left open becomes a question for a person, the likeliest first, as many as there is room for; the rest is
counted. Then the claims of each note are set against each other, relations that are over get the day of their end,
and last confirmations are set against the clock.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from brain.core.judgement import Pair, Same, Subject, Unsure
from brain.core.plan import Applied
from brain.stages.context import Context
from brain.stages.gate import decision_id, why_held
from brain.stages.ledger import Ledger
from brain.stages.matching.find import find_matches
from brain.stages.matching.signals import SIGNALS
from brain.stages.matching.store import Match
from brain.stages.reconciling.asking import Asking
from brain.stages.reconciling.conflicts import settle_claims
from brain.stages.reconciling.endings import end_relations
from brain.stages.reconciling.merges import Doubts, decision_of, doubts_about, planned, question_of
from brain.stages.reconciling.room import displaced, give_way
from brain.stages.reconciling.stale import mark_stale
from brain.stages.report import RunReport, counted
from brain.stages.reviewing.titles import titled
from brain.stages.rules import RULES
from brain.stages.run import Run

ROUNDS_MAX = 8
MERGES_MAX = 80_000


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was said about all pairs. `waiting` got no answer, `left` were not asked about because of the limit."""

    same: tuple[tuple[Pair, Same], ...]
    unsure: tuple[tuple[Pair, Unsure], ...]
    names_alone: frozenset[tuple[str, str]] = frozenset()
    waiting: int = 0
    left: int = 0


@dataclass(slots=True)
class Room:
    """How many more merges, and how many more questions for a person, one run may make."""

    merges: int
    questions: int


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Merges at most `limit` pairs (default: the setting; 0: all) and returns what became of them, of claims and of stale notes.

    A merge can make another one certain, so the search is repeated until a round merges nothing. Then the
    likeliest of what is still open is put before a person.
    """
    run = Run(ctx, "reconcile", dry_run=dry_run)
    most = (ctx.config.limits.pairs_per_run_max if limit is None else limit) or MERGES_MAX
    asking = Asking.of(ctx, run, room=most)
    room = Room(most, _room_for_questions(ctx, run))
    found, left_out = 0, 0
    for _ in range(ROUNDS_MAX):
        told = len(asking.known) + asking.room if asking else 0
        pairs, unread = find_pairs(ctx, most=ctx.config.limits.review_items_max + len(run.ledger.settled) + told)
        verdicts = hear(run, asking, adjudicate(pairs, ctx))
        merged, left = merge(ctx, run, verdicts, room)
        found, left_out = max(found, len(pairs) + unread), left + verdicts.left
        if dry_run or room.merges <= 0 or not merged:
            break
    waiting = ask(ctx, run, verdicts, room, unread=0 if asking else unread) + verdicts.waiting
    if asking is not None:
        asking.say(verdicts.waiting)
        left_out += unread
    claims = settle_claims(ctx, run, room.questions, limit=most)
    ended = end_relations(ctx, run, room=_room_for_questions(ctx, run))
    stale = mark_stale(ctx, run)
    return run.report(found=found + claims.found + ended.found + stale.found, waiting=waiting + claims.waiting + ended.waiting, left_out=left_out + claims.left + stale.left)


def find_pairs(ctx: Context, *, most: int) -> tuple[tuple[Pair, ...], int]:
    """Returns the pairs worth a decision, best first, of the uncertain ones at most `most`, and how many were left unread."""
    found = find_matches(ctx, most=most, spoken_first=ctx.model is None)
    subjects = _subjects(ctx, sorted({note_id for match in found.matches for note_id in (match.one, match.other)}))
    pairs = tuple(_pair(ctx, match, subjects) for match in found.matches if match.one in subjects and match.other in subjects)
    return pairs, found.total - len(found.matches)


def adjudicate(pairs: tuple[Pair, ...], ctx: Context) -> Verdicts:
    """Returns the verdict of the rules on every pair, by kind."""
    same: list[tuple[Pair, Same]] = []
    unsure: list[tuple[Pair, Unsure]] = []
    for pair in pairs:
        match ctx.judge.identify(pair):
            case Same() as verdict:
                same.append((pair, verdict))
            case Unsure() as verdict:
                unsure.append((pair, verdict))
    return Verdicts(tuple(same), tuple(unsure))


def hear(run: Run, asking: Asking | None, verdicts: Verdicts) -> Verdicts:
    """Returns the verdicts with what a language model says where the rules do not know; what waits for a person is not asked."""
    if asking is None:
        return verdicts
    settled = run.ledger.settled
    decided = [(pair, unsure) for pair, unsure in verdicts.unsure if decision_id(decision_of(pair, question_of(pair, unsure))) in settled]
    known = {id(pair) for pair, _ in decided}
    answers = asking.judged([pair for pair, _ in verdicts.unsure if id(pair) not in known])
    return Verdicts(
        (*verdicts.same, *answers.same), (*decided, *answers.unsure), frozenset(answers.names_alone), answers.waiting, answers.left
    )  # fmt: skip


def merge(ctx: Context, run: Run, verdicts: Verdicts, room: Room) -> tuple[int, int]:
    """Carries out the merges of a round, or holds them for a person; returns how many were made and how many the limit left out.

    What a language model takes for one thing and a person must decide about waits until there is room for it.
    """
    merges = open_merges(run, verdicts)
    doubts = doubts_about(merges, verdicts.names_alone)
    made = left = 0
    for place, (pair, same) in enumerate(merges):
        if room.merges <= 0:
            return made, left + len(merges) - place
        plan = planned(ctx, run, pair, same, doubts)
        if plan is None:
            continue
        is_question = why_held(plan) is not None
        if is_question and room.questions <= 0 and same.judge != RULES.name:
            left += 1
            continue
        receipt = run.commit(plan)
        run.ledger.decided.add(decision_id(plan))  # in this run: neither carried out nor asked twice
        room.merges -= 1
        room.questions -= is_question
        made += isinstance(receipt, Applied)
    return made, left


def open_merges(run: Run, verdicts: Verdicts) -> list[tuple[Pair, Same]]:
    """Returns the merges still to be decided: neither held nor declined before, as a merge or as a question."""
    still_open = []
    for pair, same in verdicts.same:
        decisions = {decision_id(decision_of(pair, same)), decision_id(decision_of(pair, question_of(pair, same)))}
        for decision in sorted(decisions & run.ledger.declines.keys()):
            run.leave_out("merge", decision, run.ledger.declines[decision])
        if not decisions & run.ledger.settled:
            still_open.append((pair, same))
    return still_open


def ask(ctx: Context, run: Run, verdicts: Verdicts, room: Room, *, unread: int) -> int:
    """Holds the likeliest open pairs for a person while there is room, those that a note states first; returns how many wait.

    Without room a stronger pair takes the place of the weakest open one that nobody has looked at.
    `unread` pairs come after all of these. What has little evidence, or lies near by its text alone, is a language model's
    to sift, not a person's.
    """
    ledger, least = run.ledger, -inf if ctx.model else -ctx.config.limits.question_bits_below
    verdicts = replace(verdicts, unsure=tuple(case for case in verdicts.unsure if not _was_taken_back(ledger, case[0])))
    spoken_for = [case for case in verdicts.unsure if ctx.model or case[0].speaks]
    worth = [(pair, unsure) for pair, unsure in spoken_for if pair.stated or pair.rank >= least]
    questions = [(pair, question_of(pair, unsure)) for pair, unsure in sorted(worth, key=lambda case: not case[0].stated)]
    asked = [case for case in questions if decision_id(decision_of(*case)) in ledger.held.keys() - ledger.declines.keys()]
    fresh = [case for case in questions if decision_id(decision_of(*case)) not in ledger.settled]
    places = max(0, room.questions)
    with ctx.graph.session():
        plans = [plan for pair, same in fresh[:places] if (plan := planned(ctx, run, pair, same, Doubts({}))) is not None]
        room.questions -= len(plans)
        stronger = list(displaced(ctx, fresh[places:], asked, lambda case: planned(ctx, run, *case, Doubts({}))))
    give_way(ctx, run, [decision for _, decision in stronger])
    plans += [plan for plan, _ in stronger]
    for plan in plans:
        run.commit(replace(plan, certain=False))
    asked, fresh = asked[len(stronger) :], [*fresh, *asked[: len(stronger)]]
    weak, near = len(spoken_for) - len(worth), len(verdicts.unsure) - len(spoken_for)
    left = len(fresh) - len(plans) + (0 if weak or near else unread)
    weak, near = weak + (unread if weak and not near else 0), near + (unread if near else 0)  # what is spoken for is read first
    waiting = len(asked) + len(plans) + left + weak + near
    if waiting:
        who = "a person" if ctx.model else "a language model or a person"
        rest = [f"{left} waiting for room (limits.review_items_max)"] if left or not weak + near else []
        rest += [f"{weak} with too little evidence to ask a person (limits.question_bits_below)"] if weak else []
        rest += [f"{near} that neither names nor stated facts speak for, which a language model alone can sift"] if near else []
        run.say(f"{counted(waiting, 'pair')} of notes may be one thing, which only {who} can tell: {', '.join([f'{len(asked) + len(plans)} put before a person', *rest])}.")
    return waiting


def _was_taken_back(ledger: Ledger, pair: Pair) -> bool:
    """Tells whether a person took a merge of these two back, whatever it rested on: that is an answer."""
    one, other = pair.left.path, pair.right.path
    return not ledger.declines.keys().isdisjoint((f"{one}|same_entity|{other}", f"{other}|same_entity|{one}"))


def _room_for_questions(ctx: Context, run: Run) -> int:
    return max(0, ctx.config.limits.review_items_max - len(run.ledger.held.keys() - run.ledger.declines.keys()))


def _pair(ctx: Context, match: Match, subjects: dict[str, Subject]) -> Pair:
    left, right = sorted((subjects[match.one], subjects[match.other]), key=lambda subject: subject.path)
    signals = tuple(SIGNALS[signal] for signal in match.signals)
    evidence, vetoes = titled(ctx, match.evidence), titled(ctx, match.vetoes)
    return Pair(left, right, signals, match.certain if match.tier == "certain" else "", match.stated, evidence, vetoes, match.rank, titled(ctx, match.against), match.speaks)


def _subjects(ctx: Context, ids: Sequence[str]) -> dict[str, Subject]:
    found: dict[str, Subject] = {}
    with ctx.catalog() as conn:
        for note_id in ids:
            row = conn.execute("SELECT nid, path, title, kind, properties FROM note WHERE id=?", (note_id,)).fetchone()
            if row is not None:
                nid, path, title, kind, properties = row
                aliases = tuple(text for (text,) in conn.execute("SELECT text FROM name WHERE nid=? AND how=2 ORDER BY rowid", (nid,)))
                found[note_id] = Subject(note_id, path, title, kind, aliases, json.loads(properties))
    return found
