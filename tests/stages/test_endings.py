"""Relations that are over: the line says until when and stays, the graph follows, and nothing is guessed."""

from __future__ import annotations

from datetime import date

import pytest

from brain.config import Limits
from brain.stages import reconcile, review, walk
from brain.stages.reviewing.item import Choice
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

PLACES = {"Acme.md": "---\ntype: entity\nkind: organization\n---\n", "Initech.md": "---\ntype: entity\nkind: organization\n---\n", "Globex.md": "x\n"}
ACME = "- works_at:: [[Acme]] - told in the standup (from 2020-01-01)"
INITECH = "- works_at:: [[Initech]] - told in the call (from 2026-03-04)"


def ada(*lines: str, atoms: tuple[str, ...] = (), kind: str = "person", eol: str = "\n") -> dict[str, str]:
    text = "\n".join(["---", "type: entity", f"kind: {kind}", "---", "Old friend.", "", "## Atoms", *atoms, "", "## Related", *lines, "", "## More", "end", ""])
    return {"Ada.md": text.replace("\n", eol), **PLACES}


def ends_in_graph(vault: Vault) -> dict[str, date | None]:
    with vault.ctx.graph.session() as graph:
        rows = graph.execute("MATCH (:Note {path: 'Ada.md'})-[e:EDGE]->(t:Note) RETURN t.path AS path, e.valid_to AS ended ORDER BY path")
    return {row["path"]: row["ended"] for row in rows}


def related(vault: Vault) -> list[str]:
    return [line for line in vault.text("Ada.md").splitlines() if "::" in line]


@pytest.mark.parametrize("relation", ["works_at", "located_at"])
def test_a_second_job_or_place_is_only_asked_about_as_a_person_may_have_two_at_once(make: Make, relation: str) -> None:
    vault = make(ada(*(line.replace("works_at", relation) for line in (ACME, INITECH))))
    before = vault.bytes()
    report = reconcile.run(vault.ctx)
    assert vault.bytes()["Ada.md"] == before["Ada.md"] and report.applied == ()
    (held,) = report.held
    assert "may have ended on 2026-03-04" in held.plan.because and reconcile.run(vault.ctx).is_empty


def test_a_person_who_accepts_ends_the_earlier_job(make: Make) -> None:
    vault = make(ada(ACME, INITECH))
    reconcile.run(vault.ctx)
    (item,) = review.queue(vault.ctx).open
    review.decide(vault.ctx, "accept", Choice((item.id,)))
    assert related(vault) == ["- works_at:: [[Acme]] - told in the standup (from 2020-01-01) (to 2026-03-04)", INITECH]
    assert ends_in_graph(vault)["Acme.md"] == date(2026, 3, 4) and reconcile.run(vault.ctx).is_empty


def test_a_person_who_rejects_is_not_asked_again(make: Make) -> None:
    vault = make(ada(ACME, INITECH))
    reconcile.run(vault.ctx)
    (item,) = review.queue(vault.ctx).open
    review.decide(vault.ctx, "reject", Choice((item.id,)))
    report = reconcile.run(vault.ctx)
    assert related(vault) == [ACME, INITECH] and (report.applied, report.held, review.queue(vault.ctx).all) == ((), (), ())


def test_a_question_about_a_job_that_a_person_ended_is_none_any_more(make: Make) -> None:
    vault = make(ada(ACME, INITECH))
    reconcile.run(vault.ctx)
    vault.write("Ada.md", vault.text("Ada.md").replace("(from 2020-01-01)", "(from 2020-01-01) (to 2025-12-31)"))
    vault.index()
    (item,) = review.queue(vault.ctx).open
    review.decide(vault.ctx, "accept", Choice((item.id,)))
    assert related(vault)[0].endswith("(to 2025-12-31)")


def test_a_full_list_of_questions_lets_jobs_wait_and_says_so(make: Make) -> None:
    vault = make(ada(ACME, INITECH, "- works_at:: [[Globex]] (from 2022-02-02)"), limits=Limits(review_items_max=1))
    report = reconcile.run(vault.ctx)
    assert (len(report.held), report.waiting) == (1, 1) and "1 relation may have ended, and waits for room" in " ".join(report.notices)


def test_each_of_three_ends_when_the_next_begins(make: Make) -> None:
    vault = make(ada(INITECH, ACME, "- works_at:: [[Globex]] (from 2022-02-02)"))
    reconcile.run(vault.ctx)
    review.decide(vault.ctx, "accept", Choice((), every=True))
    assert ends_in_graph(vault) == {"Acme.md": date(2022, 2, 2), "Globex.md": date(2026, 3, 4), "Initech.md": None}


CLOSED = "- (fact, inferred, superseded 2026-03-04 by ^a-2) Works at [[Acme]]. (to 2026-03-04) ^a-1"


def closed(line: str = "- works_at:: [[Acme]] - told", eol: str = "\n") -> dict[str, str]:
    return ada(line, atoms=(CLOSED, "- (fact, inferred) Works at Initech. ^a-2"), eol=eol)


