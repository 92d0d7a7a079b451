"""Same: a numbered group of notes → which of them are one thing. The reply is a partition of the numbers, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from brain.core.judgement import Distinct, Same, Unsure
from brain.models.judge.ask import Asker, Question
from brain.models.judge.excerpts import listed, trimmed, words_of
from brain.models.judge.prompts import load_prompt
from brain.models.judge.quotes import found_in
from brain.models.judge.shapes import Strict, items_of, read_items, shape_for
from brain.models.judge.values import Excerpt, Partition, SameGroup, Unanswered
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, why_no_text
from brain.models.verdicts import Answer

TASK = "same"
Refuse = Callable[[str], None]


class GroupItem(Strict):
    """Notes that are one thing, as a reply holds them."""

    members: list[int]
    canonical: int
    quote: str
    reason: str


def same(asker: Asker, group: Sequence[Excerpt]) -> Partition | Unanswered:
    """Asks which notes of a group are one thing. A group of one needs no asking; one that is too large is not asked."""
    notes = [trimmed(asker, note) for note in group]
    if len({note.id for note in notes}) != len(notes):
        return asker.unanswered("self-pair", "A group holds one note twice.")
    if len(notes) > asker.settings.group_max:
        return asker.unanswered("too_large", f"A group has {len(notes)} notes; judge.group_max is {asker.settings.group_max}.")
    if len(notes) < 2:
        return Partition((), ())
    question = Question(load_prompt(TASK), (("notes", listed(notes)),), tuple(note.id for note in notes), _shape)
    judge = asker.judge(question.prompt)
    return asker.decide(question, lambda answer, refusals: _read(answer, refusals, notes, judge))


def _shape(ticket: str) -> type[Strict]:
    return shape_for("Same", ticket, groups=items_of(GroupItem), alone=list[int], unsure=list[int])


def _read(answer: Answer, refusals: Counter[str], notes: Sequence[Excerpt], judge: str) -> tuple[Partition, Answer] | str:
    """A reply in which a number is missing, stands twice or is none of ours, or a group has no evidence, is refused whole."""

    def refuse(why: str) -> None:
        refusals[why] += 1

    written, alone, unsure = answer.get("groups"), answer.get("alone"), answer.get("unsure")
    if not isinstance(written, list) or not isinstance(alone, list) or not isinstance(unsure, list):
        return "reply-shape"
    items = list(read_items(GroupItem, written, refuse, items_max=len(notes)))
    numbers = [*alone, *unsure, *(number for item in items for number in item.members)]
    if any(type(number) is not int for number in numbers) or sorted(numbers) != list(range(1, len(notes) + 1)):
        return "numbers"
    groups = [group for item in items if (group := _group(item, notes, refuse)) is not None]
    if refusals:
        return "items-refused"
    used = {"groups": [item.model_dump() for item in items], "alone": alone, "unsure": unsure}
    doubtful = {notes[number - 1].path for number in unsure}
    return Partition(tuple(groups), _verdicts(notes, groups, doubtful, judge)), used


def _group(item: GroupItem, notes: Sequence[Excerpt], refuse: Refuse) -> SameGroup | None:
    members = [notes[number - 1] for number in sorted(item.members)]
    quote = next((found for note in members if (found := found_in(words_of(note), item.quote))), None)
    reason = clean_text(item.reason)
    why = "group-of-one" if len(members) < 2 else "canonical" if item.canonical not in item.members else None
    why = why or ("quote-not-in-text" if quote is None else why_no_text(reason, chars_max=REASON_CHARS_MAX, known=quote.text))
    if why is not None or quote is None:
        refuse(why or "quote-not-in-text")
        return None
    return SameGroup(notes[item.canonical - 1].path, tuple(sorted(note.path for note in members)), quote.text, reason)


def _verdicts(notes: Sequence[Excerpt], groups: Sequence[SameGroup], doubtful: set[str], judge: str) -> tuple[Same | Distinct | Unsure, ...]:
    """Returns a verdict for every pair, in path order."""
    group_of = {path: group for group in groups for path in group.members}
    verdicts: list[Same | Distinct | Unsure] = []
    for left, right in combinations(sorted(note.path for note in notes), 2):
        group = group_of.get(left)
        if group is not None and group is group_of.get(right):
            ends = (right, left) if right == group.canonical else (left, right)
            verdicts.append(Same(judge, group.reason, *ends, group.quote))
        elif {left, right} & doubtful:
            verdicts.append(Unsure(judge, "the model cannot tell whether they are one thing", (left, right)))
        else:
            verdicts.append(Distinct(judge, "the model takes them for two things", left, right))
    return tuple(verdicts)
