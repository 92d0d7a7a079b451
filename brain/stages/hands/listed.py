"""Items of a property that is a list, one on a line: added and taken out line by line, so that comments and quotes stay. Pure.

What is written in another way is set as a whole by the caller.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from brain.config import Limits
from brain.core.note import Span
from brain.core.plan import Edit, ReplaceSpan, SetField
from brain.stages.moving import ReadNote
from brain.vault.frontmatter import read_frontmatter
from brain.vault.properties import Entry

_ITEM = re.compile(r"[ \t]*-[ \t]+")
_PLAIN = re.compile(r"[^\W\d_][\w /-]*\w")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


def with_items(read: ReadNote, key: str, whole: Sequence[str], fresh: Sequence[str], limits: Limits) -> Edit:
    """Returns the edit that adds `fresh` to a list; `whole` is what it is then."""
    found = _block(read, key, limits)
    if found is None:
        return SetField(read.note.path, key, tuple(whole))
    entry, start = found
    text = read.source.text
    last = start + entry.scalars[-1].start
    lead = text[text.rfind("\n", 0, last) + 1 : last]
    lead = lead[: lead.index("-")]
    at = text.index("\n", last) + 1
    written = "".join(f"{lead}- {_quoted(item)}\n" for item in fresh)
    return ReplaceSpan(read.note.path, Span(at, at), "", written)


def without_items(read: ReadNote, key: str, kept: Sequence[str], is_gone: Callable[[str], bool], limits: Limits) -> list[Edit]:
    """Returns the edits that take items out of a list; `kept` is what is left of it."""
    found = _block(read, key, limits)
    if found is None or not kept:
        return [SetField(read.note.path, key, tuple(kept) or None)]
    entry, start = found
    text = read.source.text
    edits: list[Edit] = []
    for item in entry.scalars:
        if is_gone(item.text):
            line = text.rfind("\n", 0, start + item.start) + 1
            end = text.index("\n", start + item.start) + 1
            edits.append(ReplaceSpan(read.note.path, Span(line, end), text[line:end], ""))
    return edits


def _block(read: ReadNote, key: str, limits: Limits) -> tuple[Entry, int] | None:
    """Returns the entry of a list with an item on each line and where its YAML starts; None when it is written otherwise."""
    front = read_frontmatter(read.source.text, limits)
    entries = front.block.find(key) if front.block else ()
    if len(entries) != 1 or entries[0].style != "block" or not isinstance(entries[0].value, list):
        return None
    text = read.source.text
    for item in entries[0].scalars:
        line = text.rfind("\n", 0, front.yaml_start + item.start) + 1
        if not _ITEM.fullmatch(text[line : front.yaml_start + item.start]) or "\n" in text[front.yaml_start + item.start : front.yaml_start + item.end]:
            return None
    return (entries[0], front.yaml_start) if len(entries[0].scalars) == len(entries[0].value) else None


def _quoted(item: str) -> str:
    return item if _PLAIN.fullmatch(item) and item.casefold() not in _WORDS else json.dumps(item, ensure_ascii=False)