def test_a_relation_whose_claim_was_closed_ends_with_it(make: Make) -> None:
    vault = make(closed())
    report = reconcile.run(vault.ctx)
    assert related(vault) == ["- works_at:: [[Acme]] - told (to 2026-03-04)"] and reconcile.run(vault.ctx).is_empty
    (source,) = report.applied[0].plan.provenance
    assert (source.quote, source.judge, report.found) == (CLOSED, "rules/1", 1)


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_an_undo_gives_every_byte_back_and_lasts(make: Make, eol: str) -> None:
    vault = make(closed(eol=eol))
    before = vault.bytes()["Ada.md"]
    run = reconcile.run(vault.ctx).run
    assert vault.bytes()["Ada.md"] == before.replace(b"- told", b"- told (to 2026-03-04)") and ends_in_graph(vault)["Acme.md"] == date(2026, 3, 4)
    undo(vault.ctx, run)
    assert vault.bytes()["Ada.md"] == before and ends_in_graph(vault)["Acme.md"] is None
    assert reconcile.run(vault.ctx).applied == () and vault.bytes()["Ada.md"] == before


def test_a_dry_run_shows_it_and_writes_nothing(make: Make) -> None:
    vault = make(closed())
    before = vault.bytes()
    assert len(reconcile.run(vault.ctx, dry_run=True).applied) == 1 and vault.bytes() == before


@pytest.mark.parametrize(
    "lines",
    [
        ("- works_at:: [[Acme]]", INITECH), (ACME, "- works_at:: [[Initech]]"), (ACME, "- works_at:: [[Initech]] (from 2020-01-01)"),
        ("- member_of:: [[Acme]] (from 2020-01-01)", "- member_of:: [[Initech]] (from 2026-03-04)"),
        ("- works_at:: [[Acme]] (from 2020-01-01) (to 2021-01-01)", INITECH), (ACME, "- located_at:: [[Initech]] (from 2026-03-04)"),
        (ACME, "- works_at:: [[Acme]] - again (from 2024-01-01)", INITECH), ("- works_at:: [[Acme]] (from 2026-02-31)", INITECH),
    ],
)  # fmt: skip
def test_what_days_do_not_tell_stays_open(make: Make, lines: tuple[str, ...]) -> None:
    vault = make(ada(*lines))
    assert reconcile.run(vault.ctx).is_empty and related(vault) == list(lines)


def test_a_thing_that_is_no_person_may_be_in_two_places(make: Make) -> None:
    vault = make(ada("- located_at:: [[Acme]] (from 2020-01-01)", "- located_at:: [[Initech]] (from 2026-03-04)", kind="organization"))
    assert reconcile.run(vault.ctx).is_empty


def test_days_before_the_reason_are_ended_there(make: Make) -> None:
    vault = make(closed("- works_at:: [[Acme]] (from 2020-01-01) - told"))
    reconcile.run(vault.ctx)
    assert related(vault) == ["- works_at:: [[Acme]] (from 2020-01-01) (to 2026-03-04) - told"]


def test_a_line_of_two_links_cannot_say_it_and_is_named(make: Make) -> None:
    vault = make(ada("- works_at:: [[Acme]], [[Globex]] (from 2020-01-01)", INITECH))
    report = reconcile.run(vault.ctx)
    assert report.is_empty and "cannot say so" in " ".join(report.notices)


@pytest.mark.parametrize(
    ("line", "atoms"),
    [
        ("- works_at:: [[Acme]] - told", (CLOSED, "- (fact, inferred) Works at Acme again. ^a-2")),
        ("- works_at:: [[Acme]] (from 2026-04-01)", (CLOSED,)),
        ("- works_at:: [[Acme]]", (CLOSED.replace("Works at", "Left"),)),
        ("- works_at:: [[Acme]]", (CLOSED.replace("[[Acme]]", "Acmeville"),)),
        ("- created_by:: [[Acme]]", (CLOSED,)),
    ],
)  # fmt: skip
def test_a_closed_claim_ends_only_the_relation_that_it_says(make: Make, line: str, atoms: tuple[str, ...]) -> None:
    vault = make(ada(line, atoms=atoms))
    assert reconcile.run(vault.ctx).is_empty and related(vault) == [line]


def test_a_relation_outside_the_section_is_a_persons_own(make: Make) -> None:
    notes = ada(INITECH)
    notes["Ada.md"] = notes["Ada.md"].replace("Old friend.", "works_at:: [[Acme]] (from 2020-01-01)")
    vault = make(notes)
    assert reconcile.run(vault.ctx).is_empty


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("[[Ada]] works_at:: [[Acme]] - told at lunch (from 2020-01-01)", "- works_at:: [[Acme]] - told at lunch (from 2020-01-01)"),
        ("[[Ada]] works_at:: [[Acme]] (from 2020-01-01) - told at lunch", "- works_at:: [[Acme]] - told at lunch (from 2020-01-01)"),
        ("[[Ada]] works_at:: [[Acme]] (from 2020-01-01) (to 2021-01-01)", "- works_at:: [[Acme]] - written in E (from 2020-01-01) (to 2021-01-01)"),
        ("[[Ada]] works_at:: [[Acme]] - told (once)", "- works_at:: [[Acme]] - told (once)"),
    ],
)  # fmt: skip
def test_a_walk_keeps_the_reason_and_the_days_of_a_relation(make: Make, written: str, kept: str) -> None:
    vault = make({**ada(), "Inbox/E.md": f"---\ntype: episode\n---\n{written}\n"})
    walk.run(vault.ctx)
    assert related(vault) == [kept]
