"""A nightly run: its pace, its record, and that one stage's trouble does not keep the next from running."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.errors import Locked, UsageError
from brain.stages.governor import Pace
from brain.stages.night import Stage, last_night, night, one_at_a_time
from brain.stages.report import RunReport
from tests.stages.support import Vault, bare_vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return bare_vault(tmp_path / "v", {})


def counting(name: str, limits: list[int | None]) -> tuple[str, Stage]:
    def stage(limit: int | None) -> RunReport:
        limits.append(limit)
        return RunReport(name, f"r-{name}", found=3, left_out=2)

    return name, stage


def failing(name: str) -> tuple[str, Stage]:
    def stage(limit: int | None) -> RunReport:
        raise UsageError("The disk is full.", "free some space")

    return name, stage


@pytest.mark.parametrize(
    ("pace", "limit", "expected"),
    [(Pace("green"), None, [None, None]), (Pace("green"), 0, [0, 0]), (Pace("amber"), None, [25, 25]), (Pace("amber"), 8, [4, 4]), (Pace("red"), None, [])],
)
def test_the_pace_decides_how_much_each_stage_does(vault: Vault, pace: Pace, limit: int | None, expected: list[int | None]) -> None:
    limits: list[int | None] = []
    reports = list(night(vault.ctx, [counting("walk", limits), counting("link", limits)], pace, limit=limit, dry_run=False))
    assert limits == expected
    assert [report.stage for report in reports] == ["walk", "link"]


def test_what_a_night_did_and_could_not_do_is_on_record(vault: Vault) -> None:
    limits: list[int | None] = []
    with pytest.raises(UsageError):
        list(night(vault.ctx, [failing("walk"), counting("link", limits)], Pace("amber", "Every limit is halved."), limit=None, dry_run=False))
    found = last_night(vault.space.journal)
    assert found is not None
    assert [line["stage"] for line in found["stages"]] == ["link"]
    assert found["unfinished"] == ["Every limit is halved.", "walk ended early: The disk is full.", "link: 2 left for the next run"]


def test_a_dry_night_leaves_no_record(vault: Vault) -> None:
    list(night(vault.ctx, [counting("walk", [])], Pace("green"), limit=None, dry_run=True))
    assert last_night(vault.space.journal) is None


def test_two_nights_at_once_are_one_too_many_and_writing_goes_on_beside_one(vault: Vault) -> None:
    with one_at_a_time(vault.ctx):
        with pytest.raises(Locked), one_at_a_time(vault.ctx):
            pass
        with vault.ctx.lock.exclusive("a person's edit"):
            pass
    with one_at_a_time(vault.ctx):
        pass
