"""Which note a person means, and what is shown of it and its links."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

import pytest

from brain.errors import Ambiguous, NotFound
from brain.recall.note_view import all_links, backlinks_of, find_note, links_of, view_note
from brain.sync.run import sync
from tests.laws.support import NOW, space_of

NOTES = {
    "Home.md": "---\nid: n-home\naliases: [Start, Plan]\ntags: [a/b, c]\ncreated: 2026-01-02\nkind: project\ncolour: blue\n---\n# At home\n\n"
    "[[Plan]] and [[Two/Plan#Later|that]] and [[Nobody]]\n\n## Atoms\n- (risk, inferred) One disk. ^a-1\n\n## Related\n- part_of:: [[One/Plan]] - it is there\n",
    "One/Plan.md": "# Plan\n\n[[Home]] [[Plan]]\n",
    "Two/Plan.md": "# Plan\n\n[[Home]]\n",
    "Old/Team.md": "---\nstatus: superseded\nsuperseded_by: \"[[New/Team]]\"\n---\n",
    "New/Team.md": "[[New/Team]] itself\n",
    "One/Deep/Café.md": "x\n",
    "Nick.md": "---\naliases: [Home]\n---\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Iterator[sqlite3.Connection]:
    root = tmp_path_factory.mktemp("views") / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    space = space_of(root, engine)
    sync(space, now=NOW, embed=False)
    with space.catalog() as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Home.md", "Home.md"), ("Home", "Home.md"), ("home", "Home.md"), ("./Home.md", "Home.md"), ("[[Home]]", "Home.md"), (" Home ", "Home.md"),
        ("n-home", "Home.md"), ("start", "Home.md"), ("One/Plan", "One/Plan.md"), ("one/plan.md", "One/Plan.md"), ("Deep/Café", "One/Deep/Café.md"),
        ("CAFE\u0301", "One/Deep/Café.md"), ("Team", "New/Team.md"), ("Old/Team", "Old/Team.md"),
    ],
)  # fmt: skip
def test_a_note_is_found_by_path_file_name_alias_or_id(conn: sqlite3.Connection, name: str, path: str) -> None:
    assert view_note(conn, find_note(conn, name)).path == path


def test_a_name_of_several_notes_lists_them_and_a_path_to_give(conn: sqlite3.Connection) -> None:
    with pytest.raises(Ambiguous, match=r"any of: One/Plan\.md, Two/Plan\.md") as caught:
        find_note(conn, "plan")
    assert '"One/Plan.md"' in caught.value.cure


@pytest.mark.parametrize("name", ["Nothing", "", "Three/Plan", "lan", "%", "Home.md.md"])
def test_what_no_note_is_called_is_not_found(conn: sqlite3.Connection, name: str) -> None:
    with pytest.raises(NotFound):
        find_note(conn, name)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Hme", ["Home.md"]), ("strat", ["Home.md"]), ("At hom", ["Home.md"]), ("One/Plam", ["One/Plan.md"]), ("Tema.md", ["New/Team.md"]),
        ("zebra", []), ("", []),
    ],
)  # fmt: skip
def test_the_notes_with_nearly_that_name_are_named(conn: sqlite3.Connection, name: str, near: list[str]) -> None:
    with pytest.raises(NotFound) as caught:
        find_note(conn, name)
    assert re.findall(r'"([^"]+\.md)"(?=,| or|\?)', caught.value.cure.partition("brain search")[0]) == near



def test_a_view_has_what_the_note_says_of_itself(conn: sqlite3.Connection) -> None:
    view = view_note(conn, find_note(conn, "Home"))
    assert (view.id, view.path, view.kind, view.status, view.created) == ("n-home", "Home.md", "project", "active", "2026-01-02")
    assert (view.aliases, view.tags, view.superseded_by) == (("Start", "Plan"), ("a/b", "c"), None)
    assert view.properties["colour"] == "blue"
    (atom,) = view.atoms
    assert (atom.id, atom.text, atom.kind, atom.confidence, atom.line) == ("a-1", "One disk.", "risk", "inferred", 14)


def test_a_superseded_note_names_its_successor(conn: sqlite3.Connection) -> None:
    assert view_note(conn, find_note(conn, "Old/Team")).superseded_by == "New/Team.md"


def test_links_stand_in_their_order_with_where_they_lead(conn: sqlite3.Connection) -> None:
    found = [(link.line, link.target, link.anchor, link.status, link.other) for link in links_of(conn, find_note(conn, "Home"))]
    assert found == [
        (11, "Plan", None, "ambiguous", None), (11, "Two/Plan", "Later", "resolved", "Two/Plan.md"), (11, "Nobody", None, "broken", None),
        (17, "One/Plan", None, "resolved", "One/Plan.md"),
    ]  # fmt: skip


def test_only_an_ambiguous_link_has_candidates(conn: sqlite3.Connection) -> None:
    found = {link.target: link.candidates for link in links_of(conn, find_note(conn, "Home"))}
    assert found == {"Plan": ("One/Plan.md", "Two/Plan.md"), "Two/Plan": (), "Nobody": (), "One/Plan": ()}


def test_a_relation_has_its_type_and_reason(conn: sqlite3.Connection) -> None:
    (link,) = [link for link in backlinks_of(conn, find_note(conn, "One/Plan")) if link.relation]
    assert (link.path, link.relation, link.type, link.reason) == ("Home.md", "part_of", "part_of", "it is there")


def test_backlinks_are_the_links_of_others(conn: sqlite3.Connection) -> None:
    assert [link.path for link in backlinks_of(conn, find_note(conn, "Home"))] == ["One/Plan.md", "Two/Plan.md"]
    assert [link.path for link in backlinks_of(conn, find_note(conn, "New/Team"))] == ["Old/Team.md"]
    assert backlinks_of(conn, find_note(conn, "Nick")) == ()


def test_all_links_are_those_of_the_wanted_statuses(conn: sqlite3.Connection) -> None:
    assert [(link.path, link.target) for link in all_links(conn, ("broken",))] == [("Home.md", "Nobody")]
    assert {link.status for link in all_links(conn, ("broken", "ambiguous"))} == {"broken", "ambiguous"}
