"""Relate: numbered pairs of notes → the typed relation that the first note states to the second, or that it states none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from brain.core.judgement import Relates, Unsure
from brain.core.vocabulary import RELATIONS, canonical_relation
from brain.models.judge.ask import Asker
from brain.models.judge.excerpts import listed, rendered, trimmed
from brain.models.judge.pairs import PairItem, PairTask, decide_pairs
from brain.models.judge.prompts import load_prompt
from brain.models.judge.quotes import found_in
from brain.models.judge.shapes import NONE, UNSURE, RelationWord
from brain.models.judge.values import NotePair, Related, Unrelated
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, why_no_text

TASK = "relate"


class RelationItem(PairItem):
    """What a reply says about one pair of notes."""

    relation: RelationWord
    direction: Literal["forward", "backward"]
    quote: str | None = None
    reason: str | None = None


def relate(asker: Asker, pairs: Sequence[NotePair]) -> tuple[Related, ...]:
    """Asks about pairs of notes; returns a verdict or an `Unanswered` for each, in the order given."""
    judge = asker.judge(load_prompt(TASK))
    task: PairTask[NotePair, Relates | Unrelated | Unsure] = PairTask(
        load_prompt(TASK), RelationItem,
        contents=lambda pair: (rendered("", pair.left), rendered("", pair.right)), ids=lambda pair: (pair.left.id, pair.right.id),
        blocks=_blocks, read=lambda item, pair: _read(item, pair, judge), words={"relations": ", ".join(RELATIONS)},
    )  # fmt: skip
    return decide_pairs(asker, task, [NotePair(trimmed(asker, pair.left), trimmed(asker, pair.right)) for pair in pairs])


def _blocks(pairs: Sequence[NotePair]) -> tuple[tuple[str, str], ...]:
    """Each note once, then the pairs by the numbers of their notes."""
    notes = list({note.id: note for pair in pairs for note in (pair.left, pair.right)}.values())
    number = {note.id: place for place, note in enumerate(notes, start=1)}
    lines = [f"{place}. N{number[pair.left.id]} and N{number[pair.right.id]}" for place, pair in enumerate(pairs, start=1)]
    return (("notes", listed(notes, mark="N")), ("pairs", "\n".join(lines)))


def _read(item: RelationItem, pair: NotePair, judge: str) -> Relates | Unrelated | Unsure | str:
    left, right = pair.left, pair.right
    if item.relation == NONE:
        return Unrelated(judge, "the note states no relation", left.path, right.path)
    if item.relation == UNSURE:
        return Unsure(judge, "the model cannot tell whether they are related", (left.path, right.path))
    relation = canonical_relation(item.relation)
    if relation is None:
        return "relation-word"
    quote = found_in(left.text, item.quote or "")
    if quote is None:
        return "quote-not-in-text"
    reason = clean_text(item.reason or "")
    why = why_no_text(reason, chars_max=REASON_CHARS_MAX, known=left.text)
    if why is not None:
        return why
    source, target = (left.path, right.path) if item.direction == "forward" else (right.path, left.path)
    return Relates(judge, reason, source, relation, target, left.line + quote.line, quote.text)

