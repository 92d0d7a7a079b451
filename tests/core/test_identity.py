"""Ids follow notes through renames; no two notes ever have one id."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.core.identity import Claim, Facts, assigned_ids, atom_claim, find_renames, identity_of, settled, wishes
from brain.core.ids import note_id_of_path, short_hash


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


def test_the_id_of_a_copy_is_one_that_nobody_declares() -> None:
    copy = assigned_ids([(1, "a.md", True, "x"), (2, "b.md", True, "x")])[2]
    ids = assigned_ids([(1, "a.md", True, "x"), (2, "b.md", True, "x"), (3, "c.md", True, copy)])
    assert (ids[1], ids[3]) == ("x", copy) and len(set(ids.values())) == 3


def test_a_declared_id_beats_the_same_one_by_words() -> None:
    assert settled([atom_claim("a.md", 0, None, "x"), atom_claim("b.md", 0, "x", "y")])["x"] == ("b.md", 0)


def few(number: int) -> str:
    return f"i{number}"


claims = st.lists(
    st.builds(
        lambda path, number, declared, derived: Claim((path, number), declared, derived, lambda count: few((number + count) % 4) if count < 9 else short_hash(path, str(number), str(count))),
        st.sampled_from("abc"), st.integers(0, 3), st.none() | st.integers(0, 3).map(few), st.none() | st.integers(0, 3).map(few),
    ),
    unique_by=lambda claim: claim.place,
)  # fmt: skip


@given(claims, st.randoms(use_true_random=False))
def test_every_claim_has_one_id_in_any_order_and_none_that_a_worse_claim_holds(some: list[Claim], random: object) -> None:
    holders = settled(some)
    assert sorted(holders.values()) == sorted(claim.place for claim in some)
    random.shuffle(some)  # type: ignore[attr-defined]
    assert settled(some) == holders
    by_place = {claim.place: claim for claim in some}
    for held, place in holders.items():
        for rank, wanted in wishes(by_place[place]):
            if wanted == held:
                break
            rival = by_place[holders[wanted]]
            assert next((its, rival.place) for its, wish in wishes(rival) if wish == wanted) < (rank, place)
