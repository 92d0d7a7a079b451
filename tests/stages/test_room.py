"""A full list of questions: a stronger pair takes the place of the weakest one, which waits; what a person looked at stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.config import Limits
from brain.core.plan import Held
from brain.stages import reconcile, review
from brain.stages.report import RunReport
from brain.stages.reviewing.item import Choice
from tests.stages.conftest import Make
from tests.stages.support import Vault

PAPER = "---\ntype: paper\n---\n"
ONE = Limits(review_items_max=1)
WEAK = {"a/Green Harbour.md": f"{PAPER}On the harbour.\n", "b/Green Harbour.md": f"{PAPER}Of another thing.\n"}
STRONG = {
    "a/Blue Lantern Bridge.md": f"{PAPER}aliases below\nThe bridge of the river Orm was built in 1911 by Halvard Quist.\n",
    "b/Blue Lantern Bridge.md": f"{PAPER}The bridge of the river Orm was built in 1911 by Halvard Quist.\n",
}


def asked(vault: Vault) -> list[str]:
    return [Path(item.question.verdict.left).name for item in review.queue(vault.ctx).open if item.question]  # type: ignore[union-attr]


def with_strong(vault: Vault) -> RunReport:
    for path, text in STRONG.items():
        vault.write(path, text)
    vault.index()
    return reconcile.run(vault.ctx)


def test_a_stronger_late_pair_takes_the_place_of_a_weaker_one_which_waits(make: Make) -> None:
    vault = make(WEAK, limits=ONE)
    reconcile.run(vault.ctx)
    assert asked(vault) == ["Green Harbour.md"]
    report = with_strong(vault)
    assert asked(vault) == ["Blue Lantern Bridge.md"] and len(review.queue(vault.ctx).all) == 1
    assert (len(report.held), report.waiting) == (1, 2) and "1 waiting for room" in " ".join(report.notices)
    assert reconcile.run(vault.ctx).is_empty


def test_what_gave_way_comes_back_when_there_is_room(make: Make) -> None:
    vault = make(WEAK, limits=ONE)
    reconcile.run(vault.ctx)
    with_strong(vault)
    (item,) = review.queue(vault.ctx).open
    review.decide(vault.ctx, "reject", Choice((item.id,)))
    reconcile.run(vault.ctx)
    assert asked(vault) == ["Green Harbour.md"]


@pytest.mark.parametrize("look", [review.look, review.draft_of])
def test_a_question_that_a_person_looked_at_keeps_its_place(make: Make, look: object) -> None:
    vault = make(WEAK, limits=ONE)
    reconcile.run(vault.ctx)
    (item,) = review.queue(vault.ctx).open
    look(vault.ctx, item.id)  # type: ignore[operator]
    look(vault.ctx, item.id)  # type: ignore[operator]
    report = with_strong(vault)
    assert asked(vault) == ["Green Harbour.md"] and report.is_empty and report.waiting == 2
    assert len(vault.space.journal.records({"looked"})) == 1


def test_a_weaker_late_pair_waits(make: Make) -> None:
    vault = make(STRONG, limits=ONE)
    reconcile.run(vault.ctx)
    for path, text in WEAK.items():
        vault.write(path, text)
    vault.index()
    report = reconcile.run(vault.ctx)
    assert asked(vault) == ["Blue Lantern Bridge.md"] and report.is_empty and report.waiting == 2


def test_a_dry_run_shows_it_and_changes_nothing(make: Make) -> None:
    vault = make(WEAK, limits=ONE)
    reconcile.run(vault.ctx)
    for path, text in STRONG.items():
        vault.write(path, text)
    vault.index()
    report = reconcile.run(vault.ctx, dry_run=True)
    assert [type(receipt) for receipt in report.receipts] == [Held] and asked(vault) == ["Green Harbour.md"]
