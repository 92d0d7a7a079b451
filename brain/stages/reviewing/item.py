"""The items that wait for a person, folded from the journal: which there are, in what order, and which one an id means. Pure.

An item is a held decision that was not made yet. At most `limits.review_items_max` are open, best evidence first;
the others are counted as waiting, and come up when there is room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from brain.core.nearest import did_you_mean
from brain.core.plan import REVIEW_RULES, Question
from brain.errors import Ambiguous, NotFound, UsageError
from brain.stages.ledger import Ledger
from brain.stages.record import Record, question_of

_OF_STATED = {"alias": "alias-only", "copy": "near-duplicate", "identifier": "identifier"}
ID_CHARS_MIN = 5
IDS_SHOWN_MAX = 20


@dataclass(frozen=True, slots=True)
class Item:
    """One decision that waits. `rules` say why it is held, in a word each; `question` is None when it cannot be planned anew.

    `since` is the instant at which it was first held (ISO, UTC).
    """

    id: str
    stage: str
    key: str
    because: str
    why: str
    rules: tuple[str, ...]
    since: str
    question: Question | None = None
    is_readable: bool = True
    """Whether what was kept of the question can be read by this version."""

    @property
    def score(self) -> float:
        """What items are ordered by."""
        return 0.0 if self.question is None else self.question.score

    @property
    def evidence(self) -> tuple[str, ...]:
        """What speaks for it and against it, the weightiest first."""
        return () if self.question is None else self.question.evidence


@dataclass(frozen=True, slots=True)
class Queue:
    """All items that wait, best evidence first: those that are open, and those that wait for room."""

    open: tuple[Item, ...]
    waiting: tuple[Item, ...]

    @property
    def all(self) -> tuple[Item, ...]:
        """Open items, then the others."""
        return (*self.open, *self.waiting)

    def short(self, item_id: str) -> str:
        """Returns the shortest beginning of an id that no other item has, at least five characters after `d-`."""
        others = [other.id for other in self.all if other.id != item_id]
        lengths = range(len("d-") + ID_CHARS_MIN, len(item_id))
        return next((item_id[:length] for length in lengths if not any(other.startswith(item_id[:length]) for other in others)), item_id)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which items are meant: those named, or `every` open one, held by `rule` when it is given."""

    names: tuple[str, ...] = ()
    every: bool = False
    rule: str | None = None


def queue_of(ledger: Ledger, items_max: int) -> Queue:
    """Folds a ledger into what waits for a person; `items_max` of them are open (0: all)."""
    items = sorted((_item(record) for record in ledger.held.values()), key=lambda item: (-item.score, item.since, item.id))
    count = items_max or len(items)
    return Queue(tuple(items[:count]), tuple(items[count:]))


def chosen(queue: Queue, choice: Choice, ledger: Ledger) -> tuple[Item, ...]:
    """Returns the items of a choice, each once. Raises: UsageError for none or an unknown rule, NotFound, Ambiguous."""
    if choice.rule is not None and choice.rule not in REVIEW_RULES:
        raise UsageError(f"There is no rule {choice.rule!r}.", f"{did_you_mean(choice.rule, REVIEW_RULES)} one of: {', '.join(REVIEW_RULES)}".strip())
    if choice.every == bool(choice.names) or (choice.rule is not None and not choice.every):
        raise UsageError("Name the items, or all of them with --all, of one rule with --all --rule RULE.", "brain review")
    if choice.every:
        return tuple(item for item in queue.open if choice.rule is None or choice.rule in item.rules)
    return tuple(dict.fromkeys(find_item(queue, name, ledger) for name in choice.names))


def find_item(queue: Queue, name: str, ledger: Ledger) -> Item:
    """Returns the item that an id, or a beginning of one, means; the `d-` may be left out.

    Raises: UsageError for a beginning that is too short to be meant, NotFound, Ambiguous.
    """
    wanted = name.strip().casefold()
    wanted = wanted if wanted.startswith("d-") else f"d-{wanted}"
    found = [item for item in queue.all if item.id.startswith(wanted)]
    exact = [item for item in found if item.id == wanted]
    if exact:
        return exact[0]
    if len(wanted) < len("d-") + ID_CHARS_MIN:
        raise UsageError(f"{name!r} is no id: an item is named by at least {ID_CHARS_MIN} characters of its id.", _open_ids(queue))
    if len(found) == 1:
        return found[0]
    if found:
        raise Ambiguous(f"{name} is the beginning of {len(found)} items: {', '.join(item.id for item in found[:5])}.", "type more of the id")
    decided = {known for known in decisions_made(ledger) if known.startswith(wanted)}
    if len(decided) == 1:
        raise NotFound(*_as_decided(ledger, name, *decided))
    near = did_you_mean(wanted, [part for item in queue.all for part in (item.id, queue.short(item.id))])
    raise NotFound(f"No item {name!r} waits for a decision.", f"{near} brain review lists them".strip())


def _open_ids(queue: Queue) -> str:
    """Returns what a person may have meant: the open items by their short ids, as many as fit in a line."""
    shown = [queue.short(item.id) for item in queue.open[:IDS_SHOWN_MAX]]
    more = len(queue.all) - len(shown)
    return f"one of: {', '.join(shown)}{f', and {more} more (brain review)' if more else ''}" if shown else "brain review: nothing waits for a decision"


def decisions_made(ledger: Ledger) -> Iterable[str]:
    """Returns the decisions that a person made already."""
    return ledger.decided | ledger.declines.keys()


def _as_decided(ledger: Ledger, name: str, decision: str) -> tuple[str, str]:
    """Returns what became of a decision, and the undo that changes it: one that was accepted and taken back can be done again."""
    within = ledger.declines.get(decision)
    if within is not None and ledger.intents.get(within, {}).get("stage") == "undo":
        return f"{name} does not wait any more: it was accepted, and that was taken back.", f"brain undo {within} does it again"
    done = within or next((record["item"] for record in ledger.standing() if record["decision"] == decision), None)
    back = f"brain undo {done} takes the decision back" if done else "brain runs shows the run that did it"
    return f"{name} does not wait any more: it was decided.", back


def _item(record: Record) -> Item:
    question = question_of(record.get("question"))
    texts = {name: value if isinstance(value := record.get(name), str) else "" for name in ("stage", "key", "because", "why", "at")}
    return Item(
        record["decision"], texts["stage"], texts["key"], texts["because"], texts["why"], _rules(record, question), texts["at"], question,
        question is not None or record.get("question") is None,
    )  # fmt: skip


def _rules(record: Record, question: Question | None) -> tuple[str, ...]:
    concerns = record.get("concerns")
    found = [str(concern) for concern in concerns] if isinstance(concerns, list) else []
    found += [_OF_STATED[question.stated]] if question and question.stated in _OF_STATED else []
    found += ["uncertain"] if record.get("certain") is False and "ambiguous" not in found else []
    return tuple(dict.fromkeys(found))
