"""Reorganize and subgroup: which notes of a category belong in another, and how the parts of a note fall into groups.

Numbers alone say which notes are meant; the only words of the model are names of groups and reasons, checked. A person
decides in the end, so that no quote is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from brain.core.ids import fold
from brain.models.judge.ask import Asker, Question
from brain.models.judge.excerpts import listed, trimmed
from brain.models.judge.names import clean_name, why_no_name
from brain.models.judge.prompts import load_prompt
from brain.models.judge.shapes import Strict, items_of, read_items, shape_for
from brain.models.judge.values import Excerpt, Grouped, Refiled, Unanswered
from brain.models.judge.words import REASON_CHARS_MAX, clean_text, why_no_text
from brain.models.verdicts import Answer

REORGANIZE, SUBGROUP = "reorganize", "subgroup"
GROUPS_MIN, GROUPS_MAX, MEMBERS_MIN = 2, 5, 2


class MoveItem(Strict):
    """One note that belongs elsewhere, as a reply holds it."""

    note: int
    category: int
    reason: str


class GroupItem(Strict):
    """One group of parts, as a reply holds it."""

    name: str
    members: list[int]
    reason: str


def reorganize(asker: Asker, members: Sequence[Excerpt], categories: Sequence[Excerpt]) -> tuple[Refiled, ...] | Unanswered:
    """Asks which members of the first category belong in one of the others. Without members or others nothing is asked."""
    shown = [trimmed(asker, note) for note in members[: asker.settings.shown_max]]
    places = [trimmed(asker, note) for note in categories[: asker.settings.shown_max]]
    asker.tally.cut += len(members) - len(shown) + len(categories) - len(places)
    if not shown or len(places) < 2:
        return ()
    blocks = (("categories", listed(places, mark="C")), ("notes", listed(shown, mark="N")))
    question = Question(load_prompt(REORGANIZE), blocks, tuple(note.id for note in (*places, *shown)), _moves_shape)
    judge = asker.judge(question.prompt)
    return asker.decide(question, lambda answer, refusals: _read_moves(answer, refusals, shown, places, judge))


def subgroup(asker: Asker, node: Excerpt, members: Sequence[Excerpt]) -> tuple[Grouped, ...] | Unanswered:
    """Asks into which groups the parts of a note fall; no groups are an answer."""
    shown = [trimmed(asker, note) for note in (node, *members[: asker.settings.shown_max])]
    asker.tally.cut += len(members) + 1 - len(shown)
    question = Question(load_prompt(SUBGROUP), (("notes", listed(shown, first=0)),), tuple(note.id for note in shown), _groups_shape)
    judge = asker.judge(question.prompt)
    return asker.decide(question, lambda answer, refusals: _read_groups(answer, refusals, shown, judge))


def _moves_shape(ticket: str) -> type[Strict]:
    return shape_for("Reorganize", ticket, moves=items_of(MoveItem))


def _groups_shape(ticket: str) -> type[Strict]:
    return shape_for("Subgroup", ticket, groups=items_of(GroupItem))


def _read_moves(
    answer: Answer, refusals: Counter[str], notes: Sequence[Excerpt], places: Sequence[Excerpt], judge: str
) -> tuple[tuple[Refiled, ...], Answer] | str:
    written = answer.get("moves")
    if not isinstance(written, list):
        return "reply-shape"
    found: dict[int, tuple[Refiled, MoveItem]] = {}
    for item in read_items(MoveItem, written, lambda why: refusals.update([why]), items_max=len(notes)):
        why = "numbers" if not (1 <= item.note <= len(notes) and 1 < item.category <= len(places)) or item.note in found else None
        reason = clean_text(item.reason)
        why = why or why_no_text(reason, chars_max=REASON_CHARS_MAX, known=notes[item.note - 1].text)
        if why is not None:
            refusals[why] += 1
        else:
            found[item.note] = Refiled(judge, reason, notes[item.note - 1].path, places[item.category - 1].path), item
    return tuple(move for move, _ in found.values()), {"moves": [item.model_dump() for _, item in found.values()]}


def _read_groups(answer: Answer, refusals: Counter[str], shown: Sequence[Excerpt], judge: str) -> tuple[tuple[Grouped, ...], Answer] | str:
    """Reads the groups that hold; when fewer than two are left, the reply is refused, unless it said that there are none."""
    written = answer.get("groups")
    if not isinstance(written, list):
        return "reply-shape"
    if not written:
        return (), {"groups": []}
    titles, taken = {fold(note.title) for note in shown}, set[int]()
    found: list[tuple[Grouped, GroupItem]] = []
    for item in read_items(GroupItem, written, lambda why: refusals.update([why]), items_max=GROUPS_MAX):
        name, reason, members = clean_name(item.name), clean_text(item.reason), sorted(set(item.members))
        is_known = all(1 <= number < len(shown) for number in members) and not taken & set(members)
        why = None if is_known and len(members) >= MEMBERS_MIN else "numbers"
        why = why or ("name-taken" if fold(name) in titles else why_no_name(name))
        why = why or why_no_text(reason, chars_max=REASON_CHARS_MAX, known="\n".join(note.text for note in shown))
        if why is not None:
            refusals[why] += 1
            continue
        titles.add(fold(name))
        taken.update(members)
        found.append((Grouped(judge, reason, name, tuple(shown[number].path for number in members)), item))
    if len(found) < GROUPS_MIN:
        return "too-few-groups"
    return tuple(group for group, _ in found), {"groups": [item.model_dump() for _, item in found]}
