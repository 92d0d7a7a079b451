"""An empty vault, without embeddings and with the lexical ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.sync.space import Space
from tests.laws.support import space_of


@pytest.fixture
def space(tmp_path: Path, engine: str) -> Space:
    root = tmp_path / "vault"
    root.mkdir()
    return space_of(root, engine)


@pytest.fixture
def lexical(tmp_path: Path, engine: str) -> Space:
    root = tmp_path / "vault"
    root.mkdir()
    return space_of(root, engine, "lexical")
