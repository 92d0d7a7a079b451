"""Rewriting one link so that it leads elsewhere: form, anchor and shown text stay as they are. Pure."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote

from brain.core.note import Link, Note
from brain.core.plan import ReplaceSpan

_WIKI = re.compile(r"(!?\[\[)([^\]|#\\]*)(.*)", re.DOTALL)
_MARKDOWN = re.compile(r"(!?\[.*\]\([ \t]*)(?:<([^<>]*)>|([^\s()]*(?:\([^()]*\)[^\s()]*)*))(.*)", re.DOTALL)


def repointed(link: Link, source: str, stem: str, path: str) -> str | None:
    """Returns the link as written, leading to the note at `path`; None when it cannot be written there safely.

    `stem` is the short link target of that note; a link that names a folder keeps naming one.
    """
    if link.form in ("wikilink", "embed"):
        return _wikilink(link, stem, path)
    return _markdown(link, source, path)


def as_words(link: Link, shown: str) -> str:
    """Returns a link as plain words: its alias, else the name it had."""
    return link.alias or shown


def edits_of(note: Note, links: tuple[Link, ...], stem: str, path: str) -> tuple[ReplaceSpan, ...]:
    """Returns the edits that lead these links of one note to the note at `path`."""
    return tuple(
        ReplaceSpan(note.path, link.span, link.raw, text)
        for link in links
        if (text := repointed(link, note.path, stem, path)) is not None and text != link.raw
    )


def _wikilink(link: Link, stem: str, path: str) -> str | None:
    match = _WIKI.fullmatch(link.raw)
    target = re.sub(r"\.md$", "", path, flags=re.IGNORECASE) if "/" in link.target else stem
    if match is None or (link.place == "property" and "'" in target):
        return None
    suffix = ".md" if match[2].strip().lower().endswith(".md") else ""
    return f"{match[1]}{target}{suffix}{match[3]}"


def _markdown(link: Link, source: str, path: str) -> str | None:
    match = _MARKDOWN.fullmatch(link.raw)
    if match is None:
        return None
    written = match[2] if match[2] is not None else match[3]
    bare, hash_sign, anchor = written.partition("#")
    target = f"/{path}" if bare.startswith("/") else posixpath.relpath(path, posixpath.dirname(source) or ".")
    if not bare.lower().endswith(".md"):
        target = re.sub(r"\.md$", "", target, flags=re.IGNORECASE)
    if match[2] is not None:
        return f"{match[1]}<{target}{hash_sign}{anchor}>{match[4]}"
    return f"{match[1]}{quote(target, safe='/')}{hash_sign}{anchor}{match[4]}"
