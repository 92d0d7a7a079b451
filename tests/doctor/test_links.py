"""Which links doctor complains of."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.doctor.checks import examine
from brain.sync.run import sync
from tests.laws.support import NOW, space_of


@pytest.fixture
def complaints(tmp_path: Path, engine: str) -> dict[str, str]:
    root = tmp_path / "vault"
    (root / "deep" / "pictures").mkdir(parents=True)
    (root / "LICENSE").write_text("free\n", "utf-8")
    (tmp_path / "outside").write_text("not ours\n", "utf-8")
    (root / "deep" / "A.md").write_text(
        "[a](../LICENSE)\n[b](/LICENSE)\n[c](pictures/)\n[[LICENSE]]\n[d](NOTICE)\n[e](../../outside)\n[[Nobody]]\n", "utf-8"
    )
    space = space_of(root, engine)
    sync(space, now=NOW)
    return {str(finding.line): finding.message for finding in examine(space) if finding.code == "broken-link"}


def test_a_link_to_a_file_or_folder_that_is_there_is_not_broken(complaints: dict[str, str]) -> None:
    assert not {"1", "2", "3", "4"} & complaints.keys()


def test_a_link_to_nothing_or_out_of_the_vault_is(complaints: dict[str, str]) -> None:
    assert complaints == {
        "5": "[d](NOTICE) leads to no note.", "6": "[e](../../outside) leads to no note.", "7": "[[Nobody]] leads to no note.",
    }  # fmt: skip
