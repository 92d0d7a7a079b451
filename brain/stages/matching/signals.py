"""What proposes a pair, and the signals that are queries over the graph: names, links, identifiers.

Each signal is one function: notes in, partners and a strength out. Letters and words are `index`'s, meaning is
`meaning`'s. Reads only.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import Literal

from brain.core.matching.fields import fields_of
from brain.core.matching.identifiers import KEYS_IN_JSON
from brain.core.matching.words import name_of
from brain.graph.reader import GraphReader

Signal = Literal["identifiers", "names", "links", "words", "letters", "meaning"]
SIGNALS: dict[str, str] = {
    "identifiers": "they state one identifier",
    "names": "rare words of their names",
    "links": "links to what few others link to",
    "words": "rare words",
    "letters": "alike in their letters",
    "meaning": "near in meaning",
}
Partner = tuple[str, str, float]
NOTES_PER_QUERY = 500
PARTNERS_PER_NOTE_MAX = 25
IDENTIFIED_PAGE = 20_000
HOLDERS_TOGETHER_MAX = 8
"""More notes than this with one identifier are paired only where another identifier or name joins them too."""


def by_names(graph: GraphReader, ids: Sequence[str], *, df_max: int) -> Iterator[Partner]:
    """Yields notes that share a rare word of their names; strength: how many words."""
    yield from _queried(graph, "alike-names", "words", ids, df_max)


def by_links(graph: GraphReader, ids: Sequence[str], *, df_max: int) -> Iterator[Partner]:
    """Yields notes that link to something few others link to; strength: how many such links."""
    yield from _queried(graph, "alike-links", "links", ids, df_max)


def by_identifiers(graph: GraphReader, changed: Set[str]) -> Iterator[Partner]:
    """Yields every two notes that state one identifier that a changed note states too, whichever of the two changed."""
    for holders in _holders(graph).values():
        if len(holders) > 1 and not changed.isdisjoint(holders):
            for block in _blocks(holders):
                yield from ((one, other, 1.0) for one, other in combinations(sorted(block), 2))


def _queried(graph: GraphReader, name: str, strength: str, ids: Sequence[str], df_max: int) -> Iterator[Partner]:
    for start in range(0, len(ids), NOTES_PER_QUERY):
        part = list(ids[start : start + NOTES_PER_QUERY])
        for row in graph.run(name, notes=part, df_max=df_max, limit=PARTNERS_PER_NOTE_MAX * len(part)):
            yield row["one"], row["other"], float(row[strength])


def _holders(graph: GraphReader) -> dict[tuple[str, str], dict[str, str]]:
    """Returns for each identifier the notes that state it, id → title."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    after = ""
    while True:
        rows = graph.run("identified", keys=list(KEYS_IN_JSON), after=after, limit=IDENTIFIED_PAGE)
        for row in rows:
            for field in fields_of(json.loads(row["properties"])):
                if field.kind == "identifier":
                    for value in field.values:
                        found[field.key, value][row["id"]] = row["title"]
        if len(rows) < IDENTIFIED_PAGE:
            return found
        after = rows[-1]["path"]


def _blocks(holders: Mapping[str, str]) -> Iterator[Set[str]]:
    """Yields the notes to pair: all of a few; of many only those that a word of their names joins too."""
    if len(holders) <= HOLDERS_TOGETHER_MAX:
        yield set(holders)
        return
    named: dict[str, set[str]] = defaultdict(set)
    for note_id, title in holders.items():
        for word in name_of(title).words:
            named[word].add(note_id)
    yield from (block for _, block in sorted(named.items()) if 1 < len(block) <= HOLDERS_TOGETHER_MAX)
