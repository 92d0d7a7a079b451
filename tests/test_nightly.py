"""A nightly run of a whole vault: its steps in order, what it would cost, and the step that a setting adds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain import Brain
from brain.facade.tending import STAGES

Open = Callable[..., Brain]
CLAIM = "- (fact, inferred) The hull is red and long. [[{}]] ^a-{}\n"
CROWDED = "---\ntype: entity\nkind: project\n---\n\n## Atoms\n" + "".join(CLAIM.format(name, name.lower()) for name in "ABC")
RIVALS = "---\ntype: entity\nkind: person\n---\n\n## Atoms\n- (fact, inferred) Works at Acme. ^a-1\n- (fact, inferred) Works at Initech. ^a-2\n"


class FixedClock:
    """Always the same instant."""

    def __init__(self, day: int = 1) -> None:
        self.day = day

    def now(self) -> datetime:
        return datetime(2026, 5, self.day, 12, 0, tzinfo=UTC)


@pytest.fixture
def opened(tmp_path: Path, engine: str) -> Open:
    def brain(notes: dict[str, str], settings: str = "", *, day: int = 1, **environ: str) -> Brain:
        root = tmp_path / "vault"
        root.mkdir(exist_ok=True)
        (root / "brain.toml").write_text(settings)
        for path, text in notes.items():
            (root / path).write_text(text)
        return Brain.open(root, clock=FixedClock(day), environ={"BRAIN_EMBED_MODEL": "none", "BRAIN_MACHINE": "m-test", "BRAIN_ENGINE": engine, **environ})

    return brain


def claims(brain: Brain) -> int:
    return (brain.root / "Boat.md").read_text().count("\n- (fact")


def test_a_setting_adds_consolidation_after_the_stages(opened: Open) -> None:
    brain = opened({"Boat.md": CROWDED}, "[maintain]\nconsolidate_above = 1\n")
    assert [report.stage for report in brain.maintain()] == [*STAGES, "consolidate"]
    assert claims(brain) == 1
    assert all(report.is_empty for report in brain.maintain())


def test_without_the_setting_nothing_is_consolidated(opened: Open) -> None:
    brain = opened({"Boat.md": CROWDED})
    assert [report.stage for report in brain.maintain()] == list(STAGES) and claims(brain) == 3


def test_a_dry_run_of_all_steps_changes_nothing(opened: Open) -> None:
    brain = opened({"Boat.md": CROWDED}, "[maintain]\nconsolidate_above = 1\n")
    (last,) = [report for report in brain.maintain(dry_run=True) if report.stage == "consolidate"]
    assert last.applied and last.dry_run and claims(brain) == 3


@pytest.mark.parametrize(("tier", "folds"), [("green", 2), ("amber", 1), ("red", 0)])
def test_the_pace_and_the_limit_hold_for_consolidation_too(opened: Open, tier: str, folds: int) -> None:
    second = CROWDED.replace("hull", "keel").replace("^a-", "^k-")
    brain = opened({"Boat.md": CROWDED, "Keel.md": second}, f'[maintain]\nconsolidate_above = 1\n[governor]\ntier = "{tier}"\n')
    (last,) = [report for report in brain.maintain(limit=2) if report.stage == "consolidate"]
    assert len(last.applied) == folds


def test_an_estimate_counts_the_questions_about_claims(opened: Open) -> None:
    alone = opened({"Ada.md": RIVALS.replace("- (fact, inferred) Works at Initech. ^a-2\n", "")}, LLM_COMMAND="false").estimate()
    rivals = opened({"Ada.md": RIVALS}, LLM_COMMAND="false").estimate()
    assert alone is not None and rivals is not None and (alone.calls, rivals.calls) == (0, 1)


def test_an_estimate_counts_what_consolidation_would_ask(opened: Open) -> None:
    two = "- (fact, inferred) The red hull is long. ^a-1\n- (fact, inferred) The long hull of the boat is painted red. ^a-2\n"
    notes = {"Boat.md": CROWDED.partition("- (fact")[0] + two}
    without = opened(notes, LLM_COMMAND="false").estimate()
    asked = opened(notes, "[maintain]\nconsolidate_above = 1\n", LLM_COMMAND="false").estimate()
    assert without is not None and asked is not None and asked.calls == without.calls + 1


def notices(brain: Brain, *, dry_run: bool = False) -> list[str]:
    return [notice for report in brain.maintain(dry_run=dry_run) for notice in report.notices if "backup" in notice]


def test_a_night_makes_a_backup_when_one_is_due_and_says_so_once(opened: Open) -> None:
    brain = opened({"Boat.md": CROWDED})
    assert notices(brain, dry_run=True) == [] and brain.backups() == ()
    (said,) = notices(brain)
    (made,) = brain.backups()
    assert made.path.name in said and "verified" in said
    assert notices(brain) == [] and len(brain.backups()) == 1


def test_a_setting_says_how_often_and_how_many_are_kept(opened: Open) -> None:
    never = opened({"Boat.md": CROWDED}, "[backup]\nevery_days = 0\n")
    assert notices(never) == [] and never.backups() == ()
    for at in range(1, 5):
        brain = opened({}, "[backup]\nevery_days = 2\nkeep = 2\n", day=3 * at)
        assert notices(brain)
    assert [backup.at[:10] for backup in brain.backups()] == ["2026-05-12", "2026-05-09"]


def test_a_backup_that_cannot_be_made_is_said_and_the_night_goes_on(opened: Open) -> None:
    brain = opened({"Boat.md": CROWDED})
    (brain.root / ".brain").mkdir(exist_ok=True)
    (brain.root / ".brain" / "backups").write_text("no folder", "utf-8")
    reports = list(brain.maintain())
    assert [report.stage for report in reports] == list(STAGES)
    assert reports[0].notices[0].startswith("no backup was made: ")
