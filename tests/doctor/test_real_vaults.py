"""Doctor over vaults that others wrote: every finding stands where it says, and has a cure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from brain.doctor.checks import examine
from brain.doctor.codes import CODES
from brain.sync.run import sync
from brain.vault.parse import decode
from tests.laws.support import NOW, space_of

FOLDER = Path(os.environ.get("BRAIN_FIXTURES", Path(__file__).parents[3] / "shared")) / "vaults"
OF_LINKS = ("broken-link", "ambiguous-link", "broken-anchor", "missing-asset")


@pytest.mark.slow
@pytest.mark.parametrize("place", [p for p in sorted(FOLDER.iterdir()) if p.is_dir()] if FOLDER.is_dir() else [], ids=lambda place: place.name)
def test_a_finding_stands_on_the_line_that_it_names(place: Path, tmp_path: Path, engine: str) -> None:
    root = Path(shutil.copytree(place, tmp_path / "vault", symlinks=True))
    space = space_of(root, engine)
    sync(space, now=NOW)
    findings = examine(space)
    assert [finding for finding in findings if finding.code not in CODES or not finding.cure or not finding.message.endswith(".")] == []
    lines = {path: decode((root / path).read_bytes())[0].split("\n") for path in {f.path for f in findings if f.line}}
    misplaced = [f for f in findings if f.code in OF_LINKS and f.message.partition(" leads to ")[0].partition("\n")[0] not in lines[f.path][f.line - 1]]
    assert misplaced == []
