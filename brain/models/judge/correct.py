"""Correct: numbered pairs of a fact and a line → the line misstates it, and which words of the fact belong there, or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from brain.core.correction import occurrences
from brain.core.judgement import Unsure
from brain.models.judge.ask import Asker
from brain.models.judge.claims import decide_claims
from brain.models.judge.pairs import PairItem
from brain.models.judge.values import Agrees, ClaimPair, Corrected, Misstates
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, why_no_text

TASK = "correct"


class CorrectItem(PairItem):
    """What a reply says about one line."""

    verdict: Literal["wrong", "right", "other", "unsure"]
    old: str | None = None
    new: str | None = None
    reason: str | None = None


def correct(asker: Asker, pairs: Sequence[ClaimPair]) -> tuple[Corrected, ...]:
    """Asks about lines (right) beside a fact (left); returns a verdict or an `Unanswered` for each, in the order given."""
    return decide_claims(asker, TASK, CorrectItem, pairs, _read)


def _read(item: CorrectItem, pair: ClaimPair, judge: str) -> Misstates | Agrees | Unsure | str:
    """Reads one item. Both wordings stand where they are said to stand, as whole words: nothing a model made up is written."""
    if item.verdict == "unsure":
        return Unsure(judge, "the model cannot tell whether the line is wrong", (pair.right.id,))
    if item.verdict != "wrong":
        return Agrees(judge, f"the model takes the line for {item.verdict}", pair.right.id)
    old, new, reason = (item.old or "").strip(), (item.new or "").strip(), clean_text(item.reason or "")
    why = why_no_text(reason, chars_max=REASON_CHARS_MAX, known=f"{pair.left.text} {pair.right.text}")
    if why is not None:
        return why
    stands = old and new and pair.right.text.find(old) >= 0 and pair.left.text.find(new) >= 0
    is_whole = stands and any(occurrences(pair.right.text, old)) and any(occurrences(pair.left.text, new))
    return Misstates(judge, reason, pair.right.id, old, new) if is_whole and old != new else "quote"
