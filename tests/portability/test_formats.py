"""The graph for other programs: each format is read by a reader of its own and says what the canonical lines say."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from brain.errors import UsageError
from brain.facade import Brain
from brain.graph.engine import open_graph
from brain.portability.rows import sorted_lines
from brain.portability.script import literal
from tests.laws.support import NOW
from tests.portability.support import make

HOSTILE = """Q'"\\`); DROP TABLE Note; // {x} \u2028 漢"""
XML = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Brain:
    """One for all: an export changes nothing."""
    root = tmp_path_factory.mktemp("formats") / "vault"
    root.mkdir()
    hostile = json.dumps(HOSTILE + "\x0b", ensure_ascii=False)
    (root / "Evil.md").write_text(f"---\ntitle: {hostile}\naliases: ['a;b', \"c'd\"]\npart_of: '[[Boat]]'\n---\n\nline, [[Keel|a \"b\"]]\n", "utf-8")
    return make(root, engine)


def rows_of(brain: Brain) -> list[dict[str, object]]:
    return [json.loads(line) for line in brain.export(now=NOW)]


def test_a_cypher_script_makes_the_graph_anew(brain: Brain, tmp_path: Path, engine: str) -> None:
    lines = list(brain.export_as("cypher", now=NOW))
    with open_graph(tmp_path / "made.db", engine) as graph:
        for line in lines:
            graph.execute(line.removesuffix(";"))
        wanted = [row for row in rows_of(brain) if row.get("node") == "Note"]
        columns = ", ".join(f"n.`{name}` AS `{name}`" for name in ("id", "title", "aliases", "tags", "weight", "importance", "properties"))
        assert graph.execute(f"MATCH (n:Note) RETURN {columns} ORDER BY n.id") == [
            {name: row[name] for name in ("id", "title", "aliases", "tags", "weight", "importance", "properties")} for row in wanted
        ]
        for table in ("EDGE", "LINKS", "ABOUT", "FROM", "NAMED", "EMBEDS"):
            count = sum(row.get("edge") == table for row in rows_of(brain))
            assert graph.execute(f"MATCH ()-[e:`{table}`]->() RETURN count(*) AS c") == [{"c": count}]
    assert any(HOSTILE[:4] in str(row["title"]) for row in wanted)


def test_every_statement_of_the_script_is_one_line(brain: Brain) -> None:
    assert all(line.endswith(";") and "\n" not in line for line in brain.export_as("cypher", now=NOW))
    assert literal("a\nb'\\") == "'a\\nb\\'\\\\'"


def test_graphml_has_every_node_and_relationship(brain: Brain) -> None:
    tree = ElementTree.fromstring("\n".join(brain.export_as("graphml", now=NOW)))
    keys = {key.get("id"): key.get("attr.name") for key in tree.iter(f"{XML}key")}
    nodes = {node.get("id"): {keys[data.get("key")]: data.text for data in node} for node in tree.iter(f"{XML}node")}
    edges = list(tree.iter(f"{XML}edge"))
    rows = rows_of(brain)
    assert len(nodes) == sum("node" in row for row in rows)
    assert len(edges) == sum("edge" in row for row in rows)
    assert all(edge.get("source") in nodes and edge.get("target") in nodes for edge in edges)
    evil = next(row for row in rows if row.get("path") == "Evil.md")
    assert nodes[f"Note:{evil['id']}"]["label"] == str(evil["title"]).replace("\x0b", "\ufffd")


def test_csv_has_the_header_of_the_importer_and_every_row(brain: Brain, tmp_path: Path) -> None:
    counts = brain.export_tables(tmp_path / "csv", now=NOW)
    with open(tmp_path / "csv" / "nodes-Note.csv", encoding="utf-8", newline="") as file:
        notes = list(csv.DictReader(file))
    with open(tmp_path / "csv" / "edges-EDGE.csv", encoding="utf-8", newline="") as file:
        edges = list(csv.DictReader(file))
    rows = rows_of(brain)
    assert [note["id:ID(Note)"] for note in notes] == [row["id"] for row in rows if row.get("node") == "Note"]
    assert {note[":LABEL"] for note in notes} == {"Note"}
    assert [json.loads(note["aliases"]) for note in notes] == [row["aliases"] for row in rows if row.get("node") == "Note"]
    assert {(edge[":START_ID(Note)"], edge["type"], edge[":END_ID(Note)"], edge[":TYPE"]) for edge in edges} == {
        (row["from"], row["type"], row["to"], "EDGE") for row in rows if row.get("edge") == "EDGE"
    }
    assert sum(counts.values()) == len(rows)
    with pytest.raises(UsageError, match="there already"):
        brain.export_tables(tmp_path / "csv")


def test_a_canvas_lies_by_the_tree_and_says_the_same_each_time(brain: Brain) -> None:
    text = "\n".join(brain.export_as("canvas", now=NOW))
    assert text == "\n".join(brain.export_as("canvas", now=NOW))
    canvas = json.loads(text)
    places = {node["file"]: node for node in canvas["nodes"]}
    assert places["Evil.md"]["x"] > places["Boat.md"]["x"]
    assert {node["type"] for node in canvas["nodes"]} == {"file"}
    assert len({(node["x"], node["y"]) for node in canvas["nodes"]}) == len(canvas["nodes"])
    ends = {node["id"] for node in canvas["nodes"]}
    assert all(edge["fromNode"] in ends and edge["toNode"] in ends for edge in canvas["edges"])
    assert {edge.get("label") for edge in canvas["edges"]} == {"part_of", "depends_on", None}
    lean = json.loads("\n".join(brain.export_as("canvas", now=NOW, lean=True)))
    assert {edge.get("label") for edge in lean["edges"]} == {"part_of", "depends_on"}


def test_a_ring_of_part_of_is_drawn_too(tmp_path: Path, engine: str) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "A.md").write_text("---\npart_of: '[[B]]'\n---\n", "utf-8")
    (root / "B.md").write_text("---\npart_of: '[[A]]'\n---\n", "utf-8")
    canvas = json.loads("\n".join(make(root, engine).export_as("canvas", now=NOW)))
    assert {"A.md", "B.md"} <= {node["file"] for node in canvas["nodes"]}


def test_lean_lines_are_those_of_the_whole_without_chunks_and_tokens(brain: Brain) -> None:
    whole, lean = list(brain.export(now=NOW)), list(brain.export_as("jsonl", now=NOW, lean=True))
    left_out = [json.loads(line) for line in whole if line not in set(lean)]
    assert {row.get("node") or row.get("edge") for row in left_out} == {"Chunk", "Token", "EMBEDS", "NAMED"}
    assert [line for line in whole if line in set(lean)] == lean


def test_lines_are_sorted_the_same_whatever_fits_into_memory() -> None:
    lines = [f"{(number * 7919) % 101:03} {number}" for number in range(500)]
    assert list(sorted_lines(lines, size=7)) == sorted(lines) == list(sorted_lines(lines, size=10_000))
