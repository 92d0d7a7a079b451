"""Changing one section or one block of a note as text; every byte outside stays. Reads no files.

A section is a `## Heading` (letter case aside) up to the next heading of its level or above. A heading that
is there twice is refused, not guessed, and so is text that would land inside code or a comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.config import Limits
from brain.core.ids import fold
from brain.errors import NotFound, UsageError
from brain.vault.frontmatter import line_break_of, read_frontmatter
from brain.vault.linkscan import Lines
from brain.vault.mask import FILLER, mask
from brain.vault.outline import find_block_ids, find_headings

SECTION_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Section:
    """A section at `[start, end)`: its heading line included. `body` is where its first line of text starts."""

    start: int
    body: int
    end: int


def find_section(text: str, heading: str) -> Section | None:
    """Returns the level-2 section of that heading, None when there is none.

    Raises: UsageError when two sections have the heading.
    """
    body_start = read_frontmatter(text, Limits()).end
    headings = find_headings(mask(text, body_start), text, body_start, Lines(text))
    name = fold(heading.lstrip("#"))
    places = [i for i, found in enumerate(headings) if found.level == SECTION_LEVEL and fold(found.text) == name]
    if len(places) > 1:
        raise UsageError(
            f"There are {len(places)} sections `## {heading}`, so neither was changed.", "give each its own heading"
        )
    if not places:
        return None
    at = headings[places[0]]
    after = (later.span.start for later in headings[places[0] + 1 :] if later.level <= SECTION_LEVEL)
    return Section(at.span.start, _next_line(text, at.span.end), next(after, len(text)))


def find_block(text: str, block_id: str) -> tuple[int, int] | None:
    """Returns where the line that ends in `^block-id` stands, without its line break; None when there is none.

    Raises: UsageError when two lines have the id.
    """
    body_start = read_frontmatter(text, Limits()).end
    wanted = block_id.lstrip("^")
    found = [line for name, line in find_block_ids(mask(text, body_start), body_start, Lines(text)) if name == wanted]
    if len(found) > 1:
        raise UsageError(
            f"The block id `^{wanted}` is there {len(found)} times, so nothing was changed.", "give each its own id"
        )
    if not found:
        return None
    start = 0
    for _ in range(found[0] - 1):
        start = text.index("\n", start) + 1
    return start, _line_end(text, start)


def append_to_section(text: str, heading: str, lines: Sequence[str]) -> str:
    """Returns the text with lines added after the last non-blank line of the section `## heading`.

    A missing section is added at the end. Line ends are those of the text.
    Raises: UsageError when there is nothing to add, the heading is doubled, or the end of the section is
    inside code or a comment that is never closed.
    """
    _check(lines)
    eol = line_break_of(text)
    written = eol.join(lines)
    section = find_section(text, heading)
    if section is None:
        lead = "" if not text or text.endswith("\n") else eol
        gap = eol if text.strip("\ufeff \t\r\n") and not (text + lead).endswith(("\n\n", "\n\r\n")) else ""
        head = f"{lead}{gap}## {heading.lstrip('# ')}{eol}"
        return _checked(f"{text}{head}{written}{eol}", len(text) + len(head), heading)
    kept = text[: section.end].rstrip()
    at = max(_next_line(text, len(kept)), section.body)
    return _inserted(text, at, written, eol, heading)


def prepend_to_section(text: str, heading: str, lines: Sequence[str]) -> str:
    """Returns the text with lines added right under the heading `## heading`.

    Raises: NotFound when there is no such section, else as `append_to_section`.
    """
    _check(lines)
    section = _existing(text, heading)
    return _inserted(text, section.body, line_break_of(text).join(lines), line_break_of(text), heading)


def replace_section(text: str, heading: str, lines: Sequence[str]) -> str:
    """Returns the text with what stands under `## heading` replaced, blank lines at its end kept.

    Raises: NotFound when there is no such section; UsageError when nothing would change, else as above.
    """
    _check(lines)
    section = _existing(text, heading)
    eol = line_break_of(text)
    old_end = max(section.body, _line_end(text, max(len(text[: section.end].rstrip()) - 1, 0)))
    stop = max(section.body, _next_line(text, old_end)) if old_end > section.body else section.body
    changed = _inserted(text[: section.body] + text[stop:], section.body, eol.join(lines), eol, heading)
    if changed == text:
        raise UsageError(f"The section `## {heading}` already says that.", "nothing needs to be done")
    return changed


def _existing(text: str, heading: str) -> Section:
    section = find_section(text, heading)
    if section is None:
        raise NotFound(f"There is no section `## {heading}`.", "look at the headings with brain get NOTE")
    return section


def _check(lines: Sequence[str]) -> None:
    if not any(line.strip() for line in lines):
        raise UsageError("There is no text to write.", "give at least one line")
    if any("\n" in line or "\r" in line for line in lines):
        raise UsageError("A line holds a line break.", "give each line on its own")


def _inserted(text: str, at: int, written: str, eol: str, heading: str) -> str:
    if at == len(text) and at and not text.endswith("\n"):
        return _checked(f"{text}{eol}{written}", at + len(eol), heading)
    return _checked(f"{text[:at]}{written}{eol}{text[at:]}", at, heading)


def _checked(changed: str, at: int, heading: str) -> str:
    masked = mask(changed, read_frontmatter(changed, Limits()).end)
    first = next(place for place in range(at, len(changed)) if not changed[place].isspace())
    if masked[first] == FILLER and changed[first] not in "`%<":
        message = (
            f"The section `## {heading}` ends inside code or a comment that is never closed, so nothing was added."
        )
        raise UsageError(message, "close the fence or comment, then run the command again")
    return changed


def _next_line(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1


def _line_end(text: str, at: int) -> int:
    newline = text.find("\n", at)
    end = len(text) if newline < 0 else newline
    return end - 1 if newline > 0 and text[end - 1] == "\r" else end
