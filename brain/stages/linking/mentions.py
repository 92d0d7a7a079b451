"""Unlinked mentions: a note's name that stands in another note's text as a whole phrase, without a link. Reads only.

The names are looked for by the full-text index and checked in the text. The graph holds no texts, and a Cypher
`CONTAINS` over a property would read every one of them for every name; a phrase costs the index a quarter of a
millisecond at 100,000 notes. The rarest names come first: they say the most, and they are the cheapest.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain.config import Limits
from brain.core.ids import fold
from brain.index import text as fulltext
from brain.index.stems import Stems
from brain.index.tokens import UNSPACED_RUN, WORD, index_forms
from brain.stages.linking.notes import LiveNote, prose_of
from brain.stages.rules import names_a_thing
from brain.vault.linkscan import find_links
from brain.vault.mask import FILLER, mask

NAMES_PER_RUN_MAX = 10_000
NOTES_PER_NAME_MAX = 100
"""A name that stands in more notes is a word like any other."""
LETTERS_MIN, LETTERS_MIN_UNSPACED = 3, 2
TEXTS_KEPT = 2_000
BY_STEM, BY_ALIAS = 1, 2
_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]\n]+\]:[ \t]*\S.*$", re.M)
"""`[name]: path`: where a link of that name leads (CommonMark 0.31, section 4.7)."""


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A note (row id `source`) whose text names another one (`target`) on a 1-based line of its file.

    `notes` is how many notes hold the name.
    """

    source: int
    target: int
    line: int
    name: str
    notes: int


@dataclass(frozen=True, slots=True)
class Mentions:
    """What was found, the rarest name first, and how many names the limit left out."""

    found: tuple[Unlinked, ...]
    names_left_out: int = 0


def find_mentions(
    conn: sqlite3.Connection, live: Mapping[int, LiveNote], limits: Limits, *, holding: Mapping[str, int], names_max: int = NAMES_PER_RUN_MAX
) -> Mentions:
    """Returns the unlinked mentions among live notes, by the rarest names. `holding` is how many notes hold each term of the index."""
    names = rarest(names_of(conn, live), holding)
    texts = _Texts(conn, limits)
    found = [mention for key, target in names[:names_max] for mention in _mentions_of(conn, live, texts, key, target)]
    return Mentions(tuple(sorted(found, key=lambda m: (m.notes, m.name, m.source))), max(0, len(names) - names_max))


def names_of(conn: sqlite3.Connection, live: Mapping[int, LiveNote]) -> dict[str, int]:
    """Returns which live note each name means: a file name before an alias, and none that two notes answer to."""
    holders: dict[str, dict[int, set[int]]] = defaultdict(lambda: {BY_STEM: set(), BY_ALIAS: set()})
    rows = conn.execute("SELECT m.key, m.how, m.nid, m.text FROM name m JOIN note n USING(nid) WHERE n.status NOT IN ('superseded','archived')")
    for key, how, nid, text in rows:
        if _is_a_name(key, text):
            holders[key][how].add(nid)
    meant = ((key, by[BY_STEM] or by[BY_ALIAS]) for key, by in holders.items())
    return {key: next(iter(nids)) for key, nids in meant if len(nids) == 1 and nids <= live.keys()}


def rarest(names: Mapping[str, int], holding: Mapping[str, int]) -> list[tuple[str, int]]:
    """Returns the names that stand anywhere but in their own note, by how few notes hold their rarest word."""
    stems = Stems()
    try:
        stems.learn(word for key in names for word in WORD.findall(key))
        ranked = []
        for key, nid in names.items():
            terms = [term for word in WORD.findall(key) if not UNSPACED_RUN.search(word) for term in stems.of(word)]
            terms += [pair for run in UNSPACED_RUN.findall(key) for pair in _pairs(run)]
            least = min((holding.get(term, 0) for term in terms), default=0)
            if least > 1:
                ranked.append((least, key, nid))
    finally:
        stems.close()
    return [(key, nid) for _, key, nid in sorted(ranked)]


