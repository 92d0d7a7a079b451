"""Insight: a note and those connected with it → the lesson they teach together, or (as a rule) none."""

from __future__ import annotations

from collections import Counter
from typing import Any

from brain.models.judge.ask import Asker, Question
from brain.models.judge.excerpts import listed, rendered, trimmed
from brain.models.judge.names import clean_name, why_no_name
from brain.models.judge.prompts import load_prompt
from brain.models.judge.quotes import found_in
from brain.models.judge.shapes import Strict, items_of, read_items, shape_for
from brain.models.judge.values import Abstracted, Evidence, Excerpt, Hub, Lesson, NoLesson
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, why_no_text
from brain.models.verdicts import Answer

TASK = "insight"
EVIDENCE_NOTES_MIN = 3
TEXT_CHARS_MAX = 600
_FRESH = "It is no name of a note that is shown."
_DEEPER = "There is an insight about these notes already, shown under its own heading: write it anew so that it says more, and keep its title."


class EvidenceItem(Strict):
    """The words of one note that support a lesson."""

    note: int
    quote: str


class LessonItem(Strict):
    """A lesson as a reply holds it."""

    title: str
    text: str
    reason: str
    evidence: items_of(EvidenceItem)  # type: ignore[valid-type]


def insight(asker: Asker, hub: Hub) -> Abstracted:
    """Asks for the lesson of a hub. With fewer connections than the setting asks for there is none, and no call."""
    settings = asker.settings
    if len(hub.connected) < settings.insight_notes_min:
        return NoLesson("rules", f"it has {len(hub.connected)} connections, fewer than {settings.insight_notes_min}", hub.center.path)
    shown = [trimmed(asker, note) for note in (hub.center, *hub.connected[: settings.shown_max])]
    asker.tally.cut += len(hub.connected) + 1 - len(shown)
    known = trimmed(asker, hub.insight) if hub.insight else None
    blocks = [("notes", listed(shown, first=0)), *([("existing insight", rendered("", known))] if known else [])]
    words = {"existing": _DEEPER if known else _FRESH, "evidence_min": str(EVIDENCE_NOTES_MIN)}
    ids = (*(note.id for note in shown), *([known.id] if known else []))
    question = Question(load_prompt(TASK), tuple(blocks), ids, _shape, words)
    judge = asker.judge(question.prompt)
    return asker.decide(question, lambda answer, refusals: _read(answer, refusals, shown, known, judge))


def _shape(ticket: str) -> type[Strict]:
    return shape_for("Insight", ticket, lesson=LessonItem | None)


def _read(answer: Answer, refusals: Counter[str], shown: list[Excerpt], known: Excerpt | None, judge: str) -> tuple[Lesson | NoLesson, Answer] | str:
    written = answer.get("lesson")
    if written is None and "lesson" in answer:
        return NoLesson(judge, "the notes teach nothing that they do not say", shown[0].path), answer
    item = next(read_items(LessonItem, [written], lambda why: refusals.update([why]), items_max=1), None)
    if item is None:
        return "reply-shape"
    title, text, reason = known.title if known else clean_name(item.title), clean_text(item.text), clean_text(item.reason)
    source = "\n".join(note.text for note in shown)
    why = None if known else why_no_name(title)
    why = why or why_no_text(text, chars_max=TEXT_CHARS_MAX, known=source) or why_no_text(reason, chars_max=REASON_CHARS_MAX, known=source)
    if why is not None:
        refusals[why] += 1
        return "items-refused"
    evidence = _evidence(item.evidence, shown, refusals)
    if len(evidence) < EVIDENCE_NOTES_MIN:
        return "too-little-evidence"
    return Lesson(judge, reason, title, text, tuple(evidence.values()), known.path if known else None), {"lesson": item.model_dump()}


def _evidence(written: list[Any], shown: list[Excerpt], refusals: Counter[str]) -> dict[int, Evidence]:
    """Returns the evidence that stands where it is said to, one for each note, by its number."""
    found: dict[int, Evidence] = {}
    for item in read_items(EvidenceItem, written, lambda why: refusals.update([why]), items_max=2 * len(shown)):
        note = shown[item.note] if 0 <= item.note < len(shown) else None
        quote = found_in(note.text, item.quote) if note else None
        if note is None or quote is None:
            refusals["quote-not-in-text" if note else "note-number"] += 1
        else:
            found.setdefault(item.note, Evidence(note.path, note.line + quote.line, quote.text))
    return dict(sorted(found.items()))
