"""One small vault, indexed once, and a copy of it for each test that writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.commands.support import run

NOTES = {
    "brain.toml": '# mine\nowner = "Ada"\n',
    "House.md": "# House\n\nWhere everything stands: [[Home Server]].\n",
    "Home Server.md": "---\nkind: project\naliases: [Basement box]\ntags: [infra/backup]\n---\n# Home Server\n\n"
    "The old laptop runs the backups.\n\n## Related\n- part_of:: [[House]] - it stands in the cellar\n",
    "Projects/Plan.md": "# Plan\n\nThe first plan, for [[Nobody]].\n",
    "Archive/Plan.md": "# Plan\n\nThe second plan.\n",
    "Index.md": "# Index\n\nSee [[Plan]].\n",
    "Evil.md": "# Zebra\n\nzebra \x1b[31mred\x1b[0m bell\x07 csi\x9b31m bidi\u202e del\x7f end [[Home\x1bServer]]\n",
}


def make(root: Path) -> Path:
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    assert run("index", vault=root).code == 0
    return root


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed vault that no test writes notes to."""
    return make(tmp_path_factory.mktemp("library") / "vault")


@pytest.fixture
def vault(library: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    return Path(shutil.copytree(library, tmp_path / "vault"))
