"""The ways to write a link to a note, shortest first, and links in a piece of text. Pure.

A wikilink cannot hold every file name: `#`, `^`, `|` and brackets mean something in it. A Markdown link can,
its path encoded and relative to the note that holds it. Whether a spelling leads to the note is for the
resolver to say (`target.Names`). Source: CommonMark 0.31 section 6.3; RFC 3986 section 2.1.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

from brain.config import Limits
from brain.core.note import Link
from brain.vault.linkscan import Found, find_links
from brain.vault.mask import mask

Shown = Callable[[Found, str], str]
"""How a link, given with the text it has, is to be written."""

LEAD = "x "
"""Stands before a text that is read by itself: what begins a line may mean more than what stands inside one."""
_MEANT = re.compile(r"[#^\[\]|`\\]|%%|\$\$|<!--|(?:^|/)\s|\s(?:/|$)")
_SPARED = frozenset("-._~/")
_IN_LABELS = str.maketrans({"[": "(", "]": ")", "\\": "/", "|": "/", "`": "'", '"': "'", "<": "‹", ">": "›"})
_OPENING = re.compile(r"(?<!\\)(?:%%|\$\$|<!--)")
_DOUBLED = re.compile(r"([%$:])\1+")


def spellings(source: str, path: str, *, anchor: str | None, alias: str | None, is_embed: bool, is_known_by_name: bool) -> Iterator[str]:
    """Yields the links that may lead from the note at `source` to the one at `path`.

    `is_known_by_name` tells whether no other note has its file name: then the name alone comes first.
    """
    lead = "!" if is_embed else ""
    whole, suffix = path[:-3], path[-3:]
    stem = whole.rsplit("/", 1)[-1]
    names = (stem, whole) if is_known_by_name else (whole, stem)
    for name in dict.fromkeys((*names, *(f"{name}{suffix}" for name in names), f"/{whole}", f"/{path}")):
        if is_wiki_name(name):
            yield f"{lead}[[{name}{f'#{anchor}' if anchor else ''}{f'|{alias}' if alias else ''}]]"
    near = posixpath.relpath(path, posixpath.dirname(source) or ".")
    fragment = f"#{encoded(anchor, also='#^')}" if anchor else ""
    for place in (near, f"./{near}", f"/{path}"):
        yield f"{lead}[{label(alias or stem)}]({encoded(place)}{fragment})"


def is_wiki_name(name: str) -> bool:
    """Tells whether nothing in a name means something else in a wikilink, to any editor: marks, and spaces at an edge."""
    return _MEANT.search(name) is None


def label(words: str) -> str:
    """Returns words that may stand in the brackets of a Markdown link, whatever is around it."""
    plain = _DOUBLED.sub(r"\1", " ".join(words.split()).translate(_IN_LABELS))
    return plain.lstrip("^! ") or "note"


def encoded(path: str, also: str = "") -> str:
    """Returns a path for a Markdown link: encoded is what could mean something there; letters of every script stay legible."""
    return "".join(c if c.isalnum() or c in _SPARED or c in also else quote(c, safe="", errors="surrogateescape") for c in path)


def read_link(text: str, limits: Limits) -> Found | None:
    """Returns the link that a whole text is, inside a line; None when it is read as anything else."""
    if " ".join(text.split()) != text:
        return None  # where a text is put on one line, this would become another name
    found = links_in(text, limits)
    return found[0] if len(found) == 1 and (found[0].start, found[0].end) == (0, len(text)) else None


def links_in(text: str, limits: Limits) -> list[Found]:
    """Returns the links of a text that stands inside a line, in order, with their places in it."""
    line = LEAD + text
    found = find_links(mask(line), line, len(LEAD), len(line), limits.link_chars_max)
    return [Found(f.start - len(LEAD), f.end - len(LEAD), f.form, f.target, f.anchor, f.alias) for f in found]


def open_marks(text: str) -> list[int]:
    """Returns where marks stand, in a text inside a line, that open a comment or formula which nothing in it closes."""
    return [found.start() - len(LEAD) for found in _OPENING.finditer(mask(LEAD + text), len(LEAD))]


def found_in(link: Link, start: int = 0) -> Found:
    """Returns a note's link with its place in a piece of the note that begins at `start`."""
    return Found(link.span.start - start, link.span.end - start, link.form, link.target, link.anchor, link.alias)


def words_of(link: Found) -> str:
    """Returns a link as plain words: what it shows, else the name it had."""
    name = link.target.rsplit("/", 1)[-1]
    return link.alias or (name[:-3] if name.lower().endswith(".md") else name) or link.anchor or ""


def with_links(text: str, links: Iterable[Found], shown: Shown) -> str:
    """Returns a text with each of its links as `shown` writes it; a link inside another goes with the outer one."""
    pieces: list[str] = []
    at = 0
    for link in links:
        if link.start >= at:
            pieces += [text[at : link.start], shown(link, text[link.start : link.end])]
            at = link.end
    return "".join([*pieces, text[at:]])


def without_links(text: str, limits: Limits) -> str:
    """Returns one line of text with its links as words."""
    return with_links(text, links_in(text, limits), lambda link, _: words_of(link))
