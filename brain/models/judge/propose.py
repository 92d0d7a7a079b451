"""Propose: an offered note and the numbered notes that come near it → one decision, with the words of the note that it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from brain.models.judge.ask import Asker, Question
from brain.models.judge.excerpts import listed, rendered, trimmed
from brain.models.judge.prompts import load_prompt
from brain.models.judge.quotes import found_in
from brain.models.judge.shapes import Strict, read_items, shape_for
from brain.models.judge.values import Evidence, Excerpt, Placed, Unanswered
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, why_no_text
from brain.models.verdicts import Answer

TASK = "propose"


class DecisionItem(Strict):
    """A decision as a reply holds it."""

    action: Literal["update", "supersede", "create", "discard"]
    target: int | None
    quote: str | None
    reason: str


def propose(asker: Asker, offered: Excerpt, near: Sequence[Excerpt]) -> Placed | Unanswered:
    """Asks what is to become of an offered note beside those that come near it."""
    notes = [trimmed(asker, note) for note in near]
    blocks = (("offered note", rendered("", trimmed(asker, offered))), ("notes", listed(notes)))
    question = Question(load_prompt(TASK), blocks, tuple(note.id for note in notes), _shape)
    judge = asker.judge(question.prompt)
    return asker.decide(question, lambda answer, refusals: _read(answer, refusals, offered, notes, judge))


def _shape(ticket: str) -> type[Strict]:
    return shape_for("Propose", ticket, decision=DecisionItem)


def _read(answer: Answer, refusals: Counter[str], offered: Excerpt, notes: Sequence[Excerpt], judge: str) -> tuple[Placed, Answer] | str:
    item = next(read_items(DecisionItem, [answer.get("decision")], lambda why: refusals.update([why]), items_max=1), None)
    if item is None:
        return "reply-shape"
    reason = clean_text(item.reason)
    known = "\n".join(note.text for note in (offered, *notes))
    evidence = _evidence(item, notes)
    why = evidence if isinstance(evidence, str) else why_no_text(reason, chars_max=REASON_CHARS_MAX, known=known)
    if why is not None or isinstance(evidence, str):
        refusals[str(why)] += 1
        return "items-refused"
    return Placed(judge, reason, item.action, evidence), {"decision": item.model_dump()}


def _evidence(item: DecisionItem, notes: Sequence[Excerpt]) -> Evidence | str | None:
    """Returns the words that a decision stands on, none for a note of its own; a word for why they are none."""
    if item.action == "create":
        return None if item.target is None and item.quote is None else "target-of-none"
    if item.target is None or not 1 <= item.target <= len(notes):
        return "note-number"
    note = notes[item.target - 1]
    quote = found_in(note.text, item.quote or "")
    return "quote-not-in-text" if quote is None else Evidence(note.path, note.line + quote.line, quote.text)
