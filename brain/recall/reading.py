"""A candidate note, read for one query: its blocks, where the terms stand in them, what holds on the day asked for."""

from __future__ import annotations

import sqlite3
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brain.core.recall import Snippet
from brain.index import text as fulltext
from brain.index.text import TextDoc
from brain.recall.blocks import Block, split_blocks
from brain.recall.matches import Match, Matcher, Prepared
from brain.recall.ranking import SUPERSEDED_BLOCK_FACTOR, Evidence
from brain.recall.semantic import Place
from brain.recall.snippet import snippet_of

SNIPPETS_MAX = 2
SECOND_SNIPPET_OF_BEST_MIN = 0.6
_SQL_VARIABLES_MAX = 30_000


@dataclass(frozen=True, slots=True)
class Claim:
    """An atom's place and times. `line` is the 1-based line of the file; dates are ISO civil dates."""

    id: str
    line: int
    status: str
    superseded_by: str | None
    superseded_on: str | None
    valid_from: str | None
    valid_to: str | None

    def factor(self, as_of: str | None) -> float:
        """Returns what the claim counts: 1, less when superseded, 0 when it did not hold on the day asked for."""
        if as_of is None:
            return SUPERSEDED_BLOCK_FACTOR if self.status == "superseded" else 1.0
        if self.valid_from and self.valid_from > as_of:
            return 0.0
        ended = self.valid_to or self.superseded_on
        if ended:
            return 0.0 if ended <= as_of else 1.0
        return SUPERSEDED_BLOCK_FACTOR if self.status == "superseded" else 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """A note beside a query. `matches` and `evidence.blocks` run along `blocks`."""

    body: str
    first_line: int
    blocks: tuple[Block, ...]
    matches: tuple[tuple[Match, ...], ...]
    evidence: Evidence
    corrections: Mapping[int, int]
    """Block of a superseded claim → block of the claim that replaces it, in the same note."""

    def terms(self) -> set[int]:
        """Returns the terms that stand in the note or its names."""
        return set(self.evidence.names).union(*self.evidence.blocks)

    def snippets(self, scores: Sequence[float], chars_max: int) -> tuple[Snippet, ...]:
        """Quotes the best block, and a second one that is nearly as good; a superseded claim after its correction."""
        if not self.blocks:
            return ()
        ranked = sorted(range(len(self.blocks)), key=lambda place: (-scores[place], place))
        best = ranked[0]
        chosen = [best]
        if best in self.corrections:
            chosen = [self.corrections[best], best]
        elif len(ranked) > 1 and 0 < scores[best] * SECOND_SNIPPET_OF_BEST_MIN <= scores[ranked[1]]:
            chosen.append(ranked[1])
        return tuple(
            snippet_of(self.body, self.blocks[place], self.matches[place], first_line=self.first_line, chars_max=chars_max)
            for place in chosen[:SNIPPETS_MAX]
        )


