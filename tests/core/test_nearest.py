"""What a slip most likely meant."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.core.nearest import SUGGESTIONS_MAX, any_of, did_you_mean, nearest

WORDS = ("search", "setup", "status", "stale", "active", "archived", "Home Server", "Home")


def test_the_nearest_come_first() -> None:
    assert nearest("serch", WORDS) == ("search",)
    assert nearest("sttaus", WORDS) == ("status",)
    assert nearest("stals", WORDS) == ("stale", "status")


def test_letter_case_and_unicode_form_do_not_matter() -> None:
    assert nearest("home sever", WORDS) == ("Home Server",)
    assert nearest("Cafe\u0301s", ("Café",)) == ("Café",)


def test_a_word_that_holds_all_of_it_comes_after_those_that_are_spelled_nearly_like_it() -> None:
    assert nearest("Hom", WORDS) == ("Home", "Home Server")
    assert nearest("server", WORDS) == ("Home Server",)


def test_what_is_far_from_everything_means_nothing() -> None:
    assert nearest("zebra", WORDS) == ()
    assert nearest("", WORDS) == ()
    assert did_you_mean("zebra", WORDS) == ""


def test_a_question_names_them_all() -> None:
    assert did_you_mean("serch", WORDS) == 'did you mean "search"?'
    assert any_of(["a", "b", "c"]) == 'did you mean "a", "b" or "c"?'
    assert any_of([]) == ""


@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=12))
def test_the_answer_is_short_known_and_does_not_depend_on_the_order(word: str, known: list[str]) -> None:
    found = nearest(word, known)
    assert len(found) <= SUGGESTIONS_MAX
    assert set(found) <= set(known)
    assert found == nearest(word, reversed(known))


@given(st.text(min_size=1, max_size=12))
def test_a_known_word_is_its_own_nearest(word: str) -> None:
    assert not word.strip() or nearest(word, [word, *WORDS])[0] == word or word.strip().casefold() in {w.casefold() for w in WORDS}
