"""`brain pin`: a pinned note does not fade, and is not forgotten."""

from __future__ import annotations

from brain.core.note import Note
from brain.core.plan import SetField
from brain.stages.context import Context
from brain.stages.hands.hand import Done, Hand, property_of


def pin(ctx: Context, path: str, *, off: bool = False, dry_run: bool = False) -> Done:
    """Pins a note, or takes the pin out. Raises: as `Hand`."""
    hand = Hand(ctx, "pin", dry_run=dry_run)
    read = hand.read(path)
    if is_pinned(read.note) is not off:
        return hand.nothing(f"{path} is {'not pinned' if off else 'pinned already'}")
    says = f"{path} is pinned no longer" if off else f"{path} is pinned"
    return hand.carry_out([hand.plan(f"{path}|{off}", says, [read], [SetField(path, "pinned", None if off else True)])], says)


def is_pinned(note: Note) -> bool:
    """Tells whether a note is pinned, as the index reads it."""
    return property_of(note, "pinned") in (True, "true", "yes")
