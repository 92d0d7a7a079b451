"""Restate: numbered pairs of claims → one says everything that the other says, or each says something of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from brain.core.judgement import Unsure
from brain.models.judge.ask import Asker
from brain.models.judge.claims import decide_claims
from brain.models.judge.pairs import PairItem
from brain.models.judge.values import ClaimPair, OwnWords, Restated, Restates
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, why_no_text

TASK = "restate"


class RestateItem(PairItem):
    """What a reply says about one pair of claims."""

    verdict: Literal["same", "other", "unsure"]
    keep: Literal["A", "B"] | None = None
    reason: str | None = None


def restate(asker: Asker, pairs: Sequence[ClaimPair]) -> tuple[Restated, ...]:
    """Asks about pairs of claims; returns a verdict or an `Unanswered` for each, in the order given."""
    return decide_claims(asker, TASK, RestateItem, pairs, _read)


def _read(item: RestateItem, pair: ClaimPair, judge: str) -> Restates | OwnWords | Unsure | str:
    ids = (pair.left.id, pair.right.id)
    if item.verdict == "unsure":
        return Unsure(judge, "the model cannot tell whether both say the same", ids)
    if item.verdict == "other":
        return OwnWords(judge, "the model finds something of its own in each", *ids)
    reason = clean_text(item.reason or "")
    why = why_no_text(reason, chars_max=REASON_CHARS_MAX, known=f"{pair.left.text} {pair.right.text}")
    if why is not None:
        return why
    if item.keep is None:
        return "keep"
    kept, folded = (pair.left, pair.right) if item.keep == "A" else (pair.right, pair.left)
    return Restates(judge, reason, kept.id, folded.id)
