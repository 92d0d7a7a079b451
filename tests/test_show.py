"""Values as text and as JSON: nothing commands a terminal, nothing is lost in JSON."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import show, show_work
from brain.core.finding import Finding
from brain.core.plan import Applied, Conflict, Held, Patch, Plan, Refused
from brain.core.recall import Answer, Hit, Snippet
from brain.graph.sandbox import Table
from brain.recall.listing import Branch, Tree
from brain.recall.note_view import LinkView
from brain.stages.report import RunReport
from brain.sync.report import SyncReport

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
EVIL = "a\x1b[31m\x9b\u202e\x7f\udce9b"
PLAN = Plan("edit", "k", {}, (), f"because {EVIL}")
HIT = Hit("n-1", f"{EVIL}.md", EVIL, "note", "active", 0.5, (Snippet(f"one\n  {EVIL}", 3, EVIL),), {"words": 0.5, "meaning": -0.0}, EVIL, EVIL)
LINK = LinkView(EVIL, 1, EVIL, EVIL, EVIL, "ambiguous", None, EVIL, None, EVIL, "body", (EVIL, EVIL))
texts = st.text(st.characters(exclude_categories=())) | st.text(st.sampled_from("a\x1b\x9b\x7f\x00\n\t\u202e\ud83d\udce9\\\"[]"))


@given(texts)
def test_clean_text_keeps_its_length_lines_and_everything_harmless(text: str) -> None:
    cleaned = show.clean(text)
    assert len(cleaned) == len(text)
    assert not CONTROL.search(cleaned)
    assert all(new in (old, "\ufffd") for old, new in zip(text, cleaned, strict=True))
    assert cleaned.count("\n") == text.count("\n")
    cleaned.encode("utf-8")


@given(texts)
def test_json_says_the_same_in_characters_that_are_safe(text: str) -> None:
    document = show.as_json({"a": [text]})
    assert not CONTROL.search(document)
    document.encode("utf-8")
    back = json.loads(document)["a"][0]
    assert back.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")


def test_json_leaves_letters_of_any_language_as_they_are() -> None:
    assert json.loads(show.as_json("Größe 漢字 😀")) == "Größe 漢字 😀"
    assert "Größe 漢字 😀" in show.as_json("Größe 漢字 😀")


def test_a_whole_text_ends_in_one_newline_and_has_plain_line_ends() -> None:
    assert show.shown_text("\ufeffa\r\nb") == "a\nb\n"
    assert show.shown_text("a\n") == "a\n"
    assert show.shown_text("a\rb") == "a\ufffdb\n"


@pytest.mark.parametrize(
    "text",
    [
        show.answer_text(Answer((HIT,), ("words",)), explain=True),
        show.answer_text(Answer((), (), why_empty=EVIL), explain=False),
        show.findings_text([Finding("orphan", "info", EVIL, 3, EVIL, EVIL)]),
        show.tree_text(Tree((Branch("n", "p", EVIL, "note", 0.5, (Branch("m", "q", EVIL, "note", 0.5),), 2),), 0)),
        show.links_text(LINK, [LINK], [LINK]),
        show_work.sync_text(SyncReport(1, skipped={EVIL: "too large"}, problems=(Finding("encoding", "error", EVIL, 1, EVIL, "x"),))),
        show_work.run_text(
            RunReport("walk", "r-1", (Applied("i", PLAN, (Patch(EVIL, None, b"x"),)), Held("i", PLAN, EVIL), Refused(PLAN, EVIL), Conflict(PLAN, EVIL)), notices=(EVIL,))
        ),
        show.table_text(Table((EVIL,), ((EVIL,), ([EVIL],)), False), 200),
        show.table_csv(Table((EVIL,), ((EVIL,), ([EVIL],)), False)),
    ],
    ids=["hits", "no hits", "findings", "tree", "links", "sync", "run", "table", "csv"],
)  # fmt: skip
def test_no_view_lets_a_control_character_through(text: str) -> None:
    assert not CONTROL.search(text)
    assert "\ufffd[31m" in text
    assert text.endswith("\n") and not text.endswith("\n\n")


def test_a_hit_shows_its_place_and_only_on_demand_its_parts() -> None:
    hit = Hit("n-1", "A.md", "A", "note", "superseded", 0.5, (Snippet("one\n two", 3, "Head"),), {"words": 0.5, "meaning": -0.0}, None, "B.md")
    shown = show.answer_text(Answer((hit,), ()), explain=False)
    assert shown == " 1. A [superseded]  A.md  0.500\n    replaced by B.md\n    3 (Head): one two\n"
    assert show.answer_text(Answer((hit,), ()), explain=True) == shown + "    words 0.500  meaning 0.000\n"


def test_findings_are_counted_at_the_end() -> None:
    findings = [Finding("broken-link", "error", "A.md", 3, "It is.", "do it"), *[Finding("orphan", "info", "", 0, "So.", "do")] * 2]
    assert show.findings_text(findings).splitlines()[:3] == ["error   broken-link        A.md:3", "    It is.", "    -> do it"]
    assert show.findings_text(findings).endswith("\n1 error, 2 info\n")
    assert show.findings_text([]) == "Nothing to put right.\n"


def test_a_tree_is_drawn_with_branches_and_says_what_was_cut() -> None:
    leaf = Branch("c", "C.md", "C", "note", 0.25)
    tree = Tree((Branch("a", "A.md", "A", "project", 1.0, (Branch("b", "B.md", "B", "note", 0.5, (leaf,), 0), Branch("d", "D.md", "D", "note", 0.5, (), 3)), 0),), 2)
    assert show.tree_text(tree) == (
        "A [project] imp 1.00\n├── B [note] imp 0.50\n│   └── C [note] imp 0.25\n└── D [note] imp 0.50\n    └── … 3 more below\n"
        "2 notes stand outside the tree (no part_of to or from them).\n"
    )
    assert show.tree_text(Tree((), 0)) == "The tree is empty: no note says part_of.\n"


def test_a_table_shows_brackets_and_colons_as_they_are() -> None:
    text = show.table_text(Table(("n.tags[i]", "[bold]"), (("[red]a[/red]", ":smile:"), (None, "a\\")), False), 200)
    assert all(piece in text for piece in ("n.tags[i]", "[bold]", "[red]a[/red]", ":smile:", "a\\"))


def test_a_table_that_is_too_wide_is_folded_and_not_cut() -> None:
    text = show.table_text(Table(("a",), (("x" * 100,),), False), 40)
    assert max(map(len, text.splitlines())) <= 40
    assert text.count("x") == 100


def test_csv_reads_back_as_rows_of_text() -> None:
    table = Table(("a", "b"), (('q"u,o', None), ("two\nlines", [1, "é"]), (True, 1.5)), False)
    assert list(csv.reader(StringIO(show.table_csv(table)))) == [["a", "b"], ['q"u,o', ""], ["two\nlines", '[1, "é"]'], ["true", "1.5"]]


def test_a_receipt_says_what_came_of_it() -> None:
    plan = Plan("edit", "k", {}, (), "why")
    assert show.receipt_json(Applied("i-1", plan, (Patch("A.md", None, b"x"),))) == {"outcome": "applied", "because": "why", "item": "i-1", "paths": ["A.md"]}
    assert show.receipt_json(Held("i-1", plan, "unsure")) == {"outcome": "held", "because": "why", "item": "i-1", "why": "unsure"}
    assert show.receipt_json(Refused(plan, "no")) == {"outcome": "refused", "because": "why", "why": "no"}
    assert show.receipt_json(Conflict(plan, "A.md")) == {"outcome": "conflict", "because": "why", "why": "A.md changed meanwhile", "paths": ["A.md"]}


def test_at_most_ten_held_items_are_shown_and_the_rest_is_counted() -> None:
    held = [Held(f"d-{number}", Plan("reconcile", str(number), {}, (), f"pair {number}"), "the evidence is not certain.") for number in range(13)]
    lines = show_work.run_text(RunReport("reconcile", "r-1", tuple(held), found=13)).splitlines()
    assert [line.split()[2] for line in lines if "pair" in line] == [str(number) for number in range(10)]
    assert "    held: 3 more (brain review)" in lines
    assert "more (" not in show_work.run_text(RunReport("reconcile", "r-1", tuple(held[:10]), found=10))
