"""Whole vaults before and after a stage: `tests/golden/<stage>-<name>/{before,after}` can be opened in an editor.

Run with `BRAIN_GOLDEN=write` to write `after` anew; read the diff before keeping it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.stages import link, reconcile, walk
from brain.stages.ledger import KINDS
from brain.stages.report import RunReport
from brain.stages.undo import undo
from tests.models.judging import Played
from tests.stages.reader import reading, saying_of
from tests.stages.support import Vault, make_vault

GOLDEN = Path(__file__).parents[1] / "golden"
STAGES = {"walk": walk.run, "reconcile": reconcile.run, "link": link.run}
Stage = Callable[..., RunReport]
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.name.partition("-")[0] in STAGES)


def notes_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.md"))}


def stage_of(folder: Path, vault: Vault) -> Stage:
    """The stage of a case, with a model that says what the case's `answers.json` holds, if it has one."""
    stage, answers = STAGES[folder.name.partition("-")[0]], folder / "answers.json"
    if not answers.exists():
        return lambda _, **more: stage(vault.ctx, **more)
    told = json.loads(answers.read_text("utf-8"))
    return lambda _, **more: stage(reading(vault, Played(saying_of(told["atoms"], told["actions"]))), **more)


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path, engine: str) -> tuple[Path, Vault]:
    folder = GOLDEN / str(request.param)
    shutil.copytree(folder / "before", tmp_path / "vault")
    return folder, make_vault(tmp_path / "vault", {}, engine=engine)


def test_a_stage_turns_before_into_after(case: tuple[Path, Vault]) -> None:
    folder, vault = case
    stage_of(folder, vault)(vault.ctx)
    if os.environ.get("BRAIN_GOLDEN") == "write":
        shutil.rmtree(folder / "after", ignore_errors=True)
        for path, data in vault.bytes().items():
            place = folder / "after" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    assert vault.bytes() == notes_in(folder / "after")


def test_the_second_run_plans_nothing(case: tuple[Path, Vault]) -> None:
    folder, vault = case
    stage = stage_of(folder, vault)
    assert stage(vault.ctx).applied
    vault.index()
    before = vault.bytes()
    assert stage(vault.ctx).is_empty and vault.bytes() == before


def test_undo_gives_every_byte_back_and_lasts(case: tuple[Path, Vault]) -> None:
    folder, vault = case
    stage = stage_of(folder, vault)
    stage(vault.ctx)
    report = undo(vault.ctx)
    assert report.undone and not report.left
    assert vault.bytes() == notes_in(folder / "before")
    vault.index()
    assert stage(vault.ctx).is_empty


def test_a_dry_run_shows_the_same_plans_and_writes_nothing(case: tuple[Path, Vault]) -> None:
    folder, vault = case
    stage = stage_of(folder, vault)
    dry = stage(vault.ctx, dry_run=True)
    assert vault.bytes() == notes_in(folder / "before") and vault.space.journal.records(set(KINDS)) == []
    wet = stage(vault.ctx)
    assert [r.patches for r in dry.applied] == [r.patches for r in wet.applied][: len(dry.applied)] and dry.applied
