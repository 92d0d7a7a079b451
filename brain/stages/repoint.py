"""Writing links of one note anew: anchor and shown text stay, and the form where it can. Pure.

A link in the body is replaced where it stands. One in a property is replaced there only while the block still
reads as the same block; else the whole property is set anew, and a property that cannot be set keeps its link.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from brain.config import Limits
from brain.core.ids import fold
from brain.core.note import Json, Note
from brain.core.plan import ReplaceSpan, SetField
from brain.errors import BrainError
from brain.stages.spelling import Shown, encoded, found_in, is_wiki_name, with_links
from brain.vault.frontmatter import FieldValue, Frontmatter, read_frontmatter, set_field
from brain.vault.linkscan import find_links

_WIKI = re.compile(r"(!?\[\[)([^\]|#\\]*)(.*)", re.DOTALL)
_MARKDOWN = re.compile(r"(!?\[.*\]\([ \t]*)(?:<([^<>]*)>|([^\s()]*(?:\([^()]*\)[^\s()]*)*))(.*)", re.DOTALL)


def in_its_form(raw: str, source: str, path: str) -> Iterator[str]:
    """Yields a link of the note at `source` as it is written but for its target, which becomes the note at `path`.

    A link that names a folder keeps naming one. Whether the result leads there is not known here.
    """
    wiki, markdown = _WIKI.fullmatch(raw), _MARKDOWN.fullmatch(raw)
    whole = path[:-3]
    if wiki:
        suffix = path[-3:] if wiki[2].strip().lower().endswith(".md") else ""
        for name in (whole,) if "/" in wiki[2] else (whole.rsplit("/", 1)[-1], whole):
            if is_wiki_name(name):
                yield f"{wiki[1]}{name}{suffix}{wiki[3]}"
    elif markdown:
        yield _markdown(markdown, source, path)


def edits_of(
    note: Note, text: str, shown: Shown, limits: Limits, *, spared: Collection[str] = ()
) -> tuple[tuple[ReplaceSpan | SetField, ...], int]:
    """Returns the edits that write each link as `shown` does, and how many properties could not be written so.

    Properties called as in `spared` are left alone.
    """
    edits: list[ReplaceSpan | SetField] = list(_in_place(note, "body", shown, 0, len(text)))
    left = 0
    front = read_frontmatter(text, limits)
    for place, entry in enumerate(front.block.entries if front.block else ()):
        value = with_new_links(entry.value, shown, limits)
        if value != entry.value and entry.key not in spared:
            without_doubles = once(list(zip(value, entry.value, strict=True))) if isinstance(value, list) and isinstance(entry.value, list) else value
            found = _in_property(note, text, front, place, without_doubles, shown, limits)
            if found is None and without_doubles != value:  # twice is better than a link that is left behind
                found = _in_property(note, text, front, place, value, shown, limits)
            left += found is None
            edits += found or ()
    return tuple(edits), left


def with_new_links(value: Json, shown: Shown, limits: Limits) -> Json:
    """Returns a property's value with each link in its texts as `shown` writes it."""
    match value:
        case str():
            return with_links(value, find_links(value, value, 0, len(value), limits.link_chars_max), shown)
        case list():
            return [with_new_links(item, shown, limits) for item in value]
        case dict():
            return {key: with_new_links(item, shown, limits) for key, item in value.items()}
        case _:
            return value


def once(pairs: Sequence[tuple[Json, Json]]) -> list[Json]:
    """Returns the first of each pair, a value as it is now and as it was; values that have become equal are there once."""
    kept: list[Json] = []
    is_changed: dict[str, bool] = {}
    for now, was in pairs:
        if isinstance(now, str):
            key, known = fold(now), is_changed.get(fold(now))
            is_changed[key] = bool(known) or now != was
            if known is not None and is_changed[key]:
                continue
        kept.append(now)
    return kept


def is_settable(text: str, key: str, value: FieldValue, limits: Limits) -> bool:
    """Tells whether a property can be set without touching another one."""
    try:
        set_field(text, key, value, limits=limits)
    except BrainError:
        return False
    return True


def as_field(value: Json) -> FieldValue | None:
    """Returns a property's value as one that can be written, None when it holds more than a list of texts."""
    if isinstance(value, list):
        return tuple(str(item) for item in value) if value and all(isinstance(item, str) for item in value) else None
    return value if isinstance(value, str | int | float | bool) else None


def _in_place(note: Note, place: str, shown: Shown, start: int, end: int) -> Iterator[ReplaceSpan]:
    """Yields the edits of the links in `[start, end)` where they stand; a link inside another goes with the outer one."""
    at = start
    for link in note.links:
        if link.place == place and at <= link.span.start < end and (new := shown(found_in(link), link.raw)) != link.raw:
            at = link.span.end
            yield ReplaceSpan(note.path, link.span, link.raw, new)


def _in_property(
    note: Note, text: str, front: Frontmatter, place: int, value: Json, shown: Shown, limits: Limits
) -> tuple[ReplaceSpan | SetField, ...] | None:
    """Returns the edits of one property; None when no way of writing them is read back as meant."""
    entries = front.block.entries if front.block else ()
    entry = entries[place]
    spans = tuple(_in_place(note, "property", shown, front.yaml_start + entry.start, front.yaml_start + entry.end))
    changed = text
    for edit in reversed(spans):
        changed = changed[: edit.span.start] + edit.text + changed[edit.span.end :]
    wanted = [(other.key, value if other is entry else other.value) for other in entries]
    if spans and _values(changed, limits) == wanted:
        return spans
    field = as_field(value)
    is_only = sum(other.key == entry.key for other in entries) == 1
    if is_only and field is not None and is_settable(text, entry.key, field, limits):
        return (SetField(note.path, entry.key, field),)
    return None


def _values(text: str, limits: Limits) -> list[tuple[str, Json]] | None:
    block = read_frontmatter(text, limits).block
    return None if block is None else [(entry.key, entry.value) for entry in block.entries]


def _markdown(match: re.Match[str], source: str, path: str) -> str:
    written = match[2] if match[2] is not None else match[3]
    bare, hash_sign, anchor = written.partition("#")
    target = f"/{path}" if bare.startswith("/") else posixpath.relpath(path, posixpath.dirname(source) or ".")
    if not bare.lower().endswith(".md"):
        target = target[:-3]
    if match[2] is not None and not re.search(r"[<>\\#%]", target):
        return f"{match[1]}<{target}{hash_sign}{anchor}>{match[4]}"
    fragment = anchor.replace(" ", "%20")
    return f"{match[1]}{encoded(target)}{hash_sign}{fragment}{match[4]}"


