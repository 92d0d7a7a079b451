"""Which note a link means. Pure: a table of names in, a resolution out; the table may hold a part of the vault.

Order: path (whole, relative to the source, suffix), file stem, alias; letter case and Unicode form aside.
A stem beats an alias and a live note a superseded one; of notes still tied for a bare name the one at the
root, then the one beside the source. What is tied after that is ambiguous and never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from brain.core.ids import fold
from brain.core.note import Heading, Link
from brain.vault.linkscan import is_external

Status = Literal["resolved", "broken", "ambiguous", "external", "self", "asset"]

NOT_LIVE = frozenset({"superseded", "archived"})

_SUFFIX = re.compile(r"\.md$", re.IGNORECASE)
_ASSET = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|svg|webp|avif|heic|tiff?|ico|mp3|wav|m4a|ogg|oga|3gp|flac|opus|mp4|webm|ogv|mov|mkv|avi|pdf|canvas|base"
    r"|docx?|xlsx?|pptx?|odt|ods|odp|epub|csv|tsv|json|ya?ml|toml|xml|html?|css|txt|zip|gz|tar|7z|ipynb|excalidraw|drawio|py|js|ts|sh|sql|db|sqlite)$",
    re.IGNORECASE,
)
_ANY_EXTENSION = re.compile(r"\.[a-z][a-z0-9]{0,7}$", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_STRIPPED = re.compile(r"[|:#^\[\]\\\s]+")
_NOT_SLUG = re.compile(r"[^\w\- ]+")


@dataclass(frozen=True, slots=True)
class NameRow:
    """The names of one note. `path` ends in `.md`; `nid` is whatever number the caller knows the note by."""

    nid: int
    path: str
    aliases: tuple[str, ...] = ()
    status: str = "active"


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a link leads. `candidates` are row ids in path order when it is ambiguous, else empty."""

    status: Status
    nid: int | None = None
    candidates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    row: NameRow
    path: str
    """Folded, without `.md`."""


class NameTable:
    """Notes by the keys they answer to."""

    def __init__(self, rows: Iterable[NameRow]) -> None:
        self._stems: dict[str, list[_Entry]] = {}
        self._aliases: dict[str, list[tuple[str, _Entry]]] = {}
        for row in rows:
            entry = _Entry(row, fold(_SUFFIX.sub("", row.path)))
            self._stems.setdefault(_stem(entry.path), []).append(entry)
            for alias in dict.fromkeys(map(fold, row.aliases)):
                if _stem(alias):
                    self._aliases.setdefault(_stem(alias), []).append((alias, entry))

    def by_stem(self, key: str) -> list[_Entry]:
        """Returns the notes whose file name, without `.md` and folded, is `key`."""
        return self._stems.get(key, [])

    def by_alias(self, alias: str) -> list[_Entry]:
        """Returns the notes with exactly this alias, folded; one with a slash is kept under its last part."""
        return [entry for known, entry in self._aliases.get(_stem(alias), ()) if known == alias]


def alias_key(alias: str) -> str:
    """Returns the key a note answers to by an alias: folded, and of `AC/DC` the last part, as a link's key is."""
    return _stem(fold(alias))


def keys_of(path: str, aliases: Sequence[str]) -> tuple[str, ...]:
    """Returns the folded keys a note answers to, sorted: its file stem and its aliases."""
    return tuple(sorted({key for key in (_stem(fold(_SUFFIX.sub("", path))), *map(alias_key, aliases)) if key}))


def keys_wanted(source_path: str, target: str) -> tuple[str, ...]:
    """Returns the folded keys a link looks up: none for a link to its own note or out of the vault."""
    del source_path  # a relative path changes where a note must lie, not what it must be called
    if not target or is_external(target):
        return ()
    return tuple(key for key in (_stem(_normal(target)),) if key)


def link_key(link: Link) -> str:
    """Returns the key under which a link is found again when a note of that name comes or goes."""
    return next(iter(keys_wanted("", link.target)), "")


