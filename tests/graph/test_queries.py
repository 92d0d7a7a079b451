"""Named queries: the rules of their files, and what each answers on a small graph."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from brain.errors import BrainError, NotFound, UsageError
from brain.graph import queries
from brain.graph.engine import Graph, open_graph
from brain.graph.rebuild import schema_statements

ENGINE = os.environ.get("BRAIN_ENGINE", "kuzu")

NOTES = [
    # id, title, kind, status, weight
    ("ann", "Ann", "person", "active", 0.9),
    ("boat", "Boat Plan", "project", "active", 0.1),
    ("hull", "Hull", "artifact", "active", 0.2),
    ("sail", "Sail", "artifact", "active", 0.8),
    ("plan", "Boat Draft", "project", "active", 0.5),
    ("log", "Log", "note", "active", 0.05),
]
EDGES = [
    ("boat", "part_of", "ann", 1, None),
    ("hull", "part_of", "boat", 3, "it floats"),
    ("sail", "part_of", "boat", 1, None),
    ("sail", "part_of", "ann", 1, None),
    ("hull", "depends_on", "sail", 1, "needs wind"),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """Six notes: a boat with two parts, one of which hangs in two places; a draft; and a log nobody links."""
    with open_graph(tmp_path_factory.mktemp("graph") / "g.kuzu", ENGINE) as opened:
        for statement in schema_statements(2):
            opened.execute(statement)
        _fill(opened)
        yield opened


def _fill(graph: Graph) -> None:
    for note_id, title, kind, status, weight in NOTES:
        graph.execute(
            "CREATE (:Note {id: $id, path: $path, title: $title, kind: $kind, status: $status, weight: $weight})",
            {"id": note_id, "path": f"{note_id}.md", "title": title, "kind": kind, "status": status, "weight": weight},
        )
    for source, kind, target, count, reason in EDGES:
        graph.execute(
            "MATCH (a:Note {id: $a}), (b:Note {id: $b}) CREATE (a)-[:EDGE {type: $t, count: $n, reason: $r}]->(b)",
            {"a": source, "b": target, "t": kind, "n": count, "r": reason or ""},
        )
    graph.execute("MATCH (a:Note {id: 'plan'}), (b:Note {id: 'sail'}) CREATE (a)-[:LINKS {raw: '[[Sail]]'}]->(b)")
    for token, df, ids in [("boat", 2, ["boat", "plan"]), ("plan", 30, ["boat"]), ("draft", 1, ["plan"])]:
        graph.execute("CREATE (:Token {token: $t, df: $n})", {"t": token, "n": df})
        graph.execute("MATCH (n:Note), (t:Token {token: $t}) WHERE n.id IN $ids CREATE (n)-[:NAMED]->(t)", {"t": token, "ids": ids})
    _fill_atoms(graph)
    for chunk, note_id, vector in [("c1", "hull", [1.0, 0.0]), ("c2", "sail", [0.6, 0.8]), ("c3", "log", [0.0, 1.0])]:
        graph.execute(
            "MATCH (n:Note {id: $id}) CREATE (:Chunk {id: $c, model: 'm', vector: CAST($v AS FLOAT[2])})-[:EMBEDS]->(n)",
            {"id": note_id, "c": chunk, "v": vector},
        )


def _fill_atoms(graph: Graph) -> None:
    rows: list[tuple[str, str, str, str, date | None]] = [
        ("a1", "Use oak", "decision", "superseded", date(2024, 1, 1)),
        ("a2", "Use pine", "decision", "active", date(2024, 3, 1)),
        ("a3", "Paint it red", "decision", "active", date(2024, 2, 1)),
    ]
    for atom_id, text, kind, status, day in rows:
        graph.execute(
            "MATCH (n:Note {id: 'boat'}) CREATE (:Atom {id: $id, text: $text, kind: $kind, status: $status, valid_from: $day})"
            "-[:ABOUT {ordinal: 0}]->(n)",
            {"id": atom_id, "text": text, "kind": kind, "status": status, "day": day},
        )
    graph.execute("MATCH (b:Atom {id: 'a2'}), (a:Atom {id: 'a1'}) CREATE (b)-[:REPLACES]->(a)")
    graph.execute("MATCH (a:Atom {id: 'a2'}), (n:Note {id: 'hull'}) CREATE (a)-[:MENTIONS]->(n)")


EXPECTED: dict[str, tuple[dict[str, Any], list[tuple[Any, ...]]]] = {
    "ancestors": ({"note": "Hull"}, [(1, "boat.md", "Boat Plan", "project"), (2, "ann.md", "Ann", "person")]),
    "subtree": (
        {"note": "boat.md"},
        [(1, "hull.md", "Hull", "artifact"), (1, "sail.md", "Sail", "artifact")],
    ),
    "broken-tree": ({"owner": "Ann"}, [("sail.md", "artifact", 2), ("plan.md", "project", 0)]),
    "orphans": ({}, [("log.md", "Log", "note")]),
    "hubs": ({"limit": 2}, [("sail.md", "Sail", 4), ("boat.md", "Boat Plan", 3)]),
    "neighbours": (
        {"note": "sail"},
        [
            ("out", "part_of", "ann.md", "Ann", ""),
            ("out", "part_of", "boat.md", "Boat Plan", ""),
            ("in", "depends_on", "hull.md", "Hull", "needs wind"),
            ("in", "links", "plan.md", "Boat Draft", None),
        ],
    ),
    "edges-by-type": ({"type": "part_of", "limit": 2}, [("hull.md", "boat.md", 3, "it floats"), ("boat.md", "ann.md", 1, "")]),
    "edge-types": ({}, [("part_of", 4), ("depends_on", 1)]),
    "connection": ({"source": "Boat Draft", "target": "Ann"}, [(2, "plan.md > sail.md > ann.md")]),
    "recent-decisions": (
        {},
        [(date(2024, 3, 1), "Use pine", "boat.md", None), (date(2024, 2, 1), "Paint it red", "boat.md", None)],
    ),
    "claims": ({"note": "hull"}, [("active", "decision", "Use pine", date(2024, 3, 1), None, "boat.md")]),
    "superseded": ({}, [(None, "Use oak", "Use pine", "boat.md")]),
    "stale-notes": ({"weight": 0.15}, [("log.md", "note", 0.05, None), ("boat.md", "project", 0.1, None)]),
    "near-pairs": ({}, [("boat.md", "plan.md", ["boat"], 0.5)]),
    "similar-notes": ({"note": "Hull"}, [("sail.md", "Sail", pytest.approx(0.6)), ("log.md", "Log", pytest.approx(0.0))]),
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_query_answers_with_the_columns_and_rows_it_promises(graph: Graph, name: str) -> None:
    params, expected = EXPECTED[name]
    rows = queries.run(graph, name, params)
    assert {queries.load(name).returns} == {tuple(row) for row in rows}
    assert expected == [tuple(row.values()) for row in rows]


@pytest.mark.parametrize("name", queries.names())
def test_every_query_file_keeps_the_rules_and_runs_on_the_schema(graph: Graph, name: str) -> None:
    query = queries.load(name)
    samples = {"text": "nobody", "whole": 3, "real": 0.5, "flag": True, "texts": ["nobody"]}
    assert len(queries.run(graph, name, {param.name: samples[param.kind] for param in query.params})) <= 3


def test_names_tell_apart_told_apart_notes(tmp_path: Path) -> None:
    with open_graph(tmp_path / "g.kuzu", ENGINE) as own:
        for statement in schema_statements(2):
            own.execute(statement)
        _fill(own)
        own.execute("MATCH (a:Note {id: 'plan'}), (b:Note {id: 'boat'}) CREATE (a)-[:DISTINCT_FROM]->(b)")
        assert queries.run(own, "near-pairs") == []


def test_names_of_queries_are_unique_across_rooms() -> None:
    stems = [path.stem for path in queries.FOLDER.rglob("*.cypher")]
    assert sorted(set(stems)) == sorted(stems)


GOOD = """// name: one
// why: Because.
// params: kind text = -: a kind; limit whole = 5: rows at most
// returns: path
MATCH (n:Note) WHERE n.kind = $kind RETURN n.path AS path ORDER BY path LIMIT $limit
"""


def test_a_header_is_read_into_names_kinds_and_defaults() -> None:
    query = queries.parse(Path("one.cypher"), GOOD)
    assert [
        (param.name, param.kind, param.default, param.is_required) for param in query.params
    ] == [("kind", "text", "", False), ("limit", "whole", 5, False)]
    assert query.returns == ("path",)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("name: one", "name: two", "not the name of the file"),
        ("// why: Because.\n", "", "lacks why"),
        ("limit whole", "limit number", "a parameter reads"),
        ("= 5:", "= five:", "no whole value"),
        ("kind text = -: a kind; ", "", "documents"),
        ("n.kind = $kind", "n.kind = 'x'", "documents"),
        ("ORDER BY path ", "", "no ORDER BY"),
        (" LIMIT $limit", " SKIP $limit", "LIMIT"),
        ("RETURN n.path", "SET n.path = 'x' RETURN n.path", "SET is refused"),
        ("LIMIT $limit", "LIMIT $limit; RETURN 1", "second statement"),
    ],
)
def test_a_file_that_breaks_a_rule_is_named_with_the_rule(old: str, new: str, reason: str) -> None:
    assert old in GOOD
    with pytest.raises(BrainError, match=re.escape(reason)) as caught:
        queries.parse(Path("one.cypher"), GOOD.replace(old, new))
    assert "one.cypher" in caught.value.message


def test_a_missing_parameter_is_an_error_not_an_empty_answer(graph: Graph) -> None:
    with pytest.raises(UsageError, match="note"):
        queries.run(graph, "ancestors", {"limit": 1})


def test_an_unknown_parameter_is_an_error_that_lists_the_known_ones(graph: Graph) -> None:
    with pytest.raises(UsageError, match="notes") as caught:
        queries.run(graph, "ancestors", {"note": "Hull", "notes": "Sail"})
    assert "`limit`, `note`" in caught.value.cure


@pytest.mark.parametrize(("name", "value"), [("limit", "5"), ("limit", True), ("limit", None), ("note", 5), ("note", None)])
def test_a_value_of_another_kind_is_an_error(graph: Graph, name: str, value: object) -> None:
    with pytest.raises(UsageError, match=name):
        queries.run(graph, "ancestors", {"note": "Hull", name: value})


def test_an_unknown_query_lists_the_known_ones() -> None:
    with pytest.raises(NotFound) as caught:
        queries.load("no-such-query")
    assert "orphans" in caught.value.cure


def test_a_value_is_never_read_as_cypher(graph: Graph) -> None:
    before = graph.execute("MATCH (n:Note) RETURN count(n) AS n")
    assert queries.run(graph, "claims", {"note": "' OR true MATCH (n) DETACH DELETE n //"}) == []
    assert before == graph.execute("MATCH (n:Note) RETURN count(n) AS n")
