"""The queries of the link stage, on a graph of eleven notes: who is two links apart, alone, a hub, what stands above, which insight is there."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import pytest

from brain.graph import queries
from brain.graph.engine import Graph, open_graph
from brain.graph.rebuild import schema_statements
from brain.stages.linking.candidates import _closeness

NOTES = [
    # id, kind, status, weight, importance
    ("boat", "project", "active", 0.9, 0.5), ("ship", "project", "active", 0.9, 0.5), ("raft", "project", "active", 0.9, 0.5),
    ("fleet", "organization", "active", 0.9, 0.5), ("crew", "organization", "active", 0.9, 0.5), ("old", "project", "archived", 0.9, 0.5),
    ("log", "episode", "active", 0.9, 0.5), ("alone", "note", "active", 0.8, 0.5), ("island", "note", "active", 0.4, 0.9), ("faded", "note", "active", 0.1, 0.5),
    ("lesson", "insight", "active", 0.9, 0.5),
]  # fmt: skip
LINKS = [("boat", "fleet"), ("ship", "fleet"), ("raft", "fleet"), ("old", "fleet"), ("log", "fleet"), ("boat", "crew"), ("raft", "crew")]
EDGES = [
    ("boat", "part_of", "fleet"), ("fleet", "part_of", "crew"), ("boat", "depends_on", "ship"), ("lesson", "about", "fleet"), ("lesson", "follows_from", "boat"),
    ("old", "about", "boat"), ("log", "about", "boat"), ("boat", "part_of", "boat"),
]  # fmt: skip


@pytest.fixture
def graph(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Iterator[Graph]:
    with open_graph(tmp_path_factory.mktemp("graph") / "g.graph", engine) as opened:
        for statement in schema_statements(2):
            opened.execute(statement)
        for note_id, kind, status, weight, importance in NOTES:
            opened.execute(
                "CREATE (:Note {id: $id, path: $path, kind: $kind, status: $status, weight: $weight, importance: $importance})",
                {"id": note_id, "path": f"{note_id}.md", "kind": kind, "status": status, "weight": weight, "importance": importance},
            )
        for source, target in LINKS:
            opened.execute("MATCH (a:Note {id: $a}), (b:Note {id: $b}) CREATE (a)-[:LINKS {raw: 'x'}]->(b)", {"a": source, "b": target})
        for source, kind, target in EDGES:
            opened.execute("MATCH (a:Note {id: $a}), (b:Note {id: $b}) CREATE (a)-[:EDGE {type: $t}]->(b)", {"a": source, "b": target, "t": kind})
        yield opened


def two_away(graph: Graph, *notes: str, degree_max: int = 50) -> list[tuple[str, str, str]]:
    between = [row["through"] for row in queries.run(graph, "few-linked", {"notes": list(notes), "degree_max": degree_max})]
    return [tuple(row.values()) for row in queries.run(graph, "common-neighbours", {"notes": list(notes), "near": between})]  # type: ignore[misc]


def test_what_notes_are_linked_with_is_told_with_how_many_it_is_linked_with(graph: Graph) -> None:
    rows = [tuple(row.values()) for row in queries.run(graph, "few-linked", {"notes": ["boat", "alone"]})]
    assert rows == [("crew", 3), ("fleet", 7), ("lesson", 2), ("log", 2), ("old", 2), ("ship", 2)]


def test_neighbours_are_two_links_away_and_each_note_between_is_named(graph: Graph) -> None:
    assert two_away(graph, "boat", "alone") == [("boat", "crew", "raft"), ("boat", "fleet", "raft")]


def test_what_is_linked_with_more_notes_than_the_limit_brings_nobody_together(graph: Graph) -> None:
    assert two_away(graph, "raft", degree_max=3) == [("raft", "crew", "boat")]


def test_what_is_joined_already_is_archived_or_an_episode_is_no_neighbour(graph: Graph) -> None:
    assert {other for _, _, other in two_away(graph, "ship")} == {"raft", "crew", "lesson"}


def test_a_rarer_note_between_brings_two_closer_together() -> None:
    rows = [{"one": "boat", "through": through, "other": "raft"} for through in ("fleet", "crew")]
    assert _closeness(rows, {"fleet": 7, "crew": 3}) == {("boat", "raft"): pytest.approx(1 / log(8) + 1 / log(4))}


def test_isolated_notes_are_those_without_a_link_that_have_not_faded(graph: Graph) -> None:
    assert [row["id"] for row in queries.run(graph, "isolated")] == ["island", "alone"]


def test_parents_go_one_step_up_and_a_note_is_not_its_own(graph: Graph) -> None:
    rows = queries.run(graph, "parents", {"paths": ["boat.md", "fleet.md", "ship.md"]})
    assert [tuple(row.values()) for row in rows] == [("boat.md", "fleet.md"), ("fleet.md", "crew.md")]


def test_a_hub_counts_each_live_note_once_and_neither_episodes_nor_insights(graph: Graph) -> None:
    rows = queries.run(graph, "insight-hubs", {"notes_min": 2})
    assert [(row["hub"], row["connected"]) for row in rows] == [("boat", ["fleet", "ship"]), ("fleet", ["boat", "crew"])]


def test_an_insight_is_about_notes_when_it_has_edges_to_enough_of_them(graph: Graph) -> None:
    assert [row["path"] for row in queries.run(graph, "insights-about", {"notes": ["fleet", "boat", "ship"], "shared_min": 2})] == ["lesson.md"]
    assert queries.run(graph, "insights-about", {"notes": ["fleet", "ship"], "shared_min": 2}) == []
