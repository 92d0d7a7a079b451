"""`brain tag`: tags in the properties of a note; one that stands in its text is the text's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.core.ids import fold
from brain.core.note import Note
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.hands.hand import Done, Hand, property_of
from brain.stages.hands.listed import with_items, without_items
from brain.stages.union import strings

_TAG = re.compile(r"(?=[\d/]*[^\d/])\w[\w/-]*")
_BETWEEN = re.compile(r"[,\s]+")


def tag(ctx: Context, path: str, tags: Sequence[str], *, off: bool = False, dry_run: bool = False) -> Done:
    """Gives a note tags, or takes them away. Raises: UsageError for what can be no tag, or stands in the text; as `Hand`."""
    wanted = {fold(name): name for name in map(_checked, tags)}
    hand = Hand(ctx, "tag", dry_run=dry_run)
    read = hand.read(path)
    there = _in_properties(read.note)
    fresh: tuple[str, ...] = ()
    said = " ".join(f"#{name}" for name in wanted.values())
    if off:
        in_text = [name for key, name in wanted.items() if key in set(map(fold, read.note.tags)) - there.keys()]
        if in_text:
            raise UsageError(f"#{in_text[0]} stands in the text of {path}, not in its properties.", f'brain edit "{path}"')
        kept = tuple(name for key, name in there.items() if key not in wanted)
    else:
        fresh = tuple(name for key, name in wanted.items() if key not in map(fold, read.note.tags))
        kept = (*there.values(), *fresh)
    if len(kept) == len(there):
        return hand.nothing(f"{path} {'does not have' if off else 'has'} {said}{'' if off else ' already'}")
    key = "tag" if property_of(read.note, "tags") is None and property_of(read.note, "tag") is not None else "tags"
    says = f"{path} {'no longer has' if off else 'has'} {said}"
    limits = ctx.config.limits
    edits = without_items(read, key, kept, lambda item: fold(_bare(item)) in wanted, limits) if off else [with_items(read, key, kept, fresh, limits)]
    return hand.carry_out([hand.plan(f"{path}|{off}|{said}", says, [read], edits)], says)


def _checked(written: str) -> str:
    name = _bare(written)
    if not _TAG.fullmatch(name):
        raise UsageError(f"{written!r} can be no tag: letters, digits, `_`, `-` and `/`, and not digits alone.", "brain tag NOTE work/garden")
    return name


def _bare(written: str) -> str:
    return written.strip().lstrip("#").strip("/")


def _in_properties(note: Note) -> dict[str, str]:
    """Returns the tags of the property that holds them, by folded name; a text with commas or spaces is a list."""
    value = property_of(note, "tags")
    value = property_of(note, "tag") if value is None else value
    items = _BETWEEN.split(value) if isinstance(value, str) else strings(value)
    return {fold(name): name for item in items if (name := _bare(item))}
