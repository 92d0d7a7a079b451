"""A person's Cypher in its own process, on the engine named by BRAIN_ENGINE: what it answers, and that it cannot do harm."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from brain.core.note import Json
from brain.core.vocabulary import RELATIONS
from brain.errors import Locked, UsageError
from brain.graph import queries
from brain.graph.engine import GraphError, GraphUnreadable, open_graph
from brain.graph.rebuild import schema_statements
from brain.graph.sandbox import Table, run_cypher, schema_text

ENGINE = os.environ.get("BRAIN_ENGINE", "kuzu")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("a vault")
    (made / "Note.md").write_text("# A note\n")
    (made / "secret.csv").write_text("SESAME\n")
    with open_graph(made / "g.kuzu", ENGINE) as graph:
        for statement in schema_statements(2):
            graph.execute(statement)
        for note_id in ("a", "b", "c"):
            graph.execute("CREATE (:Note {id: $id, title: upper($id), created: date('2024-02-29')})", {"id": note_id})
        graph.execute("MATCH (a:Note {id: 'a'}), (b:Note {id: 'b'}) CREATE (a)-[:EDGE {type: 'part_of', count: 1}]->(b)")
    return made


@pytest.fixture
def unchanged(folder: Path) -> Iterator[None]:
    """Checks that a test leaves every byte in the folder, and every name, as it was."""
    before = _hashes(folder)
    yield
    assert before == _hashes(folder)


def _hashes(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _run(folder: Path, text: str, params: dict[str, Json] | None = None, **options: Any) -> Table:
    return run_cypher(folder / "g.kuzu", ENGINE, text, params or {}, **{"timeout_s": 30.0, "rows_max": 100, **options})


def test_rows_come_back_in_order_with_their_columns(folder: Path, unchanged: None) -> None:
    table = _run(folder, "MATCH (n:Note) WHERE n.id IN $ids RETURN n.id AS id, n.title ORDER BY id DESC", {"ids": ["a", "c"]})
    assert Table(("id", "n.title"), (("c", "C"), ("a", "A")), truncated=False) == table


def test_more_rows_than_the_limit_are_cut_and_said_so(folder: Path, unchanged: None) -> None:
    text = "MATCH (n:Note) RETURN n.id ORDER BY n.id"
    assert Table(("n.id",), (("a",), ("b",)), truncated=True) == _run(folder, text, rows_max=2)
    assert not _run(folder, text, rows_max=3).truncated
    assert not _run(folder, text + " LIMIT 2", rows_max=2).truncated
    assert _run(folder, text + " LIMIT 1000000", rows_max=2).truncated


def test_rows_by_the_million_are_cut_without_being_made(folder: Path, unchanged: None) -> None:
    text = "UNWIND range(1, 2000) AS x UNWIND range(1, 2000) AS y UNWIND range(1, 2000) AS z RETURN x, y, z"
    assert len(_run(folder, text, rows_max=5).rows) == 5


def test_dates_numbers_and_nests_become_json(folder: Path, unchanged: None) -> None:
    text = (
        "RETURN date('2024-02-29') AS d, timestamp('2024-02-29 10:00:00') AS t, uuid('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11') AS u,"
        " [1, 2] AS l, {a: 1, b: 'x'} AS s, map(['k'], [1]) AS m, CAST('1.50' AS DECIMAL(10, 2)) AS c, 0.0 / 0.0 AS n,"
        " interval('3 days') AS i, NULL AS z, CAST(7 AS INT128) AS h"
    )
    row = _run(folder, text).rows[0]
    assert row == (
        "2024-02-29", "2024-02-29T10:00:00", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", [1, 2], {"a": 1, "b": "x"}, {"k": 1},
        "1.50", None, "P3DT0S", None, 7,
    )  # fmt: skip
    json.dumps(row, allow_nan=False)


def test_nodes_and_relationships_carry_names_instead_of_internal_ids(folder: Path, unchanged: None) -> None:
    node, rel, way = _run(folder, "MATCH p = (a:Note)-[e:EDGE]->(b:Note) RETURN a, e, p").rows[0]
    assert isinstance(node, dict) and isinstance(rel, dict) and isinstance(way, dict)
    assert (node["_label"], node["id"], node["created"]) == ("Note", "a", "2024-02-29")
    assert (rel["_label"], rel["type"]) == ("EDGE", "part_of")
    assert [(step["_from"], step["_to"]) for step in way["_rels"]] == [("a", "b")]  # type: ignore[index, union-attr]
    assert "_id" not in json.dumps([node, rel, way])


def test_explain_and_the_allowed_calls_answer(folder: Path, unchanged: None) -> None:
    assert "Plan" in str(_run(folder, "EXPLAIN MATCH (n:Note) RETURN n").rows)
    assert ("Note",) in _run(folder, "CALL show_tables() RETURN name ORDER BY name").rows


HARM = [
    "MATCH (n:Note) SET n.title = 'x'",
    "MATCH (n:Note) DETACH DELETE n",
    "CREATE (:Note {id: 'z'})",
    "COPY (MATCH (n:Note) RETURN n.id) TO 'FOLDER/out.csv'",
    "LOAD FROM 'FOLDER/secret.csv' (file_format='csv', header=false) RETURN *",
    "EXPORT DATABASE 'FOLDER/out'",
    "IMPORT DATABASE 'FOLDER/out'",
    "INSTALL httpfs",
    "LOAD EXTENSION 'FOLDER/x'",
    "ATTACH 'FOLDER/other.kuzu' AS other (dbtype kuzu)",
    "CHECKPOINT",
    "MATCH (n:Note) RETURN n; MATCH (n:Note) DETACH DELETE n",
    "/* */ ; MATCH (n) DELETE n",
    "/***/ RETURN 1 /* */ ; COPY (RETURN 1) TO 'FOLDER/out.csv' /* */",
    "RETURN 1 // \n; MATCH (n) DETACH DELETE n",
    "RETURN 1 /* no end",
    "RETURN '\\\\' COPY ''",
    "RETURN 1\u00a0SET",
    "CALL threads=1",
    "CALL show_functions() RETURN *",
    "PROFILE MATCH (n) RETURN n",
]


@pytest.mark.parametrize("text", HARM)
def test_what_could_do_harm_is_refused_with_a_cure_and_changes_nothing(folder: Path, unchanged: None, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        _run(folder, text.replace("FOLDER", str(folder)))
    assert caught.value.message
    assert caught.value.cure


@pytest.mark.parametrize("text", HARM)
def test_the_child_refuses_by_itself(folder: Path, unchanged: None, text: str) -> None:
    assert _child(folder, text.replace("FOLDER", str(folder)))["failed"] == "UsageError"


def _child(folder: Path, text: str) -> dict[str, Any]:
    request = {
        "graph": str(folder / "g.kuzu"), "engine": ENGINE, "text": text, "params": {}, "rows_max": 5, "timeout_s": 30,
        "bytes_max": 1000, "memory_bytes_max": 1 << 30,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "brain.graph.child"], cwd=ROOT, input=json.dumps(request), capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_an_answer_too_long_to_carry_is_cut(folder: Path, unchanged: None) -> None:
    answer = _child(folder, "UNWIND range(1, 5) AS x RETURN repeat('y', 400)")
    assert (len(answer["rows"]), answer["truncated"]) == (2, True)


RUNAWAY = "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y UNWIND range(1, 100000) AS z RETURN sum(x * y % 7 + z)"


def test_a_runaway_query_is_stopped_and_its_process_is_gone(folder: Path, unchanged: None) -> None:
    with pytest.raises(UsageError, match="stopped after 2 s") as caught:
        _run(folder, RUNAWAY, timeout_s=2.0)
    assert "--timeout" in caught.value.cure
    assert _children() == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the child through /proc")
def test_a_crash_of_the_engine_is_a_plain_error(folder: Path, unchanged: None) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(_run, folder, RUNAWAY, timeout_s=60.0)
        while not (found := _children()) and not running.done():
            time.sleep(0.01)
        os.kill(found[0], signal.SIGSEGV)
        with pytest.raises(GraphError, match="signal 11") as caught:
            running.result()
    assert caught.value.cure


def _children() -> list[int]:
    """Returns the ids of living processes that this one started to run Cypher."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"brain.graph.child" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:  # it ended meanwhile
            continue
    return found


