"""Reconcile: notes that are one thing become one note, and every live link leads to it.

find (identifiers and rare words of names that two notes share) → adjudicate (conflicts forbid, a rare shared
identifier is certain) → plan (one for each merge) → commit. What the judge leaves open is counted, never done.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.ids import fold
from brain.core.judgement import Distinct, Pair, Same, Subject, Unsure
from brain.core.plan import Applied, Plan
from brain.stages.conflict import IDENTIFIERS, identifiers
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.merging import Merging, plan_merge
from brain.stages.report import RunReport, counted
from brain.stages.run import Run
from brain.stages.target import Names

PAGE = 500
PAIRS_SEEN_MAX = 10_000
ROUNDS_MAX = 8
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the judge said about all pairs."""

    same: tuple[tuple[Pair, Same], ...]
    distinct: tuple[Distinct, ...]
    unsure: tuple[Unsure, ...]


def run(ctx: Context, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
    """Merges at most `limit` pairs (default: the setting; 0: all) and returns what became of them.

    A merge can make another one certain, so the search is repeated until a round merges nothing.
    """
    run = Run(ctx, "reconcile", dry_run=dry_run)
    left = (ctx.config.limits.pairs_per_run_max if limit is None else limit) or PAIRS_SEEN_MAX * ROUNDS_MAX
    found = waiting = left_out = 0
    for _ in range(ROUNDS_MAX):
        pairs = find_pairs(ctx)
        verdicts = adjudicate(pairs, ctx)
        found, waiting = max(found, len(pairs)), len(verdicts.unsure)
        merges = open_merges(run, verdicts)
        left_out = max(0, len(merges) - left)
        receipts = [run.commit(plan) for merge in merges[:left] if (plan := _planned(ctx, run, *merge)) is not None]
        left -= len(receipts)
        if dry_run or left <= 0 or not any(isinstance(receipt, Applied) for receipt in receipts):
            break
    if waiting:
        more = "At least " if found >= PAIRS_SEEN_MAX else ""
        run.say(f"{more}{counted(waiting, 'pair')} of notes that share words of their names: only a language model or a person can tell whether they are one thing.")
    return run.report(found=found, waiting=waiting, left_out=left_out)


def find_pairs(ctx: Context) -> tuple[Pair, ...]:
    """Returns the pairs that a query proposes, each once, with every signal that proposed it; sorted by path."""
    signals: dict[tuple[str, str], set[str]] = defaultdict(set)
    with ctx.graph.session():
        paths = list(_identified(ctx))
        for row in ctx.graph.run("shared-names", df_max=ctx.config.limits.token_df_max, limit=PAIRS_SEEN_MAX):
            signals[row["left"], row["right"]].add("rare words of their names")
    subjects = _subjects(ctx, sorted({*paths, *(path for pair in signals for path in pair)}))
    rare = _rare(subjects[path] for path in paths if path in subjects)
    for pair, keys in rare.items():
        signals[pair].update(key.partition("=")[0] for key in keys)
    return tuple(
        Pair(subjects[left], subjects[right], tuple(sorted(why)), frozenset(rare.get((left, right), ())))
        for (left, right), why in sorted(signals.items())
        if left in subjects
        and right in subjects
        and not _told_apart(subjects[left], subjects[right])
        and ((left, right) in rare or not _are_of_one_series(subjects[left], subjects[right]))
    )


def adjudicate(pairs: tuple[Pair, ...], ctx: Context) -> Verdicts:
    """Returns the judge's verdict on every pair, by kind."""
    same: list[tuple[Pair, Same]] = []
    distinct: list[Distinct] = []
    unsure: list[Unsure] = []
    for pair in pairs:
        match ctx.judge.identify(pair):
            case Same() as verdict:
                same.append((pair, verdict))
            case Distinct() as verdict:
                distinct.append(verdict)
            case Unsure() as verdict:
                unsure.append(verdict)
    return Verdicts(tuple(same), tuple(distinct), tuple(unsure))


def open_merges(run: Run, verdicts: Verdicts) -> list[tuple[Pair, Same]]:
    """Returns the merges still to be decided: neither held nor declined before."""
    return [(pair, same) for pair, same in verdicts.same if decision_id(_decision(pair, same)) not in run.ledger.settled]


def _planned(ctx: Context, run: Run, pair: Pair, same: Same) -> Plan | None:
    """Plans one merge from the notes as they are now; None when a merge before it took one of them."""
    return plan_merge(Merging(ctx, run.reading, Names(ctx)), pair, same, key=_decision(pair, same).key)


def _decision(pair: Pair, same: Same) -> Plan:
    ids = sorted((pair.left.id, pair.right.id))
    return Plan("reconcile", f"{ids[0]}|{ids[1]}|{same.quote}", {}, (), same.reason)


def _identified(ctx: Context) -> Iterator[str]:
    keys = [f'"{key}":' for key in IDENTIFIERS]
    after = ""
    while True:
        rows = ctx.graph.run("identified", keys=keys, after=after, limit=PAGE)
        yield from (row["path"] for row in rows)
        if len(rows) < PAGE:
            return
        after = rows[-1]["path"]


def _subjects(ctx: Context, paths: list[str]) -> dict[str, Subject]:
    found: dict[str, Subject] = {}
    with ctx.catalog() as conn:
        for path in paths:
            row = conn.execute("SELECT nid, id, title, kind, properties FROM note WHERE path=?", (path,)).fetchone()
            if row is not None:
                nid, note_id, title, kind, properties = row
                aliases = tuple(text for (text,) in conn.execute("SELECT text FROM name WHERE nid=? AND how=2 ORDER BY rowid", (nid,)))
                found[path] = Subject(note_id, path, title, kind, aliases, json.loads(properties))
    return found


def _rare(subjects: Iterator[Subject]) -> dict[tuple[str, str], set[str]]:
    """Returns pairs with the identifiers that they, and no third note, have."""
    holders: dict[str, set[str]] = defaultdict(set)
    for subject in subjects:
        for identifier in identifiers(subject.properties):
            holders[identifier].add(subject.path)
    pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for identifier, paths in holders.items():
        if len(paths) == 2:
            left, right = sorted(paths)
            pairs[left, right].add(identifier)
    return pairs


def _told_apart(left: Subject, right: Subject) -> bool:
    """A person wrote `distinct_from` in one of the two (the graph knows it only when the link resolves)."""
    return _stem(right) in _distinct_stems(left) or _stem(left) in _distinct_stems(right)


def _are_of_one_series(left: Subject, right: Subject) -> bool:
    """Their file names differ in their numbers alone: days of a log, parts of a series. That says they are two things."""
    names = _stem(left), _stem(right)
    return names[0] != names[1] and _NUMBER.sub("0", names[0]) == _NUMBER.sub("0", names[1])


def _stem(subject: Subject) -> str:
    return fold(subject.path.rsplit("/", 1)[-1][:-3])


def _distinct_stems(subject: Subject) -> set[str]:
    written = subject.properties.get("distinct_from")
    texts = written if isinstance(written, list) else [written]
    return {fold(re.sub(r"^\[\[|[|#].*$|\]\].*$", "", str(text)).rsplit("/", 1)[-1]) for text in texts if text}
