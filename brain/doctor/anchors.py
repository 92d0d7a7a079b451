"""The check of anchors: whether the note that a link leads to has the heading or block it names.

Headings come from the text that was indexed, no file is opened. Besides headings and block ids an anchor may
be an HTML id, the nth heading of a name (`#setup-1`), or a range (`#start,1:#end`, `#start:#*`).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

from brain.core.finding import Finding
from brain.core.nearest import nearest
from brain.core.note import Heading
from brain.doctor.links import near_key
from brain.doctor.view import View
from brain.vault.links import anchor_found
from brain.vault.linkscan import Lines
from brain.vault.mask import mask
from brain.vault.outline import find_block_ids, find_headings

_COUNTED = re.compile(r"-(\d+)$")
_RANGE = re.compile(r"([^:,]+)(?:,\d+)?(?::(?:#(.+?)(?:,\d+)?)?)?$")
_EDGES = (None, "*", "^begin", "^end")
_SYMBOLS = str.maketrans("", "", "$+<=>^`|~")


def broken_anchors(view: View) -> Iterator[Finding]:
    """Links to a heading or a block that the note they lead to does not have."""
    rows = view.conn.execute(
        "SELECT coalesce(l.target_nid, l.nid) AS at, t.path, s.path, l.line, l.raw, l.anchor FROM link l JOIN note s USING(nid)"
        " JOIN note t ON t.nid=coalesce(l.target_nid, l.nid) WHERE l.anchor IS NOT NULL AND l.status IN ('resolved','self') ORDER BY at"
    ).fetchall()
    for nid, links in groupby(rows, key=lambda row: row[0]):
        outline = outline_of(view.conn, nid)
        for _, target, path, line, raw, anchor in links:
            if not outline.has(anchor):
                message = f"{raw} leads to {target}, which has no {'block' if anchor.startswith('^') else 'heading'} {anchor!r}."
                yield Finding("broken-anchor", "warning", path, line, message, outline.cure(raw, anchor, path, line))


@dataclass(frozen=True, slots=True)
class Outline:
    """The places of one note that a link can name."""

    headings: tuple[Heading, ...]
    block_ids: frozenset[str]
    body: str

    def has(self, anchor: str) -> bool:
        """Tells whether a reader gets to a place by this anchor."""
        if self._has_place(anchor):
            return True
        ends = _RANGE.fullmatch(anchor)
        return ends is not None and all(end in _EDGES or self._has_place(end) for end in ends.groups())

    def cure(self, raw: str, anchor: str, path: str, line: int) -> str:
        """Returns what to write instead: the nearest place that is there, or the link to the note as a whole."""
        known = [f"^{name}" for name in self.block_ids] if anchor.startswith("^") else [heading.text for heading in self.headings]
        near = next((name for name in nearest(anchor, known) if not re.search(r"[\[\]|#]", name)), "")
        if near and not raw.lstrip("!").startswith("[[") and "<" not in raw:
            near = near.replace(" ", "%20")
        for written in (anchor, quote(anchor), anchor.replace(" ", "%20")):
            changed = raw.replace(f"#{written}", f"#{near}" if near else "", 1)
            if changed != raw and not re.match(r"!?\[\[(?:\||\]\])|.*\]\(\)", changed):
                return f'write {changed} on line {line} of "{path}"'
        return f'take the link away on line {line} of "{path}", or give a heading that name'

    def _has_place(self, anchor: str) -> bool:
        if anchor_found(anchor, self.headings, self.block_ids) or self._has_html_id(anchor):
            return True
        wanted = _loose(anchor)
        if wanted and not anchor.startswith("^") and any(_loose(heading.text) == wanted for heading in self.headings):
            return True
        counted = _COUNTED.search(anchor)
        return counted is not None and self._times(anchor[: counted.start()]) > int(counted[1])

    def _times(self, name: str) -> int:
        return sum(anchor_found(name, (heading,), ()) for heading in self.headings)

    def _has_html_id(self, anchor: str) -> bool:
        if ("<" not in self.body and "{#" not in self.body) or anchor.casefold() not in self.body.casefold():
            return False
        name = re.escape(anchor)
        return re.search(rf"<[^>]*\b(?:id|name)\s*=\s*[\"']?{name}[\"'\s>/]|\{{#{name}\}}", self.body, re.IGNORECASE) is not None


def outline_of(conn: sqlite3.Connection, nid: int) -> Outline:
    """Reads the headings and block ids out of the text that is indexed of a note."""
    (body,) = conn.execute("SELECT body FROM text_doc WHERE nid=?", (nid,)).fetchone()
    masked, lines = mask(body), Lines(body)
    return Outline(find_headings(masked, body, 0, lines), frozenset(name for name, _ in find_block_ids(masked, 0, lines)), body)


def _loose(text: str) -> str:
    """Editors look for a heading without its spaces, punctuation and ASCII symbols."""
    return near_key(text.translate(_SYMBOLS))
