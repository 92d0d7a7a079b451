"""Review: a person says yes, no, or so; each answer lasts, is planned from the notes as they are, and can be taken back."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from brain.config import Limits
from brain.core.judgement import Relates
from brain.core.plan import Applied, Question, SetField
from brain.errors import Ambiguous, NotFound, UsageError
from brain.stages import reconcile, review, walk
from brain.stages.commit import commit
from brain.stages.gate import decision_id
from brain.stages.ledger import Ledger, read_ledger
from brain.stages.reviewing.item import Choice, Item, Queue, find_item, queue_of
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

ADA = {"Ada Lind.md": "---\nkind: person\nemail: ada@example.org\ncreated: 2026-01-01\n---\nshe sails\n", "Lind, Ada.md": "---\nkind: person\nemail: ada@example.org\n# hers\n---\nshe rows\n"}
UNLINKABLE = {"{{t}}.md": ADA["Ada Lind.md"].replace("kind:", "title: Ada Lind\nkind:"), "t.md": ADA["Lind, Ada.md"].replace("kind:", "title: Lind, Ada\nkind:")}
MIRA = {"people/Mira.md": "stub\n", "people/Mira Holt.md": "---\naliases: [Mira]\n---\ntext\n"}
TWINS = {"Inbox/E.md": "---\ntype: episode\n---\nFact: [[Twin]] leaks at night\n", "a/Twin.md": "1\n", "b/Twin.md": "2\n"}
THREE = {f"{name}.md": f"---\nkind: person\nemail: {mail}@example.org\n---\n{said}\n" for name, mail, said in (
    ("Ada Lind", "ada", "sails a boat"), ("Lind, Ada", "ada", "rows at dawn"), ("Bo Ek", "bo", "bakes bread"), ("Ek, Bo", "bo", "owns mills"),
    ("Cy Ott", "cy", "paints walls"), ("Ott, Cy", "cy", "plays chess"),
)}  # fmt: skip


def held(vault: Vault, rule: str | None = None) -> Item:
    return next(item for item in review.queue(vault.ctx).open if rule is None or rule in item.rules)


def ask(make: Make, notes: dict[str, str], **settings: object) -> Vault:
    vault = make(notes, **settings)
    walk.run(vault.ctx)
    reconcile.run(vault.ctx)
    return vault


def decide(vault: Vault, verb: review.Verb, item: Item, *told: str) -> review.RunReport:
    return review.decide(vault.ctx, verb, Choice((item.id,)), told=told)


def notes_of(vault: Vault) -> dict[str, bytes]:
    """The notes, without the list of what waits and the log of the day."""
    return {path: data for path, data in vault.bytes().items() if path != "Memory/Review.md" and not path.startswith("Timeline/")}


def lines_of_journal(vault: Vault) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (vault.root / ".brain" / "journal").rglob("*.jsonl"))


def test_a_held_merge_that_is_accepted_is_carried_out_with_the_person_as_its_judge(make: Make) -> None:
    vault = ask(make, ADA)
    report = decide(vault, "accept", held(vault, "people"))
    assert [receipt.plan.stage for receipt in report.applied] == ["reconcile"]
    assert "she rows" in vault.text("Ada Lind.md") and "status: superseded" in vault.text("Lind, Ada.md")
    assert {record["judge"] for record in vault.space.journal.records({"provenance"})} == {"person"}
    assert not review.queue(vault.ctx).all


def test_accepting_and_taking_back_gives_every_byte_back_and_is_not_asked_again(make: Make) -> None:
    vault = ask(make, ADA | MIRA)
    before = notes_of(vault)
    for rule in ("people", "alias-only"):
        decide(vault, "accept", held(vault, rule))
        assert notes_of(vault) != before
        assert not undo(vault.ctx).left
        assert notes_of(vault) == before
    assert reconcile.run(vault.ctx).is_empty and not review.queue(vault.ctx).all


def test_a_no_stands_in_both_notes_as_a_link_that_leads_to_the_other(make: Make) -> None:
    vault = ask(make, ADA)
    decide(vault, "reject", held(vault))
    assert 'distinct_from: "[[Lind, Ada]]"' in vault.text("Ada Lind.md") and "# hers\n" in vault.text("Lind, Ada.md")
    with vault.space.catalog() as conn:
        sql = "SELECT s.path, t.path FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid WHERE l.relation='distinct_from' ORDER BY 1"
        assert conn.execute(sql).fetchall() == [("Ada Lind.md", "Lind, Ada.md"), ("Lind, Ada.md", "Ada Lind.md")]


def test_a_no_lasts_through_a_rebuild_and_when_something_else_finds_the_pair(make: Make) -> None:
    vault = ask(make, ADA)
    decide(vault, "reject", held(vault))
    shutil.rmtree(vault.root / ".brain" / "index")
    vault.index()
    assert reconcile.run(vault.ctx).is_empty
    for path in ADA:
        vault.write(path, vault.text(path).replace("email: ada@", "orcid: 0000-0002-1825-0097\naliases: [Ada L]\nemail: ada.lind@"))
    vault.index()
    assert reconcile.run(vault.ctx).is_empty and not review.queue(vault.ctx).all


def test_a_no_that_is_taken_back_leaves_no_trace_in_the_notes_and_the_item_waits_again(make: Make) -> None:
    vault = ask(make, ADA)
    before, item = notes_of(vault), held(vault)
    (receipt,) = decide(vault, "reject", item).applied
    assert notes_of(vault) != before
    undo(vault.ctx, receipt.item)
    assert notes_of(vault) == before and review.queue(vault.ctx).open == (item,)


def test_a_no_adds_to_what_is_told_apart_already(make: Make) -> None:
    notes = ADA | {"Ada Lind.md": ADA["Ada Lind.md"].replace("kind", 'distinct_from: "[[Bo]]"\nkind'), "Bo.md": "bo\n"}
    vault = ask(make, notes)
    decide(vault, "reject", held(vault, "people"))
    assert 'distinct_from: ["[[Bo]]", "[[Lind, Ada]]"]' in vault.text("Ada Lind.md")


def test_a_no_to_notes_that_cannot_be_changed_stands_in_the_journal(make: Make) -> None:
    vault = ask(make, ADA | {"Lind, Ada.md": "---\n{kind: person, email: ada@example.org}\n---\nshe rows\n"})
    before = notes_of(vault)
    report = decide(vault, "reject", held(vault))
    assert "journal alone" in " ".join(report.notices) and notes_of(vault) == before
    vault.write("Ada Lind.md", vault.text("Ada Lind.md").replace("email: ada@example.org", "aliases: ['Lind, Ada']"))
    vault.index()
    assert reconcile.run(vault.ctx).is_empty and not review.queue(vault.ctx).all


def test_a_note_that_no_link_can_lead_to_is_accepted_once_it_has_another_name(make: Make) -> None:
    vault = ask(make, UNLINKABLE)
    item = held(vault, "unlinkable")
    (refused,) = decide(vault, "accept", item).failed
    assert "no link can lead to {{t}}.md" in refused.why and "rename" in refused.why
    (vault.root / "{{t}}.md").rename(vault.root / "Ada.md")
    vault.index()
    assert decide(vault, "accept", item).applied and "status: superseded" in vault.text("t.md")
    assert not review.queue(vault.ctx).all and reconcile.run(vault.ctx).is_empty
    undo(vault.ctx)
    vault.index()
    assert reconcile.run(vault.ctx).is_empty and not review.queue(vault.ctx).all


def test_a_no_to_a_note_that_no_link_can_lead_to_stands_in_the_journal(make: Make) -> None:
    vault = ask(make, UNLINKABLE)
    before = notes_of(vault)
    report = decide(vault, "reject", held(vault, "unlinkable"))
    assert "journal alone" in " ".join(report.notices) and notes_of(vault) == before
    (vault.root / "{{t}}.md").rename(vault.root / "Ada.md")
    vault.index()
    assert reconcile.run(vault.ctx).is_empty and not review.queue(vault.ctx).all


def test_a_plan_is_made_anew_from_the_notes_as_they_are(make: Make) -> None:
    vault = ask(make, ADA)
    vault.write("Lind, Ada.md", vault.text("Lind, Ada.md") + "and skates\n")
    vault.write("L.md", "[[Lind, Ada]]\n")
    for name in ("M", "N"):
        vault.write(f"{name}.md", "[[Ada Lind]]\n")
    vault.index()
    decide(vault, "accept", held(vault))
    assert "and skates" in vault.text("Ada Lind.md") and vault.text("L.md") == "[[Ada Lind]]\n"


def test_a_note_that_was_renamed_since_is_found_by_its_id(make: Make) -> None:
    vault = ask(make, ADA)
    (vault.root / "Lind, Ada.md").rename(vault.root / "A. Lind.md")
    vault.index()
    decide(vault, "accept", held(vault))
    assert "status: superseded" in vault.text("A. Lind.md")


@pytest.mark.parametrize("change", ["deleted", "another address", "archived"])
def test_an_item_that_holds_no_longer_is_closed_and_said(make: Make, change: str) -> None:
    vault = ask(make, ADA)
    item = held(vault)
    if change == "deleted":
        (vault.root / "Lind, Ada.md").unlink()
    elif change == "archived":
        vault.write("Lind, Ada.md", vault.text("Lind, Ada.md").replace("kind", "status: archived\nkind"))
    else:
        vault.write("Lind, Ada.md", "---\nkind: organization\n---\nsomething else altogether\n")
    vault.index()
    report = decide(vault, "accept", item)
    assert not report.receipts and f"{item.id} is closed" in " ".join(report.notices)
    assert not review.queue(vault.ctx).all and reconcile.run(vault.ctx).is_empty


def test_what_is_closed_is_asked_again_when_it_holds_again(make: Make) -> None:
    vault = ask(make, ADA)
    text = vault.text("Lind, Ada.md")
    (vault.root / "Lind, Ada.md").unlink()
    vault.index()
    review.apply_ticks(vault.ctx)
    assert not review.queue(vault.ctx).all
    vault.write("Lind, Ada.md", text)
    vault.index()
    reconcile.run(vault.ctx)
    assert len(review.queue(vault.ctx).all) == 1


def test_what_an_unclear_name_means_is_said_by_a_person(make: Make) -> None:
    vault = ask(make, TWINS)
    item = held(vault, "ambiguous")
    (refused,) = decide(vault, "accept", item).failed
    assert "--as NOTE" in refused.why and review.look(vault.ctx, item.id).choices == ("a/Twin.md", "b/Twin.md")
    before = notes_of(vault)
    decide(vault, "accept", item, "b/Twin")
    assert "leaks at night" in vault.text("b/Twin.md") and vault.text("a/Twin.md") == "1\n"
    assert vault.text("Inbox/E.md") == before["Inbox/E.md"].decode()
    assert not undo(vault.ctx).left and notes_of(vault) == before


def test_an_accepted_claim_is_not_asked_about_again_when_its_episode_grows(make: Make) -> None:
    vault = ask(make, TWINS)
    decide(vault, "accept", held(vault, "ambiguous"), "b/Twin.md")
    vault.write("Inbox/E.md", vault.text("Inbox/E.md") + "Fact: [[Boat]] floats\n")
    vault.index()
    report = walk.run(vault.ctx)
    assert [type(receipt) for receipt in report.receipts] == [Applied] and vault.text("b/Twin.md").count("leaks") == 1


def test_a_name_that_is_clear_by_now_needs_no_answer(make: Make) -> None:
    vault = ask(make, TWINS)
    (vault.root / "a/Twin.md").rename(vault.root / "a/Sister.md")
    vault.index()
    decide(vault, "accept", held(vault, "ambiguous"))
    assert "leaks at night" in vault.text("b/Twin.md")


def test_a_claim_whose_words_are_gone_is_closed(make: Make) -> None:
    vault = ask(make, TWINS)
    vault.write("Inbox/E.md", vault.text("Inbox/E.md").replace("leaks", "floats"))
    vault.index()
    report = decide(vault, "accept", held(vault, "ambiguous"), "b/Twin")
    assert "does not say it any more" in " ".join(report.notices) and vault.text("b/Twin.md") == "2\n"


def test_a_relation_that_only_a_person_should_state_is_written_when_they_say_so(make: Make) -> None:
    vault = make({"A.md": "A is nothing but B by another name.\n", "B.md": "b\n"})
    verdict = Relates("model/1", "it says so", "A.md", "same_entity", "B.md", 1, "A is nothing but B by another name.")
    plan = replace(vault.plan(SetField("A.md", "x", 1), key="A.md|same_entity|B.md"), stage="link", certain=False, question=Question(verdict))
    commit(vault.ctx, [plan], run="r-1")
    review.apply_ticks(vault.ctx)
    before, item = notes_of(vault), held(vault, "uncertain")
    vault.write("A.md", "---\nmine: 1\n---\n" + before["A.md"].decode())
    vault.index()
    decide(vault, "accept", item)
    assert vault.text("A.md").endswith("by another name.\n\n## Related\n- same_entity:: [[B]] - it says so\n")
    (record,) = vault.space.journal.records({"provenance"})
    assert (record["line"], record["judge"], record["item"]) == (4, "person", "A.md|same_entity|B.md")
    assert decision_id(plan) in read_ledger(vault.space.journal).settled


def held_relation(make: Make, relation: str, text: str, quote: str) -> Vault:
    vault = make({"A.md": text, "B.md": "b\n"})
    verdict = Relates("model/1", "it says so", "A.md", relation, "B.md", 1, quote)
    commit(vault.ctx, [replace(vault.plan(key=f"A.md|{relation}|B.md"), stage="link", certain=False, question=Question(verdict))], run="r-1")
    return vault


def test_a_relation_whose_words_are_gone_is_closed(make: Make) -> None:
    vault = held_relation(make, "part_of", "A is a part of B.\n", "A is a part of B.")
    vault.write("A.md", "another text\n")
    vault.index()
    assert "says it any more" in " ".join(review.apply_ticks(vault.ctx).notices) and not review.queue(vault.ctx).all


@pytest.mark.parametrize("text", ["It turned out that\n**A** is a  part\nof [[B]]. So it is.\n", "> - It turned out that A is a part of [[B|B]].\n"])
def test_a_relation_whose_words_are_set_anew_still_waits(make: Make, text: str) -> None:
    vault = held_relation(make, "part_of", "A is a part of B.\n", "that A is a part of B.")
    vault.write("A.md", text)
    vault.index()
    item = held(vault)
    assert review.look(vault.ctx, item.id).problem is None
    decide(vault, "accept", item)
    assert "- part_of:: [[B]] - it says so" in vault.text("A.md")
    (record,) = vault.space.journal.records({"provenance"})
    assert record["quote"] in vault.text("A.md") and record["line"] == 1


@pytest.mark.parametrize("relation", ["same_entity", "supersedes"])
def test_what_is_asked_about_two_notes_themselves_waits_whatever_their_words(make: Make, relation: str) -> None:
    vault = held_relation(make, relation, "A is nothing but B.\n", "A is nothing but B.")
    vault.write("A.md", "another text\n")
    vault.index()
    item = held(vault)
    assert review.look(vault.ctx, item.id).problem is None
    decide(vault, "accept", item)
    assert f"- {relation}:: [[B]] - it says so" in vault.text("A.md")
    assert vault.space.journal.records({"provenance"})[0]["quote"] == "another text"


def test_an_edited_text_is_carried_out_as_the_persons_version(make: Make) -> None:
    vault = ask(make, ADA)
    before = notes_of(vault)
    draft = review.draft_of(vault.ctx, held(vault).id)
    assert draft.path == "Ada Lind.md" and "she rows" in draft.text
    review.carry_out(vault.ctx, draft, draft.text.replace("she rows", "she rows, slowly"))
    assert "she rows, slowly" in vault.text("Ada Lind.md") and "status: superseded" in vault.text("Lind, Ada.md")
    assert not undo(vault.ctx).left and notes_of(vault) == before


@pytest.mark.parametrize("text", ["", "  \n", None])
def test_an_unchanged_or_emptied_text_does_nothing_and_says_so(make: Make, text: str | None) -> None:
    vault = ask(make, ADA)
    draft = review.draft_of(vault.ctx, held(vault).id)
    before, lines = vault.bytes(), lines_of_journal(vault)
    report = review.carry_out(vault.ctx, draft, draft.text if text is None else text)
    assert "nothing was done" in report.notices[0]
    assert (vault.bytes(), lines_of_journal(vault)) == (before, lines) and review.queue(vault.ctx).open


def test_a_note_that_changed_while_it_was_edited_is_not_overwritten(make: Make) -> None:
    vault = ask(make, ADA)
    draft = review.draft_of(vault.ctx, held(vault).id)
    vault.write("Ada Lind.md", vault.text("Ada Lind.md") + "a later line\n")
    report = review.carry_out(vault.ctx, draft, draft.text + "mine\n")
    assert report.failed and vault.text("Ada Lind.md").endswith("a later line\n")


def test_all_of_one_rule_are_decided_at_once_and_a_dry_run_changes_nothing(make: Make) -> None:
    vault = ask(make, THREE | MIRA)
    before = vault.bytes()
    lines = lines_of_journal(vault)
    choice = Choice(every=True, rule="people")
    people = [item for item in review.queue(vault.ctx).open if "people" in item.rules]
    assert len(review.decide(vault.ctx, "accept", choice, dry_run=True).applied) >= 3
    assert (vault.bytes(), lines_of_journal(vault)) == (before, lines)
    assert len(review.decide(vault.ctx, "reject", choice).applied) == len(people)
    assert [item.rules[0] for item in review.queue(vault.ctx).open] == ["alias-only"]


def test_only_the_best_are_open_and_the_rest_is_counted(make: Make) -> None:
    vault = ask(make, THREE, limits=Limits(review_items_max=2))
    queue = review.queue(vault.ctx)
    assert (len(queue.open), len(queue.waiting)) == (2, 1)
    assert [item.score for item in queue.all] == sorted((item.score for item in queue.all), reverse=True)
    decide(vault, "reject", queue.open[0])
    assert review.queue(vault.ctx).open == (queue.open[1], queue.waiting[0])


def test_an_id_may_be_cut_short_and_a_slip_is_answered_with_what_was_meant(make: Make) -> None:
    vault = ask(make, THREE)
    queue = review.queue(vault.ctx)
    item = queue.open[0]
    short = queue.short(item.id)
    assert review.look(vault.ctx, short).item == review.look(vault.ctx, short.removeprefix("d-")).item == item
    slip = "7" + short[3:] if short[2] != "7" else "8" + short[3:]
    with pytest.raises(NotFound) as missed:
        review.look(vault.ctx, f"d-{slip}")
    assert short in missed.value.cure


def test_a_beginning_that_two_items_share_is_unclear_and_a_whole_id_never_is(make: Make) -> None:
    ledger = read_ledger(make({}).space.journal)
    queue = Queue(tuple(Item(name, "link", "k", "so", "why", (), "") for name in ("d-abcde1", "d-abcde12", "d-x")), ())
    with pytest.raises(Ambiguous, match="beginning of 2 items"):
        find_item(queue, "abcde", ledger)
    assert [find_item(queue, name, ledger).id for name in ("abcde1", "d-abcde12", "x")] == ["d-abcde1", "d-abcde12", "d-x"]


@pytest.mark.parametrize("length", [0, 1, 4])
def test_a_few_characters_are_no_id_and_the_open_ones_are_named(make: Make, length: int) -> None:
    vault = ask(make, THREE)
    queue = review.queue(vault.ctx)
    for begins in ("d-", ""):
        with pytest.raises(UsageError, match="at least 5 characters") as short:
            review.look(vault.ctx, begins + queue.open[0].id[2 : 2 + length])
        assert all(queue.short(item.id) in short.value.cure for item in queue.open)


def test_a_few_characters_name_no_decision_that_was_made(make: Make) -> None:
    vault = ask(make, THREE)
    item = review.queue(vault.ctx).open[0]
    decide(vault, "reject", item)
    with pytest.raises(UsageError) as short:
        review.look(vault.ctx, item.id[2:4])
    assert "brain undo" not in short.value.cure
    with pytest.raises(NotFound, match="does not wait any more"):
        review.look(vault.ctx, item.id[2:9])


def test_what_was_decided_is_said_to_be_so(make: Make) -> None:
    vault = ask(make, ADA)
    item = held(vault)
    decide(vault, "accept", item)
    with pytest.raises(NotFound, match="was decided"):
        decide(vault, "accept", item)


@pytest.mark.parametrize("choice", [Choice(), Choice(("d-1",), every=True), Choice(("d-1",), rule="people"), Choice(every=True, rule="poeple")])
def test_a_choice_that_makes_no_sense_is_refused(make: Make, choice: Choice) -> None:
    vault = make({"A.md": "a\n"})
    with pytest.raises(UsageError):
        review.decide(vault.ctx, "accept", choice)


def test_a_record_without_its_question_is_asked_anew(make: Make) -> None:
    vault = make(ADA)
    report = reconcile.run(vault.ctx, dry_run=True)
    vault.space.journal.append([{"kind": "held", "at": vault.ctx.at, "decision": report.held[0].item, "stage": "reconcile", "key": "k", "because": "b"}])
    assert reconcile.run(vault.ctx).is_empty
    review.apply_ticks(vault.ctx)
    reconcile.run(vault.ctx)
    (item,) = review.queue(vault.ctx).open
    assert item.question is not None and decide(vault, "accept", item).applied


@pytest.mark.parametrize("question", [
    {"verdict": {"type": "Same", "judge": "x"}, "about": [], "evidence": [], "score": 1}, "words", {"verdict": {"type": "Plan"}},
    {"verdict": {"type": "Same", "judge": "j", "reason": "r", "left": "../x", "right": 1, "quote": ""}, "about": ["a", "b"], "evidence": [], "score": 1},
    {"verdict": {"type": "Same", "judge": "j", "reason": "r", "left": "a", "right": "b", "quote": ""}, "about": ["a", "b"], "evidence": [], "score": "NaN"},
])  # fmt: skip
def test_a_forged_question_can_be_rejected_and_never_carried_out(make: Make, question: object) -> None:
    vault = make(ADA)
    before = vault.bytes()
    vault.space.journal.append([{"kind": "held", "at": vault.ctx.at, "decision": "d-0000000000", "stage": "reconcile", "key": "k", "because": "b", "question": question}])
    (item,) = review.queue(vault.ctx).open
    (refused,) = decide(vault, "accept", item).failed
    assert "Another version" in refused.why and notes_of(vault) == before
    decide(vault, "reject", item)
    assert not review.queue(vault.ctx).all


def test_a_queue_is_the_same_whoever_folds_it(make: Make) -> None:
    vault = ask(make, THREE | TWINS)
    ledger = read_ledger(vault.space.journal)
    backwards = replace_held(ledger)
    assert queue_of(ledger, 2) == queue_of(backwards, 2)


def replace_held(ledger: Ledger) -> Ledger:
    return replace(ledger, held=dict(reversed(list(ledger.held.items()))))
