"""The one statement that weighs the whole graph says what the pure function says, on any node and any relation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.core.decay import EDGE_FADED_WEIGHT, edge_weight, weight_at
from brain.graph.engine import Graph, open_graph
from brain.graph.rebuild import schema_statements
from brain.graph.weigh import weigh_graph

INSTANTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))
RELATIONS = ("part_of", "about", "depends_on")


@dataclass(frozen=True)
class Node:
    touched: datetime
    base: float
    half_life: float | None
    importance: float
    pinned: bool


NODES = st.builds(
    Node, INSTANTS, st.sampled_from([1.0, 0.6, 0.36, 0.216]), st.none() | st.floats(1, 5_000), st.floats(0, 1), st.booleans()
)
EDGES = st.tuples(st.dates(date(1990, 1, 1), date(2060, 1, 1)), st.integers(1, 500), st.sampled_from(RELATIONS))


@pytest.fixture(scope="module")
def graph(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    with open_graph(tmp_path_factory.mktemp("graph") / "g.db", engine) as opened:
        for statement in schema_statements(1):
            opened.execute(statement)
        yield opened


@settings(max_examples=25)
@given(st.lists(NODES, min_size=1, max_size=12), st.lists(EDGES, max_size=6), INSTANTS)
def test_the_statement_equals_the_function(graph: Graph, nodes: list[Node], edges: list[tuple[date, int, str]], now: datetime) -> None:
    fill(graph, nodes, edges)
    weigh_graph(graph, now)
    once = weights(graph)
    for table in ("Note", "Atom"):
        for at, node in enumerate(nodes):
            half_life = math.inf if node.half_life is None else node.half_life
            wanted = weight_at(now, node.touched, half_life=half_life, importance=node.importance, base=node.base, pinned=node.pinned)
            assert once[table][f"{at}"] == pytest.approx(wanted, abs=1e-9)
    for at, (stated, count, relation) in enumerate(edges):
        wanted = edge_weight(now, stated, count=count, relation=relation)
        assert once["EDGE"][f"{at}"] == pytest.approx(wanted, abs=1e-9)
    weigh_graph(graph, now + timedelta(days=400))
    weigh_graph(graph, now)
    assert weights(graph) == once, "passes in between change nothing"


def test_after_ten_years_every_relation_but_those_of_the_tree_has_faded(graph: Graph) -> None:
    born = date(2026, 1, 1)
    fill(graph, [Node(datetime(2026, 1, 1, tzinfo=UTC), 1.0, 60.0, 0.5, False)], [(born, 1, "part_of"), (born, 20, "about")])
    for month in range(120):
        weigh_graph(graph, datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=30.4375 * (month + 1)))
    found = weights(graph)["EDGE"]
    assert found["0"] == EDGE_FADED_WEIGHT
    assert 0 < found["1"] < EDGE_FADED_WEIGHT


def fill(graph: Graph, nodes: list[Node], edges: list[tuple[date, int, str]]) -> None:
    for table in ("Note", "Atom"):
        graph.execute(f"MATCH (n:{table}) DETACH DELETE n")
        for at, node in enumerate(nodes):
            values: dict[str, Any] = {"id": f"{at}", "t": node.touched.replace(tzinfo=None), "b": node.base, "i": node.importance, "p": node.pinned}
            days = "NULL" if node.half_life is None else "$h"
            values |= {} if node.half_life is None else {"h": node.half_life}
            graph.execute(f"CREATE (:{table} {{id: $id, touched: $t, base: $b, importance: $i, pinned: $p, half_life_days: {days}}})", values)
    for at, (stated, count, relation) in enumerate(edges):
        graph.execute(
            "MATCH (a:Note {id: '0'}) CREATE (a)-[:EDGE {raw: $at, last_reinforced: $d, count: $n, type: $t}]->(a)",
            {"at": f"{at}", "d": stated, "n": count, "t": relation},
        )


def weights(graph: Graph) -> dict[str, dict[str, float]]:
    found = {
        table: {row["id"]: row["w"] for row in graph.execute(f"MATCH (n:{table}) RETURN n.id AS id, n.weight AS w")} for table in ("Note", "Atom")
    }
    return found | {"EDGE": {row["id"]: row["w"] for row in graph.execute("MATCH (:Note)-[e:EDGE]->(:Note) RETURN e.raw AS id, e.weight AS w")}}
