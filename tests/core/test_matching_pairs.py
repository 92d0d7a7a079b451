"""Pairs of notes: evidence in bits, vetoes, and what is to be done. Notes are written out; how rare things are is counted over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from brain.core.matching.context import Likeness
from brain.core.matching.profile import Facts, Profile, features_of, profile_of
from brain.core.matching.rarity import Rarity, text_word
from brain.core.matching.tiers import QUESTION_RANK_MIN, Judged, judge
from brain.core.matching.words import tokens
from brain.core.note import Json


def note(path: str, body: str = "", *, kind: str = "note", type: str | None = None, aliases: Sequence[str] = (), links: Sequence[str] = (),  # noqa: A002
         title: str = "", **properties: Json) -> Facts:  # fmt: skip
    stem = path.rsplit("/", 1)[-1]
    properties |= {"aliases": list(aliases)} if aliases else {}
    return Facts(f"id {path}", f"{path}.md", title or stem, kind, type, tuple(aliases), properties, tuple((link, link) for link in links), body)


def rarity_of(*notes: Facts) -> Rarity:
    counts: Counter[str] = Counter()
    for facts in notes:
        counts.update({*features_of(profile_of(facts)), *map(text_word, tokens(facts.body))})
    return Rarity(len(notes), lambda feature: counts[feature])


def judged(one: Facts, other: Facts, *others: Facts, likeness: Likeness = Likeness()) -> Judged:  # noqa: B008
    rarity = rarity_of(one, other, *others)
    return judge(profile_of(one, rarity), profile_of(other, rarity), rarity, likeness)


def vetoes(one: Facts, other: Facts, *others: Facts) -> set[str]:
    return {veto.name for veto in judged(one, other, *others).vetoes}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (note("Graphs at sea", doi="10.1000/1"), note("Sea graphs", doi="https://doi.org/10.1000/1")),
        (note("Nordlicht GmbH", vat="DE811223344"), note("Nordlicht Optik", vat="DE811223344")),
        (note("Suedwind", website="https://suedwind.example"), note("Südwind e.V.", website="www.suedwind.example/")),
        (note("Printer", "serial 7KX-44120"), note("The printer", "S/N 7kx44120")),
        (note("Graphs at sea", doi="10.1000/1"), note("Sea graphs", doi="10.1000/1", links=["id Graphs at sea"])),
    ],
)
def test_a_rare_identifier_and_a_name_that_agrees_are_certain(one: Facts, other: Facts) -> None:
    assert judged(one, other).tier == "certain"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (note("Graphs at sea", doi="10.1000/1"), note("Vaswani", doi="10.1000/1")),
        (note("Dune", isbn="9780441172719"), note("Dune, the methods", isbn="9780441172719")),
        (note("Acme", email="info@mail.example"), note("Zenith", email="info@mail.example")),
        (note("Jana Petersen", phone="0431 5550199"), note("Jan Petersen", phone="0431 5550199")),
        (note("billing", repo="git.example/core/billing"), note("Billing", repo="git.example/core/billing", body="a fork of the other")),
        (note("a/Graphs at sea", doi="10.1000/1"), note("b/Sea graphs", doi="10.1000/1")),
        (note("Graphs at sea", doi="10.1000/1", kind="artifact"), note("Sea graphs", doi="10.1000/1")),
        (note("Graphs at sea", "see ticket INC-4471"), note("Sea graphs", "INC-4471")),
        (note("Robert Krause", aliases=["Bob"], url="x.example/bob"), note("Bob", url="x.example/bob")),
    ],
)
def test_what_could_have_another_reason_is_a_question(one: Facts, other: Facts) -> None:
    assert judged(one, other).tier in ("stated", "open")


def test_an_identifier_that_more_notes_have_needs_other_facts_too() -> None:
    def record(path: str, **more: Json) -> Facts:
        return note(path, card_number="445566", **more)

    three = record("Ada Lind"), record("Lind, Ada"), record("ada lind 2")
    assert judged(*three).tier == "stated"
    born = [replace(facts, properties={**(facts.properties or {}), "born": "1980-02-03"}) for facts in three]
    assert judged(*born).certain == ("card_number", "445566")


@pytest.mark.parametrize(
    ("veto", "one", "other"),
    [
        ("told-apart", note("One", distinct_from="[[Two]]"), note("Two")),
        ("template", note("Templates/Lunch"), note("The lunch")),
        ("template", note("Lunch", last="{{date}}"), note("The lunch")),
        ("number", note("Plan 2030"), note("Plan 2031")),
        ("number", note("KX1603"), note("KX1605")),
        ("number", note("2031-01-01", title="Daily"), note("2031-01-02", title="Daily")),
        ("number", note("First law"), note("Second law")),
        ("number", note("Type I error"), note("Type II error")),
        ("date", note("Lunch", date="2026-01-01"), note("The lunch", date="2026-02-01")),
        ("version", note("Boat", version="v1.0"), note("The boat", version="1.1")),
        ("contrast", note("North gate"), note("South gate")),
        ("contrast", note("Herr Sommer"), note("Frau Sommer")),
        ("antonym", note("Hypertension"), note("Hypotension")),
        ("letter", note("Vitamin B"), note("Vitamin D")),
        ("symbol", note("C++ style"), note("C style")),
        ("qualifier", note("Mercury (planet)"), note("Mercury (project)")),
        ("kind", note("Apollo", kind="person"), note("The Apollo", kind="project")),
        ("identifier", note("Sea graphs", doi="10.1000/1"), note("Graphs at sea", doi="10.1000/2")),
    ],
)  # fmt: skip
def test_a_conflict_forbids_whatever_else_is_shared(veto: str, one: Facts, other: Facts) -> None:
    shared: dict[str, Json] = {"serial": "AB12345", "born": "1980-01-01"}
    both = [replace(facts, properties={**shared, **(facts.properties or {})}) for facts in (one, other)]
    found = judged(*both)
    assert veto in {each.name for each in found.vetoes} and found.tier == "distinct"


@pytest.mark.parametrize(
    ("veto", "one", "other"),
    [
        ("email", note("Ada Lind", email="a@b.org"), note("Lind, Ada", email="z@y.org")),
        ("birthday", note("Karl Lang", born="1871-01-01"), note("Lang, Karl", born="1899-05-05")),
        ("death", note("Karl Lang", died="1940"), note("Lang, Karl", died="1971")),
        ("one-number", note("Phoenix"), note("Phoenix 2")),
        ("one-qualifier", note("Entropy"), note("Entropy (information)")),
        ("aspect", note("Dune"), note("Dune review")),
        ("plural", note("Cache"), note("Caches")),
        ("generation", note("Karl Lang"), note("Karl Lang junior")),
        ("mention", note("Ada Lind", "sister of [[Lind, Ada]]", links=["id Lind, Ada"]), note("Lind, Ada")),
        ("derived", note("Billing"), note("The billing", "fork of it")),
        ("kind", note("Kuzu", type="clipping"), note("The Kuzu", type="review")),
        ("file-name", note("GEMINI", title="Mind"), note("AGENTS", title="Mind")),
    ],
)  # fmt: skip
def test_a_doubt_keeps_rules_from_merging_and_forbids_nothing(veto: str, one: Facts, other: Facts) -> None:
    shared: dict[str, Json] = {"url": "example.org/x"}
    both = [replace(facts, properties={**(facts.properties or {}), **shared}) for facts in (one, other)]
    found = judged(*both)
    assert veto in {each.name for each in found.vetoes} and found.tier in ("stated", "open", "none")


def test_a_name_that_many_notes_bear_is_a_doubt_until_facts_agree() -> None:
    four = [note(f"{folder}/Todo") for folder in "abcd"]
    assert "claimed" in vetoes(*four)
    known = [replace(facts, properties={"born": "1980-01-01", "ssn": "445566"}) for facts in four]
    assert "claimed" not in vetoes(*known)


def test_an_alias_in_a_text_with_commas_may_name_several_things() -> None:
    one = replace(note("Dice Roller", aliases=["Uday", "Jordan"]), properties={"aliases": "Uday, Jordan"})
    assert "alias-list" in vetoes(one, note("Jordan"))


@pytest.mark.parametrize(
    ("stated", "one", "other"),
    [
        ("alias", note("Mira Holt", aliases=["Mira"]), note("Mira")),
        ("alias", note("Phoenix", "The importer, formerly Ikarus."), note("Ikarus", "The importer in Rust.")),
        ("identifier", note("Graphs at sea", doi="10.1000/1"), note("Graphs at sea, again", doi="10.1000/1")),
        ("copy", note("Restore", "stop writer fetch dump cold storage load start tell team"), note("Restore (copy)", "stop writer fetch dump cold storage load start tell team")),
    ],
)  # fmt: skip
def test_what_a_note_states_comes_before_other_questions(stated: str, one: Facts, other: Facts) -> None:
    crowd = note("Boat", "a boat"), note("Kettle", "a kettle")
    assert (judged(one, other, *crowd).tier, judged(one, other, *crowd).stated) == ("stated", stated)


def test_what_differs_costs_and_what_is_missing_does_not() -> None:
    plain, agreeing, differing, silent = (
        judged(note("Ada Lind", born="1980-02-03"), note("Lind, Ada", **more)).margin  # type: ignore[arg-type]
        for more in ({"place": "Oslo"}, {"born": "1980-02-03"}, {"born": "1971-01-01"}, {})
    )
    assert agreeing > plain == silent > differing


def test_rare_words_are_worth_more_than_common_ones() -> None:
    crowd = [note(f"Ada {name}") for name in ("Berg", "Roth", "Sand", "Holm")]
    assert judged(note("Ada"), note("Ada Lind"), *crowd).margin < judged(note("Lind"), note("Ada Lind"), *crowd).margin


def test_what_is_counted_in_few_notes_is_worth_less_than_the_same_count_in_many() -> None:
    few, some, many = (Rarity(notes, lambda _: 2).bits("n:boat") for notes in (3, 100, 10_000))
    assert few < some < many


def test_words_that_most_of_a_few_notes_have_are_no_evidence() -> None:
    said = "where the notes of this vault lie and what each of them is for"
    pair = note("Home", said), note("Guide", said)
    assert judged(*pair, note("Boat", said)).evidence.bits_of("text") == 0.0
    assert judged(*pair, *(note(f"Crowd {letter}", letter * 5) for letter in "bcdf")).evidence.bits_of("text") > 0.0


def test_what_long_texts_have_in_common_counts_by_its_share() -> None:
    def essay(name: str, own: str) -> Facts:
        return note(name, " ".join([*(f"common{number}" for number in range(30)), *(f"{own}{number}" for number in range(300))]))

    crowd = [note(f"Crowd {letter}", letter * 5) for letter in "bcdf"]
    assert 0.0 < judged(essay("Buying", "p"), essay("Selling", "q"), *crowd).evidence.bits_of("text") < 3.0


def test_two_lists_of_everything_are_not_one_thing_for_what_both_link_to() -> None:
    def lists(name: str, own: str, count: int) -> Facts:
        return note(name, links=["Fire insurance", *(f"{own}{number}" for number in range(count))])

    few = judged(lists("Mill", "a", 0), lists("Blautal", "b", 1)).evidence.bits_of("links")
    assert few > 3 * judged(lists("Clients", "a", 9), lists("People", "b", 9)).evidence.bits_of("links")


def test_a_link_that_a_property_of_both_says_already_counts_once() -> None:
    crowd = [note(f"Crowd {letter}") for letter in "bcdf"]
    pair = note("Catan", links=["Games"], category="[[Games]]"), note("Zelda", links=["Games"], category="[[Games]]")
    assert judged(*pair, *crowd).evidence.bits_of("links") == 0.0 < judged(*pair, *crowd).evidence.bits_of("value")


def test_an_address_that_one_states_and_the_other_has_in_its_text_is_shared() -> None:
    found = judged(note("Imre Sandor", url="https://sandor.example"), note("Archive", "letters, see https://sandor.example/"))
    assert found.evidence.bits_of("code") > 0.0


def test_where_nothing_speaks_for_a_pair_nobody_is_asked() -> None:
    found = judged(note("Boat"), note("Kettle"), *(note(f"Crowd {number}") for number in range(30)))
    assert found.rank >= QUESTION_RANK_MIN and found.tier == "none"


def test_a_small_doubt_takes_less_off_the_rank_than_a_link_to_the_other() -> None:
    plural, mention = judged(note("Cache"), note("Caches")), judged(note("Ada Lind", links=["id Lind, Ada"]), note("Lind, Ada"))
    assert plural.margin - plural.rank < mention.margin - mention.rank


def test_lines_that_many_notes_share_are_nobodys_own() -> None:
    form = "alpha bravo charlie delta echo foxtrot golf hotel india"
    counts = Counter({f"l:{form}": 3, **{f"w:{word}": 2 for word in (*form.split(), "zulu")}})
    rarity = Rarity(100, lambda feature: counts[feature])
    assert profile_of(note("A", f"{form}\nzulu\n"), rarity).words.keys() == {"zulu"}


def test_nearness_in_meaning_and_in_letters_adds_to_the_evidence() -> None:
    pair = note("Sauerteig", "Bertha daily"), note("Sourdough", "fed each day")
    assert judged(*pair, likeness=Likeness(letters=0.4, meaning=0.9)).margin > judged(*pair).margin


def test_a_file_name_that_is_a_bare_code_is_no_name() -> None:
    assert [name.text for name in profile_of(note("202101011200", title="Boat")).names] == ["Boat"]
    assert profile_of(note("1f2e3d4c5b6a7980")).names == ()
    assert [name.text for name in profile_of(note("Note", title="{{title}}")).names] == ["Note"]


def test_every_verdict_is_the_same_from_both_sides() -> None:
    pairs = [(note("Hans Meier", "* 12.03.1954 K512884410"), note("Meier, Hans", "geb. 12.3.1954, K512884410")), (note("Plan A"), note("Plan B"))]
    for one, other in pairs:
        there, back = judged(one, other), judged(other, one)
        assert (there.tier, round(there.margin, 9), there.certain) == (back.tier, round(back.margin, 9), back.certain)


def test_a_profile_survives_any_text() -> None:
    odd = note("\ud800 * [x", "::\n- : \n\x00 @ :// 10. isbn orcid\n" + "9" * 5000, title="()", email="@", doi=[], born=["x", None, 3])
    assert isinstance(profile_of(odd), Profile) and judged(odd, odd).tier
