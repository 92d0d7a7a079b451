"""Extract: one piece of an episode → claims about durable things, and actions. Each with a quote that stands there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from brain.core.ids import fold
from brain.core.judgement import Extracted
from brain.core.slug import compact
from brain.core.vocabulary import ATOM_KINDS
from brain.judging import Judge
from brain.models.judge.ask import Asker, Question, counts_of
from brain.models.judge.fence import one_line
from brain.models.judge.names import clean_name, why_no_name
from brain.models.judge.prompts import load_prompt
from brain.models.judge.quotes import Quote, found_in
from brain.models.judge.shapes import Strict, items_of, read_items, shape_for
from brain.models.judge.values import Action, Extraction, Known, Piece, Unanswered
from brain.models.judge.words import clean_text, real_date, why_no_text
from brain.models.verdicts import Answer

TASK = "extract"
ABOUT_CHARS_MAX = 120
AtomKind = Literal["decision", "risk", "fact", "person", "opportunity", "hypothesis", "open_question", "event"]
Confidence = Literal["verified", "inferred"]
NOTHING_DURABLE = frozenset({"name-vague", "name-period"})
"""Reasons that say that a claim is about no durable thing: a reply with nothing else is still an answer."""


class AtomItem(Strict):
    """One claim as a reply holds it."""

    kind: AtomKind
    entity: int | None = None
    name: str | None = None
    text: str
    quote: str
    confidence: Confidence
    from_: str | None = Field(default=None, alias="from")
    to: str | None = None


class ActionItem(Strict):
    """One action as a reply holds it."""

    text: str
    quote: str
    due: str | None = None


def extract(asker: Asker, piece: Piece, known: Sequence[Known]) -> Extraction | Unanswered:
    """Asks what a piece claims about known and new things; what was answered before is not asked again."""
    listed = known[: asker.settings.shown_max]
    asker.tally.cut += len(known) - len(listed)
    question = Question(
        load_prompt(TASK), (("existing things", _listed(listed)), ("text", _headed(piece))),
        (piece.episode_id, *(entity.id for entity in listed)), _shape, {"kinds": ", ".join(ATOM_KINDS)},
    )  # fmt: skip
    judge = asker.judge(question.prompt)
    return asker.decide(question, lambda answer, refusals: _read(answer, refusals, _Reading(piece, listed, judge, asker.settings, refusals)))


def _shape(ticket: str) -> type[Strict]:
    return shape_for("Extract", ticket, atoms=items_of(AtomItem), actions=items_of(ActionItem))


def _listed(known: Sequence[Known]) -> str:
    lines = []
    for number, entity in enumerate(known, start=1):
        also = f", also called {'; '.join(map(one_line, entity.aliases))}" if entity.aliases else ""
        about = f" - {one_line(entity.about)[:ABOUT_CHARS_MAX]}" if entity.about.strip() else ""
        lines.append(f"{number}. {one_line(entity.name)} ({entity.kind}){also}{about}")
    return "\n".join(lines) or "(none)"


def _headed(piece: Piece) -> str:
    """The text, under what is known of it: a relative date needs the day."""
    part = f"part {piece.number} of {piece.of}" if piece.of > 1 else ""
    head = ", ".join(filter(None, (one_line(piece.title), piece.day, part)))
    return f"({head})\n\n{piece.text}" if head else piece.text


def _read(answer: Answer, refusals: Counter[str], reading: _Reading) -> tuple[Extraction, Answer] | str:
    """Reads the items of an answer. Nothing usable is no answer, unless all it did was to name what is no thing."""
    atoms, actions = answer.get("atoms"), answer.get("actions")
    if not isinstance(atoms, list) or not isinstance(actions, list):
        return "reply-shape"
    limit = reading.settings.items_per_reply_max
    claims = {item: claim for item in read_items(AtomItem, atoms, reading.refuse, items_max=limit) if (claim := reading.claim(item))}
    todo = {item: action for item in read_items(ActionItem, actions, reading.refuse, items_max=limit) if (action := reading.action(item))}
    if set(refusals) - NOTHING_DURABLE and not claims and not todo:
        return "items-refused"
    used = {"atoms": [item.model_dump(by_alias=True) for item in claims], "actions": [item.model_dump() for item in todo]}
    return Extraction(tuple(claims.values()), tuple(todo.values()), counts_of(refusals)), used


@dataclass(slots=True)
class _Reading:
    """What the items of one reply are held against."""

    piece: Piece
    known: Sequence[Known]
    judge: str
    settings: Judge
    refusals: Counter[str]
    _said: set[tuple[str, ...]] = field(default_factory=set)

    def refuse(self, why: str) -> None:
        """Counts an item that is left out."""
        self.refusals[why] += 1

    def claim(self, item: AtomItem) -> Extracted | None:
        """Returns the claim of an item, None when anything about it does not hold."""
        entity, why = self._entity(item)
        is_dated = (real_date(item.from_), real_date(item.to)) == (item.from_, item.to) and (item.from_ or "") <= (item.to or "9999")
        text = clean_text(item.text)
        if why is not None or not is_dated:
            self.refuse(why or "date")
            return None
        quote = self._stands(text, item.quote, ("atom", fold(entity), item.kind, fold(text)))
        if quote is None:
            return None
        line = self.piece.line + quote.line
        said = " ".join((text, *(f"({word} {day})" for word, day in (("from", item.from_), ("to", item.to)) if day)))
        return Extracted(self.judge, f"line {line} says it about {entity}", item.kind, said, entity, line, quote.text, item.confidence)

    def action(self, item: ActionItem) -> Action | None:
        """Returns the action of an item, None when anything about it does not hold."""
        text = clean_text(item.text)
        if real_date(item.due) != item.due:
            self.refuse("date")
            return None
        quote = self._stands(text, item.quote, ("action", fold(text)))
        return None if quote is None else Action(self.judge, text, self.piece.line + quote.line, quote.text, item.due)

    def _stands(self, text: str, quote: str, key: tuple[str, ...]) -> Quote | None:
        """Returns the quote when it stands in the piece, and the text may stand in a note and was not said before."""
        found = found_in(self.piece.text, quote)
        why = why_no_text(text, known=self.piece.text) if found else "quote-not-in-text"
        if why is None and key in self._said:
            why = "said-twice"
        if why is not None:
            self.refuse(why)
            return None
        self._said.add(key)
        return found

    def _entity(self, item: AtomItem) -> tuple[str, str | None]:
        """Returns the link target of what a claim is about (of a listed thing, or a name that the text has), or why there is none."""
        if (item.entity is None) == (item.name is None):
            return "", "entity-or-name"
        if item.entity is not None:
            return (self.known[item.entity - 1].target, None) if 1 <= item.entity <= len(self.known) else ("", "entity-number")
        name = clean_name(item.name or "")
        wanted = compact(name)
        listed = [entity.target for entity in self.known if wanted and wanted in _names(entity)]
        if len(listed) == 1:  # of two things with one name none is chosen here
            return listed[0], None
        why = why_no_name(name, is_person=item.kind == "person", vague=self.settings.vague_names)
        is_said = fold(name) in fold(" ".join(self.piece.text.split()))
        return name, why if why is not None or is_said else "name-not-in-text"


def _names(entity: Known) -> set[str]:
    return {compact(name) for name in (entity.name, entity.target.rsplit("/", 1)[-1], *entity.aliases)}
