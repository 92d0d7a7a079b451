"""Numbered pairs, many in one request, remembered one by one: another batch does not make another question of a pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from brain.models.judge.ask import Asker
from brain.models.judge.prompts import Prompt
from brain.models.judge.shapes import Strict, items_of, read_items, shape_for
from brain.models.judge.values import Unanswered
from brain.models.verdicts import question_key

Pair = TypeVar("Pair")
Verdict = TypeVar("Verdict")
ROOM = 0.5
"""How much of a request the pairs may fill; the rest is for the prompt, the schema and what the layout adds."""


class PairItem(Strict):
    """What a reply says about one pair; each task adds its own fields."""

    pair: int


@dataclass(frozen=True, slots=True)
class PairTask(Generic[Pair, Verdict]):
    """How one kind of pair is shown and read.

    `contents` and `ids` are what the answer depends on; `read` returns a verdict, or a word for why an item is refused.
    """

    prompt: Prompt
    item: type[Any]
    contents: Callable[[Pair], tuple[str, ...]]
    ids: Callable[[Pair], tuple[str, ...]]
    blocks: Callable[[Sequence[Pair]], tuple[tuple[str, str], ...]]
    read: Callable[[Any, Pair], Verdict | str]
    words: Mapping[str, str] = field(default_factory=dict)

    def key(self, pair: Pair, model: str) -> str:
        """Returns under what the answer about a pair is remembered."""
        return question_key(self.prompt, model, contents=self.contents(pair), ids=self.ids(pair))


def decide_pairs(asker: Asker, task: PairTask[Pair, Verdict], pairs: Sequence[Pair]) -> tuple[Verdict | Unanswered, ...]:
    """Returns a verdict for each pair, in the order given: from memory, else from as few requests as the limits allow."""
    found: dict[int, Verdict | Unanswered] = {}
    for place, pair in enumerate(pairs):
        ids = task.ids(pair)
        if len(set(ids)) < len(ids):
            found[place] = asker.unanswered("self-pair", "A pair holds one thing twice.")
        elif (known := _remembered(asker, task, pair)) is not None:
            found[place] = known
    open_places = [place for place in range(len(pairs)) if place not in found]
    for batch in _batches(asker, task, pairs, open_places):
        answers = _asked(asker, task, [pairs[place] for place in batch])
        found.update(zip(batch, answers, strict=True))
    return tuple(found[place] for place in range(len(pairs)))


def _remembered(asker: Asker, task: PairTask[Pair, Verdict], pair: Pair) -> Verdict | None:
    answer = asker.verdicts.known(task.key(pair, asker.model))
    if answer is None:
        return None
    try:
        verdict = task.read(task.item.model_validate({**answer, "pair": 1}), pair)
    except (ValidationError, RecursionError):
        return None
    if isinstance(verdict, str):
        return None
    asker.tally.remembered += 1
    return verdict


def _batches(asker: Asker, task: PairTask[Pair, Verdict], pairs: Sequence[Pair], places: Sequence[int]) -> Iterator[list[int]]:
    room = int(asker.settings.prompt_chars_max * ROOM)
    batch: list[int] = []
    size = 0
    for place in places:
        chars = sum(map(len, task.contents(pairs[place])))
        if batch and (len(batch) >= asker.settings.pairs_per_call_max or size + chars > room):
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += chars
    if batch:
        yield batch


def _asked(asker: Asker, task: PairTask[Pair, Verdict], pairs: Sequence[Pair]) -> list[Verdict | Unanswered]:
    """Asks about one batch. Items with a number that stands twice or is none of ours are refused, like those that do not hold."""
    envelope = asker.ask(task.prompt, task.blocks(pairs), lambda ticket: shape_for("Pairs", ticket, pairs=items_of(task.item)), task.words)
    if isinstance(envelope, Unanswered):
        return [envelope] * len(pairs)
    refusals: Counter[str] = asker.tally.refusals

    def refuse(why: str) -> None:
        refusals[why] += 1

    items = list(read_items(task.item, envelope.model_dump()["pairs"], refuse, items_max=asker.settings.items_per_reply_max))
    by_number: dict[int, list[Any]] = {}
    for item in items:
        if 1 <= item.pair <= len(pairs):
            by_number.setdefault(item.pair, []).append(item)
        else:
            refuse("pair-number")
    answers: list[Verdict | Unanswered] = []
    for number, pair in enumerate(pairs, start=1):
        answer = _answered(asker, task, pair, by_number.get(number, []))
        answers.append(answer)
    return answers


def _answered(asker: Asker, task: PairTask[Pair, Verdict], pair: Pair, items: Sequence[Any]) -> Verdict | Unanswered:
    if not items:
        return asker.unanswered("missing", "The reply says nothing about a pair.")
    if len(items) > 1:
        asker.tally.refusals["pair-twice"] += len(items)
        return asker.unanswered("items-refused", "The reply says more than one thing about a pair.")
    verdict = task.read(items[0], pair)
    if isinstance(verdict, str):
        asker.tally.refusals[verdict] += 1
        return asker.unanswered("items-refused", f"What the reply says about a pair could not be used ({verdict}).")
    asker.verdicts.keep(
        task.key(pair, asker.model), items[0].model_dump(exclude={"pair"}), task=task.prompt.name, judge=asker.judge(task.prompt), about=task.ids(pair)
    )
    return verdict
