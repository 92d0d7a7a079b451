"""`brain importance`: how much a note matters, from 0 to 1."""

from __future__ import annotations

from brain.core.plan import SetField
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.hands.hand import Done, Hand, property_of


def set_importance(ctx: Context, path: str, value: float, *, dry_run: bool = False) -> Done:
    """Sets the importance of a note. Raises: UsageError for a number outside 0 to 1; as `Hand`."""
    if not 0 <= value <= 1:
        raise UsageError(f"{value:g} is no importance: it goes from 0 to 1.", f'brain importance "{path}" 0.8')
    hand = Hand(ctx, "importance", dry_run=dry_run)
    read = hand.read(path)
    known = property_of(read.note, "importance")
    if isinstance(known, int | float) and not isinstance(known, bool) and known == value:
        return hand.nothing(f"{path} has importance {value:g} already")
    says = f"{path} has importance {value:g}"
    edit = SetField(path, "importance", int(value) if value.is_integer() else value)
    return hand.carry_out([hand.plan(f"{path}|{value:g}", says, [read], [edit])], says)
