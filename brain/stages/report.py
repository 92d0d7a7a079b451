"""What a run has to say: receipts, and counts of what was found, left waiting and left out. Values only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from brain.core.plan import Applied, Conflict, Held, Receipt, Refused

UNDOINGS_SHOWN_MAX = 3


def counted(number: int, one: str, many: str | None = None) -> str:
    """Returns a number with its noun: `1 claim`, `2 claims`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def declined_text(what: str, count: int, undoings: Collection[str]) -> str:
    """Returns the sentence about what was left out because it was taken back before, and how to have it again."""
    are, them = ("was", "it") if count == 1 else ("were", "them")
    named = sorted(undoings)
    more = f" and {len(named) - UNDOINGS_SHOWN_MAX} more" if len(named) > UNDOINGS_SHOWN_MAX else ""
    ways = ", ".join(f"brain undo {undoing}" for undoing in named[:UNDOINGS_SHOWN_MAX])
    return f"{counted(count, what)} {are} left out, because a person took {them} back; to have {them} again: {ways}{more}."


@dataclass(frozen=True, slots=True)
class RunReport:
    """One stage's run. `found` candidates were looked at; `waiting` of them need a model or a person.

    `left_out` candidates were not looked at because of the limit; `declined` claims, relations and merges were not
    made again because a person took them back before; `notices` are sentences for a person.
    """

    stage: str
    run: str
    receipts: tuple[Receipt, ...] = ()
    found: int = 0
    waiting: int = 0
    left_out: int = 0
    notices: tuple[str, ...] = ()
    dry_run: bool = False
    declined: int = 0

    @property
    def applied(self) -> tuple[Applied, ...]:
        """The plans that landed (or would, in a dry run)."""
        return tuple(receipt for receipt in self.receipts if isinstance(receipt, Applied))

    @property
    def held(self) -> tuple[Held, ...]:
        """The plans that wait for a person."""
        return tuple(receipt for receipt in self.receipts if isinstance(receipt, Held))

    @property
    def failed(self) -> tuple[Refused | Conflict, ...]:
        """The plans that could not be carried out."""
        return tuple(receipt for receipt in self.receipts if isinstance(receipt, Refused | Conflict))

    @property
    def is_empty(self) -> bool:
        """Whether the run planned nothing."""
        return not self.receipts
