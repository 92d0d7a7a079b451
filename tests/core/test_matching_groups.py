"""Groups out of pairs, and notes as sets of numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.core.matching.grouping import grouped, linked
from brain.core.matching.sparse import Inverted, Nearest, Sets, grams_of, hashed

PAIRS = st.dictionaries(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(lambda ends: ends[0] < ends[1]), st.floats(-10, 10), max_size=15
)


def test_a_chain_is_one_group_only_when_its_ends_fit() -> None:
    chain = {("a", "b"): 9.0, ("b", "c"): 5.0}
    assert grouped(chain, chain).groups == (("a", "b", "c"),)
    apart = {**chain, ("a", "c"): -8.0}
    assert (grouped(chain, apart).groups, grouped(chain, apart).refused) == ((("a", "b"),), (("b", "c"),))


def test_a_forbidden_cross_pair_keeps_groups_apart_however_strong_the_rest() -> None:
    chain = {("a", "b"): 99.0, ("b", "c"): 98.0}
    found = grouped(chain, chain, frozenset({("a", "c")}))
    assert (found.groups, found.refused) == ((("a", "b"),), (("b", "c"),))


def test_what_nobody_compared_speaks_against() -> None:
    pairs = {("a", "b"): 9.0, ("c", "d"): 9.0, ("b", "c"): 8.0}
    assert grouped(pairs, pairs).groups == (("a", "b"), ("c", "d"))


@given(PAIRS, st.data())
def test_groups_never_hold_a_forbidden_pair_and_never_share_a_note(scores: dict[tuple[str, str], float], data: st.DataObject) -> None:
    forbidden = frozenset(data.draw(st.sets(st.sampled_from(sorted(scores)))) if scores else ())
    joins = [ends for ends, score in scores.items() if score > 0]
    found = grouped(joins, scores, forbidden)
    members = [member for group in found.groups for member in group]
    assert len(members) == len(set(members))
    assert not any(one in group and other in group for one, other in forbidden for group in found.groups)
    assert found == grouped(reversed(joins), scores, forbidden)


def test_linked_are_the_connected_components() -> None:
    assert linked([("a", "b"), ("b", "c"), ("d", "e")]) == (("a", "b", "c"), ("d", "e"))


TEXTS = ["lachlan berry giblin street killarney", "lachlan bery giblin street kilarney", "the quick brown fox", "a quick brown dog", "", "wholly unlike zz"]


def test_the_nearest_are_those_with_the_most_rare_letters_in_common() -> None:
    nearest = Nearest(Sets([grams_of(text) for text in TEXTS]))
    assert [row for row, _ in nearest.of(0, 1)] == [1] and [row for row, _ in nearest.of(3, 1)] == [2]
    assert nearest.of(4, 3) == []
    (row, cosine), *_ = nearest.of(0, 3)
    assert row == 1 and abs(cosine - nearest.cosine(0, 1)) < 1e-6 and abs(nearest.cosine(1, 1) - 1) < 1e-6


def test_ids_of_one_row_or_of_too_many_are_counted_and_not_followed() -> None:
    rows = [hashed(words.split()) for words in ("all rare one", "all rare", "all", "all")]
    inverted = Inverted(Sets(rows), most=3)
    found, worth = inverted.partners(rows[0], inverted.bits, rarest=10, postings_max=100)
    assert found.tolist() == [0, 1] and worth.round(3).tolist() == [1.322, 1.322]
    assert [inverted.df(int(hashed([word])[0])) for word in ("all", "rare", "one", "none")] == [4, 2, 1, 0]


def test_two_notes_alone_are_near_each_other() -> None:
    assert [row for row, _ in Nearest(Sets([grams_of("sea graphs"), grams_of("sea graph")])).of(0, 1)] == [1]


def test_an_index_of_nothing_answers_nothing() -> None:
    assert Nearest(Sets([grams_of("")])).of(0, 5) == [] and Inverted(Sets([]), most=5).df(7) == 0


@given(st.lists(st.text(max_size=30), min_size=1, max_size=12), st.integers(1, 5))
def test_nearest_is_what_comparing_all_with_all_would_find(texts: list[str], count: int) -> None:
    nearest = Nearest(Sets([grams_of(text) for text in texts]))
    everything = sorted((-nearest.cosine(0, row), row) for row in range(1, len(texts)))
    found = [round(cosine, 6) for _, cosine in nearest.of(0, count)]
    assert found == [round(-cosine, 6) for cosine, _ in everything if cosine < -1e-9][:count]
