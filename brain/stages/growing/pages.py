"""The tree as pages to read: `DIGEST.md`, one page for each area, loose ends. Values → text. Pure.

A page says nothing of time: the same notes give the same bytes. Names stand as links; other words of a note stand on
one line without marks that could hide what follows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from brain.core.ids import fold
from brain.core.slug import slug
from brain.core.tree import FREE_KINDS, Forest, children_of
from brain.stages.report import counted
from brain.vault.generated import RENDER_HEAD

DIGEST, LOOSE = "DIGEST", "loose-ends"
LINES_MAX = 2_000
TOPS_MAX = 20
CONTENT_CHARS_MAX = 160
LEVELS_MAX = 100
_PLAIN = re.compile(r"[^#^|\[\]\\%`\r\n]+\.md")
_HIDING = re.compile(r"(%|\$)\1+|<!--|-->|`|\[\[|\]\]|\*\*|\^(?=[\w-]+$)")
Out = tuple[str, str, bool]
"""A relation, the path at its other end, and whether it leads there."""


@dataclass(frozen=True, slots=True)
class Face:
    """How a note shows on a page; `content` is its first claim or words."""

    title: str
    kind: str
    importance: float
    content: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """All that the pages show."""

    forest: Forest
    faces: Mapping[str, Face]
    relations: Mapping[str, Sequence[Out]] = field(default_factory=dict)
    owner: str | None = None

    def areas(self, children: Mapping[str, Sequence[str]]) -> list[str]:
        """What hangs off the owner, else the tops that have parts, the most important first."""
        owner = self.forest.owner
        parents = self.forest.parents
        tops = children.get(owner, ()) if owner else [path for path in children if not parents.get(path)]
        return sorted(tops, key=self.order)

    def order(self, path: str) -> tuple[float, str, str]:
        """What siblings are ordered by."""
        face = self.faces[path]
        return (-face.importance, fold(face.title), path)


def pages_of(picture: Picture) -> dict[str, str]:
    """Returns the text of each page, by its file stem."""
    children = children_of(picture.forest.parents)
    stems = _stems(picture, children)
    pages = {stem: _area(picture, children, path) for path, stem in stems.items()}
    loose = _loose(picture, children)
    if loose:
        pages[LOOSE] = f"{RENDER_HEAD}# Loose ends\n\nEntities that are part of nothing.\n\n{_cut(loose)}"
    pages[DIGEST] = _digest(picture, children, stems, len(loose))
    return pages


def _stems(picture: Picture, children: Mapping[str, Sequence[str]]) -> dict[str, str]:
    taken = {fold(DIGEST), LOOSE}
    found: dict[str, str] = {}
    following: dict[str, int] = defaultdict(lambda: 2)
    for path in picture.areas(children):
        base = stem = slug(picture.faces[path].title)
        while fold(stem) in taken:
            stem, following[base] = f"{base}-{following[base]}", following[base] + 1
        found[path] = stem
        taken.add(fold(stem))
    return found


def _digest(picture: Picture, children: Mapping[str, Sequence[str]], stems: Mapping[str, str], loose: int) -> str:
    kinds: dict[str, int] = {}
    for face in picture.faces.values():
        kinds[face.kind] = kinds.get(face.kind, 0) + 1
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])))
    lines = [f"{RENDER_HEAD}# {_words(picture.owner) if picture.owner else 'Digest'}", "", f"{counted(len(picture.faces), 'note')}: {counts}."]
    if stems:
        lines += ["", "## Areas", ""]
        lines += [f"- [[{stem}|{_label(picture.faces[path].title)}]] ({counted(_size(children, path), 'note')})" for path, stem in stems.items()]
    entities = [path for path, face in picture.faces.items() if face.kind not in (*FREE_KINDS, "category") and path != picture.forest.owner]
    if entities:
        lines += ["", "## Most important", "", *(_bullet(picture, path, 0) for path in sorted(entities, key=picture.order)[:TOPS_MAX])]
    if loose:
        lines += ["", f"[[{LOOSE}|{counted(loose, 'loose end')}]]"]
    return "\n".join(lines) + "\n"


def _size(children: Mapping[str, Sequence[str]], path: str) -> int:
    seen = {path}
    pending = [path]
    while pending:
        fresh = [child for child in children.get(pending.pop(), ()) if child not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return len(seen) - 1


def _area(picture: Picture, children: Mapping[str, Sequence[str]], path: str) -> str:
    lines = list(_branch(picture, children, path))
    return f"{RENDER_HEAD}# {_words(picture.faces[path].title)}\n\n{_cut(lines)}"


def _branch(picture: Picture, children: Mapping[str, Sequence[str]], top: str) -> Iterator[str]:
    """Yields the lines of a subtree, each note once; a stack, since a tree may be deep."""
    seen: set[str] = set()
    pending = [(top, 0)]
    while pending:
        path, depth = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        yield _bullet(picture, path, depth)
        yield from (_relation(picture, out, depth + 1) for out in picture.relations.get(path, ()))
        below = sorted(children.get(path, ()), key=picture.order, reverse=True)
        pending += [(child, min(depth + 1, LEVELS_MAX)) for child in below]


def _loose(picture: Picture, children: Mapping[str, Sequence[str]]) -> list[str]:
    forest = picture.forest
    lone = [path for path, node in forest.nodes.items() if node.kind not in FREE_KINDS and path != forest.owner and not forest.parents.get(path)]
    return [_bullet(picture, path, 0) for path in sorted(lone, key=picture.order) if path not in children]


def _bullet(picture: Picture, path: str, depth: int) -> str:
    face = picture.faces[path]
    content = _words(face.content)
    content = content if len(content) <= CONTENT_CHARS_MAX else content[: CONTENT_CHARS_MAX - 1].rstrip() + "…"
    return f"{'  ' * depth}- **{_link(picture, path)}** [{face.kind}] imp {face.importance:.2f}{f' — {content}' if content else ''}"


def _relation(picture: Picture, out: Out, depth: int) -> str:
    relation, other, is_from = out
    return f"{'  ' * depth}- _{relation}_ {'→' if is_from else '←'} {_link(picture, other)}"


def _link(picture: Picture, path: str) -> str:
    title = _label(picture.faces[path].title)
    return f"[[{path[:-3]}|{title}]]" if _PLAIN.fullmatch(path) and title else title


def _label(text: str) -> str:
    """Returns words for the shown side of a link, which a bracket would end."""
    return _words(text).replace("[", "(").replace("]", ")")


def _words(text: str) -> str:
    return " ".join(_HIDING.sub(" ", text).replace("|", "/").split())


def _cut(lines: Sequence[str]) -> str:
    more = [f"- … and {len(lines) - LINES_MAX} more lines"] if len(lines) > LINES_MAX else []
    return "\n".join([*lines[:LINES_MAX], *more]) + "\n"