def resolve(table: NameTable, source: str, target: str, form: str = "wikilink") -> Resolution:
    """Finds the note that `target`, written in the note at path `source`, means."""
    if not target:
        return Resolution("self")
    if is_external(target):
        return Resolution("external")
    name = _normal(target)
    key = _stem(name)
    is_path = "/" in name or name in (".", "..")
    chosen = (
        _by_path(table.by_stem(key), source, target, form) if is_path else _by_name(table.by_stem(key), source, target)
    )
    if not chosen:
        chosen = _live(table.by_alias(name))
    if len(chosen) == 1:
        return Resolution("resolved", chosen[0].row.nid)
    if chosen:
        return Resolution(
            "ambiguous", None, tuple(e.row.nid for e in sorted(chosen, key=lambda e: (e.path, e.row.path)))
        )
    return Resolution(_unfound(target, form))


def anchor_found(anchor: str, headings: Sequence[Heading], block_ids: Iterable[str]) -> bool:
    """Tells whether a note has the place an anchor names: `^block-id`, a heading, or a path of headings.

    Headings are compared without the characters an editor strips from links (`|:#^[]`), or as web slugs.
    """
    if anchor.startswith("^"):
        wanted = anchor[1:].strip().casefold()
        return any(name.casefold() == wanted for name in block_ids)
    texts = [(_plain(heading.text), _slug(heading.text)) for heading in headings]
    if any(_plain(anchor) == plain or _slug(anchor) == slug for plain, slug in texts):
        return True
    at = 0
    parts = [part for part in anchor.split("#") if part.strip()]
    for part in parts:
        while at < len(texts) and texts[at][0] != _plain(part):
            at += 1
        if at == len(texts):
            return False
        at += 1
    return bool(parts)


def _normal(target: str) -> str:
    return fold(_SUFFIX.sub("", target.strip()))


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].strip()


def _by_path(same_stem: list[_Entry], source: str, target: str, form: str) -> list[_Entry]:
    name, spelt = _normal(target), _SUFFIX.sub("", target.strip())
    whole, relative = (name.lstrip("/"), spelt.lstrip("/")), (_joined(fold(source), name), _joined(source, spelt))
    is_relative_only = name.startswith(("./", "../"))
    order = [relative] if is_relative_only else [whole] if name.startswith("/") else [whole, relative]
    if form in ("markdown", "image") and not is_relative_only and not name.startswith("/"):
        order.reverse()
    for path, as_written in order:
        exact = [entry for entry in same_stem if entry.path == path]
        if exact:
            return _exact_case(exact, as_written)
    if is_relative_only or name.startswith("/"):
        return []
    return _live([entry for entry in same_stem if entry.path.endswith("/" + whole[0])])


def _by_name(same_stem: list[_Entry], source: str, target: str) -> list[_Entry]:
    live = _live(same_stem)
    if len(live) < 2:
        return live
    folder = fold(source).rpartition("/")[0]
    for place in ("", folder):
        here = [entry for entry in live if entry.path.rpartition("/")[0] == place]
        if here:
            return _exact_case(here, _SUFFIX.sub("", target).strip())
    return live


def _exact_case(entries: list[_Entry], spelt: str) -> list[_Entry]:
    """Prefers, of files whose paths differ in letter case only, the live ones, then the one whose path ends as spelt."""
    live = _live(entries)
    exact = [entry for entry in live if f"/{_SUFFIX.sub('', entry.row.path)}".endswith(f"/{spelt}")]
    return exact if len(exact) == 1 else live


def _live(entries: list[_Entry]) -> list[_Entry]:
    if len(entries) < 2:
        return entries
    return [entry for entry in entries if entry.row.status not in NOT_LIVE] or entries


def _joined(source: str, name: str) -> str:
    """Joins a relative target to the folder of its source; a path that leaves the vault names nothing."""
    parts = source.split("/")[:-1]
    for part in name.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _unfound(target: str, form: str) -> Status:
    if _SUFFIX.search(target):
        return "broken"
    if form in ("markdown", "image"):
        if _SCHEME.match(target):
            return "external"
        return "asset" if target.endswith("/") or _ANY_EXTENSION.search(target) else "broken"
    return "asset" if _ASSET.search(target) else "broken"


def _plain(text: str) -> str:
    return _STRIPPED.sub(" ", fold(text)).strip()


def _slug(text: str) -> str:
    return _NOT_SLUG.sub("", fold(text)).replace(" ", "-")


__all__ = [
    "NameRow", "NameTable", "Resolution", "alias_key", "anchor_found", "keys_of", "keys_wanted", "link_key", "resolve",
]  # fmt: skip
