"""Dataview inline fields, and the relation lines `key:: [[x]] - reason (from DATE) (to DATE)`. Text only.

Three places, one rule for the key: a line or a list item that starts with `key:: `, `[key:: value]` and
`(key:: value)` inside a line. A key may hold letters of any script, digits, emoji, spaces, `_`, `-`, `/`;
emphasis marks around it are not part of it; it has at least one character that is neither digit nor sign.
The colons are followed by a space, a `[` or the end of the line, so that `std::sort` is no field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.dates import civil_date
from brain.core.note import Field, Span
from brain.vault.linkscan import Lines

KEY_CHARS_MAX = 80

_KEY = rf"[^\s:\[\](){{}}|`#>!<\"\x00][^:\[\](){{}}|`<>\"\r\n\x00]{{0,{KEY_CHARS_MAX - 1}}}?"
_LINE = re.compile(
    rf"[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+(?:\[[^\]\r\n]\][ \t]+)?)?({_KEY})[ \t]{{0,8}}::(?=[ \t\[]|\r?$)[ \t]*([^\r\n]*)",
    re.M,
)
_BRACKETED = re.compile(rf"(?<![\\\[!])(\[)({_KEY})::[ \t]*|(?<!\])(\()({_KEY})::(?=[ \t\[])[ \t]*")
_PIECE = re.compile(r"[\[\]()\n]")
_EMPHASIS = "*_~ \t"
_WORDY = re.compile(r"[^\W\d_]|[^\x00-\xff]")
_REASON = re.compile(r"\s[-–—]\s+")
_VALIDITY = re.compile(r"\((from|to) ([^()\r\n]{1,20})\)")


@dataclass(frozen=True, slots=True)
class Relation:
    """What the line of a field says about the links before its reason; `links_end` is where those end."""

    key: str
    start: int
    links_end: int
    reason: str | None
    valid_from: str | None
    valid_to: str | None


def find_fields(masked: str, text: str, start: int, lines: Lines) -> tuple[list[Field], list[Relation]]:
    """Returns the inline fields from `start` on, in order, and what each says about its links."""
    if masked.find("::", start) < 0:
        return [], []
    found: list[tuple[Field, Relation]] = []
    for match in _line_matches(masked, start):
        key = clean_key(match[1])
        if key is not None:
            found.append(_line_field(text, masked, key, match, lines))
    taken = [(field.span.start, field.span.end) for field, _ in found]
    found.extend(_bracketed(masked, text, start, lines, taken))
    found.sort(key=lambda pair: pair[0].span.start)
    return [field for field, _ in found], [relation for _, relation in found]


def _line_matches(masked: str, start: int) -> Iterator[re.Match[str]]:
    """Looks at the lines that hold two colons only; no key holds one, so the first pair of a line decides."""
    at = start
    while (colons := masked.find("::", at)) >= 0:
        line = masked.rfind("\n", start, colons) + 1 or start
        if match := _LINE.match(masked, line):
            yield match
        newline = masked.find("\n", colons)
        at = newline if newline >= 0 else len(masked)


def _next_bracketed(masked: str, start: int) -> re.Match[str] | None:
    """Looks at the last bracket before each pair of colons; a key holds neither, so no other can be its opener."""
    colons = masked.find("::", start)
    while colons >= 0:
        near = max(start, colons - KEY_CHARS_MAX - 1)
        opened = max(masked.rfind("[", near, colons), masked.rfind("(", near, colons))
        if opened >= 0 and (match := _BRACKETED.match(masked, opened)):
            return match
        colons = masked.find("::", colons + 2)
    return None


def clean_key(written: str) -> str | None:
    """Returns a key without the emphasis around it, or None when it is no key (`12`, `--`)."""
    key = written.strip(_EMPHASIS)
    return key if _WORDY.search(key) else None


def split_validity(text: str) -> tuple[str, str | None, str | None]:
    """Takes `(from DATE)` and `(to DATE)` off the end of a text; a date that is none stays in it."""
    valid: dict[str, str] = {}
    rest = text.rstrip()
    while rest.endswith(")") and (match := _VALIDITY.match(rest, rest.rfind("("))) and match.end() == len(rest):
        when = civil_date(match[2]) if len(match[2].strip()) == 10 else None
        if when is None or match[1] in valid:
            break
        valid[match[1]] = when
        rest = rest[: match.start()].rstrip()
    return rest, valid.get("from"), valid.get("to")


def _line_field(text: str, masked: str, key: str, match: re.Match[str], lines: Lines) -> tuple[Field, Relation]:
    start, value_start = match.start(1), match.start(2)
    end = value_start + len(match[2].rstrip())
    field = Field(key, text[value_start:end], lines.at(start), Span(start, end))
    return field, _relation(text, masked, key, start, value_start, end)


def _relation(text: str, masked: str, key: str, start: int, value_start: int, end: int) -> Relation:
    at = value_start
    hidden = _hide_links(masked[value_start:end])
    dash = _REASON.search(hidden)
    if dash is None:
        rest, valid_from, valid_to = split_validity(text[at:end])
        return Relation(key, start, at + len(rest), None, valid_from, valid_to)
    rest, valid_from, valid_to = split_validity(text[at + dash.end() : end])
    if valid_from is None and valid_to is None:
        _, valid_from, valid_to = split_validity(text[at : at + dash.start()])
    return Relation(key, start, at + dash.start(), rest or None, valid_from, valid_to)


def _hide_links(value: str) -> str:
    """Blanks wikilinks and the labels of Markdown links, whose names may hold ` - `."""
    return re.sub(r"\[\[[^\[\]]*\]\]|\[[^\[\]]*\]", lambda link: "x" * len(link[0]), value) if "[" in value else value


def _bracketed(
    masked: str, text: str, start: int, lines: Lines, taken: list[tuple[int, int]]
) -> list[tuple[Field, Relation]]:
    found = []
    at = start
    place = 0
    closings: dict[int, int] | None = None
    while match := _next_bracketed(masked, at):
        at = match.end()
        while place < len(taken) and taken[place][1] <= match.start():
            place += 1
        if place < len(taken) and taken[place][0] <= match.start():
            at = max(at, taken[place][1])
            continue
        group = 1 if match[1] else 3
        key = clean_key(match[group + 1])
        closings = _closings(masked, match.start()) if closings is None else closings
        closed = closings.get(match.start())
        if key is None or closed is None:
            continue
        field = Field(key, text[at:closed].strip(), lines.at(match.start()), Span(match.start(), closed + 1))
        found.append((field, _relation(text, masked, key, match.start(), at, closed)))
        at = closed + 1
    return found


def _closings(masked: str, start: int) -> dict[int, int]:
    """Returns, for every bracket from `start` on, where it closes on its line: one pass for all of them."""
    closings: dict[int, int] = {}
    opened: dict[str, list[int]] = {"[": [], "(": []}
    for piece in _PIECE.finditer(masked, start):
        mark = piece[0]
        if mark in opened:
            opened[mark].append(piece.start())
        elif mark == "\n":
            opened["["].clear()
            opened["("].clear()
        elif places := opened["[" if mark == "]" else "("]:
            closings[places.pop()] = piece.start()
    return closings
