"""Checks of links: to no note, to a missing file, to several notes, by a name that two notes have.

Reads the catalog and the names of files. Whether a note has the place a link names is in `anchors`.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.finding import Finding, Severity
from brain.core.ids import fold
from brain.doctor.view import View
from brain.errors import UsageError
from brain.index.resolution import candidates_of
from brain.index.rows import BY_STEM
from brain.recall.note_view import LinkView, all_links
from brain.stages.qualify import find_bare
from brain.vault.layout import checked_note_path
from brain.vault.linkscan import split_wikilink

_SUFFIX = re.compile(r"\.md$", re.IGNORECASE)
_WIKI = re.compile(r"!?\[\[(.*)\]\]", re.DOTALL)
_ADDRESS = re.compile(r"(?:www\.[\w-]+|[\w-]+)(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io|ai|app|dev|info|co|me)(?:[/:]|$)", re.IGNORECASE)
NAMESPACE = "___"
_LIKE_PATH = re.compile(r"[./#]")
_LIKE_CODE = re.compile(r"\.(?:js|ts|py|sh|sql|db|sqlite|json|ya?ml|toml|xml|html?|css|ipynb)$", re.IGNORECASE)


def broken_links(view: View) -> Iterator[Finding]:
    """Links that lead to no note and no other file. A bare name is a note not written yet, and no fault."""
    found = [link for link in all_links(view.conn, ("broken", "asset")) if not view.files.holds(link.path, link.target)]
    names = names_of(view.conn) if found else None
    for link in found:
        meant = names.meant_by(link) if names else None
        if meant:
            severity: Severity = "info" if meant.is_foreign else "warning"
            name = "this name in the form of another program" if meant.is_foreign else "nearly this name"
            message = f"{link.raw} leads to no note; {meant.path} has {name}."
            yield Finding("broken-link", severity, link.path, link.line, message, f'write {meant.link} on line {link.line} of "{link.path}"')
        elif link.status == "asset" and not _may_be_note(link):
            yield _missing_asset(link)
        elif _is_bare(link):
            yield Finding("broken-link", "info", link.path, link.line, f"{link.raw} leads to no note yet.", _written_or_plain(link))
        else:
            yield Finding("broken-link", "warning", link.path, link.line, f"{link.raw} leads to no note.", _written_or_plain(link))


def ambiguous_links(view: View) -> Iterator[Finding]:
    """Links that could mean several notes, with targets ready to paste."""
    rows = view.conn.execute(
        "SELECT s.path, l.line, l.raw, l.target, l.form, l.key FROM link l JOIN note s USING(nid) WHERE l.status='ambiguous' ORDER BY s.path, l.ordinal"
    ).fetchall()
    known: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for path, line, raw, target, form, key in rows:
        place = (posixpath.dirname(path), target, form)  # of its source a link depends on the folder alone
        candidates = known[place] = known.get(place) or candidates_of(view.conn, path, target, form, key)
        targets = " or ".join(f"[[{_SUFFIX.sub('', candidate)}]]" for candidate in candidates)
        message = f"{raw} could mean any of: {', '.join(candidates)}."
        yield Finding("ambiguous-link", "warning", path, line, message, f'write {targets} in "{path}"')


def bare_links(view: View) -> Iterator[Finding]:
    """Links whose name a second note has, while they still lead to the one they mean; one finding a note and target."""
    found = find_bare(view.conn, view.changes, view.space.config, view.ledger.settled)
    for bare in found.bare:
        shown = f"{bare.raws[0]} and {len(bare.raws) - 1} more" if len(bare.raws) > 1 else bare.raws[0]
        if bare.is_new:
            message = f"{shown} would not mean {bare.target} for sure after the next brain index: the new note {bare.twin} has its name."
            yield Finding("bare-link", "warning", bare.source, bare.line, message, "brain repair bare-link")
        else:
            message = f"{shown} means {bare.target} by its place alone: {bare.twin} has its name."
            yield Finding("bare-link", "info", bare.source, bare.line, message, "brain repair bare-link")


@dataclass(frozen=True, slots=True)
class Meant:
    """The note that a broken link may mean, and the link to write instead. `is_foreign`: another program follows it as it is."""

    path: str
    link: str
    is_foreign: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The notes under the `near_key` of their file names, paths and aliases."""

    paths: dict[str, frozenset[str]]
    stems: dict[str, int]

    def meant_by(self, link: LinkView) -> Meant | None:
        """Returns the one note with nearly the name of a target, or with the name that stands where the alias does."""
        match = _WIKI.fullmatch(link.raw)
        _, anchor, alias = split_wikilink(match[1]) if match else ("", link.anchor, None)
        path = self._one(link.target)
        if path is not None:
            written = self._written(path, link, anchor, alias) if match else f"a link to {path}"
            return Meant(path, written, _is_namespaced(path, link.target))
        if alias is None or not _LIKE_PATH.search(alias):
            return None
        swapped, _, place = alias.partition("#")
        path = self._one(swapped.rpartition("://")[2])
        return None if path is None else Meant(path, self._written(path, link, place or None, link.target), is_foreign=True)

    def _one(self, name: str) -> str | None:
        name = _SUFFIX.sub("", name)
        for part in (name, name.rsplit("/", 1)[-1]):
            found = self.paths.get(near_key(part), frozenset()) if near_key(part) else frozenset()
            if len(found) == 1:
                return next(iter(found))
        return None

    def _written(self, path: str, link: LinkView, anchor: str | None, alias: str | None) -> str:
        whole = _SUFFIX.sub("", path)
        stem = whole.rsplit("/", 1)[-1]
        target = stem if self.stems[near_key(stem)] == 1 else whole
        separator = "\\|" if "\\|" in link.raw else "|"  # as a table wants it
        shown = f"{target}{'#' + anchor if anchor else ''}{separator + alias if alias else ''}"
        return f"{'!' if link.raw.startswith('!') else ''}[[{shown}]]"


