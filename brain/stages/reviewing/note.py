"""`Review.md`: the open items as a note with boxes to tick, and which boxes are ticked. Pure.

Only what stands below the mark is written anew; a person's words above it stay. What a line repeats of a note is
put on one line behind a word of ours, so that no text in the vault can look like a box.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from brain.stages.report import counted
from brain.stages.reviewing.item import Item
from brain.vault.generated import HEAD

MARK = "<!-- brain review: what stands below is written anew by brain; above it is yours -->"
EVIDENCE_SHOWN_MAX = 5
LINE_CHARS_MAX = 400
Verb = Literal["accept", "reject"]
_BOX = re.compile(r"[ \t]*[-*+] \[(?P<box>[^\]\r\n])\] (?P<verb>accept|reject) `(?P<id>[^`\r\n]{1,80})`[ \t]*")
_HIDING = re.compile(r"(%|\$)\1+|<!--|-->|`|\^(?=[\w-]+$)")
"""Marks that would hide what stands after them, or make a block of the line."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An item as the note shows it: its heading, and the notes that an unclear name may mean."""

    item: Item
    heading: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ticks:
    """What was ticked: item id → the verbs. An id is what stands there, whatever it is."""

    verbs: Mapping[str, frozenset[Verb]]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids in their order."""
        return tuple(self.verbs)


def ticks_of(text: str) -> Ticks:
    """Reads the ticked boxes below the mark; an unticked box, or one with another sign in it, says nothing."""
    _, found, below = text.partition(MARK)
    verbs: dict[str, set[Verb]] = defaultdict(set)
    for line in below.splitlines() if found else ():
        box = _BOX.fullmatch(line)
        if box and box["box"] in "xX":
            verbs[box["id"]].add("accept" if box["verb"] == "accept" else "reject")
    return Ticks({item_id: frozenset(said) for item_id, said in verbs.items()})


def new_note(below: str) -> str:
    """Returns a whole new review note."""
    return f"{HEAD}\n{below}"


def below_of(text: str) -> int:
    """Returns where the part that is written anew begins; the end of a note whose mark is gone."""
    at = text.find(MARK)
    return at if at >= 0 else len(text)


def rendered(items: Sequence[Shown], waiting: int, ticks: Ticks) -> str:
    """Returns the part below the mark; boxes that are ticked already stay so."""
    more = f", {waiting} more waiting for room" if waiting else ""
    head = f"{counted(len(items), 'decision')} for you{more}." if items else "Nothing waits for you."
    how = "Tick a box: the next run does it. Or: `brain review show ID`, `brain review edit ID`." if items else ""
    blocks = [_block(shown, ticks.verbs.get(shown.item.id, frozenset())) for shown in items]
    return "\n\n".join([MARK, "# Waiting for you", " ".join(filter(None, (head, how))), *blocks]) + "\n"


def _block(shown: Shown, verbs: frozenset[Verb]) -> str:
    item = shown.item
    lines = [f"## {one_line(shown.heading)}", f"- asked: {one_line(item.because)}", f"- held: {one_line(item.why)}"]
    lines += [f"- because: {one_line(sentence)}" for sentence in item.evidence[:EVIDENCE_SHOWN_MAX] if sentence not in item.because]
    if shown.choices:
        lines += [f"- may mean: {one_line(choice)}" for choice in shown.choices]
        lines.append(f"- to accept it: `brain review accept {item.id} --as NOTE`")
    else:
        lines.append(_box("accept", item.id, "accept" in verbs))
    return "\n".join([*lines, _box("reject", item.id, "reject" in verbs)])


def _box(verb: Verb, item_id: str, is_ticked: bool) -> str:
    return f"- [{'x' if is_ticked else ' '}] {verb} `{item_id}`"


def one_line(text: str) -> str:
    """Returns a text of the vault on one line, without what would hide the lines after it."""
    words = _HIDING.sub(lambda found: found[1] or "'", " ".join(text.split()))
    words = "".join("\ufffd" if "\ud800" <= c <= "\udfff" or (c < " ") else c for c in words)
    return words if len(words) <= LINE_CHARS_MAX else words[: LINE_CHARS_MAX - 1].rstrip() + "…"
