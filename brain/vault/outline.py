"""Headings, block ids and tags of a note, found in masked text. Sections are cut by `sections`.

A setext underline needs two marks or more: one `-` under a line is, in notes, an empty bullet being typed.
Tags follow Obsidian: after white space, letters of any script, digits, `_`, `-`, `/`, not digits alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.core.note import Heading, Span
from brain.vault.linkscan import Found, Lines

# They begin with their mark and not with `^`: a literal is found many times faster. What stands before it is looked at after.
_ATX = re.compile(r"(##{0,5})(?:[ \t]+([^\r\n]*))?\r?$", re.M)
_UNDERLINE = re.compile(r"\n {0,3}(={2,}|-{2,})[ \t]*\r?$", re.M)
_UNDERLINED = re.compile(
    r"(?!(?:[-*+]|\d{1,9}[.)])[ \t]|[>|\x00\s]|#{1,6}[ \t]|([-*_=])(?:[ \t]|\1)*\r?$)[^\r\n]+(?=\r?\n)", re.M
)
_INDENTS = ("", " ", "  ", "   ")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.M)
_COMMENTS = {"%%": "%%", "<!--": "-->"}
_TRAILING_ID = re.compile(r"(?:^|\s+)\^[A-Za-z0-9-]+$")
_TAG_CHARACTER = r"[^\s\x00-\x1f\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]"
_TAG = re.compile(rf"#({_TAG_CHARACTER}+)")


def find_headings(masked: str, text: str, start: int, lines: Lines) -> tuple[Heading, ...]:
    """Returns the headings from `start` on, in order."""
    found: list[Heading] = []
    if masked.find("#", start) >= 0:
        for match in _ATX.finditer(masked, start):
            line = masked.rfind("\n", start, match.start()) + 1 or start
            if masked[line : match.start()] not in _INDENTS:
                continue
            shown = text[match.start(2) : match.end(2)].rstrip() if match[2] else ""
            end = match.end(2) if match[2] else match.end(1)
            found.append(_heading(len(match[1]), _CLOSING_HASHES.sub("", shown), line, end, lines))
    if masked.find("--", start) >= 0 or masked.find("==", start) >= 0:
        for underline in _UNDERLINE.finditer(masked, start):
            line = masked.rfind("\n", start, underline.start()) + 1 or start
            if above := _UNDERLINED.match(masked, line):
                shown = text[line : above.end()]
                found.append(_heading(1 if underline[1][0] == "=" else 2, shown, line, underline.end(1), lines))
        found.sort(key=lambda heading: heading.span.start)
    return tuple(found)


def opening_heading(text: str, start: int, headings: Sequence[Heading]) -> Heading | None:
    """Returns the heading that is the first thing from `start` on, blank lines and comments aside; None when something else is."""
    first = headings[0] if headings else None
    return first if first is not None and _behind_comments(text, start) == first.span.start else None


def _behind_comments(text: str, start: int) -> int:
    """Returns where the first line begins on which there is more than white space and comments."""
    at = start
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        mark = next((mark for mark in _COMMENTS if text.startswith(mark, at)), None)
        end = text.find(_COMMENTS[mark], at + len(mark)) if mark else -1
        if mark is None or end < 0:
            return max(text.rfind("\n", start, at) + 1, start)
        at = end + len(_COMMENTS[mark])


def find_block_ids(masked: str, start: int, lines: Lines) -> list[tuple[str, int]]:
    """Returns the block ids at line ends with their lines, in order, repeats included."""
    if masked.find("^", start) < 0:
        return []
    return [
        (match[1], lines.at(match.start(1)))
        for match in _BLOCK_ID.finditer(masked, start)
        if match.start() == start or masked[match.start() - 1].isspace()
    ]


def find_tags(masked: str, start: int, links: Sequence[Found]) -> list[str]:
    """Returns the tags in the body without `#`, in order, repeats included; what is inside a link is none."""
    if masked.find("#", start) < 0:
        return []
    tags: list[str] = []
    place = 0
    for match in _TAG.finditer(masked, start):
        at = match.start()
        if at > start and not masked[at - 1].isspace():
            continue
        while place < len(links) and links[place].end <= at:
            place += 1
        is_in_link = place < len(links) and links[place].start < at
        if not is_in_link and (tag := clean_tag(match[1])):
            tags.append(tag)
    return tags


def clean_tag(written: str) -> str | None:
    """Returns a tag without `#` and slashes at its edges, or None when nothing but digits is left."""
    tag = written.strip().lstrip("#").strip("/").strip()
    return tag if tag and not tag.isdigit() else None


def _heading(level: int, shown: str, start: int, end: int, lines: Lines) -> Heading:
    text = _TRAILING_ID.sub("", shown.strip()).strip()
    return Heading(level, text, lines.at(start), Span(start, end))
