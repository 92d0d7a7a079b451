"""What proposes a pair, and the signals that are queries over the graph: blocks of notes that share a name, link or identifier.

A block is read whole and paired in memory, for the notes that are looked at. Letters and words are `index`'s,
meaning is `meaning`'s. Reads only.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import Literal

from brain.core.matching.fields import fields_of
from brain.core.matching.identifiers import KEYS_IN_JSON
from brain.core.matching.words import name_of
from brain.graph.reader import GraphReader

Signal = Literal["identifiers", "names", "links", "words", "letters", "meaning"]
SIGNALS: dict[Signal, str] = {
    "identifiers": "they state one identifier",
    "names": "rare words of their names",
    "links": "links to what few others link to",
    "words": "rare words",
    "letters": "alike in their letters",
    "meaning": "near in meaning",
}
Partner = tuple[str, str, float]
PAGE = 50_000
HOLDERS_TOGETHER_MAX = 8
"""More notes than this with one identifier are paired only where a word of their names joins them too."""


class Blocks:
    """Notes by what they share. Every two of a block are partners."""

    def __init__(self, blocks: Iterable[Sequence[str]]) -> None:
        self._of: dict[str, list[Sequence[str]]] = defaultdict(list)
        for block in blocks:
            for note_id in block:
                self._of[note_id].append(block)

    def partners(self, ids: Sequence[str]) -> Iterator[Partner]:
        """Yields the partners of these notes, once for each block that they share."""
        for note_id in ids:
            for block in self._of.get(note_id, ()):
                yield from ((note_id, other, 1.0) for other in block if other != note_id)


def blocks_by_name(graph: GraphReader, *, df_max: int) -> Blocks:
    """Returns the notes that share a rare word of their names."""
    return Blocks(_read(graph, "name-blocks", "word", df_max))


def blocks_by_link(graph: GraphReader, *, df_max: int) -> Blocks:
    """Returns the notes that link to something few others link to."""
    return Blocks(_read(graph, "link-blocks", "target", df_max))


def by_identifiers(graph: GraphReader, changed: Set[str]) -> Iterator[Partner]:
    """Yields every two notes that state one identifier that a changed note states too, whichever of the two changed."""
    for holders in _holders(graph).values():
        if len(holders) > 1 and not changed.isdisjoint(holders):
            for block in _identified_blocks(holders):
                yield from ((one, other, 1.0) for one, other in combinations(sorted(block), 2))


def _read(graph: GraphReader, name: str, key: str, df_max: int) -> Iterator[Sequence[str]]:
    after = ""
    while True:
        rows = graph.run(name, df_max=df_max, after=after, limit=PAGE)
        yield from (row["notes"] for row in rows)
        if len(rows) < PAGE:
            return
        after = rows[-1][key]


def _holders(graph: GraphReader) -> dict[tuple[str, str], dict[str, str]]:
    """Returns for each identifier the notes that state it, id → title."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    after = ""
    while True:
        rows = graph.run("identified", keys=list(KEYS_IN_JSON), after=after, limit=PAGE)
        for row in rows:
            for field in fields_of(json.loads(row["properties"])):
                if field.kind == "identifier":
                    for value in field.values:
                        found[field.key, value][row["id"]] = row["title"]
        if len(rows) < PAGE:
            return found
        after = rows[-1]["path"]


def _identified_blocks(holders: Mapping[str, str]) -> Iterator[Set[str]]:
    """Yields the notes to pair: all of a few; of many only those that a word of their names joins too."""
    if len(holders) <= HOLDERS_TOGETHER_MAX:
        yield set(holders)
        return
    named: dict[str, set[str]] = defaultdict(set)
    for note_id, title in holders.items():
        for word in name_of(title).words:
            named[word].add(note_id)
    yield from (block for _, block in sorted(named.items()) if 1 < len(block) <= HOLDERS_TOGETHER_MAX)
