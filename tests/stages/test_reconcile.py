"""Reconcile: only what is certain is merged, nothing is lost, and every live link follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from brain.config import Limits
from brain.core.judgement import Pair, Same, Subject, Unsure
from brain.core.plan import Applied
from brain.stages import reconcile
from brain.stages.reconcile import find_pairs
from brain.stages.rules import RULES
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

ONE = "---\ntype: paper\ntitle: Graphs at sea\ndoi: 10.1000/1\ncreated: 2026-01-01\n---\none\n"
TWO = "---\ntype: paper\ntitle: The sea graphs\ndoi: 10.1000/1\n---\ntwo\n"


def pair(**found: object) -> Pair:
    left, right = (Subject(path, path, path, "note", (), {}) for path in ("a.md", "b.md"))
    return Pair(left, right, ("rare words",), **found)  # type: ignore[arg-type]


def test_a_rare_identifier_is_certain_and_shared_words_are_not() -> None:
    assert RULES.identify(pair(certain="doi=10.1/1")) == Same("rules/1", "both have doi=10.1/1; ", "a.md", "b.md", "doi=10.1/1")
    assert RULES.identify(pair()) == Unsure("rules/1", "they share rare words", ("a.md", "b.md"))


def test_a_verdict_tells_what_was_found_and_what_speaks_against() -> None:
    found = RULES.identify(pair(evidence=("both have a thing",), vetoes=("one is a person",)))
    assert found.reason == "both have a thing; but one is a person"


def test_two_notes_with_a_rare_identifier_become_one(make: Make) -> None:
    vault = make({"One.md": ONE, "Two.md": TWO, "L.md": "[[Two]]\n", "M.md": "[[One]]\n", "N.md": "[[One]]\n"})
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
    report = reconcile.run(vault.ctx)
    assert not report.applied and len(report.held) == 3


@pytest.mark.parametrize("shared", ["kind: person\ndoi: 10.1000/1", "email: ada@example.org"])
def test_people_are_held_for_a_person(make: Make, shared: str) -> None:
    notes = {f"{name}.md": f"---\n{shared}\n---\n" for name in ("Ada Lind", "Lind, Ada")}
    vault = make(notes)
    before = vault.bytes()
    (held,) = reconcile.run(vault.ctx).held
    assert "people" in held.why and vault.bytes() == before
    assert reconcile.run(vault.ctx).is_empty


def test_notes_of_two_folders_are_held_for_a_person(make: Make) -> None:
    vault = make({"a/One.md": ONE, "b/Two.md": TWO})
    assert "folders" in reconcile.run(vault.ctx).held[0].why


def test_a_chain_of_identifiers_is_followed_in_one_run(make: Make) -> None:
    vault = make({
        "A.md": "---\ntitle: Sea graphs\ndoi: 10.1000/1\n---\na\n",
        "B.md": "---\ntitle: Graphs at sea\ndoi: 10.1000/1\nisbn: 978-3-16-148410-0\n---\nb\n",
        "C.md": "---\ntitle: The graphs, at sea\nisbn: 9783161484100\n---\nc\n",
    })  # fmt: skip
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


def test_a_name_that_is_an_alias_of_another_note_is_asked_about_once(make: Make) -> None:
    vault = make({"people/Mira.md": "stub\n", "people/Mira Holt.md": "---\naliases: [Mira]\n---\ntext\n"})
    before = vault.bytes()
    report = reconcile.run(vault.ctx)
    (held,) = report.held
    assert (report.waiting, report.applied) == (1, ()) and "alias" in held.why and "an alias" in held.plan.because
    assert vault.bytes() == before and reconcile.run(vault.ctx).is_empty


def test_questions_are_asked_best_first_and_as_many_as_there_is_room_for(make: Make) -> None:
    notes = {"Mira Holt.md": "one\n", "Holt, Mira.md": "two\n", "Bo Sund.md": "---\naliases: [Ida]\n---\n", "Ida.md": "three\n"}
    vault = make(notes, limits=Limits(review_items_max=1))
    report = reconcile.run(vault.ctx)
    assert ["alias" in held.why for held in report.held] == [True]
    assert report.waiting == 2 and "1 waiting for room" in report.notices[0]
    assert reconcile.run(vault.ctx).is_empty


def test_what_a_person_declined_as_a_question_is_not_merged_when_it_becomes_certain(make: Make) -> None:
    vault = make({"Mira Holt.md": "---\nserial: AB 1234\n---\n", "Holt, Mira.md": "two\n"})
    (held,) = reconcile.run(vault.ctx).held
    refuse(vault, held.item)
    vault.write("Holt, Mira.md", "---\nserial: ab-1234\n---\n")
    vault.index()
    assert reconcile.run(vault.ctx).receipts == ()


def refuse(vault: Vault, decision: str) -> None:
    """A person's no, as the journal has it: an undo that landed, and what it declines."""
    at, within = "2026-05-01T12:00:00.000000Z", "r-2026-05-01-undo.x"
    same = {"at": at, "item": within, "run": "r-2026-05-01-undo", "decision": "d-undo"}
    intent = {"kind": "intended", **same, "stage": "undo", "key": "x", "because": "no", "provenance": [], "files": []}
    declined = {"kind": "declined", "at": at, "decision": decision, "items": [], "within": within}
    vault.space.journal.append([intent, declined, {"kind": "landed", **same}])


def test_line_ends_are_kept_in_both_notes(make: Make) -> None:
    vault = make({})
    vault.write("One.md", ONE.replace("\n", "\r\n"))
    vault.write("Two.md", TWO.replace("\n", "\r\n") + "\r\n## Atoms\r\n- (fact) said once\r\n")
    vault.index()
    assert reconcile.run(vault.ctx).applied
    assert all(data.count(b"\n") == data.count(b"\r\n") for data in vault.bytes().values())


def test_what_has_little_evidence_is_not_put_before_a_person_unless_they_want_it(make: Make) -> None:
    sample = Path(__file__).resolve().parents[2] / "bench" / "sample"
    notes = {path.relative_to(sample).as_posix(): path.read_text("utf-8") for path in sample.rglob("*.md")}
    vault = make(notes)
    ranks = {frozenset((pair.left.path, pair.right.path)): pair.rank for pair in find_pairs(vault.ctx, most=1_000)[0] if pair.speaks and not pair.stated and not pair.certain}
    assert min(ranks.values()) < 0
    few = reconcile.run(vault.ctx)
    assert len(few.held) == sum(rank >= 0 for rank in ranks.values()) and any("question_bits_below" in notice for notice in few.notices)
    with_all = replace(vault.ctx, config=replace(vault.ctx.config, limits=replace(vault.ctx.config.limits, question_bits_below=7.0)))
    assert len(reconcile.run(with_all).held) == sum(rank < 0 for rank in ranks.values())
