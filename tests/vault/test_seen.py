"""The numbers that tell whether a file changed fit the catalog, whatever a file system says."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.scan import WHOLE_MAX, seen_of
from tests.laws.support import space_of


@pytest.mark.parametrize("year", [1600, 1969, 2262, 2300])
def test_a_file_of_any_year_is_indexed(tmp_path: Path, engine: str, year: int) -> None:
    space: Space = space_of(tmp_path / "vault", engine)
    note = tmp_path / "vault" / "A.md"
    note.parent.mkdir()
    note.write_text("x")
    moment = datetime(year, 6, 1, tzinfo=UTC).timestamp()
    os.utime(note, (moment, moment))
    assert sync(space).notes == 1 and not sync(space).changed


@pytest.mark.parametrize(("number", "kept"), [(7, 7), (WHOLE_MAX, WHOLE_MAX), (WHOLE_MAX + 6, 5), (2**64 - 1, WHOLE_MAX)])
def test_an_inode_is_folded_into_what_the_catalog_can_hold(number: int, kept: int) -> None:
    status = os.stat_result((0o100644, number, 1, 1, 0, 0, 5, 1, 1, 1), {"st_mtime_ns": 1, "st_ctime_ns": 1})
    assert seen_of("A.md", status).inode == kept