def names_of(conn: sqlite3.Connection) -> Names:
    """Reads every name of every note."""
    paths: dict[str, set[str]] = defaultdict(set)
    stems: dict[str, int] = defaultdict(int)
    for text, how, path in conn.execute("SELECT a.text, a.how, n.path FROM name a JOIN note n USING(nid)"):
        paths[near_key(text)].add(path)
        if how == BY_STEM:
            stems[near_key(text)] += 1
            paths[near_key(_SUFFIX.sub("", path))].add(path)
    return Names({key: frozenset(found) for key, found in paths.items()}, dict(stems))


def near_key(name: str) -> str:
    """Returns a name without spaces and punctuation: `Site Map`, `site-map` and `site/map` are one, `∑ Site Map` is another."""
    return fold(name).translate(_LETTERS)


class _Letters(dict[int, int | None]):
    """For `str.translate`: asks for each character once whether it is a space or punctuation."""

    def __missing__(self, code: int) -> int | None:
        kept = None if unicodedata.category(chr(code))[0] in "PZ" else code
        self[code] = kept
        return kept


_LETTERS = _Letters()


def _missing_asset(link: LinkView) -> Finding:
    """A link or embed whose file (an image, a PDF, an attachment) is not in the vault."""
    away = _away(link)
    if _ADDRESS.match(link.target):
        message = f"{link.raw} leads to a file that is not there; an address begins with https://."
        return Finding("missing-asset", "warning", link.path, link.line, message, f"write https://{link.target}, or {away}")
    folder = "" if link.target.startswith("/") else posixpath.dirname(link.path)
    place = posixpath.normpath(posixpath.join(folder, link.target.lstrip("/")))
    cure = away if place.startswith("..") else f'put the file at "{place}", or {away}'
    return Finding("missing-asset", "warning", link.path, link.line, f"{link.raw} leads to a file that is not there.", cure)


def _is_namespaced(path: str, target: str) -> bool:
    """Tells whether an outliner's page, whose file has `___` for each `/` of its name, is meant by its name, or by a link inside a link."""
    return target.startswith("[[") or (NAMESPACE in path and "/" in target)


def _is_bare(link: LinkView) -> bool:
    return _WIKI.fullmatch(link.raw) is not None and "/" not in link.target and not _SUFFIX.search(link.target)


def _may_be_note(link: LinkView) -> bool:
    """`[[Node.js]]` is a note not written yet: what ends like source code is a name, unless it is embedded or has a path."""
    return _is_bare(link) and not link.raw.startswith("!") and _LIKE_CODE.search(link.target) is not None


def _written_or_plain(link: LinkView) -> str:
    """What leads to zero: the note under a name that it can have, or the words without a link."""
    name = link.target if _SUFFIX.search(link.target) else f"{link.target}.md"
    if "[[" in name:  # written as `[words]([[Name]])`
        return _away(link)
    if not _is_bare(link):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(link.path), name))
    try:
        return f'write the note "{checked_note_path(name)}", or {_away(link)}'
    except UsageError:
        return _away(link)


def _away(link: LinkView) -> str:
    return f'take the link away on line {link.line} of "{link.path}"'
