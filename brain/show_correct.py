"""What a correction found, claims that want a look, a note as of a day → what a terminal shows. Returns text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from brain.show import INDENT, clean, plural

if TYPE_CHECKING:
    from brain.core.correction import Place
    from brain.recall.as_of import Then
    from brain.recall.stale import Wanting

HEADS = {
    "authority": "what is so", "restates": "says it otherwise, to be put right", "unsure": "for you to look at",
    "history": "tells of a moment, left as it is",
}  # fmt: skip
LINE_CHARS_MAX = 160


def places_text(places: Sequence[Place]) -> str:
    """Returns the places of a correction under the head of their role."""
    if not places:
        return "nothing in the vault speaks of it\n"
    return "\n".join(line for role in HEADS for line in _of_role(role, [place for place in places if place.role == role])) + "\n"


def wanting_text(found: Sequence[Wanting]) -> str:
    """Returns the claims that want a look, each with its cure."""
    if not found:
        return "no claim wants a look\n"
    lines = []
    for one in found:
        note = clean(one.path)
        lines += [f"{note}:{one.line}: {_cut(one.text)}", f"{INDENT}{clean(one.why)}"]
        lines.append(f'{INDENT}→ still so: brain stale --confirm "{note}"' if one.rests else f'{INDENT}→ brain edit "{note}", or say “as of” its day')
    return "\n".join([*lines, f"{len(found)} {plural('claim', len(found))}"]) + "\n"


def then_text(then: Then) -> str:
    """Returns what held of a note on a day."""
    lines = [f"{clean(then.title)}  {clean(then.path)}  as of {then.day}"]
    if not then.was_there:
        lines.append(f"{INDENT}the note says that it is younger")
    lines += [f"{INDENT}({clean(c.kind)}) {clean(c.text)}{_until(c.began, c.ended)}" for c in then.claims]
    lines += [f"{INDENT}{clean(r.type)} → {clean(r.target)}{_until(r.began, r.ended)}" for r in then.relations]
    if not then.claims and not then.relations:
        lines.append(f"{INDENT}no claim and no relation of it held then")
    return "\n".join(lines) + "\n"


def _of_role(role: str, places: Sequence[Place]) -> Iterator[str]:
    if places:
        yield f"{HEADS[role]}:"
        yield from (f"{INDENT}{clean(place.path)}:{place.line}: {_cut(place.text)}  ({clean(place.why)})" for place in places)


def _until(began: str | None, ended: str | None) -> str:
    days = " ".join(f"{word} {day}" for word, day in (("from", began), ("to", ended)) if day)
    return f"  ({days})" if days else ""


def _cut(text: str) -> str:
    line = clean(text)
    return line if len(line) <= LINE_CHARS_MAX else f"{line[: LINE_CHARS_MAX - 1]}…"
