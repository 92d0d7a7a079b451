"""Conflict: numbered pairs of claims → one replaces the other from a day on, both cannot hold, or both can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from brain.core.judgement import Contradicts, Supersedes, Unsure
from brain.models.judge.ask import Asker
from brain.models.judge.claims import decide_claims
from brain.models.judge.pairs import PairItem
from brain.models.judge.values import Claim, ClaimPair, Compared, Compatible
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, real_date, why_no_text

TASK = "conflict"


class ConflictItem(PairItem):
    """What a reply says about one pair of claims."""

    verdict: Literal["supersedes", "contradicts", "compatible", "unsure"]
    later: Literal["A", "B"] | None = None
    on: str | None = None
    reason: str | None = None


def conflict(asker: Asker, pairs: Sequence[ClaimPair]) -> tuple[Compared, ...]:
    """Asks about pairs of claims; returns a verdict or an `Unanswered` for each, in the order given."""
    return decide_claims(asker, TASK, ConflictItem, pairs, _read)


def _read(item: ConflictItem, pair: ClaimPair, judge: str) -> Supersedes | Contradicts | Compatible | Unsure | str:
    ids = (pair.left.id, pair.right.id)
    if item.verdict == "unsure":
        return Unsure(judge, "the model cannot tell whether both hold", ids)
    if item.verdict == "compatible":
        return Compatible(judge, "the model takes both for possible", *ids)
    reason = clean_text(item.reason or "")
    why = why_no_text(reason, chars_max=REASON_CHARS_MAX, known=f"{pair.left.text} {pair.right.text}")
    if why is not None:
        return why
    if item.verdict == "contradicts":
        return Contradicts(judge, reason, *ids)
    if item.later is None:
        return "later"
    later, earlier = (pair.left, pair.right) if item.later == "A" else (pair.right, pair.left)
    on = _day(item.on, later, earlier)
    return "date" if on is None else Supersedes(judge, reason, later.id, earlier.id, on)


def _day(written: str | None, later: Claim, earlier: Claim) -> str | None:
    """Returns the day when it is one of those known of the later claim, and not before the earlier one began."""
    on = real_date(written)
    if on is None or (on not in {day for _, day in later.days} and on not in later.text):
        return None
    began = [day for what, day in earlier.days if what == "from"]
    return on if all(day <= on for day in began) else None
