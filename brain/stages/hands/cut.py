"""Taking a typed link out of a note: its line where it is all there is, else the link becomes words. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.config import Limits
from brain.core.note import Link, Span
from brain.core.plan import ReplaceSpan
from brain.stages.hands.hand import property_of
from brain.stages.moving import ReadNote, whole_lines
from brain.stages.spelling import found_in, links_in, read_link, with_links, words_of

_BELOW = re.compile(r"\n[ \t]+(?:[-*+]|\d{1,9}[.)])[ \t]")
_MARK = re.compile(r"^[\s>]*(?:[-*+][ \t]+)?")


def without_link(read: ReadNote, link: Link) -> ReplaceSpan:
    """Returns the edit that takes one link of the body out of its relation: a line that is nothing else goes."""
    text = read.source.text
    line = whole_lines(text, link.span)
    field = next((one for one in read.note.fields if one.span.start <= link.span.start < one.span.end), None)
    if field is not None and sum(field.span.start <= other.span.start < field.span.end for other in read.note.links) == 1:
        around = text[line.start : field.span.start] + text[field.span.end : line.end]
        if not _MARK.sub("", around).strip():
            return ReplaceSpan(read.note.path, line, text[line.start : line.end], "")
    span = _with_comma(text, link.span)
    is_listed = span != link.span
    return ReplaceSpan(read.note.path, span, text[span.start : span.end], "" if is_listed else words_of(found_in(link)))


def has_more(read: ReadNote, span: Span) -> bool:
    """Tells whether a bullet has bullets below it, or a plain link: words of a person's that are no part of the relation."""
    has_parts = _BELOW.search(read.source.text, span.start, span.end) is not None
    return has_parts or any(link.place == "body" and link.relation is None and span.start <= link.span.start < span.end for link in read.note.links)


def without_links_in(read: ReadNote, key: str, links: Sequence[Link], limits: Limits) -> tuple[str, ...] | str | None:
    """Returns a property without these links: an item that is one goes, one inside other text becomes words. None when nothing is left."""
    value = property_of(read.note, key.casefold())
    targets = {link.target for link in links}
    items = [str(item) for item in (value if isinstance(value, list) else [value]) if item is not None]
    kept = [_without(item, targets, limits) for item in items if not _is_one_of(item, targets, limits)]
    if not kept:
        return None
    return tuple(kept) if isinstance(value, list) else kept[0]


def is_alone(read: ReadNote, key: str) -> bool:
    """Tells whether a property is one value, not a list."""
    return not isinstance(property_of(read.note, key.casefold()), list)


def _is_one_of(item: str, targets: set[str], limits: Limits) -> bool:
    found = read_link(item.strip(), limits)
    return found is not None and found.target in targets


def _without(item: str, targets: set[str], limits: Limits) -> str:
    return with_links(item, links_in(item, limits), lambda link, raw: words_of(link) if link.target in targets else raw)


def _with_comma(text: str, span: Span) -> Span:
    """Widens the place of a link in a list of links over the comma that goes with it."""
    after = re.compile(r",[ \t]*(?=\[\[)").match(text, span.end)
    if after:
        return Span(span.start, after.end())
    before = re.search(r"(?<=\]\]),[ \t]*$", text[max(0, span.start - 20) : span.start])
    return Span(span.start - len(before[0]), span.end) if before else span
