"""How alike two texts are: exact for short texts, near enough for long ones, for every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.sync.likeness import SKETCH_PAIRS, containment, resemblance, sketch_of
from tests.sync.support import words


def test_a_text_is_wholly_like_itself_and_nothing_like_another() -> None:
    one, other = sketch_of(words(0, 30)), sketch_of(words(100, 30))
    assert (resemblance(one, one), resemblance(one, other)) == (1.0, 0.0)
    assert resemblance(sketch_of(""), sketch_of("")) == containment(sketch_of(""), one) == 0.0


def test_a_text_that_was_added_to_contains_the_old_one() -> None:
    old, new = sketch_of(words(0, 31)), sketch_of(words(0, 91))
    assert resemblance(old, new) == pytest.approx(30 / 90)
    assert containment(old, new) == containment(new, old) == pytest.approx(1.0)


@given(st.integers(SKETCH_PAIRS, 2_000), st.integers(0, 2_000))
def test_long_texts_are_estimated_within_a_tenth(length: int, shift: int) -> None:
    common = max(0, length - shift)
    estimated = resemblance(sketch_of(words(0, length + 1)), sketch_of(words(shift, length + 1)))
    assert estimated == pytest.approx(common / (2 * length - common), abs=0.15)


def test_one_word_of_a_short_line_changes_a_part_of_it() -> None:
    one, other = sketch_of("The heron stands in the river at dawn."), sketch_of("The heron stands in the pond at dawn.")
    assert 0.5 < resemblance(one, other) < 0.9


@pytest.mark.parametrize("text", ["知识图谱的笔记保存在本地的文件夹里", "データベースの設計について書く", "회의 기록과 결정 사항"])
def test_scripts_without_blanks_are_compared_by_their_characters(text: str) -> None:
    assert resemblance(sketch_of(text), sketch_of(text + text[0])) > 0.8


def test_case_and_punctuation_make_no_difference() -> None:
    assert sketch_of("Grey herons, at DAWN!") == sketch_of("grey herons at dawn")
