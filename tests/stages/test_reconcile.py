"""Reconcile: only what is certain is merged, nothing is lost, and every live link follows."""

from __future__ import annotations

import pytest

from brain.core.judgement import Distinct, Pair, Same, Subject, Unsure
from brain.core.note import Json
from brain.core.plan import Applied
from brain.stages import reconcile
from brain.stages.conflict import identifiers
from brain.stages.rules import RULES
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

ONE = "---\ntype: paper\ndoi: 10.1000/1\ncreated: 2026-01-01\n---\none\n"
TWO = "---\ntype: paper\ndoi: 10.1000/1\n---\ntwo\n"


def subject(path: str, kind: str = "note", **properties: Json) -> Subject:
    return Subject(path, path, path, kind, (), properties)


def verdict(left: Subject, right: Subject, *rare: str) -> type:
    return type(RULES.identify(Pair(left, right, ("words",), frozenset(rare))))


def test_a_rare_identifier_is_certain_and_shared_words_are_not() -> None:
    assert verdict(subject("a.md"), subject("b.md"), "doi=10.1/1") is Same
    assert verdict(subject("a.md"), subject("b.md")) is Unsure


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (subject("Plan 2030.md"), subject("Plan 2031.md")),
        (subject("KX1603.md"), subject("KX1605.md")),
        (subject("v 1.2.md"), subject("v 1.3.md")),
        (subject("2031-01-01.md"), subject("2031-01-02.md")),
        (subject("a.md", version="1.0"), subject("b.md", version="1.1")),
        (subject("a.md", born="1980-01-01"), subject("b.md", born="1981-01-01")),
        (subject("a.md", email="x@y.org"), subject("b.md", email="z@y.org")),
        (subject("a.md", kind="person"), subject("b.md", kind="project")),
        (subject("a.md", type="clipping"), subject("b.md", type="review")),
    ],
)
def test_a_conflict_forbids_whatever_else_is_shared(left: Subject, right: Subject) -> None:
    assert verdict(left, right, "url=example.org/x") is Distinct


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"doi": "https://doi.org/10.1000/AB.1"}, {"doi=10.1000/ab.1"}),
        ({"Email": ["Mailto:A@b.org", "no address"]}, {"email=a@b.org"}),
        ({"isbn": "978-3-16-148410-0"}, {"isbn=9783161484100"}),
        ({"url": "https://www.example.org/page/#top"}, {"url=example.org/page"}),
        ({"website": "https://example.org"}, set()),
        ({"doi": None, "isbn": 12, "title": "x@y.org"}, set()),
    ],
)
def test_identifiers_have_one_form(properties: dict[str, Json], expected: set[str]) -> None:
    assert identifiers(properties) == expected


def test_two_notes_with_a_rare_identifier_become_one(make: Make) -> None:
    vault = make({"One.md": ONE, "Two.md": TWO, "L.md": "[[Two]]\n"})
    (receipt,) = reconcile.run(vault.ctx).receipts
    assert isinstance(receipt, Applied)
    assert vault.text("L.md") == "[[One]]\n"
    assert "aliases: [Two]" in vault.text("One.md") and "two\n" in vault.text("One.md") and "two\n" in vault.text("Two.md")
    assert broken(vault) == []


def broken(vault: Vault) -> list[str]:
    with vault.space.catalog() as conn:
        return [raw for (raw,) in conn.execute("SELECT raw FROM link WHERE status IN ('broken','ambiguous')")]


def test_an_identifier_of_three_notes_is_nobodys_own(make: Make) -> None:
    vault = make({"A.md": ONE, "B.md": TWO, "C.md": TWO})
    assert reconcile.run(vault.ctx).is_empty


@pytest.mark.parametrize("shared", ["kind: person\ndoi: 10.1000/1", "email: ada@example.org"])
def test_people_are_held_for_a_person(make: Make, shared: str) -> None:
    notes = {f"{name}.md": f"---\n{shared}\n---\n" for name in ("Ada", "Lind")}
    vault = make(notes)
    before = vault.bytes()
    (held,) = reconcile.run(vault.ctx).held
    assert "people" in held.why and vault.bytes() == before
    assert reconcile.run(vault.ctx).is_empty


