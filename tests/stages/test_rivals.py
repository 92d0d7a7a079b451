"""Claims of one note that cannot both hold: a dated change closes the earlier one, the rest is a person's, and nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest

from brain.config import Limits
from brain.core.asking import Failure
from brain.core.plan import Held
from brain.errors import UsageError
from brain.stages import reconcile, review
from brain.stages.reviewing.item import Choice
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.sorter import COMPATIBLE, DOUBT, Claims, Sorter, contradicts, replaces
from tests.stages.support import Vault
from tests.stages.teller import judged

ACME = "- (fact, inferred) Works at Acme. [[2025-11-02 standup]] ^a-1"
INITECH = "- (fact, inferred) Works at Initech. (from 2026-03-04) [[2026-03-05 call]] ^a-2"
EPISODES = {f"Archive/{name}.md": "---\ntype: episode\n---\nsaid\n" for name in ("2025-11-02 standup", "2026-03-05 call")}


def ada(*bullets: str, eol: str = "\n") -> dict[str, str]:
    text = "---\ntype: entity\nkind: person\n---\n\n## Atoms\n" + "\n".join(bullets) + "\n\n## Related\n"
    return {"Ada.md": text.replace("\n", eol), **EPISODES}


def always(said: dict[str, Any]) -> Claims:
    return lambda left, right, about: said


def later_job(left: str, right: str, about: str) -> dict[str, Any]:
    """The job at Initech replaces what is set against it."""
    return replaces("B", "2026-03-04", "The job at Initech follows the one at Acme.") if "Initech" in right else COMPATIBLE



def notes_of(vault: Vault) -> dict[str, bytes]:
    return {path: data for path, data in vault.bytes().items() if not path.startswith(("Timeline/", "Memory/Review"))}


def test_a_later_job_closes_the_earlier_one_with_its_day_and_both_stay(make: Make) -> None:
    vault, chat = make(ada(ACME, INITECH)), Sorter(on_claims=later_job)
    report = reconcile.run(judged(vault, chat))
    assert vault.text("Ada.md").split("## Atoms\n")[1].splitlines()[:2] == [
        "- (fact, inferred, superseded 2026-03-04 by ^a-2) Works at Acme. (to 2026-03-04) [[2025-11-02 standup]] ^a-1", INITECH,
    ]
    assert len(report.applied) == 1 and "follows the one at Acme" in report.applied[0].plan.because
    with vault.ctx.graph.session() as graph:
        (row,) = graph.execute("MATCH (b:Atom)-[:REPLACES]->(a:Atom) RETURN b.id AS later, a.id AS earlier, a.status AS status, a.valid_to AS ended")
    assert (row["later"], row["earlier"], row["status"], row["ended"].isoformat()) == ("a-2", "a-1", "superseded", "2026-03-04")


def test_the_judge_is_shown_the_days_that_are_known(make: Make) -> None:
    chat = Sorter()
    reconcile.run(judged(make(ada(ACME, INITECH)), chat))
    assert chat.claims == [("(fact; told 2025-11-02) Works at Acme.", "(fact; from 2026-03-04; told 2026-03-05) Works at Initech.")]


def test_its_provenance_names_the_judge_and_the_line_of_the_later_claim(make: Make) -> None:
    vault = make(ada(ACME, INITECH))
    reconcile.run(judged(vault, Sorter(on_claims=later_job)))
    (record,) = vault.space.journal.records({"provenance"})
    assert (record["item"], record["judge"], record["line"], record["quote"]) == ("a-2|supersedes|a-1", "played@conflict/1", 8, INITECH)


@pytest.mark.parametrize("said", [later_job, always(contradicts()), always(DOUBT), always(COMPATIBLE)])
def test_the_second_run_asks_nothing_and_writes_nothing(make: Make, said: Claims) -> None:
    vault = make(ada(ACME, INITECH, "- (fact, inferred) Works at the mill on Sundays. ^a-3"))
    reconcile.run(judged(vault, Sorter(on_claims=said)))
    before, again = vault.bytes(), Sorter()
    report = reconcile.run(judged(vault, again))
    assert report.is_empty and again.calls == 0 and vault.bytes() == before and report.left_out == 0


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_an_undo_gives_every_byte_back_and_lasts(make: Make, eol: str) -> None:
    vault = make(ada(ACME, INITECH, eol=eol))
    before = notes_of(vault)
    reconcile.run(judged(vault, Sorter(on_claims=later_job)))
    assert notes_of(vault) != before and not undo(vault.ctx).left and notes_of(vault) == before
    again = Sorter(on_claims=later_job, model="another")
    report = reconcile.run(judged(vault, again))
    assert report.is_empty and again.claims == [] and report.declined == 1


def test_a_later_claim_without_an_id_gets_the_one_it_has_by_its_words(make: Make) -> None:
    vault = make(ada(ACME, "- (fact, inferred) Works at Initech. (from 2026-03-04)"))
    reconcile.run(judged(vault, Sorter(on_claims=later_job)))
    earlier, later = vault.text("Ada.md").split("## Atoms\n")[1].splitlines()[:2]
    name = later.rsplit("^", 1)[1]
    assert f"by ^{name})" in earlier and later == f"- (fact, inferred) Works at Initech. (from 2026-03-04) ^{name}"


@pytest.mark.parametrize("earlier", ["- (fact, verified) Works at Acme. ^a-1", "- Works at Acme. ^a-1"])
def test_what_is_verified_or_a_persons_own_bullet_is_closed_by_a_person_alone(make: Make, earlier: str) -> None:
    vault = make(ada(earlier, INITECH))
    (held,) = reconcile.run(judged(vault, Sorter(on_claims=later_job))).held
    assert earlier in vault.text("Ada.md")
    review.decide(vault.ctx, "accept", Choice((held.item,)))
    assert "superseded 2026-03-04 by ^a-2) Works at Acme." in vault.text("Ada.md")


def held_contradiction(make: Make) -> tuple[Vault, Held]:
    vault = make(ada("- (fact, inferred) The boat costs 300 a year. ^a-1", "- (fact, inferred) The boat costs 400 a year. ^a-2"))
    (held,) = reconcile.run(judged(vault, Sorter(on_claims=always(contradicts())))).held
    return vault, held


def test_a_contradiction_that_cannot_be_dated_is_put_before_a_person(make: Make) -> None:
    vault, held = held_contradiction(make)
    shown = review.look(vault.ctx, held.item)
    assert shown.choices == ("^a-1", "^a-2") and shown.problem is not None and "300" in vault.text("Ada.md")
    assert shown.item.evidence == ("^a-1: “The boat costs 300 a year.”", "^a-2: “The boat costs 400 a year.”")


def test_a_person_says_which_of_two_claims_holds(make: Make) -> None:
    vault, held = held_contradiction(make)
    before = notes_of(vault)
    assert review.decide(vault.ctx, "accept", Choice((held.item,))).failed  # not without a word on which
    review.decide(vault.ctx, "accept", Choice((held.item,)), told=("^a-1",))
    assert "superseded 2026-05-01 by ^a-1) The boat costs 400 a year. (to 2026-05-01) ^a-2" in vault.text("Ada.md")
    assert not review.queue(vault.ctx).all and not undo(vault.ctx).left and notes_of(vault) == before


def test_a_person_may_let_both_stand(make: Make) -> None:
    vault, held = held_contradiction(make)
    before = notes_of(vault)
    review.decide(vault.ctx, "reject", Choice((held.item,)))
    again = Sorter(on_claims=always(contradicts()), model="another")
    assert reconcile.run(judged(vault, again)).is_empty and again.claims == [] and notes_of(vault) == before


def test_a_question_about_a_claim_that_is_gone_is_closed(make: Make) -> None:
    vault, held = held_contradiction(make)
    vault.write("Ada.md", vault.text("Ada.md").replace("- (fact, inferred) The boat costs 300 a year. ^a-1\n", ""))
    vault.index()
    with pytest.raises(UsageError):
        review.draft_of(vault.ctx, held.item)
    review.decide(vault.ctx, "accept", Choice((held.item,)))
    assert not review.queue(vault.ctx).all


@pytest.mark.parametrize("bullets", [
    ("- (fact, inferred) Works at Acme. ^a-1", "- (fact, inferred) works at Acme ^a-2"),
    ("- (fact, inferred) Works at Acme. (to 2026-01-01) ^a-1", "- (fact, inferred) Works at Initech. (from 2026-03-04) ^a-2"),
    ("- (fact, inferred) Works at Acme. ^a-1", "- (hypothesis, inferred) Works at Initech. ^a-2"),
    ("- (fact, superseded 2026-01-01) Works at Acme. ^a-1", INITECH),
    ("- (fact, inferred) Has a red hat. ^a-1", "- (fact, inferred) Sings. ^a-2"),
])  # fmt: skip
def test_claims_that_say_the_same_or_never_meet_are_not_asked_about(make: Make, bullets: tuple[str, ...]) -> None:
    chat = Sorter()
    reconcile.run(judged(make(ada(*bullets)), chat))
    assert chat.claims == []


def test_what_rules_can_tell_needs_no_model(make: Make) -> None:
    vault = make(ada("- (fact, inferred) Lives in [[Graz]]. (from 2023-11-01) ^a-1", "- (fact, inferred) Lives in Lisbon. (from 2026-04-01) ^a-2"))
    (receipt,) = reconcile.run(vault.ctx).applied
    assert receipt.plan.provenance[0].judge == "rules/1" and reconcile.run(vault.ctx).is_empty
    assert "- (fact, inferred, superseded 2026-04-01 by ^a-2) Lives in [[Graz]]. (from 2023-11-01) (to 2026-04-01) ^a-1" in vault.text("Ada.md")


@pytest.mark.parametrize("bullets", [
    ("- (fact, inferred) Works at Acme. (from 2023-11-01) ^a-1", "- (fact, inferred) Works at Initech. (from 2026-04-01) ^a-2"),
    ("- (fact, inferred) Lives in Graz. ^a-1", "- (fact, inferred) Lives in Lisbon. (from 2026-04-01) ^a-2"),
    ("- (fact, inferred) Lives in Graz in the winter. (from 2023-11-01) ^a-1", "- (fact, inferred) Lives in Lisbon. (from 2026-04-01) ^a-2"),
    ("- (fact, inferred) Lives in Graz. (from 2023-11-01) ^a-1", "- (fact, inferred) Lives in Graz. (from 2026-04-01) ^a-2"),
])  # fmt: skip
def test_rules_guess_nothing(make: Make, bullets: tuple[str, ...]) -> None:
    vault = make(ada(*bullets))
    before = vault.bytes()
    assert reconcile.run(vault.ctx).is_empty and vault.bytes() == before


def test_three_jobs_in_a_row_are_closed_one_by_one(make: Make) -> None:
    third = "- (fact, inferred) Works at Hooli. (from 2026-04-01) ^a-3"
    vault = make(ada(ACME, INITECH, third))

    def in_order(left: str, right: str, about: str) -> dict[str, Any]:
        return replaces("B", "2026-04-01" if "Hooli" in right else "2026-03-04")

    reconcile.run(judged(vault, Sorter(on_claims=in_order)))
    first, second, last = vault.text("Ada.md").split("## Atoms\n")[1].splitlines()[:3]
    assert "superseded" in first and "by ^a-3)" in second and last == third
    again = Sorter(on_claims=in_order)
    assert reconcile.run(judged(vault, again)).is_empty and again.calls == 0


def test_no_answer_writes_nothing_is_said_and_is_asked_again(make: Make) -> None:
    vault = make(ada(ACME, INITECH))
    report = reconcile.run(judged(vault, Sorter(failure=Failure("timeout", "It took too long.", "wait longer"))))
    assert report.is_empty and report.waiting == 1 and any("claims got no answer" in notice for notice in report.notices)
    assert len(reconcile.run(judged(vault, Sorter(on_claims=later_job))).applied) == 1


@pytest.mark.parametrize("said", [None, replaces("B", None), replaces("B", "2031-01-01"), replaces("B", "2026-03-04", "see [[x]]"), {"verdict": "eats"}])
def test_a_bad_reply_writes_nothing(make: Make, said: Any) -> None:
    vault = make(ada(ACME, INITECH))
    before = notes_of(vault)
    assert reconcile.run(judged(vault, Sorter(on_claims=always(said)))).is_empty and notes_of(vault) == before


def test_what_the_limits_leave_out_is_counted_and_asked_by_later_runs(make: Make) -> None:
    jobs = [f"- (fact, inferred) Works at Place{number}. ^a-{number}" for number in range(5)]
    vault, asked = make(ada(*jobs), limits=Limits(candidates_per_note_max=6)), 0
    for _ in range(8):
        chat = Sorter()
        report = reconcile.run(judged(vault, chat, pairs_per_call_max=2), limit=2)
        asked += len(chat.claims)
        if not chat.claims:
            break
    assert asked == 6 and report.left_out == 4


def test_a_dry_run_shows_the_change_and_writes_no_note(make: Make) -> None:
    vault = make(ada(ACME, INITECH))
    before = vault.bytes()
    report = reconcile.run(judged(vault, Sorter(on_claims=later_job), keeps=False), dry_run=True)
    assert len(report.applied) == 1 and report.applied[0].patches and vault.bytes() == before
