"""Scores: each part does what it is for, and nothing depends on chance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.recall.ranking import DECAY_SHARE, Evidence, bm25, decay_factor, score_notes


def note(nid, *blocks, names=None, cosines=None, is_exact=False, covered=0.0, factors=None, chars=100):
    return Evidence(
        nid=nid, names=names or {}, names_chars=10, names_covered=covered, is_exact=is_exact, blocks=tuple(blocks),
        block_chars=(chars,) * len(blocks), cosines=cosines or (0.0,) * len(blocks), factors=factors or (1.0,) * len(blocks),
    )  # fmt: skip


def scores(*notes, idfs=(1.0, 1.0, 1.0), share=0.0):
    return {s.nid: s.score for s in score_notes(notes, idfs, vector_share=share, note_chars_mean=200.0)}


def test_a_rare_term_tells_more_than_a_common_one():
    got = scores(note(1, {0: 1}), note(2, {1: 1}), idfs=(5.0, 0.5))
    assert got[1] > got[2]


def test_saying_a_word_again_helps_less_each_time():
    once, twice, often = (bm25({0: n}, (1.0,), length=1.0, k1=0.6, b=0.4) for n in (1, 2, 10))
    assert once < twice < often
    assert twice - once > often - twice - (often - twice) / 2


def test_a_short_block_counts_more_than_a_long_one():
    got = scores(note(1, {0: 1}, chars=50), note(2, {0: 1}, chars=500))
    assert got[1] > got[2]


def test_neighbouring_blocks_lift_each_other_and_distant_ones_do_not():
    near = note(1, {0: 1}, {1: 1}, {}, {}, {}, {})
    far = note(2, {0: 1}, {}, {}, {}, {}, {1: 1})
    got = scores(near, far)
    assert got[1] > got[2]


def test_words_and_vector_together_beat_either_alone():
    both = note(1, {0: 1}, cosines=(0.6,))
    words = note(2, {0: 1})
    vector = note(3, {}, cosines=(0.6,))
    got = scores(both, words, vector, share=0.5)
    assert got[1] > got[2]
    assert got[1] > got[3]


def test_a_negative_cosine_takes_nothing_away():
    got = scores(note(1, {0: 1}, cosines=(-0.5,)), note(2, {0: 1}), share=0.5)
    assert got[1] == got[2]


def test_the_name_that_is_the_query_wins_over_any_text():
    loud = note(1, *[{0: 50, 1: 50, 2: 50}] * 5, names={0: 1, 1: 1}, covered=0.9, cosines=(1.0,) * 5)
    named = note(2, {}, names={0: 1}, covered=1.0, is_exact=True)
    got = scores(loud, named, share=0.5)
    assert got[2] > got[1]


def test_a_superseded_block_counts_less():
    got = scores(note(1, {0: 1}), note(2, {0: 1}, factors=(0.5,)))
    assert got[1] > got[2]


def test_decay_is_bounded():
    assert decay_factor(1.0) == 1.0
    assert decay_factor(0.0) == pytest.approx(1.0 - DECAY_SHARE)
    assert decay_factor(-3.0) == decay_factor(0.0)


def test_nothing_to_score_is_no_error():
    assert scores() == {}
    assert scores(note(1)) == {1: 0.0}
    assert scores(note(1, {}, {})) == {1: 0.0}


frequencies = st.dictionaries(st.integers(0, 2), st.integers(1, 5), max_size=3)
notes = st.lists(
    st.lists(st.tuples(frequencies, st.floats(-1, 1)), max_size=5).flatmap(
        lambda blocks: frequencies.map(
            lambda names: note(0, *[b for b, _ in blocks], names=names, cosines=tuple(c for _, c in blocks))
        )
    ),
    max_size=6,
)


@given(notes, st.sampled_from([0.0, 0.5, 1.0]))
def test_scores_are_finite_bounded_and_the_sum_of_their_parts(evidence, share):
    for scored in score_notes(evidence, (1.0, 2.0, 0.1), vector_share=share, note_chars_mean=0.0):
        assert 0.0 <= scored.score <= 2.0
        assert scored.score == pytest.approx(sum(scored.parts.values()))
        assert all(part >= 0 for part in scored.parts.values())


@given(notes, st.randoms(use_true_random=False))
def test_the_order_of_the_notes_changes_no_score(evidence, random):
    numbered = [Evidence(n, *[getattr(e, f) for f in Evidence.__slots__[1:]]) for n, e in enumerate(evidence)]
    shuffled = list(numbered)
    random.shuffle(shuffled)
    assert scores(*numbered, share=0.5) == pytest.approx(scores(*shuffled, share=0.5))
