"""What the last nightly run left undone is named until a run leaves nothing."""

from __future__ import annotations

from pathlib import Path

from brain.doctor.checks import examine
from brain.stages.governor import Pace
from brain.stages.night import night
from brain.stages.report import RunReport
from tests.stages.support import Vault, bare_vault


def codes(vault: Vault) -> list[str]:
    return [finding.code for finding in examine(vault.space)]


def test_what_was_left_is_named_until_a_night_leaves_nothing(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path / "v", {})
    assert "unfinished-night" not in codes(vault)
    list(night(vault.ctx, [("walk", lambda _: RunReport("walk", "r-1", left_out=4))], Pace("green"), limit=None, dry_run=False))
    (finding,) = [found for found in examine(vault.space) if found.code == "unfinished-night"]
    assert finding.message.endswith("walk: 4 left for the next run")
    list(night(vault.ctx, [("walk", lambda _: RunReport("walk", "r-1"))], Pace("green"), limit=None, dry_run=False))
    assert "unfinished-night" not in codes(vault)
