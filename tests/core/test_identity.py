"""Ids follow notes through renames; no two notes ever have one id."""

from __future__ import annotations

from brain.core.identity import Facts, assigned_ids, find_renames, identity_of
from brain.core.ids import note_id_of_path


def facts(path: str, sha: str, declared: str | None = None, size: int = 1) -> Facts:
    return Facts(path, sha, declared, size)


def test_a_moved_note_keeps_its_id_and_its_old_path_gets_a_new_one() -> None:
    first = note_id_of_path("A.md")
    identity = identity_of([("A.md", "B.md", first)])
    assert identity.id_of("B.md") == first
    assert identity.id_of("A.md") not in (first, identity.id_of("B.md"))


def test_moving_there_and_back_gives_the_same_id() -> None:
    first = note_id_of_path("A.md")
    assert identity_of([("A.md", "B.md", first), ("B.md", "A.md", first)]).id_of("A.md") == first


def test_one_note_moved_to_two_places_by_two_clones_gives_two_ids() -> None:
    first = note_id_of_path("A.md")
    identity = identity_of([("A.md", "B.md", first), ("A.md", "C.md", first)])
    ids = assigned_ids([(1, "C.md", False, identity.id_of("C.md")), (2, "B.md", False, identity.id_of("B.md"))])
    assert ids[2] == first and ids[1] != first


def test_of_two_notes_with_one_declared_id_the_first_path_holds_it() -> None:
    ids = assigned_ids([(1, "b.md", True, "x"), (2, "a.md", True, "x"), (3, "0.md", False, "x")])
    assert ids[2] == "x" and len(set(ids.values())) == 3


def test_equal_bytes_make_a_rename_only_when_unique_on_both_sides() -> None:
    assert find_renames([facts("A.md", "1")], [facts("B.md", "1")]) == (("A.md", "B.md"),)
    assert find_renames([facts("A.md", "1")], [facts("B.md", "1"), facts("C.md", "1")]) == ()
    assert find_renames([facts("A.md", "1", size=0)], [facts("B.md", "1", size=0)]) == ()


def test_a_case_only_rename_is_one_even_when_edited() -> None:
    assert find_renames([facts("hermes.md", "1")], [facts("Hermes.md", "2")]) == (("hermes.md", "Hermes.md"),)


def test_a_declared_id_beats_equal_bytes() -> None:
    gone = [facts("A.md", "1", "x"), facts("B.md", "2")]
    fresh = [facts("C.md", "2", "x"), facts("D.md", "2")]
    assert find_renames(gone, fresh) == (("A.md", "C.md"), ("B.md", "D.md"))
