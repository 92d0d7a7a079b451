"""Hunks and the three-way merge."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.core.merge import diff_text, hunks_between, merged, with_hunks

LINES = st.lists(st.sampled_from(["a", "b", "c\r", "", "- x", "é"]), max_size=12)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


@given(TEXTS, TEXTS)
def test_hunks_turn_one_text_into_the_other(before: str, after: str) -> None:
    assert with_hunks(before, hunks_between(before, after)) == after


@given(TEXTS, TEXTS)
def test_a_merge_with_an_untouched_side_is_the_other_side(base: str, other: str) -> None:
    assert merged(base, base, other) == other
    assert merged(base, other, base) == other


def test_changes_of_different_lines_are_put_together() -> None:
    assert merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n") == "A\nb\nC\n"


def test_changes_of_one_line_meet() -> None:
    assert merged("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n") is None


def test_two_insertions_at_one_place_meet() -> None:
    assert merged("a\n", "a\nx\n", "a\ny\n") is None


def test_the_same_change_on_both_sides_is_made_once() -> None:
    assert merged("a\nb\n", "a\n", "a\n") == "a\n"


def test_two_lines_never_become_one() -> None:
    assert merged("a\nours\n", "a\nours\nlater\n", "a") == "a\nlater\n"


def test_a_diff_says_when_the_last_line_has_no_end() -> None:
    assert diff_text("a", "b\n", "N.md").splitlines()[-3:] == ["-a", "\\ No newline at end of file", "+b"]
