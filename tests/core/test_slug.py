"""File names from titles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.core.slug import compact, file_stem, free_name, slug
from brain.vault.layout import checked_note_path


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Site Map", "Site Map"),
        ("  Ünïcode  and 日本語 ", "Ünïcode and 日本語"),
        ("a/b\\c: d?", "a b c d"),
        ("[[Link]] #tag ^id|x", "Link tag id x"),
        ("...hidden", "hidden"),
        ("wait...", "wait"),
        ("CON", "_CON"),
        ("com1.notes", "_com1.notes"),
        ("two\nlines\tand\x00nul", "two lines and nul"),
        ("🎉", "🎉"),
        ("e\u0301", "é"),
        ("right\u202eleft", "right left"),
    ],
)
def test_a_title_becomes_a_name_that_every_file_system_holds(title: str, stem: str) -> None:
    assert file_stem(title) == stem


def test_a_title_without_a_letter_gets_a_name_from_its_hash() -> None:
    assert file_stem("???").startswith("note-") and file_stem("???") != file_stem("!!!")


def test_a_long_title_is_cut_at_a_word() -> None:
    assert file_stem("one two three four", chars_max=12) == "one two"
    assert file_stem("x" * 300) == "x" * 80


@pytest.mark.parametrize(("title", "expected"), [("Site Map!", "site-map"), ("C++ & Rust", "c-rust"), ("Žluťoučký kůň", "žluťoučký-kůň"), ("nul", "_nul")])
def test_a_slug_is_small_letters_and_hyphens_of_any_script(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_a_taken_name_gets_the_next_number() -> None:
    assert free_name("Plan", {"Plan", "Plan 2"}.__contains__) == "Plan 3"
    assert free_name("Plan", lambda _: True) is None


def test_spelling_variants_are_compact_alike() -> None:
    assert compact("Site Map") == compact("site-map") == compact("SiteMap")


@given(st.text(max_size=300))
def test_every_title_gives_a_path_that_may_be_a_note(title: str) -> None:
    path = f"Memory/{file_stem(title)}.md"
    assert checked_note_path(path) == path
    assert file_stem(file_stem(title)) == file_stem(title)
