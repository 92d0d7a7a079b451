"""The text check on a person's Cypher, alone and against the engine named by BRAIN_ENGINE."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.errors import UsageError
from brain.graph.engine import Graph, GraphError, open_graph
from brain.graph.guard import FIRST_WORDS, REFUSED_WORDS, TEXT_CHARS_MAX, capped, check

ENGINE = os.environ.get("BRAIN_ENGINE", "kuzu")


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n:Note) RETURN n.path",
        "match (n:Note) return n.path;",
        "OPTIONAL MATCH (n:Note) RETURN n",
        "WITH 1 AS x RETURN x ; \n",
        "UNWIND [1, 2] AS x RETURN x",
        "EXPLAIN MATCH (n:Note) RETURN n",
        "CALL show_tables() RETURN name",
        "CALL Table_Info('Note') RETURN *",
        "MATCH (n:Note) WHERE n.title = 'DELETE; COPY' RETURN n",
        'RETURN "it\'s ; SET", \'say "LOAD"\', \'\\\'; DROP\'',
        "MATCH (`set`:`Copy`) RETURN `set`.id AS `delete`",
        "MATCH (n:Note) RETURN n.set, n . copy, n.load",
        "MATCH (n:Note) RETURN {a: 1}.delete, [n][0].set, $p.copy, $create",
        "// SET x\nRETURN 1 /* DELETE ; */ // COPY",
        "RETURN 'Müller', '知识', '👩‍👧', '\u00a0', '\ttab'",
        "MATCH (ü:Note)-[:LINKS*1..3]->(m) WHERE 1.5e3 > .5 RETURN ü",
        "MATCH (n:Note) WHERE n.created > date('2024-01-01') RETURN settings, offset_set, reset",
    ],
)
def test_a_reading_statement_passes(text: str) -> None:
    assert len(check(text).text) == len(text)


REFUSED = {
    "MATCH (n) SET n.x = 1": "SET is refused",
    "match (n) set n.x = 1": "SET is refused",
    "MATCH (n) DETACH DELETE n": "DETACH is refused",
    "CREATE (n:Note {id: 'x'})": "CREATE is refused",
    "MERGE (n:Note {id: 'x'})": "MERGE is refused",
    "MATCH (n) REMOVE n.x": "REMOVE is refused",
    "DROP TABLE Note": "DROP is refused",
    "ALTER TABLE Note ADD x INT64": "ALTER is refused",
    "COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'": "COPY is refused",
    "COPY Note FROM 'x.csv'": "COPY is refused",
    "LOAD FROM '/etc/passwd' (file_format='csv') RETURN *": "LOAD is refused",
    "MATCH (n) LOAD FROM '/etc/passwd' RETURN *": "LOAD is refused",
    "EXPLAIN LOAD FROM '/etc/passwd' RETURN *": "LOAD is refused",
    "EXPORT DATABASE '/tmp/x'": "EXPORT is refused",
    "IMPORT DATABASE '/tmp/x'": "IMPORT is refused",
    "INSTALL httpfs": "INSTALL is refused",
    "FORCE INSTALL httpfs": "FORCE is refused",
    "LOAD EXTENSION httpfs": "LOAD is refused",
    "ATTACH '/tmp/x' AS y (dbtype kuzu)": "ATTACH is refused",
    "USE y": "USE is refused",
    "PROFILE MATCH (n) RETURN n": "PROFILE is refused",
    "CHECKPOINT": "CHECKPOINT is refused",
    "BEGIN TRANSACTION": "BEGIN is refused",
    "COMMENT ON TABLE Note IS 'x'": "COMMENT is refused",
    "RETURN nextval('s')": "NEXTVAL is refused",
    "MATCH (n) RETURN n; MATCH (n) DELETE n": "second statement",
    "RETURN 1;;": "second statement",
    "; RETURN 1": "second statement",
    "/* */ ; MATCH (n) DELETE n": "second statement",
    "RETURN 1 /* x */ ; // y\n CREATE (n)": "second statement",
    "/***/ MATCH (n) /* */ DELETE n /* */": "DELETE is refused",
    "RETURN 1 // \\\nSET": "SET is refused",
    "RETURN 1 /* no end": "a comment begins and does not end",
    "RETURN 1 /*/ SET": "a comment begins and does not end",
    "RETURN 'no end": "a string begins and does not end",
    "RETURN 'a\\'": "a string begins and does not end",
    'RETURN "a\' ; SET': "a string begins and does not end",
    "RETURN `no end": "a name begins and does not end",
    "RETURN `a``": "a name begins and does not end",
    "RETURN '\\\\' SET ''": "SET is refused",
    "RETURN 'a''b' COPY 'c'": "COPY is refused",
    "RETURN 1\u00a0SET": "SET is refused",
    "RETURN 1\u2028SET": "SET is refused",
    "RETURN 1\u3000LOAD FROM 'x'": "LOAD is refused",
    "RE\\u0054URN 1": "has no meaning",
    "MATCH (n)\u200bSET n.x = 1": "has no meaning",
    "MATCH (n) éSET n.x = 1": "SET is refused",
    "WITH 1e5LOAD FROM 'x'": "runs a number into a word",
    "WITH 1.SET": "SET is refused",
    "WITH $1SET": "runs a number into a word",
    "MATCH (n) RETURN n. . SET": "SET is refused",
    "RETURN 1\x00; CREATE (n)": "has no meaning",
    "RETURN '\x00'": "control character",
    "RETURN '\ud800'": "control character",
    "CALL threads=1": "CALL threads is refused",
    "CALL project_graph('G', ['Note'], [])": "CALL project_graph is refused",
    "MATCH (n) CALL show_functions() RETURN name": "CALL show_functions is refused",
    "CALL `show_tables`() RETURN *": "CALL `show_tables` is refused",
    "CALL": "CALL nothing is refused",
    "SELECT 1": "cannot begin with 'SELECT'",
    "'MATCH' RETURN 1": "cannot begin with",
    "`MATCH` (n) RETURN n": "cannot begin with",
    "": "no query",
    " ; ": "no query",
    "// only\n/* comments */": "no query",
    "RETURN 1" + " " * TEXT_CHARS_MAX: "limit is",
}


@pytest.mark.parametrize("text", REFUSED, ids=[f"{number}" for number in range(len(REFUSED))])
def test_a_text_that_might_do_more_than_read_is_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(REFUSED[text])) as caught:
        check(text)
    assert caught.value.cure


def test_a_refusal_tells_line_and_column_and_where_to_look() -> None:
    with pytest.raises(UsageError, match="In line 3, column 3: SET") as caught:
        check("MATCH (n)\n// x\n  SET n.x = 1")
    assert "brain cypher --schema" in caught.value.cure


def test_what_the_engine_reads_has_no_comments_left() -> None:
    assert check("RETURN 1 /* x **/, 2 // '/*").text == "RETURN 1" + 9 * " " + ", 2" + 7 * " "


def test_params_are_listed_once() -> None:
    assert check("RETURN $b + $a + $b, '$c', `$d`").params == ("a", "b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MATCH (n) RETURN n", "MATCH (n) RETURN n\nLIMIT 7"),
        ("MATCH (n) RETURN n // all", "MATCH (n) RETURN n       \nLIMIT 7"),
        ("MATCH (n) WITH n LIMIT 3 RETURN n", "MATCH (n) WITH n LIMIT 3 RETURN n\nLIMIT 7"),
        ("MATCH (n) RETURN n LIMIT 3", "MATCH (n) RETURN n LIMIT 3"),
        ("MATCH (n) RETURN n LIMIT 300;", "MATCH (n) RETURN n LIMIT 7"),
        ("MATCH (n) RETURN n LIMIT $k", "MATCH (n) RETURN n LIMIT $k"),
        ("MATCH (n) RETURN n.limit", "MATCH (n) RETURN n.limit\nLIMIT 7"),
        ("RETURN 1 UNION RETURN 2", "RETURN 1 UNION RETURN 2"),
        ("EXPLAIN MATCH (n) RETURN n", "EXPLAIN MATCH (n) RETURN n"),
        ("CALL show_tables()", "CALL show_tables()"),
    ],
)
def test_a_limit_is_put_where_it_is_plain_to_see(text: str, expected: str) -> None:
    assert expected == capped(check(text), 7)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guard")
    with open_graph(folder / "g.kuzu", ENGINE) as graph:
        graph.execute("CREATE NODE TABLE Note(id STRING PRIMARY KEY, x INT64)")
        graph.execute("CREATE (:Note {id: 'a', x: 1})")
    return folder


@pytest.fixture(scope="module")
def read_only(place: Path) -> Iterator[Graph]:
    with open_graph(place / "g.kuzu", ENGINE, read_only=True) as graph:
        yield graph


def test_every_word_the_engine_can_begin_with_is_known(read_only: Graph) -> None:
    """Notices a new engine with a new kind of statement."""
    with pytest.raises(GraphError) as caught:
        read_only.execute("NONSENSE")
    listed = re.search(r"expecting \{([^}]*)\}", caught.value.reason)
    assert listed is not None
    assert {word.strip() for word in listed[1].split(",")} - {"SP"} <= FIRST_WORDS | REFUSED_WORDS


PIECES = st.sampled_from([
    "MATCH (n:Note)", "RETURN n", "RETURN 1", "RETURN n.id", "WITH n", "WITH 1 AS x", "UNWIND [1] AS y", "OPTIONAL MATCH (m:Note)",
    "SET n.x = 2", "DELETE n", "DETACH DELETE n", "CREATE (:Note {id: 'z'})", "MERGE (q:Note {id: 'q'})", "WHERE n.x = 1",
    "COPY (MATCH (n:Note) RETURN n.id) TO 'TARGET.csv'", "LOAD FROM 'SECRET' (file_format='csv', header=false) RETURN *",
    "LOAD FROM 'SECRET'", "EXPORT DATABASE 'TARGET'", "CALL threads=1", "CALL show_tables() RETURN *", "DROP TABLE Note",
    ";", "'", '"', "`", "\\", "\\'", '\\"', "/*", "*/", "/**/", "/***/", "**/", "/*/", "//", "\n", "\r", " ", "\t", "\u00a0", "\u2028",
    "\u3000", "\x1c", "\u200b", "\u00e9", "1", "1e5", "1.", ".", "..", ",", "$", "$p", "(", ")", "{", "}", "EXPLAIN", "PROFILE",
    "AS", "x", "UNION", "LIMIT 1", "''", '""', "'a'", "``",
])  # fmt: skip


HARM = st.sampled_from([
    "SET n.x = 2", "DELETE n", "DETACH DELETE n", "CREATE (:Note {id: 'z'})", "MERGE (:Note {id: 'q'})", "SET n.x = 2 RETURN n",
    "LOAD FROM 'SECRET' (file_format='csv', header=false) RETURN *", "RETURN n; COPY (RETURN 1) TO 'TARGET.csv'",
    "RETURN n; EXPORT DATABASE 'TARGET'", "RETURN n; CALL threads=1",
])  # fmt: skip
TRICKS = st.lists(
    st.sampled_from([" ", "\n", "\r", "\u00a0", "/**/", "/***/", "/*'*/", "/* **/", "//\n", "// '\n", "// /*\n", "//\r\n", "\u2028"]),
    min_size=1,
    max_size=4,
).map("".join)
HIDDEN = st.tuples(st.sampled_from(["MATCH (n:Note)", "MATCH (n:Note) WITH n, 1e5 AS e", "WITH 'a' AS n"]), TRICKS, HARM, TRICKS)


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=st.one_of(HIDDEN.map("".join), st.lists(PIECES, max_size=8).map("".join), st.lists(PIECES, max_size=8).map(" ".join)))
def test_what_passes_never_writes_a_file_or_reads_one(place: Path, read_only: Graph, text: str) -> None:
    """The law: whatever the guard accepts, the engine neither changes a file nor shows the secret one."""
    secret, target = place / "secret.csv", place / "target"
    secret.write_text("SESAME\n")
    text = text.replace("SECRET", str(secret)).replace("TARGET", str(target))
    try:
        statement = check(text)
    except UsageError:
        return
    before = _hashes(place)
    try:
        answer = repr(read_only.table(capped(statement, 10), dict.fromkeys(statement.params, 1), rows_max=10))
    except GraphError as error:
        assert "read-only database" not in error.reason, "the guard let a write through to the engine"
        answer = ""
    assert "SESAME" not in answer
    assert before == _hashes(place)


def _hashes(folder: Path) -> dict[str, str]:
    """Hashes everything but the open graph itself, which a read in this process would unlock: its stat."""
    found = {}
    for path in sorted(folder.rglob("*")):
        stat = path.stat()
        is_graph = path.name.startswith("g.kuzu")
        found[str(path)] = f"{stat.st_size} {stat.st_mtime_ns}" if is_graph else hashlib.sha256(path.read_bytes()).hexdigest()
    return found
