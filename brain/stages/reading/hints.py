"""Which existing things a piece of an episode may be about: those it names, shares rare words with, or is near in meaning to.

Never the first N of the vault: a thing that nothing in the piece points at is not shown. Reads only.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from brain.core.ids import fold
from brain.core.judgement import Episode
from brain.core.names import name_tokens
from brain.core.slug import file_stem
from brain.errors import BrainError
from brain.index import text as fulltext
from brain.stages.context import Context
from brain.stages.linking.near import open_vectors
from brain.stages.reading.places import is_episode_path
from brain.stages.rules import plain
from brain.stages.target import Names
from brain.vault.layout import NOTE_SUFFIX

if TYPE_CHECKING:
    from brain.models.judge.values import Known

WORDS_PER_NAME_MAX = 6
TOKEN_NOTES_MAX = 200
COVER_MIN = 0.5
CHUNKS_MAX, MEANING_MIN, QUERY_CHARS_MAX = 60, 0.3, 2_000
ABOUT_CHARS_MAX = 160
UNSPACED_NAME_CHARS_MAX = 8
VARIABLES_MAX = 500
NO_THING = ("episode", "insight", "category")
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
_WORD = re.compile(r"\w+(?:['’.&+/-]\w+)*")


@dataclass(frozen=True, slots=True)
class _Note:
    nid: int
    id: str
    path: str
    title: str
    kind: str
    importance: float


@dataclass(slots=True)
class Hints:
    """Looks things up for the pieces of one run. `notices` are sentences for a person."""

    ctx: Context
    names: Names
    notices: list[str] = field(default_factory=list)
    _is_meaning_off: bool = False

    def known(self, episode: Episode, text: str, *, shown_max: int) -> tuple[Known, ...]:
        """Returns at most `shown_max` things that a piece may be about: those it names first, then by turns."""
        with self.ctx.catalog() as conn:
            named = _named(conn, text)
            by_words = [nid for nid in _by_words(conn, text) if nid not in named]
            by_meaning = [nid for nid in self._by_meaning(conn, text) if nid not in named]
            rows = _rows(conn, {*named, *by_words, *by_meaning})
            things = {nid: note for nid, note in rows.items() if self._is_thing(note, episode)}
            first = sorted((nid for nid in named if nid in things), key=lambda nid: (-things[nid].importance, things[nid].path))
            order = [nid for nid in dict.fromkeys((*first, *_by_turns(by_words, by_meaning))) if nid in things][:shown_max]
            aliases, about = _aliases(conn, order), fulltext.docs_of(conn, order)
        shown = (self._shown(episode, things[nid], aliases[nid], about[nid].body if nid in about else "") for nid in order)
        return tuple(known for known in shown if known is not None)

    def _is_thing(self, note: _Note, episode: Episode) -> bool:
        return note.kind not in NO_THING and note.path != episode.path and not is_episode_path(self.ctx.config, note.path)

    def _shown(self, episode: Episode, note: _Note, aliases: Sequence[str], body: str) -> Known | None:
        """A thing with the shortest target that leads to it from the episode; None when there is none."""
        from brain.models.judge.values import Known

        stem = note.path.rsplit("/", 1)[-1][: -len(NOTE_SUFFIX)]
        for target in (stem, note.path[: -len(NOTE_SUFFIX)], note.path):
            if target.isprintable() and self.names.leads_to(episode.path, target, "wikilink") == note.path:
                return Known(note.id, target, stem if file_stem(note.title) == stem else note.title, note.kind, tuple(aliases), _about(body))
        return None

    def _by_meaning(self, conn: sqlite3.Connection, text: str) -> list[int]:
        """Notes whose pieces are near this text; none without vectors. An embedder that fails is said, and asked once."""
        if self._is_meaning_off:
            return []
        vectors = open_vectors(self.ctx, conn)
        if vectors is None:
            self._is_meaning_off = True
            return []
        from brain.models.embed import make_embedder

        embedder = make_embedder(self.ctx.config.embed)
        try:
            found = vectors.search(embedder.embed([text[:QUERY_CHARS_MAX]])[0], CHUNKS_MAX) if embedder else []
        except BrainError as error:
            self._is_meaning_off = True
            self.notices.append(f"{error.message} The model was shown the things that episodes name, and none by meaning.")
            return []
        hashes = [hash_ for hash_, cosine in found if cosine >= MEANING_MIN]
        return list(dict.fromkeys(nid for hash_ in hashes for (nid,) in conn.execute("SELECT nid FROM chunk WHERE hash=? ORDER BY nid", (hash_,))))


def _named(conn: sqlite3.Connection, text: str) -> set[int]:
    """Notes whose file name or alias stands in the text, word for word."""
    words = _WORD.findall(fold(text))
    runs = {" ".join(words[start : start + size]) for start in range(len(words)) for size in range(1, WORDS_PER_NAME_MAX + 1)}
    for run in _UNSPACED.findall(fold(text)):  # a script without spaces: a name is any part of a run
        runs |= {run[start : start + size] for start in range(len(run)) for size in range(2, UNSPACED_NAME_CHARS_MAX + 1)}
    return {nid for part in _parts(sorted(runs)) for (nid,) in conn.execute(f"SELECT DISTINCT nid FROM name WHERE key IN ({_marks(part)})", part)}


def _by_words(conn: sqlite3.Connection, text: str) -> list[int]:
    """Notes of whose names the text has half of the words or more, the rarest first."""
    rarity = _rare_tokens(conn, text)
    matched: dict[int, float] = defaultdict(float)
    for part in _parts(sorted(rarity)):
        for nid, token in conn.execute(f"SELECT DISTINCT nid, token FROM token WHERE token IN ({_marks(part)})", part):
            matched[nid] += rarity[token]
    sizes: dict[int, int] = {}
    counts: dict[int, int] = defaultdict(int)
    tokens = set(name_tokens(text))
    for part in _parts(sorted(matched)):
        for nid, token in conn.execute(f"SELECT DISTINCT nid, token FROM token WHERE nid IN ({_marks(part)})", part):
            sizes[nid] = sizes.get(nid, 0) + 1
            counts[nid] += token in tokens
    kept = [nid for nid in matched if counts[nid] >= COVER_MIN * sizes[nid]]
    return sorted(kept, key=lambda nid: (-matched[nid] * counts[nid] / sizes[nid], nid))


def _rare_tokens(conn: sqlite3.Connection, text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in _parts(name_tokens(text)):
        for token, count in conn.execute(f"SELECT token, count(*) FROM token WHERE token IN ({_marks(part)}) GROUP BY token", part):
            if count <= TOKEN_NOTES_MAX:
                found[token] = 1.0 / (1.0 + math.log(count))
    return found


def _rows(conn: sqlite3.Connection, nids: Iterable[int]) -> dict[int, _Note]:
    found: dict[int, _Note] = {}
    for part in _parts(sorted(nids)):
        sql = f"SELECT nid, id, path, title, kind, importance FROM note WHERE nid IN ({_marks(part)}) AND status NOT IN ('superseded','archived')"
        found |= {row[0]: _Note(*row) for row in conn.execute(sql, part)}
    return found


def _aliases(conn: sqlite3.Connection, nids: Sequence[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {nid: [] for nid in nids}
    for part in _parts(nids):
        for nid, alias in conn.execute(f"SELECT nid, text FROM name WHERE how=2 AND nid IN ({_marks(part)}) ORDER BY rowid", part):
            found[nid].append(alias)
    return found


def _about(body: str) -> str:
    """The first words that a person wrote of a thing; what stands under headings is mostly machine-made."""
    lead = re.split(r"^#{1,6} ", body.strip(), maxsplit=1, flags=re.MULTILINE)[0]
    return plain(lead)[:ABOUT_CHARS_MAX]


def _by_turns(one: Sequence[int], other: Sequence[int]) -> list[int]:
    turns = [nid for pair in zip(one, other, strict=False) for nid in pair]
    shorter = min(len(one), len(other))
    return [*turns, *one[shorter:], *other[shorter:]]


def _parts(items: Sequence[Any]) -> list[list[Any]]:
    return [list(items[start : start + VARIABLES_MAX]) for start in range(0, len(items), VARIABLES_MAX)]


def _marks(items: Sequence[object]) -> str:
    return ",".join("?" * len(items))