PRODUCTS = [
    "MATCH p = (a:Note)-[* SHORTEST 1..30]->(b:Note) RETURN p ORDER BY length(p) DESC",
    "MATCH (a:Note), (b:Note) WITH a.title + b.title AS t RETURN count(DISTINCT t)",
    "MATCH (a:Note), (b:Note), (c:Note) RETURN collect(a.title + b.title + c.title)",
    "UNWIND range(1, 60000000) AS x RETURN collect(x)",
    "UNWIND range(1, 5) AS x RETURN repeat('abcdefgh', 40000000)",
]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of 2,000 notes, each of which links to eight."""
    made = tmp_path_factory.mktemp("a crowd")
    with open_graph(made / "g.kuzu", ENGINE) as graph:
        for statement in schema_statements(2):
            graph.execute(statement)
        graph.execute("UNWIND range(0, 1999) AS x CREATE (:Note {id: string(x), title: 'The note with the number ' + string(x)})")
        graph.execute(
            "UNWIND range(0, 1999) AS x UNWIND range(1, 8) AS k MATCH (a:Note {id: string(x)}), (b:Note {id: string((x * 7 + k) % 2000)})"
            " CREATE (a)-[:LINKS]->(b)"
        )
    return made


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells how much memory a process has")
@pytest.mark.parametrize("text", PRODUCTS)
def test_a_runaway_product_is_ended_at_the_memory_limit_and_says_so(crowd: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"used more memory than the (40|256) MB") as caught:
        _run(crowd, text, memory_bytes_max=40 << 20)
    assert "LIMIT" in caught.value.cure
    assert _children() == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("MATCH (n:Note) RETURN n.nothing", "Cannot find property nothing"),
        ("MATCH (n:Nobody) RETURN n", "Nobody does not exist"),
        ("MATCH (n:Note RETURN n", "Parser exception"),
        ("RETURN error('mine')", "mine"),
    ],
)
def test_an_error_of_the_engine_is_told_in_one_line(folder: Path, unchanged: None, text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        _run(folder, text)
    assert "\n" not in caught.value.message
    assert "ATTACH" not in caught.value.message
    assert "brain cypher --schema" in caught.value.cure


@pytest.mark.parametrize(
    ("text", "meant"),
    [("MATCH (n:Note) RETURN n.titel", '"title"'), ("MATCH (n:Nte) RETURN n", '"Note"'), ("MATCH ()-[e:EDGES]->() RETURN e", '"EDGE"')],
)
def test_a_slip_in_a_name_of_the_schema_is_answered_with_the_nearest(folder: Path, text: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        _run(folder, text)
    assert f"did you mean {meant}" in caught.value.cure


def test_a_missing_and_an_unknown_parameter_are_named(folder: Path, unchanged: None) -> None:
    with pytest.raises(UsageError, match="`id`"):
        _run(folder, "MATCH (n:Note {id: $id}) RETURN n.id")
    with pytest.raises(UsageError, match="`ids`"):
        _run(folder, "RETURN 1", {"ids": "a"})


def test_a_parameter_is_never_read_as_cypher(folder: Path, unchanged: None) -> None:
    text = "MATCH (n:Note) WHERE n.id = $id RETURN n.id"
    assert _run(folder, text, {"id": "' OR true MATCH (n) DETACH DELETE n //"}).rows == ()


def test_a_missing_graph_is_unreadable_and_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(GraphUnreadable):
        run_cypher(tmp_path / "g.kuzu", ENGINE, "RETURN 1", {}, timeout_s=30, rows_max=5)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_graph_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "g.kuzu").write_text("no graph")
    with pytest.raises(GraphUnreadable):
        run_cypher(tmp_path / "g.kuzu", ENGINE, "RETURN 1", {}, timeout_s=30, rows_max=5)


@pytest.mark.skipif(ENGINE != "kuzu", reason="ladybug lets readers in beside a writer")
def test_a_graph_held_by_a_writer_is_locked(folder: Path) -> None:
    with open_graph(folder / "g.kuzu", ENGINE), pytest.raises(Locked):
        _run(folder, "RETURN 1")


def test_a_module_in_the_working_folder_is_not_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken in')")
    monkeypatch.chdir(tmp_path)
    assert _run(folder, "RETURN 1").rows == ((1,),)


def test_the_schema_names_tables_properties_relations_and_queries(folder: Path) -> None:
    with open_graph(folder / "g.kuzu", ENGINE, read_only=True) as graph:
        text = schema_text(graph)
    assert "  Note(id STRING KEY, path STRING, title STRING" in text
    assert "  EDGE: Note -> Note (type STRING" in text
    assert "  REPLACES: Atom -> Atom\n" in text
    assert all(word in text for word in (*RELATIONS, *queries.names()))