def expression(key: str) -> str | None:
    """Returns the full-text query for a name as a whole phrase, None for one that the index has no words of."""
    plain, _ = index_forms(key)
    parts = [f'body : "{plain.replace(chr(34), chr(34) * 2)}"'] if WORD.search(plain) else []
    parts += [f'encoded : "{pair}"' for run in UNSPACED_RUN.findall(key) for pair in _pairs(run)]
    return " AND ".join(parts) or None


def line_of(text: str, key: str) -> int | None:
    """Returns the 0-based line of a folded text on which a folded name stands as a whole phrase, None when it does not."""
    flat = text.replace("\n", " ")
    at = flat.find(key)
    while at >= 0:
        if _is_edge(flat, at - 1, key[0]) and _is_edge(flat, at + len(key), key[-1]):
            return text.count("\n", 0, at)
        at = flat.find(key, at + 1)
    return None


def _mentions_of(conn: sqlite3.Connection, live: Mapping[int, LiveNote], texts: _Texts, key: str, target: int) -> Iterator[Unlinked]:
    query = expression(key)
    if query is None:
        return
    rows = conn.execute("SELECT rowid FROM text_index WHERE text_index MATCH ? LIMIT ?", (query, NOTES_PER_NAME_MAX + 1)).fetchall()
    if len(rows) > NOTES_PER_NAME_MAX:
        return
    sources = sorted(nid for (nid,) in rows if nid in live and nid != target)
    linked = linked_with(conn, target) if sources else set()
    for source in sources:
        if source not in linked and (line := texts.line(source, key)) is not None:
            yield Unlinked(source, target, line, key, len(rows))


def linked_with(conn: sqlite3.Connection, nid: int) -> set[int]:
    """Returns the row ids of the notes that a note links to or that link to it."""
    sql = "SELECT nid FROM link WHERE target_nid=?1 UNION SELECT target_nid FROM link WHERE nid=?1 AND target_nid IS NOT NULL"
    return {other for (other,) in conn.execute(sql, (nid,))}


class _Texts:
    """The folded texts of notes, without code, comments and links; those looked at last are kept."""

    def __init__(self, conn: sqlite3.Connection, limits: Limits) -> None:
        self._conn = conn
        self._limits = limits
        self._bare = lru_cache(TEXTS_KEPT)(self._read_bare)
        self._whole = lru_cache(TEXTS_KEPT)(self._read)

    def line(self, nid: int, key: str) -> int | None:
        """Returns the line of the file on which a name stands without a link."""
        body, first = self._whole(nid)
        if line_of(body, key) is None:
            return None
        line = line_of(self._bare(nid), key)
        return None if line is None else first + line

    def _read(self, nid: int) -> tuple[str, int]:
        doc = fulltext.docs_of(self._conn, [nid]).get(nid)
        return ("", 1) if doc is None else (fold_text(doc.body), doc.first_line)

    def _read_bare(self, nid: int) -> str:
        doc = fulltext.docs_of(self._conn, [nid]).get(nid)
        return "" if doc is None else fold_text(bare(doc.body, self._limits))


def bare(text: str, limits: Limits) -> str:
    """Returns a body without code, comments, links, their definitions and its `## Related`, every line with its number."""
    masked = mask(text)
    links = find_links(masked, text, 0, len(text), limits.link_chars_max)
    left = prose_of(masked, masked, 0)
    for link in links:
        gap = "".join("\n" if c == "\n" else FILLER for c in left[link.start : link.end])
        left = left[: link.start] + gap + left[link.end :]
    return _DEFINITION.sub("", left)


def fold_text(text: str) -> str:
    """Returns a text as names are compared, line by line, with single spaces."""
    return "\n".join(" ".join(fold(line).split()) for line in text.split("\n"))


def _pairs(run: str) -> Sequence[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _is_a_name(key: str, text: str) -> bool:
    least = LETTERS_MIN if key.isascii() or not UNSPACED_RUN.search(key) else LETTERS_MIN_UNSPACED
    return sum(map(str.isalpha, key)) >= least and "  " not in key and names_a_thing(text)


def _is_edge(text: str, at: int, inner: str) -> bool:
    """Tells whether a phrase may begin or end beside a character; scripts without blanks have no edges."""
    if not 0 <= at < len(text) or UNSPACED_RUN.match(inner):
        return True
    return not (text[at].isalnum() or text[at] == "_")
