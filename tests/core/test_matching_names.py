"""Names: one spelling for many, and how two of them stand to each other."""

from __future__ import annotations

import pytest

from brain.core.matching.contrast import contrasted, is_antonym, is_plural
from brain.core.matching.naming import align
from brain.core.matching.said import is_called
from brain.core.matching.words import folded, name_of, tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada Lovelace", "Lovelace, Ada"),
        ("Müller", "MUELLER"),
        ("Nordlicht GmbH", "The Nordlicht"),
        ("World War II", "World War 2"),
        ("Second law", "law 2"),
        ("2024-03 review", "review 2024/3"),
        ("U.S.A. trip", "USA trip"),
        ("Frau Sommer", "Sommer"),
    ],
)
def test_two_spellings_of_one_name_have_one_key(one: str, other: str) -> None:
    assert name_of(one).key == name_of(other).key


@pytest.mark.parametrize(("one", "other"), [("Type I", "Type II"), ("C", "C++"), ("Plan A", "Plan B"), ("v1.2", "v1.3"), ("KX1603", "KX1605")])
def test_what_tells_names_apart_is_in_their_key(one: str, other: str) -> None:
    assert name_of(one).key != name_of(other).key


def test_what_stands_in_brackets_is_kept_beside_the_name() -> None:
    assert (name_of("Mercury (planet)").words, name_of("Mercury (planet)").qualifier) == (("mercury",), ("planet",))
    assert name_of("(draft)").words == ("draft",)


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("Ada Lovelace", "ada lovelace", "equal"),
        ("Ada Lovelace", "Lovelace, Ada", "reordered"),
        ("hand book of rules", "handbook of rules", "reordered"),
        ("Hans Meier", "Hans Meyer", "spelling"),
        ("Robert Krause", "Bob Krause", "short-form"),
        ("J. Petersen", "Jana Petersen", "short-form"),
        ("Kuzu", "KuzuDB", "short-form"),
        ("Firenze", "Florence", "short-form"),
        ("GTD", "Getting Things Done", "acronym"),
        ("AOK", "Allgemeine Ortskrankenkasse", "acronym"),
        ("K8s", "Kubernetes", "acronym"),
        ("Ada", "Ada Lovelace", "part"),
        ("First law", "Second law", "equal"),  # the numbers differ, which is a veto and no matter of words
        ("Karl Lang", "Karl Roth", "overlap"),
        ("Boat", "Kettle", "none"),
        ("K", "Kettle", "none"),
        ("2024", "2025", "none"),
    ],
)
def test_names_stand_to_each_other_in_one_of_a_few_ways(one: str, other: str, relation: str) -> None:
    assert (align(name_of(one), name_of(other)).relation, align(name_of(other), name_of(one)).relation) == (relation, relation)


def test_words_without_a_match_are_left_over() -> None:
    found = align(name_of("Jan van Eyck"), name_of("Hubert van Eyck"))
    assert (found.left, found.right) == (("jan",), ("hubert",))


def test_words_of_texts_are_folded_and_runs_without_blanks_are_cut_into_pairs() -> None:
    assert tokens("Straße – naïve, 知识图谱 C3") == ["strasse", "naive", "知识", "识图", "图谱", "c3"]
    assert folded("Ærø") == "aeroe"


def test_a_word_of_a_series_is_no_other_word_of_it() -> None:
    assert contrasted(["north", "gate"], ["south"]) == ("north", "south")
    assert contrasted(["north"], ["gate"]) is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("typical", "atypical", True), ("hypertension", "hypotension", True), ("even", "uneven", True), ("mira", "amira", False), ("boat", "boats", False)],
)
def test_antonyms_are_stems_with_opposed_prefixes(one: str, other: str, expected: bool) -> None:
    assert is_antonym(one, other) is is_antonym(other, one) is expected


def test_a_plural_differs_by_its_ending_alone() -> None:
    assert is_plural("city", "cities") and is_plural("katze", "katzen") and not is_plural("form", "former")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("importer rewrite, formerly ikarus", "ikarus", True),
        ("lina lang, genannt friedl", "friedl", True),
        ("gtd: short for getting things done", "getting things done", True),
        ("son of karl lang", "karl lang", False),
        ("formerly ikarusse", "ikarus", False),
    ],
)
def test_a_text_may_give_its_thing_another_name(text: str, name: str, expected: bool) -> None:
    assert is_called(text, name) is expected
