"""One vault per test, on the engine of this run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.stages.support import Vault, make_vault

Make = Callable[..., Vault]


@pytest.fixture
def make(tmp_path: Path, engine: str) -> Make:
    """Writes notes into a new vault and indexes it."""

    def made(notes: Mapping[str, str], **settings: object) -> Vault:
        return make_vault(tmp_path / "vault", notes, engine=engine, **settings)

    return made
