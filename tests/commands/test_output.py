"""What commands print: JSON documents with the keys people build on, and text that commands no terminal."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest

from brain.doctor.codes import CODES
from tests.commands.support import run, spawn

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_search_as_json(library: Path) -> None:
    ran = run("search", "laptop", "backups", "--json", vault=library)
    assert set(ran.json) == {"hits", "signals", "notices", "why_empty", "filtered_out"}
    first = ran.json["hits"][0]
    assert set(first) == {"id", "path", "title", "kind", "status", "score", "snippets", "parts", "via", "successor", "faded"}
    assert (first["path"], first["title"], first["kind"]) == ("Home Server.md", "Home Server", "project")
    assert set(first["snippets"][0]) == {"text", "line", "heading"}
    assert sum(first["parts"].values()) == pytest.approx(first["score"], abs=1e-4)


def test_search_with_no_answer_is_still_a_document(library: Path) -> None:
    ran = run("search", "xylophone", "--json", vault=library)
    assert (ran.code, ran.err, ran.json["hits"]) == (1, "", [])
    assert ran.json["why_empty"]


def test_search_takes_its_filters_and_explains_itself(library: Path) -> None:
    assert [hit["path"] for hit in run("search", "plan", "--folder", "Archive", "--json", vault=library).json["hits"]] == ["Archive/Plan.md"]
    assert [hit["path"] for hit in run("search", "house", "--tag", "infra", "--json", vault=library).json["hits"]] == ["Home Server.md"]
    assert len(run("search", "plan", "--limit", "1", "--json", vault=library).json["hits"]) == 1
    assert not re.search(r"\w+ \d\.\d{3}  \w+ \d\.\d{3}", run("search", "plan", vault=library).out)
    assert re.search(r"\w+ \d\.\d{3}  \w+ \d\.\d{3}", run("search", "plan", "--explain", vault=library).out)


def test_get_as_json_and_as_text(library: Path) -> None:
    note = run("get", "basement box", "--json", vault=library).json
    assert set(note) == {
        "id", "path", "title", "type", "kind", "status", "importance", "created", "aliases", "tags", "properties", "atoms", "superseded_by",
        "text",
    }  # fmt: skip
    text = (library / "Home Server.md").read_text("utf-8")
    assert (note["path"], note["aliases"], note["tags"], note["text"]) == ("Home Server.md", ["Basement box"], ["infra/backup"], text)
    assert run("get", "Home Server.md", vault=library).out == text


def test_links_as_json_and_as_text(library: Path) -> None:
    found = run("links", "House", "--json", vault=library).json
    assert set(found) == {"path", "links", "backlinks"}
    (out,), (back,) = found["links"], found["backlinks"]
    assert set(out) == set(back) == {
        "from", "line", "raw", "target", "anchor", "status", "to", "relation", "type", "reason", "place", "candidates",
    }  # fmt: skip
    assert (out["from"], out["line"], out["status"], out["to"]) == ("House.md", 3, "resolved", "Home Server.md")
    assert (back["from"], back["type"], back["reason"]) == ("Home Server.md", "part_of", "it stands in the cellar")
    assert "Home Server.md:11  [[House]]  (part_of)" in run("links", "House", vault=library).out


def test_the_links_of_a_note_say_what_is_broken_and_what_is_ambiguous(library: Path) -> None:
    assert "[[Nobody]] -> broken" in run("links", "Projects/Plan", vault=library).out
    assert "[[Plan]] -> ambiguous: Archive/Plan.md, Projects/Plan.md" in run("links", "Index", vault=library).out


def test_list_as_json_and_as_text(library: Path) -> None:
    found = run("list", "--json", vault=library).json
    assert [set(note) for note in found] == [{"id", "path", "title", "kind", "status", "importance", "created"}] * len(found)
    assert [note["path"] for note in found] == sorted(path.relative_to(library).as_posix() for path in library.rglob("*.md"))
    assert run("list", "--kind", "project", vault=library).out == "Home Server.md  [project]\n"
    assert len(run("list", "--limit", "2", vault=library).out.splitlines()) == 2


def test_tree_as_json_and_as_text(library: Path) -> None:
    tree = run("tree", "--json", vault=library).json
    assert set(tree) == {"branches", "outside", "hidden"}
    assert set(tree["branches"][0]) == {"id", "path", "title", "kind", "importance", "children", "cut", "atoms", "weight", "faded"}
    assert tree["branches"][0]["children"][0]["path"] == "Home Server.md"
    assert tree["outside"] == 4
    assert run("tree", "House", vault=library).out.splitlines()[1].startswith("└── Home Server [project]")


def test_status_as_json(library: Path) -> None:
    status = run("status", "--json", vault=library).json
    assert set(status) == {
        "root", "owner", "engine", "embed_model", "index", "counts", "changed_files", "held", "last_run", "excluded", "excluded_is_complete",
        "memory",
    }  # fmt: skip
    assert set(status["counts"]) == {"notes", "links", "atoms", "edges", "kinds", "chunks", "vectors", "generation"}
    assert (status["index"], status["owner"], status["counts"]["notes"], status["embed_model"]) == ("current", "Ada", 6, None)


def test_status_says_when_the_index_is_behind(vault: Path) -> None:
    run("index", vault=vault)
    (vault / "New.md").write_text("new\n", "utf-8")
    status = run("status", "--json", vault=vault).json
    assert (status["index"], status["changed_files"]) == ("behind", 1)
    assert "1 files changed" in run("status", vault=vault).out


def test_doctor_as_json_and_as_text(library: Path) -> None:
    findings = run("doctor", "--json", vault=library).json
    assert [set(finding) for finding in findings] == [{"code", "severity", "path", "line", "message", "cure"}] * len(findings)
    assert {finding["code"] for finding in findings} <= set(CODES)
    assert {"broken-link", "ambiguous-link"} <= {finding["code"] for finding in findings}
    shown = run("doctor", vault=library).out
    assert all(f"{finding['severity']:<7} {finding['code']}" in shown for finding in findings)


def test_the_last_look_of_doctor_is_one_line_or_its_numbers(vault: Path) -> None:
    (vault / ".brain" / "index" / "doctor.json").unlink(missing_ok=True)
    asked = run("doctor", "--brief", vault=vault)
    assert (asked.code, asked.out, asked.err.splitlines()[-1]) == (1, "", "cure:  brain doctor")
    findings = run("doctor", "--json", vault=vault).json
    shown = run("doctor", "--brief", vault=vault).out
    assert shown.count("\n") == 1 and "(brain doctor, " in shown
    last = run("doctor", "--brief", "--json", vault=vault).json
    assert set(last) == {"at", "generation", "counts", "codes", "worst", "age_s", "is_current"}
    assert sum(last["counts"].values()) == sum(last["codes"].values()) == len(findings)


def test_a_repair_shows_a_diff_first_and_json_as_stages_do(vault: Path) -> None:
    (vault / "House.md").write_text("# House\n\nSee [[Sole]].\n", "utf-8")
    (vault / "Projects" / "Sole.md").write_text("One.\n", "utf-8")
    run("index", vault=vault)
    (vault / "Archive" / "Sole.md").write_text("Another.\n", "utf-8")
    assert "+See [[Projects/Sole]]." in run("repair", "bare-link", "--dry-run", vault=vault).out
    report = run("repair", "bare-link", "--json", vault=vault).json
    assert (report["stage"], report["applied"][0]["paths"], report["dry_run"]) == ("repair", ["House.md"], False)
    assert (vault / "House.md").read_text("utf-8") == "# House\n\nSee [[Projects/Sole]].\n"
    assert run("undo", vault=vault).code == 0
    assert (vault / "House.md").read_text("utf-8") == "# House\n\nSee [[Sole]].\n"


def test_index_as_json(vault: Path) -> None:
    (vault / "New.md").write_text("new\n", "utf-8")
    (vault / "House.md").unlink()
    report = run("index", "--json", vault=vault).json
    assert {"notes", "added", "changed", "removed", "moved", "skipped", "embedded", "waiting_to_embed", "rebuilt", "notices"} <= set(report)
    assert (report["notes"], report["added"], report["removed"], report["rebuilt"]) == (6, ["New.md"], ["House.md"], False)
    assert run("rebuild", "--json", vault=vault).json["rebuilt"] is True


def test_cypher_as_json_csv_and_table(library: Path) -> None:
    query = "MATCH (n:Note) WHERE n.kind = $kind RETURN n.path AS path, n.tags AS tags"
    found = run("cypher", query, "--param", "kind=project", "--json", vault=library).json
    assert found == {"columns": ["path", "tags"], "rows": [["Home Server.md", ["infra/backup"]]], "truncated": False}
    as_csv = run("cypher", query, "--param", "kind=project", "--format", "csv", vault=library).out
    assert list(csv.reader(StringIO(as_csv))) == [["path", "tags"], ["Home Server.md", '["infra/backup"]']]
    assert re.search(r"Home Server\.md +\[\"infra/backup\"\]", run("cypher", query, "--param", "kind=project", vault=library).out)


def test_cypher_says_beside_the_data_when_rows_are_missing(library: Path) -> None:
    ran = run("cypher", "MATCH (n:Note) RETURN n.path", "--limit", "2", "--json", vault=library)
    assert (ran.code, len(ran.json["rows"]), ran.json["truncated"]) == (0, 2, True)
    assert "--limit" in ran.err


def test_cypher_from_a_file_and_by_name(library: Path, tmp_path: Path) -> None:
    (tmp_path / "q.cypher").write_text("RETURN 6 * 7 AS answer", "utf-8")
    assert run("cypher", "--file", tmp_path / "q.cypher", "--json", vault=library).json["rows"] == [[42]]
    names = [line.split()[0] for line in run("cypher", "--names").out.splitlines()]
    assert names == sorted(names)
    assert names
    unknown = run("cypher", "--name", "no_such_query", vault=library)
    assert (unknown.code != 0, unknown.out) == (True, "")
    schema = run("cypher", "--schema", vault=library).out
    assert all(name in schema for name in ("Note(", "EDGE", "part_of", *names))


def test_export_is_json_lines_of_nodes_and_edges(library: Path) -> None:
    lines = [json.loads(line) for line in run("export", "--format", "jsonl", "--now", "2026-01-31T12:00:00Z", vault=library).out.splitlines()]
    assert {"node", "edge"} == {key for line in lines for key in ("node", "edge") if key in line}
    assert len([line for line in lines if line.get("node") == "Note"]) == 6


def test_an_ambiguous_name_lists_the_candidates(library: Path) -> None:
    for command in ("get", "links", "tree"):
        ran = run(command, "plan", vault=library)
        assert (ran.code, ran.out) == (1, "")
        assert "Archive/Plan.md, Projects/Plan.md" in ran.err
    assert run("get", "projects/plan", "--json", vault=library).json["path"] == "Projects/Plan.md"


@pytest.mark.parametrize(
    "args",
    [
        ["search", "zebra"], ["search", "zebra", "--json"], ["get", "Evil"], ["get", "Evil", "--json"], ["links", "Evil"], ["links", "Evil", "--json"],
        ["doctor"], ["doctor", "--json"], ["export"], ["cypher", "MATCH (n:Note) RETURN n.title, n.properties, n.aliases"],
        *(["cypher", "RETURN $a AS zebra", "--param", "a=\x1b[31m\x9b", "--format", form] for form in ("table", "csv", "json")),
        ["cypher", "RETURN $a AS zebra", "--param", 'a=["\\u001b[31m", "\x9b1m"]', "--format", "csv"],
    ],
    ids=lambda args: re.sub(r"[^\w -]", "", " ".join(args)),
)  # fmt: skip
def test_no_character_of_a_note_commands_the_terminal(library: Path, args: list[str]) -> None:
    ran = run(*args, vault=library)
    assert "ebra" in ran.out or "Evil" in ran.out
    assert not CONTROL.search(ran.out + ran.err)


def test_nor_does_one_of_an_argument_or_a_path(vault: Path) -> None:
    (vault / "Red\x1b[31m\x9b.md").write_text("crimson\n", "utf-8")
    for args in (["index"], ["search", "crimson"], ["list"], ["get", "No\x1b[31m\x9b"], ["doctor"], ["add", "--title", "a\x1b[31m\x9bb", "text"]):
        ran = run(*args, vault=vault)
        assert not CONTROL.search(ran.out + ran.err), args


def test_nor_does_one_of_a_setting(vault: Path) -> None:
    (vault / "brain.toml").write_text('[folders]\ninbox = "In\\u001b[31m\\u009b"\n', "utf-8")
    for args in (["--dry-run"], ["--no-walk"]):
        ran = run("add", "words", *args, vault=vault)
        assert (ran.code, "[31m" in ran.out + ran.err) == (1, True)
        assert not CONTROL.search(ran.out + ran.err)


def test_json_keeps_what_a_terminal_must_not_get(library: Path) -> None:
    assert run("get", "Evil", "--json", vault=library).json["text"] == (library / "Evil.md").read_bytes().decode()


def test_bytes_that_are_no_text_are_shown_all_the_same(vault: Path) -> None:
    (vault / "Latin.md").write_bytes("caf\xe9 crème\n".encode("latin-1"))
    assert run("index", vault=vault).code == 0
    for args in (["search", "caf"], ["doctor"], ["export"], ["get", "Latin"]):
        ran = run(*args, vault=vault)
        assert ran.code in (0, 1), ran
        assert "fault" not in ran.err
    assert spawn("get", "Latin", "--json", vault=vault).json["path"] == "Latin.md"


def test_output_through_a_pipe_is_utf8_whatever_the_locale(vault: Path) -> None:
    (vault / "日本.md").write_text("# 日本\n\nsnow ☃\n", "utf-8")
    run("index", vault=vault)
    assert "日本.md" in spawn("search", "snow", vault=vault, env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}).out


def test_cypher_says_beside_the_data_that_there_are_no_rows(library: Path) -> None:
    ran = run("cypher", "MATCH (n:Note) WHERE n.title = 'Nowhere' RETURN n.title", "--format", "csv", vault=library)
    assert (ran.code, ran.out, ran.err) == (0, "n.title\n", "no rows\n")


def test_a_rehearsal_tells_each_reason_once(vault: Path) -> None:
    run("add", "Risk: [[Home Server]] has one disk.", "--no-walk", "--title", "Disk", vault=vault)
    reason = run("walk", "--dry-run", "--json", vault=vault).json["applied"][0]["because"]
    assert run("walk", "--dry-run", vault=vault).out.count(reason) == 1
