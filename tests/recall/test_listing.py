"""Lists, the tree of part_of, and counts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from brain.core.recall import Query
from brain.errors import UsageError
from brain.index.database import connect
from brain.recall.listing import Branch, Counts, Tree, Wanted, counts_of, list_notes, tree_of
from brain.recall.note_view import find_note
from brain.show import as_json, tree_text
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, space_of

Make = Callable[[dict[str, str]], Space]


@pytest.fixture
def make(tmp_path: Path, engine: str) -> Make:
    def made(notes: dict[str, str]) -> Space:
        for path, text in notes.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, "utf-8")
        space = space_of(tmp_path, engine)
        sync(space, now=NOW, embed=False)
        return space

    return made


def part_of(*parents: str, head: str = "") -> str:
    related = "".join(f"- part_of:: [[{parent}]] - so it is\n" for parent in parents)
    return f"---\n{head}\n---\n\n## Related\n{related}"


def tree(space: Space, name: str | None = None, *, owner: str | None = None, depth: int = 0) -> Tree:
    with closing(connect(space.layout.catalog_path)) as conn:
        return tree_of(conn, root=find_note(conn, name) if name else None, owner=owner, depth=depth)


def listed(space: Space, **filters: object) -> list[str]:
    with closing(connect(space.layout.catalog_path)) as conn:
        return [note.path for note in list_notes(conn, replace(Query("", limit=0), **filters))]  # type: ignore[arg-type]


def shape(branches: tuple[Branch, ...]) -> dict[str, object]:
    """A tree as nested titles; what a limit cut off is under `…`."""
    return {branch.title: shape(branch.children) | ({"…": branch.cut} if branch.cut else {}) for branch in branches}


def test_lists_are_by_path_and_filters_are_joined_by_and(make: Make) -> None:
    space = make(
        {
            "B.md": "---\nkind: project\ntags: [x/y]\n---\n", "A.md": "---\nkind: project\ntags: [xy]\nstatus: superseded\n---\n",
            "In/C.md": "---\nkind: person\ntags: [X]\n---\n", "In_/D.md": "d\n", "Ins/E.md": "e\n",
        }
    )  # fmt: skip
    assert listed(space) == ["A.md", "B.md", "In/C.md", "In_/D.md", "Ins/E.md"]
    assert listed(space, limit=2) == ["A.md", "B.md"]
    assert listed(space, kinds=("project", "person")) == ["A.md", "B.md", "In/C.md"]
    assert listed(space, kinds=("project",), statuses=("active",)) == ["B.md"]
    assert listed(space, tags=("#x",)) == ["B.md", "In/C.md"]
    assert listed(space, tags=("x", "x/y")) == ["B.md"]
    assert listed(space, folder="/In/") == ["In/C.md"]
    assert listed(space, folder="In_") == ["In_/D.md"]
    assert listed(space, folder="%") == []


def test_words_of_filters_are_taken_as_in_a_search(make: Make) -> None:
    space = make({"Über/A.md": "---\ntype: Person\ncreated: 2026-02-01\n---\n", "B.md": "---\ncreated: 2026-03-01\n---\n"})
    assert listed(space, kinds=("People",)) == listed(space, folder="über") == ["Über/A.md"]
    assert listed(space, since="2026-02-15") == ["B.md"]
    assert listed(space, as_of="2026-02-15") == ["Über/A.md"]
    with pytest.raises(UsageError):
        listed(space, since="yesterday")


@pytest.mark.parametrize("word", ["a\x00b", "caf\udce9"])
def test_a_filter_that_no_note_can_have_leaves_none(make: Make, word: str) -> None:
    space = make({"A.md": "a\n"})
    assert listed(space, folder=word) == listed(space, tags=(word,)) == listed(space, kinds=(word,)) == []


def test_the_tree_hangs_parts_below_wholes_and_counts_the_rest(make: Make) -> None:
    space = make({"Top.md": "x\n", "Mid.md": part_of("Top"), "Leaf.md": part_of("Mid"), "Other.md": "[[Top]]\n"})
    found = tree(space)
    assert shape(found.branches) == {"Top": {"Mid": {"Leaf": {}}}}
    assert found.outside == 1


def test_siblings_are_by_importance_then_title(make: Make) -> None:
    space = make({"Top.md": "x\n", "a.md": part_of("Top"), "B.md": part_of("Top"), "c.md": part_of("Top", head="importance: 0.9")})
    assert list(shape(tree(space).branches)["Top"]) == ["c", "a", "B"]  # type: ignore[call-overload]


@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_ring_of_parents_ends_and_shows_each_note_once(make: Make, size: int) -> None:
    space = make({f"R{n}.md": part_of(f"R{(n + 1) % size}") for n in range(size)} | {"Leaf.md": part_of("R1")})
    found = tree(space)
    assert sorted(titles(found.branches)) == ["Leaf", *(f"R{n}" for n in range(size))]
    assert [branch.title for branch in found.branches] == ["R0"]
    assert sorted(titles(tree(space, "R1").branches)) == sorted(titles(found.branches))


def test_a_ring_below_a_top_is_entered_from_it(make: Make) -> None:
    space = make({"Top.md": "x\n", "A.md": part_of("B", "Top"), "B.md": part_of("A")})
    assert shape(tree(space).branches) == {"Top": {"A": {"B": {}}}}


def test_a_note_that_is_part_of_itself_stands_outside(make: Make) -> None:
    space = make({"A.md": part_of("A"), "B.md": part_of("Nobody")})
    assert tree(space) == Tree((), 2)


def test_a_note_with_two_parents_is_shown_once(make: Make) -> None:
    space = make({"A.md": "x\n", "B.md": "x\n", "Both.md": part_of("A", "B")})
    assert sorted(titles(tree(space).branches)) == ["A", "B", "Both"]


def test_a_note_that_is_part_of_its_own_sibling_is_shown_once(make: Make) -> None:
    space = make({"Top.md": "x\n", "A.md": part_of("Top"), "B.md": part_of("Top", "A")})
    assert shape(tree(space).branches) == {"Top": {"A": {"B": {}}}}


def test_a_depth_cuts_and_counts_what_it_cut(make: Make) -> None:
    space = make({"Top.md": "x\n", "A.md": part_of("Top"), "B.md": part_of("Top"), "C.md": part_of("A")})
    assert shape(tree(space, depth=1).branches) == {"Top": {"…": 3}}
    assert shape(tree(space, depth=2).branches) == {"Top": {"A": {"…": 1}, "B": {}}}


def test_the_owner_comes_first_even_without_branches(make: Make) -> None:
    space = make({"A.md": "x\n", "B.md": part_of("A"), "Zoe.md": "---\nkind: person\nimportance: 0.1\n---\n", "C.md": "c\n"})
    found = tree(space, owner="zoe")
    assert [branch.title for branch in found.branches] == ["Zoe", "A"]
    assert found.outside == 1


def test_a_superseded_note_is_in_no_tree_but_its_own(make: Make) -> None:
    space = make({"Top.md": "x\n", "Old.md": part_of("Top", head="status: superseded"), "Below.md": part_of("Old")})
    assert titles(tree(space).branches) == []
    assert [branch.title for branch in tree(space, "Old").branches] == ["Old"]


def test_a_chain_that_is_too_long_is_cut_and_counted(make: Make) -> None:
    space = make({f"N{n:03}.md": part_of(f"N{n - 1:03}") if n else "x\n" for n in range(170)})
    with closing(connect(space.layout.catalog_path)) as conn:
        found = tree_of(conn, levels_max=150)
    assert len(titles(found.branches)) == 150
    assert tree_text(found).endswith("… 20 more below\n")
    assert '"cut": 20' in as_json(found)


def test_a_long_chain_is_a_tree_too(make: Make) -> None:
    space = make({f"N{n:03}.md": part_of(f"N{n - 1:03}") if n else "x\n" for n in range(150)})
    assert len(titles(tree(space).branches)) == 150


def test_counts_are_of_what_is_indexed(make: Make) -> None:
    space = make({"A.md": part_of("B", "B") + "\n[[B]] [[Nobody]]\n\n## Atoms\n- (fact) So. ^a-1\n", "B.md": "---\nkind: person\n---\n"})
    with closing(connect(space.layout.catalog_path)) as conn:
        assert counts_of(conn) == Counts(2, {"broken": 1, "resolved": 3}, 1, 1, {"note": 1, "person": 1}, 0, 0, 1)


def titles(branches: tuple[Branch, ...]) -> list[str]:
    return [title for branch in branches for title in (branch.title, *titles(branch.children))]


def test_a_tree_is_weighed_and_shows_what_passes_with_what_it_hangs_off(make: Make) -> None:
    old = "importance: 0.1\ncreated: 2020-01-01\n"
    space = make({
        "Top.md": "---\nkind: category\n---\n", "Old.md": part_of("Top", head=f"kind: event\n{old}"), "New.md": part_of("Old", head="kind: project\npinned: true"),
        "Gone.md": part_of("Top", head=f"kind: fact\n{old}") + "\n## Atoms\n- (fact) So. ^a-1\n- (fact, superseded) No. ^a-2\n",
    })  # fmt: skip
    with closing(connect(space.layout.catalog_path)) as conn:
        whole = tree_of(conn, wanted=Wanted(NOW, atoms=True))
        assert [(b.title, b.faded, [a.text for a in b.atoms]) for b in whole.branches[0].children] == [("Gone", True, ["So."]), ("Old", True, [])]
        fresh = tree_of(conn, wanted=Wanted(NOW, 0.5))
        assert (shape(fresh.branches), fresh.hidden) == ({"Top": {"Old": {"New": {}}}}, 1)
        facts = tree_of(conn, wanted=Wanted(NOW, kinds=("fact",)))
        assert (shape(facts.branches), facts.hidden) == ({"Top": {"Gone": {}}}, 2)
    assert tree_text(whole).startswith("Top [category] imp 0.50\n├── Gone [fact] imp 0.10 faded\n│       (fact) So.\n└── Old")
    assert tree_text(facts).endswith("2 notes of the tree left out by --kind or --min-weight.\n")


def on(space: Space, day: str) -> dict[str, object]:
    with closing(connect(space.layout.catalog_path)) as conn:
        return shape(tree_of(conn, day=day).branches)


def test_the_tree_of_a_day_has_the_edges_that_held_then(make: Make) -> None:
    related = "## Related\n- part_of:: [[Old]] (to 2026-03-01)\n- part_of:: [[New]] (from 2026-03-01)\n"
    space = make({"A.md": related, "Old.md": "", "New.md": ""})
    assert on(space, "2026-02-28") == {"Old": {"A": {}}}
    assert on(space, "2026-03-01") == {"New": {"A": {}}}


def test_the_tree_of_a_day_has_the_notes_that_were_there(make: Make) -> None:
    space = make({
        "Young.md": part_of("Top", head="created: 2026-03-01"), "Top.md": "",
        "Gone.md": part_of("Top", head="status: superseded\nsuperseded_by: \"[[Top]]\"\nsuperseded_on: 2026-02-01"),
    })  # fmt: skip
    assert on(space, "2026-01-01") == {"Top": {"Gone": {}}}
    assert on(space, "2026-02-01") == {}
    assert on(space, "2026-03-01") == {"Top": {"Young": {}}}


def test_a_list_weighs_no_note_as_it_shows_no_weight(make: Make) -> None:
    space = make({"A.md": "a\n", "B.md": "b\n"})
    asked: list[str] = []
    with closing(connect(space.layout.catalog_path)) as conn:
        conn.set_trace_callback(asked.append)
        assert len(list_notes(conn, Query("", limit=1))) == 1
    assert asked and not any("touch" in statement or "recorded" in statement for statement in asked)
