"""Items that hold no longer are said by their reasons, and a note that the settings leave out now is not called gone."""

from __future__ import annotations

from dataclasses import replace

from brain.stages import reconcile, review
from brain.stages.context import context_of
from brain.stages.listing import REASONS_SHOWN_MAX, closed_words, noted
from brain.stages.report import RunReport
from brain.sync.run import sync
from brain.sync.space import open_space
from tests.stages.conftest import Make
from tests.stages.support import NOW, FixedClock

ADA = "---\nkind: person\nemail: ada@example.org\n---\n"
MIRA = "---\nkind: person\nemail: mira@example.org\n---\n"


def test_one_item_is_named_and_several_of_one_reason_are_counted() -> None:
    assert closed_words({"d-1": "it rains"}) == ["d-1 is closed: it rains."]
    assert closed_words({"d-1": "it rains", "d-2": "it snows", "d-3": "it rains"}) == ["2 questions are closed: it rains.", "d-2 is closed: it snows."]
    assert closed_words({}) == []


def test_reasons_beyond_a_few_are_counted() -> None:
    said = closed_words({f"d-{number}": f"reason {number}" for number in range(REASONS_SHOWN_MAX + 3)})
    assert len(said) == REASONS_SHOWN_MAX + 1 and said[-1] == "3 more are closed, each for another reason."


def test_notes_that_are_excluded_now_are_not_gone(make: Make) -> None:
    notes = {f"Old/{name}.md": f"{front}{name}\n" for front, names in ((ADA, ("Ada Lind", "Lind, Ada")), (MIRA, ("Mira Berg", "Berg, Mira"))) for name in names}
    vault = make(notes)
    reconcile.run(vault.ctx)
    assert len(review.queue(vault.ctx).all) == 2
    space = open_space(vault.root, replace(vault.space.config, exclude=("Old",)), FixedClock(), environ={"BRAIN_MACHINE": "m-test"})
    sync(space, embed=False, now=NOW)
    report = noted(context_of(space, now=NOW), RunReport("reconcile", "r-1"))
    assert report.notices == ("2 questions are closed: one of its notes is excluded by the settings now.",)
    assert not review.queue(vault.ctx).all
