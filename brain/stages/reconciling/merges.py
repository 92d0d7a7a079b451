"""The plan of a merge that rules or a judge speak for: what holds it for a person is named in it. Reads, writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf

from brain.core.ids import fold
from brain.core.judgement import Pair, Same, Unsure
from brain.core.matching.grouping import grouped
from brain.core.plan import Concern, Plan, Provenance, Question
from brain.models.judge.quotes import found_in
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.linking.quoting import quoted
from brain.stages.merging import PERSONAL, Merging, plan_merge
from brain.stages.reconciling.questions import apart_by_name, ends_of
from brain.stages.reviewing.titles import titled
from brain.stages.rules import RULES
from brain.stages.run import Run
from brain.stages.target import Names

Case = tuple[Pair, Same]


@dataclass(frozen=True, slots=True)
class Doubts:
    """Why a merge that a judge speaks for is a person's to decide, by pair, and the pairs that only a name speaks for."""

    words: Mapping[tuple[str, str], str]
    names_alone: frozenset[tuple[str, str]] = frozenset()


NONE = Doubts({})


def question_of(pair: Pair, verdict: Same | Unsure) -> Same:
    """Returns the merge that a person is asked about: there is no quote that would make it certain."""
    return Same(verdict.judge, verdict.reason, pair.left.path, pair.right.path, "")


def decision_of(pair: Pair, same: Same) -> Plan:
    """Returns what is decided about a pair. What a judge says and what a person is asked are one decision, whatever the words."""
    quote = same.quote if same.judge == RULES.name else ""
    one, other = ends_of(pair)
    return Plan("reconcile", f"{one}|{other}|{quote}", {}, (), same.reason)


def doubts_about(cases: Iterable[Case], names_alone: Iterable[tuple[str, str]]) -> Doubts:
    """Returns what speaks against the merges of one round: of each pair, and of what they would join together.

    Two notes that nobody compared, or that are told apart, are not joined through a third one.
    """
    found = {ends_of(pair): (pair, same) for pair, same in cases}
    words: dict[tuple[str, str], str] = {}
    for ends, (pair, same) in found.items():
        if same.judge != RULES.name and (objection := next(iter(pair.vetoes), None) or apart_by_name(pair)):
            words[ends] = objection
    clear = {ends: 1.0 + max(pair.rank, 0.0) + (100.0 if same.judge == RULES.name else 0.0) for ends, (pair, same) in found.items() if ends not in words}
    groups = grouped(clear, clear, frozenset(words), absent=-inf)
    joined = {ends for group in groups.groups for ends in combinations(group, 2)}
    apart = {ends: "it would join notes of which nobody said that they are one thing" for ends in groups.refused if ends not in joined}
    by_model = {ends: why for ends, why in apart.items() if found[ends][1].judge != RULES.name}
    return Doubts(words | by_model, frozenset(names_alone))


def planned(ctx: Context, run: Run, pair: Pair, same: Same, doubts: Doubts = NONE) -> Plan | None:
    """Plans one merge from the notes as they are now; None when a merge before it took one of them, or it was decided."""
    key = decision_of(pair, same).key
    is_model = same.judge != RULES.name and bool(same.quote)
    asked = question_of(pair, same) if is_model else same
    plan = plan_merge(Merging(ctx, run.reading, Names(ctx)), pair, asked, key=key)
    if plan is None or decision_id(plan) in run.ledger.settled:
        return None
    doubt = doubts.words.get(ends_of(pair))
    said = (f"the notes say {words}",) if is_model and (words := quoted(same.quote, ctx.config.limits)) else ()
    found = (*said, *pair.evidence, *(f"but {veto}" for veto in dict.fromkeys((*pair.vetoes, *((doubt,) if doubt else ()), *pair.against))))
    because, *evidence = titled(ctx, (f"{plan.because}; but {doubt}" if doubt else plan.because, *found))
    plan = replace(
        plan, because=because, certain=plan.certain and not doubt,
        concerns=tuple(dict.fromkeys((*plan.concerns, *_concerns(pair, same, doubts)))),
        question=Question(asked, (pair.left.id, pair.right.id), tuple(evidence), pair.rank, pair.stated),
    )  # fmt: skip
    return replace(plan, provenance=tuple(_where(run, pair, same, source) for source in plan.provenance)) if is_model else plan


def _concerns(pair: Pair, same: Same, doubts: Doubts) -> tuple[Concern, ...]:
    """What only an alias says, and what an e-mail address or the like says of people, is for a person."""
    if same.judge == RULES.name and same.quote:
        return ()
    is_alias = pair.stated == "alias" and (not same.quote or ends_of(pair) in doubts.names_alone)
    is_personal = same.quote and any(fold(key).startswith(PERSONAL) for side in (pair.left, pair.right) for key in side.properties)
    return (*(("alias-only",) if is_alias else ()), *(("people",) if is_personal else ()))


def _where(run: Run, pair: Pair, same: Same, source: Provenance) -> Provenance:
    """Returns the provenance of a merge with the line on which the judge's words stand, in the absorbed note or else the other."""
    for path in sorted((pair.left.path, pair.right.path), key=lambda path: path != source.episode):
        read = run.reading.read(path)
        found = found_in(read.text, same.quote) if read else None
        if read and found:
            return replace(source, episode=path, episode_sha256=read.sha256, line=found.line + 1, quote=found.text)
    return source
