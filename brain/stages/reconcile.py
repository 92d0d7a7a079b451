"""Reconcile: notes that are one thing become one note, and every live link leads to it.

find (pairs worth a decision: `stages.matching`) → adjudicate (a rare identifier that nothing speaks against is
certain) → plan (one for each merge) → commit. What the judge leaves open becomes a question for a person, the
likeliest first, as many as there is room for; the rest is counted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from brain.core.judgement import Pair, Same, Subject, Unsure
from brain.core.plan import Applied, Concern, Held, Plan, Question
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.matching.find import find_matches
from brain.stages.matching.signals import SIGNALS
from brain.stages.matching.store import Match
from brain.stages.merging import Merging, plan_merge
from brain.stages.report import RunReport, counted
from brain.stages.run import Run
from brain.stages.target import Names

ROUNDS_MAX = 8
MERGES_MAX = 80_000


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the judge said about all pairs."""

    same: tuple[tuple[Pair, Same], ...]
    unsure: tuple[tuple[Pair, Unsure], ...]


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Merges at most `limit` pairs (default: the setting; 0: all) and returns what became of them.

    A merge can make another one certain, so the search is repeated until a round merges nothing. Then the
    likeliest of what is still open is put before a person.
    """
    run = Run(ctx, "reconcile", dry_run=dry_run)
    left = (ctx.config.limits.pairs_per_run_max if limit is None else limit) or MERGES_MAX
    most = ctx.config.limits.review_items_max + len(run.ledger.settled)
    found, done = 0, set[str]()
    for _ in range(ROUNDS_MAX):
        pairs, unread = find_pairs(ctx, most=most)
        verdicts = adjudicate(pairs, ctx)
        merges = [case for case in open_merges(run, verdicts) if decision_id(_decision(*case)) not in done]
        receipts = [run.commit(plan) for pair, same in merges[:left] if (plan := _planned(ctx, run, pair, same)) is not None]
        done |= {decision_id(receipt.plan) for receipt in receipts}
        found, left_out, left = max(found, len(pairs) + unread), max(0, len(merges) - left), left - len(receipts)
        if dry_run or left <= 0 or not any(isinstance(receipt, Applied) for receipt in receipts):
            break
    waiting = ask(ctx, run, verdicts, unread=unread, held=sum(isinstance(receipt, Held) for receipt in receipts))
    return run.report(found=found, waiting=waiting, left_out=left_out)


def find_pairs(ctx: Context, *, most: int) -> tuple[tuple[Pair, ...], int]:
    """Returns the pairs worth a decision, best first, of the uncertain ones at most `most`, and how many were left unread."""
    found = find_matches(ctx, most=most)
    subjects = _subjects(ctx, sorted({note_id for match in found.matches for note_id in (match.one, match.other)}))
    pairs = tuple(_pair(match, subjects) for match in found.matches if match.one in subjects and match.other in subjects)
    return pairs, found.total - len(found.matches)


def adjudicate(pairs: tuple[Pair, ...], ctx: Context) -> Verdicts:
    """Returns the judge's verdict on every pair, by kind."""
    same: list[tuple[Pair, Same]] = []
    unsure: list[tuple[Pair, Unsure]] = []
    for pair in pairs:
        match ctx.judge.identify(pair):
            case Same() as verdict:
                same.append((pair, verdict))
            case Unsure() as verdict:
                unsure.append((pair, verdict))
    return Verdicts(tuple(same), tuple(unsure))


def open_merges(run: Run, verdicts: Verdicts) -> list[tuple[Pair, Same]]:
    """Returns the merges still to be decided: neither held nor declined before, as a merge or as a question."""
    still_open = []
    for pair, same in verdicts.same:
        decisions = {decision_id(_decision(pair, same)), decision_id(_decision(pair, _question(pair, same)))}
        for decision in sorted(decisions & run.ledger.declines.keys()):
            run.leave_out("merge", decision, run.ledger.declines[decision])
        if not decisions & run.ledger.settled:
            still_open.append((pair, same))
    return still_open


def ask(ctx: Context, run: Run, verdicts: Verdicts, *, unread: int, held: int) -> int:
    """Holds the likeliest open pairs for a person while there is room, those that a note states first; returns how many wait.

    `unread` pairs come after all of these; `held` plans were put before a person in this run already.
    """
    ledger = run.ledger
    questions = [(pair, _question(pair, unsure)) for pair, unsure in sorted(verdicts.unsure, key=lambda case: not case[0].stated)]
    asked = [case for case in questions if decision_id(_decision(*case)) in ledger.held.keys() - ledger.declines.keys()]
    fresh = [case for case in questions if decision_id(_decision(*case)) not in ledger.settled]
    room = max(0, ctx.config.limits.review_items_max - held - len(ledger.held.keys() - ledger.declines.keys()))
    with ctx.graph.session():
        plans = [plan for pair, same in fresh[:room] if (plan := _planned(ctx, run, pair, same)) is not None]
    for plan in plans:
        run.commit(replace(plan, certain=False))
    waiting = len(asked) + len(fresh) + unread
    if waiting:
        run.say(
            f"{counted(waiting, 'pair')} of notes may be one thing, which only a language model or a person can tell:"
            f" {len(asked) + len(plans)} put before a person, {len(fresh) - len(plans) + unread} waiting for room (limits.review_items_max)."
        )
    return waiting


def _planned(ctx: Context, run: Run, pair: Pair, same: Same) -> Plan | None:
    """Plans one merge from the notes as they are now; None when a merge before it took one of them."""
    plan = plan_merge(Merging(ctx, run.reading, Names(ctx)), pair, same, key=_decision(pair, same).key)
    if plan is None or decision_id(plan) in run.ledger.settled:
        return None
    only_alias: tuple[Concern, ...] = ("alias-only",) if pair.stated == "alias" and not same.quote else ()
    found = Question(same, (pair.left.id, pair.right.id), (*pair.evidence, *(f"but {veto}" for veto in pair.vetoes)), pair.rank, pair.stated)
    return replace(plan, concerns=(*plan.concerns, *only_alias), question=found)


def _question(pair: Pair, verdict: Same | Unsure) -> Same:
    """Returns the merge that a person is asked about: there is no quote that would make it certain."""
    return Same(verdict.judge, verdict.reason, pair.left.path, pair.right.path, "")


def _decision(pair: Pair, same: Same) -> Plan:
    ids = sorted((pair.left.id, pair.right.id))
    return Plan("reconcile", f"{ids[0]}|{ids[1]}|{same.quote}", {}, (), same.reason)


def _pair(match: Match, subjects: dict[str, Subject]) -> Pair:
    left, right = sorted((subjects[match.one], subjects[match.other]), key=lambda subject: subject.path)
    signals = tuple(SIGNALS[signal] for signal in match.signals)
    return Pair(left, right, signals, match.certain if match.tier == "certain" else "", match.stated, match.evidence, match.vetoes, match.rank)


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
