"""What is to be done with a pair: nothing, a person's or model's question, or a merge by rules alone. Pure.

Certain is only a rare identifier that both state, with names that agree, no veto, and one kind. The cut
between likely and unlikely is half of what a chance pair would need; questions reach below it (ADR 0017).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from brain.core.matching.context import UNKNOWN, Likeness
from brain.core.matching.evidence import INDEPENDENT, Evidence, weigh
from brain.core.matching.identifiers import Reach, reach_of
from brain.core.matching.naming import RELATED, Relation
from brain.core.matching.profile import Profile
from brain.core.matching.rarity import Rarity, code_of, value_of
from brain.core.matching.vetoes import Veto, VetoName, vetoes_between

Tier = Literal["certain", "stated", "open", "none", "distinct"]
Stated = Literal["", "alias", "copy", "identifier"]
HOLDERS_MAX, HOLDERS_TOGETHER_MAX = 2, 12
TOGETHER_BITS_MIN = 8.0
COPY_SHARE_MIN, COPY_BITS_MIN = 0.7, 15.0
DOUBT_BITS, SMALL_DOUBT_BITS = 4.0, 1.0
CUT_OF_SPAN = 0.5
QUESTION_RANK_MIN = -7.0
"""Below this a question is not worth a person's time: most true pairs that are found at all lie above."""
NOTES_FEW = 32
"""In fewer notes questions reach less far below the cut, unless the names agree: what little was counted supports no long guess."""
_AGREE: tuple[Relation, ...] = ("equal", "reordered", "spelling")
_ENOUGH: dict[Reach, tuple[Relation, ...]] = {
    "thing": RELATED, "work": ("equal", "reordered"), "address": ("equal", "reordered"),
}  # fmt: skip
"""How names must agree beside an identifier that no third note has: "Dune" and "Dune, the quotes" share a book's."""
_APART_BITS_MIN: dict[Relation, float] = {
    "equal": TOGETHER_BITS_MIN, "reordered": TOGETHER_BITS_MIN, "spelling": TOGETHER_BITS_MIN, "short-form": 12.0, "part": 12.0,
}  # fmt: skip
"""What other facts must come to beside an identifier that several notes have, by how the names agree."""
_OUTDONE: frozenset[VetoName] = frozenset({"mention", "file-name"})
"""Doubts that an identifier of the thing's own and one name settle: a duplicate may well point to the other."""
_SMALL: frozenset[VetoName] = frozenset({"one-number", "one-qualifier", "plural", "derived", "file-name", "alias-list"})
"""Doubts that say little: nearly as many pairs of one thing have them. They only keep rules from merging."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair with everything that was found about it. `certain` says by what, when rules alone may merge it."""

    left: Profile
    right: Profile
    evidence: Evidence
    vetoes: tuple[Veto, ...]
    margin: float
    """Bits above the cut."""
    tier: Tier
    certain: tuple[str, str] | None = None
    stated: Stated = ""

    @property
    def rank(self) -> float:
        """What questions are ordered by: the margin, with something off for each doubt."""
        return self.margin - sum(SMALL_DOUBT_BITS if veto.name in _SMALL else DOUBT_BITS for veto in self.vetoes)


def judge(left: Profile, right: Profile, rarity: Rarity, likeness: Likeness = UNKNOWN) -> Judged:
    """Weighs a pair and says what is to be done with it."""
    evidence = weigh(left, right, rarity, likeness)
    vetoes = vetoes_between(left, right, evidence, rarity)
    pair = Judged(left, right, evidence, vetoes, evidence.bits - CUT_OF_SPAN * rarity.span, "none")
    if any(veto.forbids for veto in vetoes):
        return replace(pair, tier="distinct")
    if by := next(_certain(pair, rarity), None):
        return replace(pair, tier="certain", certain=by)
    reach = 1.0 if evidence.alignment.relation in _AGREE else min(1.0, rarity.notes / NOTES_FEW)
    if pair.rank < QUESTION_RANK_MIN * reach or not any(part.bits > 0 for part in evidence.parts):
        return pair  # nothing that is missing or differs is a reason to ask
    stated = _stated(pair)
    return replace(pair, tier="stated" if stated else "open", stated=stated)


def _stated(pair: Judged) -> Stated:
    """Returns what makes a question come before others; with names that have nothing in common nothing does."""
    evidence = pair.evidence
    if pair.margin < 0 or (evidence.alignment.relation not in RELATED and not evidence.bits_of("said")):
        return ""
    return "alias" if is_alias_stated(evidence) or evidence.bits_of("said") else "identifier" if evidence.shared else "copy" if is_copy(evidence) else ""


def is_alias_stated(evidence: Evidence) -> bool:
    """Tells whether the own name of one note is an alias of the other."""
    return evidence.is_alias and evidence.alignment.relation in ("equal", "reordered")


def is_copy(evidence: Evidence) -> bool:
    """Tells whether the texts are nearly one."""
    return evidence.overlap.share >= COPY_SHARE_MIN and evidence.overlap.bits >= COPY_BITS_MIN


def _certain(pair: Judged, rarity: Rarity) -> Iterator[tuple[str, str]]:
    """Yields the identifiers that make the pair one thing without a doubt.

    Two notes that alone have it need names that agree; where more have it, as clippings and address books do, other
    facts have to agree as well.
    """
    left, right, evidence = pair.left, pair.right, pair.evidence
    relation, named = evidence.alignment.relation, {veto.name for veto in pair.vetoes}
    if left.kind != right.kind or not (left.folder == right.folder or (left.type and left.type == right.type)):
        return
    for kind, value in evidence.shared:
        reach, holders = reach_of(kind), rarity.df(value_of(kind, value))
        if named - (_OUTDONE if reach != "address" and relation in ("equal", "reordered") else frozenset()):
            continue
        apart = evidence.bits_of(*INDEPENDENT) - evidence.bits_of_key(kind)
        if (holders <= HOLDERS_MAX and relation in _ENOUGH[reach] and not (evidence.is_alias and reach == "address")) or (holders <= HOLDERS_TOGETHER_MAX and apart >= _APART_BITS_MIN.get(relation, inf)):
            yield kind, value
    if not named and (relation in RELATED or evidence.bits_of("said")):
        yield from (("code", code) for code, is_own in sorted(left.codes.items()) if is_own and right.codes.get(code) and rarity.df(code_of(code)) <= HOLDERS_MAX)
