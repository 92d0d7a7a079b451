"""The tree of part_of as a value: its faults, and the moves that put them right."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.core.tree import (
    ORPHAN,
    RING,
    SEVERAL,
    STRUCTURE,
    UNDER_NOTE,
    UNDER_OWNER,
    UNROOTED,
    Fault,
    Forest,
    Move,
    Node,
    above,
    below,
    children_of,
    fallback_of,
    faults_of,
    moved,
    plan_moves,
    rings_of,
)


def place(node: Node) -> str:
    return f"Categories/{fallback_of(node.kind)}"


def forest(kinds: dict[str, str], edges: dict[str, str] | None = None, owner: str | None = "Ada") -> Forest:
    """Notes with their kinds, and child → parents, the newest last, separated by blanks."""
    parents = {child: tuple(named.split()) for child, named in (edges or {}).items()}
    return Forest({path: Node(path, kind) for path, kind in kinds.items()}, parents, owner)


OWNED = {"Ada": "person", "Work": "category", "Home": "category"}
ROOTED = {"Work": "Ada", "Home": "Ada"}


def coded(found: Forest) -> list[tuple[str, str]]:
    return [(fault.code, fault.path) for fault in faults_of(found)]


def test_a_tree_in_order_has_no_fault_and_needs_no_move() -> None:
    found = forest(OWNED | {"Boat": "project", "Sail": "artifact", "Plain": "note"}, ROOTED | {"Boat": "Work", "Sail": "Boat"})
    assert faults_of(found) == () == plan_moves(found, place)


def test_without_an_owner_only_several_parents_and_rings_are_faults() -> None:
    kinds = {"A": "concept", "B": "concept", "C": "category", "D": "note", "E": "concept"}
    found = forest(kinds, {"A": "B", "B": "A", "D": "C E"}, owner=None)
    assert coded(found) == [(SEVERAL, "D"), (RING, "A")]
    assert faults_of(found)[1] == Fault(RING, "A", ("B",))
    assert plan_moves(found, place) == (Move(RING, "A", ("B",)), Move(SEVERAL, "D", ("C",)))


def test_a_category_hangs_off_the_owner_or_a_category() -> None:
    found = forest(OWNED | {"Boat": "project", "Lost": "category", "Low": "category"}, ROOTED | {"Boat": "Work", "Low": "Boat"})
    assert coded(found) == [(UNROOTED, "Lost"), (UNDER_NOTE, "Low")]
    assert plan_moves(found, place) == (Move(UNROOTED, "Lost", (), "Ada"), Move(UNDER_NOTE, "Low", ("Boat",), "Ada"))


def test_what_is_no_category_does_not_hang_off_the_owner() -> None:
    found = forest(OWNED | {"Boat": "project", "Day": "note"}, ROOTED | {"Boat": "Ada Work", "Day": "Ada"})
    assert coded(found) == [(UNDER_OWNER, "Boat"), (UNDER_OWNER, "Day"), (SEVERAL, "Boat")]
    assert plan_moves(found, place) == (Move(UNDER_OWNER, "Boat", ("Ada",)), Move(UNDER_OWNER, "Day", ("Ada",), "Categories/Misc"))


def test_an_entity_without_a_parent_goes_to_the_category_of_its_kind() -> None:
    found = forest(OWNED | {"Boat": "project", "Bob": "person", "Day": "note"}, ROOTED)
    assert coded(found) == [(ORPHAN, "Boat"), (ORPHAN, "Bob")]
    assert [move.add for move in plan_moves(found, place)] == ["Categories/Projects", "Categories/Relationships"]


@pytest.mark.parametrize(
    ("parents", "kept"), [("Work Boat Home", "Boat"), ("Work Home", "Home"), ("Boat Work Raft", "Raft"), ("Work Boat Raft", "Raft")]
)
def test_of_several_parents_the_one_specific_stays_else_the_newest(parents: str, kept: str) -> None:
    found = forest(OWNED | {"Boat": "project", "Raft": "project", "Sail": "artifact"}, ROOTED | {"Boat": "Work", "Raft": "Work", "Sail": parents})
    (move,) = plan_moves(found, place)
    assert (move.code, set(move.drop)) == (SEVERAL, set(parents.split()) - {kept})


def test_a_parent_that_hangs_off_the_note_itself_is_not_the_one_that_stays() -> None:
    found = forest(OWNED | {"Boat": "project", "Sail": "project"}, ROOTED | {"Boat": "Work Sail", "Sail": "Boat"})
    assert plan_moves(found, place) == (Move(SEVERAL, "Boat", ("Sail",)),)


def test_a_ring_is_cut_above_the_note_with_the_most_below_it() -> None:
    kinds = OWNED | dict.fromkeys(("A", "B", "C", "B1", "B2", "C1"), "project")
    found = forest(kinds, ROOTED | {"A": "B", "B": "C", "C": "A", "B1": "B", "B2": "B1", "C1": "C"})
    assert plan_moves(found, place) == (Move(RING, "B", ("C",), "Categories/Projects"),)


def test_a_ring_with_the_owner_in_it_is_cut_above_the_owner() -> None:
    found = forest(OWNED, ROOTED | {"Ada": "Home"})
    assert plan_moves(found, place) == (Move(RING, "Ada", ("Home",)),)


def test_repairing_one_code_touches_nothing_else() -> None:
    found = forest(OWNED | {"Boat": "project", "Lost": "category"}, ROOTED)
    assert plan_moves(found, place, codes=[UNROOTED]) == (Move(UNROOTED, "Lost", (), "Ada"),)


def test_what_is_above_and_below_a_note_ends_in_a_ring_too() -> None:
    parents = {"A": ("B",), "B": ("C",), "C": ("A", "Top"), "Leaf": ("A",)}
    assert above(parents, "Leaf") == {"A", "B", "C", "Top"}
    assert below(children_of(parents), "Top") == {"A", "B", "C", "Leaf"}
    assert rings_of(parents) == [("A", "B", "C")]


PATHS = [*"abcdefgh"]
KINDS = st.sampled_from(["category", "category", "person", "project", "concept", "note", "event"])
FORESTS = st.builds(
    lambda kinds, edges, owner: Forest(
        {path: Node(path, "person" if path == owner else kind) for path, kind in zip(PATHS, kinds, strict=True)},
        {path: tuple(dict.fromkeys(parent for parent in parents if parent != path)) for path, parents in zip(PATHS, edges, strict=True)},
        owner,
    ),
    st.lists(KINDS, min_size=len(PATHS), max_size=len(PATHS)),
    st.lists(st.lists(st.sampled_from(PATHS), max_size=3), min_size=len(PATHS), max_size=len(PATHS)),
    st.sampled_from([None, "a", "d"]),
)  # fmt: skip


def home(node: Node) -> str:
    """A category that may be there already, as any note may have its name."""
    return {"project": "Projects", "event": "Misc"}.get(node.kind, "Knowledge")


@given(FORESTS)
def test_after_its_repair_a_forest_has_no_fault_and_all_its_notes(found: Forest) -> None:
    moves = plan_moves(found, home)
    after = moved(found, moves)
    assert faults_of(after) == ()
    assert found.nodes.keys() <= after.nodes.keys()
    assert all(after.nodes[path] == node for path, node in found.nodes.items())
    assert plan_moves(after, home) == ()
    assert len({move.path for move in moves}) == len(moves)


@given(FORESTS, st.sampled_from(STRUCTURE))
def test_repairing_one_code_leaves_none_of_it(found: Forest, code: str) -> None:
    after = moved(found, plan_moves(found, home, codes=[code]))
    assert [fault for fault in faults_of(after) if fault.code == code] == []


@given(FORESTS)
def test_what_has_no_fault_is_not_moved(found: Forest) -> None:
    if not faults_of(found):
        assert plan_moves(found, home) == ()


@given(FORESTS)
def test_the_order_of_notes_changes_nothing(found: Forest) -> None:
    turned = Forest(dict(reversed(found.nodes.items())), dict(reversed(found.parents.items())), found.owner)
    assert plan_moves(turned, home) == plan_moves(found, home)
    assert faults_of(turned) == faults_of(found)


def test_many_rings_are_cut_in_a_time_that_grows_with_them() -> None:
    count = 3_000
    nodes = {f"n{number}.md": Node(f"n{number}.md", "note") for number in range(count)}
    forest = Forest(nodes, {f"n{number}.md": (f"n{number ^ 1}.md",) for number in range(count)})
    started = process_time()
    moves = plan_moves(forest, lambda node: node.path)
    assert process_time() - started < 3.0, "one by one it takes more than ten seconds"
    assert faults_of(moved(forest, moves)) == ()
