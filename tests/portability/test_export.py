"""The canonical export: equal graphs give equal bytes, and it says all the graph holds."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from brain.errors import NotFound
from brain.graph.engine import open_graph
from brain.portability.export import NODES, RELATIONSHIPS, export_lines
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, space_of

NOTES = {
    "A.md": "---\naliases: [First]\ntags: [t]\ncreated: 2026-01-02\n---\n# A\n\n[[B#Part|there]] and [[First]]\n\n## Atoms\n"
    "- (fact, verified) It is so. [[B]] ^a-1\n\n## Related\n- part_of:: [[B]] - so it is\n",
    "B.md": "---\nkind: project\nimportance: 0.8\n---\n# Big plan 漢字\n\nText with \x1b and \u2028 in it, and [[A]].\n",
    "Old.md": "---\nstatus: superseded\nsuperseded_by: '[[B]]'\n---\n",
}


@pytest.fixture
def space(tmp_path: Path, engine: str) -> Space:
    (tmp_path / "vault").mkdir()
    for path, text in NOTES.items():
        (tmp_path / "vault" / path).write_text(text, "utf-8")
    made = space_of(tmp_path / "vault", engine, "lexical")
    sync(made, now=NOW)
    return made


def test_it_is_equal_after_the_index_was_deleted_and_made_anew(space: Space) -> None:
    (space.vault.root / "B.md").write_text(NOTES["B.md"] + "\nOne more: [[Old]].\n", "utf-8")
    sync(space, now=NOW)
    (space.vault.root / "A.md").write_text(NOTES["A.md"].replace("It is so", "It was so"), "utf-8")
    sync(space, now=NOW)
    before = list(export_lines(space, NOW))
    shutil.rmtree(space.layout.index)
    sync(space, now=NOW)
    assert list(export_lines(space, NOW)) == before
    assert any("It was so" in line for line in before)


def test_when_a_note_was_projected_does_not_show(space: Space) -> None:
    later = NOW + timedelta(days=40)
    before = list(export_lines(space, later))
    sync(space, now=later, full=True)
    assert list(export_lines(space, later)) == before


def test_weights_are_those_of_the_moment_asked_for(space: Space) -> None:
    def weights(days: int) -> dict[str, float]:
        rows = map(json.loads, export_lines(space, NOW + timedelta(days=days)))
        return {row["path"]: row["weight"] for row in rows if row.get("node") == "Note"}

    assert weights(0) == weights(0)
    assert any(weights(300)[path] < weight for path, weight in weights(0).items())
    assert all(weights(300)[path] <= weight for path, weight in weights(0).items())


def test_every_line_is_one_object_with_sorted_keys_in_the_order_of_its_table(space: Space) -> None:
    lines = list(export_lines(space, NOW))
    rows = [json.loads(line) for line in lines]
    assert [json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows] == lines
    assert not any("\n" in line for line in lines)
    tables = [row.get("node") or row.get("edge") for row in rows]
    assert list(dict.fromkeys(tables)) == sorted({t for t in tables if t in NODES}) + sorted({t for t in tables if t in RELATIONSHIPS})
    assert len(set(lines)) == len(lines)
    nodes = [(row["node"], row.get("id") or row["token"]) for row in rows if "node" in row]
    assert nodes == sorted(nodes)
    edges = [(row["edge"], line) for row, line in zip(rows, lines, strict=True) if "edge" in row]
    assert edges == sorted(edges)
    assert len(edges) > 5


def test_it_says_what_the_notes_say(space: Space) -> None:
    rows = [json.loads(line) for line in export_lines(space, NOW)]
    ids = {row["path"]: row["id"] for row in rows if row.get("node") == "Note"}
    assert set(ids) == set(NOTES)
    edges = [(row["from"], row["type"], row["to"], row["reason"]) for row in rows if row.get("edge") == "EDGE" and row["type"] == "part_of"]
    assert edges == [(ids["A.md"], "part_of", ids["B.md"], "so it is")]
    assert {"edge": "FORWARDS", "from": ids["Old.md"], "to": ids["B.md"]} in rows
    assert [row["text"] for row in rows if row.get("node") == "Atom"] == ["It is so."]
    assert {"Note", "Atom", "Chunk", "Token"} == {row["node"] for row in rows if "node" in row}


def test_it_has_every_table_and_property_of_the_graph_but_vectors_and_weights_as_they_lie(space: Space) -> None:
    left_out = {("Note", "weight"), ("Note", "weight_at"), ("Atom", "weight"), ("Atom", "weight_at"), ("Chunk", "vector")}
    with open_graph(space.graph_path, space.engine, read_only=True) as graph:
        tables = {row["name"] for row in graph.execute("CALL show_tables() RETURN name")}
        known = {
            (table, row["name"]) for table in sorted({*NODES, *RELATIONSHIPS}) for row in graph.execute(f"CALL table_info('{table}') RETURN name")
        }
    assert tables - {"Meta"} == {*NODES, *RELATIONSHIPS}
    told = {(table, name) for table, names in NODES.items() for name in names}
    told |= {(table, name) for table, (_, _, names) in RELATIONSHIPS.items() for name in names}
    assert known - told == left_out
    assert told - known == set()


def test_without_a_graph_there_is_nothing_to_export(space: Space) -> None:
    space.graph_path.unlink()
    with pytest.raises(NotFound):
        list(export_lines(space, NOW))
