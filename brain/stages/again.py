"""Doing an item again in a note that changed since it was taken back: claims go under their heading once more. Pure.

The three-way merge puts lines where they stood. Where other lines stand there by now, bullets are appended to
their section and a stamp that was set meanwhile stays; whatever else meets is left to a person.
"""

from __future__ import annotations

import re

from brain.config import Limits
from brain.core.ids import fold
from brain.core.merge import hunks_between, lines_of, merged
from brain.errors import BrainError
from brain.vault.frontmatter import read_frontmatter
from brain.vault.sections import append_to_section

_HEADING = re.compile(r"## +(\S.*)")
_BULLET = re.compile(r"[-*+] |[ \t]")
_KEY = re.compile(r"([\w-]+):")


def done_again(base: str, again: str, now: str) -> str | None:
    """Returns `now` with what turned `base` into `again` done in it, or None when that is not certain."""
    text = merged(base, now, again)
    if text is not None and _doubled(text) <= _doubled(now):
        return text
    text = now
    for hunk in hunks_between(base, again):
        lines = [line.rstrip("\r\n") for line in lines_of(hunk.text) if line.strip()]
        if hunk.start != hunk.end:
            return None
        if _are_known_keys(lines, now):
            continue
        heading = _HEADING.fullmatch(lines[0]) if lines else None
        name, bullets = (heading[1], lines[1:]) if heading else (_section_above(base, hunk.start), lines)
        added = _appended(text, name, bullets)
        if added is None:
            return None
        text = added
    return text


def _appended(text: str, name: str | None, bullets: list[str]) -> str | None:
    there = {line.rstrip("\r\n") for line in lines_of(text)}
    fresh = [line for line in bullets if line not in there]
    if name is None or not all(_BULLET.match(line) for line in bullets):
        return None
    try:
        return append_to_section(text, name, fresh) if fresh else text
    except BrainError:
        return None


def _section_above(text: str, line: int) -> str | None:
    """Returns the name of the section that holds a line, None when a heading of another level is nearer."""
    above = [found for found in lines_of(text)[:line] if re.match(r"#{1,2} ", found)]
    heading = _HEADING.fullmatch(above[-1].rstrip("\r\n")) if above else None
    return heading[1] if heading else None


def _are_known_keys(lines: list[str], now: str) -> bool:
    """Tells whether lines are properties that the note has by now: what it says of them stays."""
    block = read_frontmatter(now, Limits()).block
    keys = [match[1] if (match := _KEY.match(line)) else "" for line in lines]
    return bool(lines) and block is not None and all(key and block.find(key) for key in keys)


def _doubled(text: str) -> int:
    """How many sections have a name that one before them has."""
    names = [fold(match[1]) for line in lines_of(text) if (match := _HEADING.fullmatch(line.rstrip("\r\n")))]
    return len(names) - len(set(names))