def test_notes_of_two_folders_are_held_for_a_person(make: Make) -> None:
    vault = make({"a/One.md": ONE, "b/Two.md": TWO})
    assert "folders" in reconcile.run(vault.ctx).held[0].why


def test_a_chain_of_identifiers_is_followed_in_one_run(make: Make) -> None:
    vault = make({"A.md": "---\ndoi: 10.1000/1\n---\na\n", "B.md": "---\ndoi: 10.1000/1\nisbn: 978-3-16-148410-0\n---\nb\n", "C.md": "---\nisbn: 9783161484100\n---\nc\n"})
    assert len(reconcile.run(vault.ctx).applied) == 2
    assert reconcile.run(vault.ctx).is_empty


def test_what_two_notes_say_differently_is_kept_and_named(make: Make) -> None:
    vault = make({"One.md": ONE.replace("---\none", "role: smith\n---\none"), "Two.md": TWO.replace("---\ntwo", "role: baker\nplace: Oslo\n---\ntwo")})
    (receipt,) = reconcile.run(vault.ctx).applied
    assert "role" in receipt.plan.because
    assert "role: smith" in vault.text("One.md") and "place: Oslo" in vault.text("One.md") and "role: baker" in vault.text("Two.md")


def test_a_note_that_embeds_the_other_does_not_embed_itself(make: Make) -> None:
    vault = make({"One.md": ONE + "Before\n![[Two]]\n[[Two|it]] after\n", "Two.md": TWO})
    reconcile.run(vault.ctx)
    assert "Before\nTwo\nit after\n" in vault.text("One.md")


def test_episodes_and_timeline_notes_are_never_rewritten(make: Make) -> None:
    fixed = {"Inbox/E.md": "---\ntype: episode\n---\n[[Two]]\n", "Timeline/T.md": "[[Two]]\n", "Old.md": "---\nstatus: archived\n---\n[[Two]]\n"}
    vault = make({"One.md": ONE, "Two.md": TWO, **fixed})
    reconcile.run(vault.ctx)
    assert {path: vault.text(path) for path in fixed} == fixed


def test_notes_that_a_person_told_apart_stay_apart(make: Make) -> None:
    vault = make({"One.md": ONE.replace("created", 'distinct_from: "[[Two]]"\ncreated'), "Two.md": TWO})
    assert reconcile.run(vault.ctx).is_empty


def test_a_merge_that_was_taken_back_is_not_made_again(make: Make) -> None:
    vault = make({"One.md": ONE, "Two.md": TWO, "L.md": "[[Two]] and more\n"})
    before = vault.bytes()
    reconcile.run(vault.ctx)
    vault.write("L.md", vault.text("L.md") + "a later line\n")
    undo(vault.ctx)
    assert vault.bytes() == {**before, "L.md": b"[[Two]] and more\na later line\n"}
    vault.index()
    assert reconcile.run(vault.ctx).is_empty


def test_pairs_that_only_share_words_are_counted_and_left(make: Make) -> None:
    vault = make({"people/Mira.md": "stub\n", "people/Mira Holt.md": "---\naliases: [Mira]\n---\ntext\n"})
    report = reconcile.run(vault.ctx)
    assert (report.waiting, report.receipts) == (1, ()) and "language model" in report.notices[0]


def test_line_ends_are_kept_in_both_notes(make: Make) -> None:
    vault = make({})
    vault.write("One.md", ONE.replace("\n", "\r\n"))
    vault.write("Two.md", TWO.replace("\n", "\r\n") + "\r\n## Atoms\r\n- (fact) said once\r\n")
    vault.index()
    assert reconcile.run(vault.ctx).applied
    assert all(data.count(b"\n") == data.count(b"\r\n") for data in vault.bytes().values())
