"""Shared by all tests: offline, one graph engine per run (the two cannot live in one process)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("BRAIN_MACHINE", "m-test")
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
settings.load_profile("house")


@pytest.fixture(scope="session")
def engine() -> str:
    """The engine this run is for: `BRAIN_ENGINE`, else Kuzu."""
    return os.environ.get("BRAIN_ENGINE", "kuzu")


@pytest.fixture
def fixtures() -> Path:
    """Real vaults and peers' fixtures, when they lie beside the checkout."""
    folder = Path(os.environ.get("BRAIN_FIXTURES", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip("no fixture vaults beside the checkout")
    return folder
