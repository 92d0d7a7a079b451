"""What notes state: kinds of properties, identifiers and codes in one form."""

from __future__ import annotations

import pytest

from brain.core.matching.codes import codes_in
from brain.core.matching.days import day_of
from brain.core.matching.fields import Field, fields_of
from brain.core.matching.values import is_near
from brain.core.note import Json


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"doi": "https://doi.org/10.1000/AB.1"}, {"doi": "10.1000/ab.1"}),
        ({"Email": ["Mailto:A@b.org", "no address"]}, {"email": "a@b.org"}),
        ({"ISBN": "978-3-16-148410-0"}, {"isbn": "9783161484100"}),
        ({"isbn10": "3-16-148410-X"}, {"isbn": "9783161484100"}),
        ({"url": "https://www.example.org/page/#top"}, {"url": "example.org/page"}),
        ({"web": "https://example.org"}, {"url": "example.org"}),
        ({"Telefon": "+49 (30) 555-0100"}, {"phone": "49305550100"}),
        ({"soc_sec_id": 5346011}, {"soc_sec_id": "5346011"}),
        ({"Serial number": "ab 12-34"}, {"serial": "ab1234"}),
        ({"github": "https://github.com/ada"}, {"github": "ada"}),
        ({"doi": None, "isbn": 12, "title": "x@y.org", "project_id": "12345", "street_number": 12345}, {}),
    ],
)
def test_identifiers_have_one_form(properties: dict[str, Json], expected: dict[str, str]) -> None:
    assert {field.key: field.values[0] for field in fields_of(properties) if field.kind == "identifier"} == expected


def test_properties_are_told_apart_by_what_they_state() -> None:
    found = fields_of({"Date of birth": "9.12.1908", "postcode": 4011, "role": "Smith", "version": "v1.2", "tags": ["x"], "created": "2026-01-01"})
    assert found == (
        Field("birth", "birth", ("19081209",)), Field("postcode", "place", ("4011",)), Field("role", "value", ("smith",)),
        Field("version", "version", ("1.2",)),
    )  # fmt: skip


def test_lines_of_a_text_may_state_something_too() -> None:
    body = "- **Email:** ada@b.org\nmood:: fine\nmood: lost\nBorn: 10 December 1815\nNote: nothing\n"
    assert {field.key: field.values for field in fields_of({}, body)} == {"birth": ("18151210",), "email": ("ada@b.org",), "mood": ("fine",)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("* 3.5.1875 Blaubeuren", {"birth": "18750503"}),
        ("geb. 12.03.1954, Bluthochdruck", {"birth": "19540312"}),
        ("Franz Kafka, 1883-1924, Prague", {"birth": "1883", "death": "1924"}),
        ("né en 1880 à Nancy", {"birth": "1880"}),
        ("sold 1902-1901, room 12", {}),
    ],
)
def test_days_of_life_are_read_in_running_text(text: str, expected: dict[str, str]) -> None:
    assert {field.key: field.values[0] for field in fields_of({}, text)} == expected


def test_an_identifier_in_plain_sight_counts_when_there_is_just_one() -> None:
    assert {field.key: field.values for field in fields_of({}, "write to ada@b.org, ISBN 978-3-16-148410-0")} == {"email": ("ada@b.org",), "isbn": ("9783161484100",)}
    assert fields_of({}, "ada@b.org or bo@b.org") == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("VAT DE811223344", "VAT-ID: DE 811 223 344"),
        ("serial 7KX-44120-B, room 2", "S/N 7KX44120B."),
        ("Phone +49 431 555 0199", "Tel. 0431 5550199"),
        ("ticket INC-4471", "see inc-4471"),
        ("12 October 1895", "am 12.10.1895"),
        ("https://git.example/core/billing.git", "git.example: https://git.example/core/billing"),
    ],
)
def test_a_code_has_one_form_however_it_is_written(one: str, other: str) -> None:
    assert [code for code in codes_in(one) if code in codes_in(other) and not code.startswith("@")]


@pytest.mark.parametrize("text", ["1902-1988", "500 g flour, 325 g water", "8 cores, 32 GB, rack 4", "port 5432", "chapter 12", "Hit Points 25 (4d8), 19 (3d12 + 4)"])
def test_ordinary_numbers_are_no_codes(text: str) -> None:
    assert codes_in(text) == {}


def test_only_what_a_text_calls_the_things_own_is_its_own() -> None:
    assert codes_in("serial AB-12345 replaces CD-67890") == {"ab12345": True, "cd67890": False}


@pytest.mark.parametrize(("text", "day"), [("1908-12-09", "19081209"), ("9.12.1908", "19081209"), ("9 décembre 1908", "19081209"), ("May 1908", "190805"), ("19081209", "19081209")])
def test_a_day_has_one_form(text: str, day: str) -> None:
    assert day_of(text) == day


@pytest.mark.parametrize(
    ("kind", "one", "other", "expected"),
    [
        ("birth", "19081209", "19081290", True), ("birth", "19081203", "19080312", True), ("birth", "1908", "19081209", True),
        ("birth", "19081209", "19110101", False), ("identifier", "5346011", "5346012", True), ("identifier", "5346011", "9175450", False),
        ("place", "meldrum street", "meldrum stret", True), ("place", "meldrum street", "lea place", False), ("place", "12", "13", False),
    ],
)  # fmt: skip
def test_a_slip_of_the_pen_is_no_other_value(kind: str, one: str, other: str, expected: bool) -> None:
    assert is_near(kind, one, other) is expected  # type: ignore[arg-type]
