"""Names, texts and quotes of a model: what may stand in a note, and what is refused with which word."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.config import Limits
from brain.models.judge.names import clean_name, why_no_name
from brain.models.judge.quotes import found_in
from brain.models.judge.words import clean_text, real_date, why_no_text
from brain.vault.parse import parse_note


@pytest.mark.parametrize("name", ["Ada Lovelace", "Home Server", "K8s", "iPhone 12", "O'Brien", "小明", "Straße", "El Niño", "Los Angeles", "Summer of Code", "Dune: Part Two"])
def test_a_name_of_one_thing_is_a_name(name: str) -> None:
    assert why_no_name(name) is None


@pytest.mark.parametrize(
    "name", ["the meeting", "The Team", "my boss (work)", "someone", "mein Chef", "l'équipe", "la empresa", "il progetto", "会议", "彼女", "회의", "The Team 2", "that project", "a", "us"],
)
def test_a_word_for_any_thing_is_no_name(name: str) -> None:
    assert why_no_name(name) == "name-vague"


@pytest.mark.parametrize("name", ["March 2026", "2026-03-04", "Q3 2026", "Week 12", "Spring 2026", "next week", "Montag", "今日", "24", "12th of May"])
def test_a_time_is_no_name(name: str) -> None:
    assert why_no_name(name) == "name-period"


def test_a_month_can_be_a_first_name_but_not_with_a_year() -> None:
    assert (why_no_name("April"), why_no_name("April", is_person=True)) == ("name-period", None)
    assert why_no_name("April 2026", is_person=True) == "name-period"


def test_a_person_adds_words_that_are_no_names() -> None:
    assert why_no_name("Kolibri") is None
    assert why_no_name("the Kolibri", vague=("kolibri",)) == "name-vague"


@pytest.mark.parametrize("name", ["[[Ada]]", "a|b", "a/b", "..", "../../etc", "a\\b", "C#", "x^y", "Notes.md", "<b>", "`x`", "{x}", "key::value", "https://x.y"])
def test_paths_and_markup_are_no_names(name: str) -> None:
    assert why_no_name(name) == "name-path-or-markup"


@pytest.mark.parametrize("name", ["a\x00b", "a\nb", "ab\u202ecd", "a\u200bb", "a\ud800", "a\u2028b", "\ufeffAda", "a  b", "!!!", "e\u0301"])
def test_characters_that_hide_something_are_no_names(name: str) -> None:
    assert why_no_name(name) == "name-characters"


@given(st.text(max_size=100))
def test_what_passes_as_a_name_holds_no_sign_of_a_path_a_link_or_control(written: str) -> None:
    name = clean_name(written)
    if why_no_name(name) is None:
        assert not set(name) & set("[]{}<>|#^\\/`\r\n")
        assert not [c for c in name if unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")]
        assert 0 < len(name) <= 80


@pytest.mark.parametrize("text", ["Works at Initech since March.", "Uses `pytest` and C++ std::sort.", "Costs $5, or 4 € (about).", "彼は東京に住んでいる。", "Is < 5 and > 3.", "Ticket #12 is open: see A."])
def test_a_plain_sentence_may_stand_in_a_note(text: str) -> None:
    assert why_no_text(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Knows [[Bo]].", "works_at:: Initech", "Sees [a](b)", "![x](p.png)", "is #urgent", "ends ^a-1", "Holds (from 2026-01-01)", "%%hidden%%", "<img src=x>",
        "<%tp.x%>", "runs `= this.x`", "runs `$= dv.x`", "- a list", "> a quote", "# a heading", "1. a list", "| a | table |", "x [note:: y] z", "{{title}}", "a ```js b", "see ~~~",
    ],
)  # fmt: skip
def test_what_an_editor_would_act_on_may_not(text: str) -> None:
    assert why_no_text(text) == "text-markup"


def test_an_address_must_be_one_that_the_source_has() -> None:
    assert why_no_text("It is at https://initech.test/team.") == "text-address"
    assert why_no_text("It is at https://initech.test/team.", known="their page https://initech.test/team says so") is None
    assert why_no_text("It is at www.evil.test", known="") == "text-address"


@pytest.mark.parametrize("text", ["", "a\x07b", "a\u202eb", "!?", "a\ud800", "two\nlines"])
def test_a_text_without_words_or_with_hidden_characters_may_not(text: str) -> None:
    assert why_no_text(text) in ("text-length", "text-characters")


@given(st.text(max_size=60) | st.from_regex(r"[-\[\]()^:#%`<>!| a-z]{1,40}", fullmatch=True))
def test_what_may_stand_in_a_note_reads_back_as_one_atom_with_these_words(written: str) -> None:
    text = clean_text(written)
    if why_no_text(text) is None:
        found = parse_note("x.md", f"## Atoms\n- (fact, inferred) {text} [[Source]] ^a-0\n", Limits())
        assert [(atom.text, atom.sources) for atom in found.atoms] == [(text, ("Source",))]
        assert (len(found.links), found.fields, found.tags) == (1, (), ())


def test_a_quote_is_found_with_the_texts_own_spaces_and_line() -> None:
    found = found_in("One.\nShe joined\n  Initech in March.", "She joined Initech")
    assert found is not None
    assert (found.text, found.line) == ("She joined\n  Initech", 1)


@pytest.mark.parametrize("written", ["She left Initech", "she joined initech", "She … Initech", "", "a", "She", "She joined." * 200])
def test_words_that_do_not_stand_there_are_no_quote(written: str) -> None:
    assert found_in("She joined Initech. " * 3, written) is None


@given(st.text(max_size=40), st.text(max_size=20))
def test_a_quote_is_always_a_part_of_the_text(text: str, written: str) -> None:
    found = found_in(text, written)
    assert found is None or (found.text in text and found.text.split() == written.split())


@pytest.mark.parametrize(("written", "day"), [("2026-02-28", "2026-02-28"), ("2026-02-30", None), ("2026-2-3", None), ("2026-02-28T10:00", None), ("soon", None), (None, None)])
def test_a_date_is_a_real_iso_day_and_nothing_else(written: str | None, day: str | None) -> None:
    assert real_date(written) == day
