"""The engine seam, on the engine named by BRAIN_ENGINE (both cannot live in one process)."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from brain.errors import Locked, UsageError
from brain.graph.engine import (
    ENGINES,
    GraphError,
    GraphUnreadable,
    engine_version,
    load_engine,
    open_graph,
)
from brain.graph.files import quarantine, remove_graph

ENGINE = os.environ.get("BRAIN_ENGINE", "kuzu")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "it's a vault" / "graph.kuzu"


def _make(path: Path, *ids: str) -> None:
    with open_graph(path, ENGINE) as graph:
        graph.execute("CREATE NODE TABLE Note(id STRING PRIMARY KEY, at TIMESTAMP)")
        graph.execute("CREATE REL TABLE LINKS(FROM Note TO Note, line INT64)")
        for note_id in ids:
            graph.execute("CREATE (:Note {id: $id})", {"id": note_id})


def _ids(path: Path) -> list[str]:
    with open_graph(path, ENGINE, read_only=True) as graph:
        return [row["id"] for row in graph.execute("MATCH (n:Note) RETURN n.id AS id ORDER BY id")]


def _other_process(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    text = f"from pathlib import Path; from brain.graph.engine import open_graph\np = Path({str(path)!r})\n{code}"
    return subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_what_is_written_is_there_when_the_file_is_opened_again(path: Path) -> None:
    _make(path, "a", "b")
    assert _ids(path) == ["a", "b"]


def test_a_transaction_that_ends_well_is_kept(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE) as graph, graph.transaction():
        graph.execute("CREATE (:Note {id: 'a'})")
    assert _ids(path) == ["a"]


@pytest.mark.parametrize(
    "bad", ["NOT CYPHER", "RETURN nobody", "CREATE (:Note {id: 'a'})", "RETURN error('x')"], ids=["parse", "bind", "key", "run"]
)
def test_an_error_inside_a_transaction_undoes_it_and_nothing_after_it_commits_by_itself(path: Path, bad: str) -> None:
    _make(path, "a")
    with open_graph(path, ENGINE) as graph:
        with pytest.raises(GraphError), graph.transaction():
            graph.execute("CREATE (:Note {id: 'before'})")
            with pytest.raises(GraphError):
                graph.execute(bad)
            with pytest.raises(GraphError):
                graph.execute("CREATE (:Note {id: 'after'})")
        graph.execute("CREATE (:Note {id: 'later'})")
    assert _ids(path) == ["a", "later"]


def test_an_exception_of_the_caller_rolls_back(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE) as graph:
        with pytest.raises(KeyError), graph.transaction():
            graph.execute("CREATE (:Note {id: 'a'})")
            raise KeyError("mine")
        with graph.transaction():
            graph.execute("CREATE (:Note {id: 'b'})")
    assert _ids(path) == ["b"]


def test_a_transaction_inside_a_transaction_is_refused(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE) as graph, pytest.raises(GraphError), graph.transaction(), graph.transaction():
        pass


def test_two_statements_in_one_call_are_an_error(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE) as graph:
        with pytest.raises(GraphError):
            graph.execute("RETURN 1; RETURN 2")
        with pytest.raises(GraphError):
            graph.table("RETURN 1; RETURN 2", rows_max=5)


def test_copy_takes_an_arrow_table_and_a_parquet_file_by_column_place(path: Path) -> None:
    _make(path)
    source = path.parent / "it's rows.parquet"
    pq.write_table(pa.table({"from": ["a"], "to": ["b"], "line": [7]}), source)
    with open_graph(path, ENGINE) as graph:
        with graph.transaction():
            graph.copy("Note", pa.table({"id": ["a", "b"], "at": pa.array([None, None], pa.timestamp("us"))}))
        graph.copy("LINKS", source)
        rows = graph.execute("MATCH (a:Note)-[l:LINKS]->(b:Note) RETURN a.id AS a, l.line AS line, b.id AS b")
    assert rows == [{"a": "a", "line": 7, "b": "b"}]


def test_copy_in_a_transaction_that_fails_leaves_nothing(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE) as graph, pytest.raises(GraphError), graph.transaction():
        graph.copy("Note", pa.table({"id": ["a"], "at": pa.array([None], pa.timestamp("us"))}))
        graph.copy("LINKS", pa.table({"from": ["a"], "to": ["nobody"], "line": [1]}))
    assert _ids(path) == []


@pytest.mark.parametrize("name", ["Note FROM 'x'", "Note;", "", "No`te", "1a"])
def test_copy_refuses_what_is_no_table_name(path: Path, name: str) -> None:
    _make(path)
    with open_graph(path, ENGINE) as graph, pytest.raises(UsageError):
        graph.copy(name, pa.table({"id": ["a"]}))


def test_an_instant_with_a_zone_is_stored_as_the_same_instant_in_utc(path: Path) -> None:
    noon = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    _make(path)
    with open_graph(path, ENGINE) as graph:
        graph.execute("CREATE (:Note {id: 'a', at: $at})", {"at": noon})
        graph.execute("UNWIND $rows AS r CREATE (:Note {id: r.id, at: r.at})", {"rows": [{"id": "b", "at": noon}]})
        found = graph.execute("MATCH (n:Note) RETURN n.at AS at ORDER BY n.id")
    assert [noon.astimezone(UTC).replace(tzinfo=None)] * 2 == [row["at"] for row in found]


def test_internal_keys_are_the_same_on_both_engines(path: Path) -> None:
    _make(path, "a", "b")
    with open_graph(path, ENGINE) as graph:
        graph.execute("MATCH (a:Note {id: 'a'}), (b:Note {id: 'b'}) CREATE (a)-[:LINKS {line: 1}]->(b)")
        row = graph.execute("MATCH p = (a:Note)-[:LINKS]->(b:Note) RETURN a, p")[0]
    assert row["a"]["_label"] == "Note"
    assert [node["id"] for node in row["p"]["_nodes"]] == ["a", "b"]
    assert [rel["_label"] for rel in row["p"]["_rels"]] == ["LINKS"]


def test_a_table_holds_the_first_rows_and_says_that_there_are_more(path: Path) -> None:
    _make(path, "a", "b", "c")
    with open_graph(path, ENGINE, read_only=True) as graph:
        text = "MATCH (n:Note) RETURN n.id ORDER BY n.id"
        cut, whole = graph.table(text, rows_max=2), graph.table(text, rows_max=3)
    assert cut.rows == (("a",), ("b",))
    assert cut.truncated
    assert whole.columns == ("n.id",)
    assert not whole.truncated


def test_a_read_only_graph_refuses_a_write(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE, read_only=True) as graph, pytest.raises(GraphError):
        graph.execute("CREATE (:Note {id: 'a'})")


def test_one_process_opens_a_graph_once(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE), pytest.raises(GraphError), open_graph(path, ENGINE, read_only=True):
        pass
    assert _ids(path) == []


def test_the_lock_is_gone_after_closing_even_with_a_result_read_and_an_error_raised(path: Path) -> None:
    _make(path, "a")
    with open_graph(path, ENGINE) as graph:
        held = graph.execute("MATCH (n:Note) RETURN n")
        with pytest.raises(GraphError):
            graph.execute("RETURN nobody")
    write = f"with open_graph(p, {ENGINE!r}) as g: g.execute(\"CREATE (:Note {{id: 'other'}})\")"
    done = _other_process(write, path)
    assert (done.returncode, done.stderr) == (0, "")
    assert held
    assert _ids(path) == ["a", "other"]


def test_a_graph_that_another_program_holds_is_locked_not_broken(path: Path) -> None:
    _make(path)
    with open_graph(path, ENGINE):
        done = _other_process(f"with open_graph(p, {ENGINE!r}): pass", path)
    assert done.returncode == 1
    assert Locked.__name__ in done.stderr.splitlines()[-1]


def test_a_missing_graph_cannot_be_read(path: Path) -> None:
    with pytest.raises(GraphUnreadable), open_graph(path, ENGINE, read_only=True):
        pass
    assert not path.exists()


@pytest.mark.parametrize("damage", [b"", b"not a graph at all", b"\x00" * 8192], ids=["empty", "text", "zeros"])
def test_a_damaged_file_is_unreadable_and_left_as_it_is(path: Path, damage: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(damage)
    with pytest.raises(GraphUnreadable) as caught, open_graph(path, ENGINE):
        pass
    assert damage == path.read_bytes()
    assert caught.value.cure == "brain rebuild"


def test_a_half_file_is_unreadable(path: Path) -> None:
    _make(path, *"abcdefgh")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises((GraphUnreadable, GraphError)), open_graph(path, ENGINE) as graph:
        graph.execute("MATCH (n:Note) RETURN n.id")


def test_a_write_ahead_log_without_its_file_is_not_replayed_into_a_new_one(path: Path) -> None:
    path.parent.mkdir(parents=True)
    stray = path.with_name(path.name + ".wal")
    stray.write_bytes(b"left behind")
    _make(path, "a")
    assert _ids(path) == ["a"]


def test_removing_a_graph_removes_what_belongs_to_it_and_nothing_else(path: Path) -> None:
    _make(path)
    for suffix in (".wal", ".shadow", ".tmp"):
        path.with_name(path.name + suffix).write_bytes(b"x")
    keep = path.with_name("graph.kuzu2")
    keep.write_bytes(b"x")
    remove_graph(path)
    remove_graph(path)
    assert [keep] == list(path.parent.iterdir())


def test_quarantine_keeps_the_last_three_with_their_logs(path: Path) -> None:
    path.parent.mkdir(parents=True)
    for number in range(1, 6):
        path.write_text(str(number))
        path.with_name(path.name + ".wal").write_text(f"log {number}")
        assert path.with_name(f"graph.kuzu.broken-{number}") == quarantine(path)
    kept = {entry.name: entry.read_text() for entry in path.parent.iterdir()}
    expected = {f"graph.kuzu.broken-{n}": str(n) for n in (3, 4, 5)} | {f"graph.kuzu.broken-{n}.wal": f"log {n}" for n in (3, 4, 5)}
    assert expected == kept


def test_quarantine_of_nothing_is_nothing(path: Path) -> None:
    assert quarantine(path) is None


def test_an_unknown_engine_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="neo4j") as caught:
        load_engine("neo4j")
    assert all(name in caught.value.cure for name in ENGINES)


def test_the_other_engine_cannot_join_this_process() -> None:
    load_engine(ENGINE)
    other = next(name for name in ENGINES if name != ENGINE)
    with pytest.raises(UsageError, match="already runs"):
        load_engine(other)


def test_an_engine_that_is_not_installed_is_named_with_its_cure() -> None:
    code = "import sys; sys.path[:] = ['.', *[p for p in sys.path if 'packages' not in p]]\n"
    code += f"from brain.graph.engine import load_engine\nfrom brain.errors import BrainError\ntry: load_engine({ENGINE!r})\n"
    code += "except BrainError as e: print(e.cure)"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert f"pip install {ENGINE}" == done.stdout.strip()


def test_the_version_of_the_engine_is_known() -> None:
    assert engine_version(ENGINE)[0].isdigit()