def read_notes(
    conn: sqlite3.Connection,
    nids: Sequence[int],
    matcher: Matcher,
    *,
    places: Mapping[int, Sequence[Place]],
    exact: set[int],
    as_of: str | None,
) -> dict[int, Reading]:
    """Reads notes for a query, out of the index alone."""
    docs = fulltext.docs_of(conn, nids)
    claims = _claims_of(conn, sorted(docs))
    bodies = {nid: _composed(doc.body) for nid, doc in docs.items()}
    names = {nid: _composed("\n".join((doc.title, *doc.aliases, *doc.tags))) for nid, doc in docs.items()}
    prepared = matcher.prepare([*bodies.values(), *names.values()])
    texts = dict(zip(bodies, prepared[: len(docs)], strict=True))
    heads = dict(zip(names, prepared[len(docs) :], strict=True))
    return {
        nid: _reading(
            doc, bodies[nid], matcher.find(texts[nid]), _Names(heads[nid], matcher.find(heads[nid])),
            places=places.get(nid, ()), claims=claims.get(nid, ()), is_exact=nid in exact, as_of=as_of,
        )
        for nid, doc in docs.items()
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Names:
    """Title, aliases and tags, one a line, and the matches in them."""

    text: Prepared
    matches: tuple[Match, ...]

    def covered(self, count: int) -> float:
        """Returns how much of the best covered of the first `count` lines is matched, in [0, 1]."""
        best = 0.0
        start = 0
        for name in self.text.text.split("\n")[:count]:
            end = start + len(name)
            inside = sum(match.end - match.start for match in self.matches if start <= match.start and match.end <= end)
            best = max(best, min(1.0, inside / max(1, len(name))))
            start = end + 1
        return best


def _reading(
    doc: TextDoc,
    body: str,
    matches: tuple[Match, ...],
    names: _Names,
    *,
    places: Sequence[Place],
    claims: Sequence[Claim],
    is_exact: bool,
    as_of: str | None,
) -> Reading:
    by_line = {claim.line - doc.first_line: claim for claim in claims}
    blocks = split_blocks(body, by_line)
    factors = tuple(by_line[block.line].factor(as_of) if block.line in by_line else 1.0 for block in blocks)
    inside = _by_block(blocks, matches)
    inside = tuple(found if factor > 0 else () for found, factor in zip(inside, factors, strict=True))
    cosines = _cosines(blocks, places, doc.first_line)
    evidence = Evidence(
        nid=doc.nid,
        names=_counts(names.matches),
        names_chars=len(names.text.text),
        names_covered=names.covered(1 + len(doc.aliases)) if names.matches else 0.0,
        is_exact=is_exact,
        blocks=tuple(_counts(found) for found in inside),
        block_chars=tuple(block.end - block.start for block in blocks),
        cosines=tuple(cosine * factor for cosine, factor in zip(cosines, factors, strict=True)),
        factors=factors,
    )
    return Reading(body, doc.first_line, blocks, inside, evidence, _corrections(blocks, by_line, factors))


def _corrections(blocks: Sequence[Block], by_line: Mapping[int, Claim], factors: Sequence[float]) -> dict[int, int]:
    """Pairs blocks that count as superseded with the block of what replaces them, where that holds."""
    holds = {by_line[b.line].id: place for place, b in enumerate(blocks) if b.line in by_line and factors[place] == 1.0}
    pairs = {}
    for place, block in enumerate(blocks):
        claim = by_line.get(block.line)
        if claim is not None and factors[place] == SUPERSEDED_BLOCK_FACTOR and claim.superseded_by in holds:
            pairs[place] = holds[claim.superseded_by]
    return pairs


def _by_block(blocks: Sequence[Block], matches: Sequence[Match]) -> tuple[tuple[Match, ...], ...]:
    starts = [match.start for match in matches]
    if not starts:
        return ((),) * len(blocks)
    return tuple(tuple(matches[bisect_left(starts, b.start) : bisect_left(starts, b.end)]) for b in blocks)


def _counts(matches: Sequence[Match]) -> dict[int, int]:
    return dict(sorted(Counter(match.term for match in matches).items()))


def _cosines(blocks: Sequence[Block], places: Sequence[Place], first_line: int) -> list[float]:
    """Gives each block the best cosine of the chunks it stands in; `places` are in order of line."""
    if not places:
        return [0.0] * len(blocks)
    lines = [place.line for place in places]
    found = []
    for at, block in enumerate(blocks):
        until = blocks[at + 1].line + first_line if at + 1 < len(blocks) else lines[-1] + 1
        begin = max(0, bisect_right(lines, block.line + first_line) - 1)
        begin = bisect_left(lines, lines[begin])  # several chunks may start on one endless line
        end = max(begin + 1, bisect_left(lines, until))
        found.append(max(place.cosine for place in places[begin:end]))
    return found


def _claims_of(conn: sqlite3.Connection, nids: Sequence[int]) -> dict[int, list[Claim]]:
    found: dict[int, list[Claim]] = {}
    for start in range(0, len(nids), _SQL_VARIABLES_MAX):
        part = list(nids[start : start + _SQL_VARIABLES_MAX])
        rows = conn.execute(
            "SELECT nid, id, line, status, superseded_by, superseded_on, valid_from, valid_to FROM atom"
            f" WHERE nid IN ({','.join('?' * len(part))}) ORDER BY nid, ordinal",
            part,
        )
        for nid, *claim in rows:
            found.setdefault(nid, []).append(Claim(*claim))
    return found


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
