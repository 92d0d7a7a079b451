"""A sync that waited for the vault works on the catalog that is there then, not on one that was thrown away meanwhile."""

from __future__ import annotations

import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.lock import VaultLock
from tests.laws.support import NOW, rebuilt_state, space_of, state_of

PATIENCE_S = 120.0


@pytest.fixture
def spaces(tmp_path: Path, engine: str) -> tuple[Space, Space]:
    """One vault, opened twice as by two commands that wait long for each other."""
    root = tmp_path / "vault"
    root.mkdir()
    spaces = [space_of(root, engine) for _ in range(2)]
    first, second = (replace(space, lock=VaultLock(space.layout.lock_path, PATIENCE_S)) for space in spaces)
    return first, second


@pytest.mark.parametrize("how", ["made anew", "deleted and made anew"])
def test_a_sync_that_waited_writes_into_the_catalog_that_took_its_place(spaces: tuple[Space, Space], how: str) -> None:
    waiting, other = spaces
    note = waiting.vault.root / "A.md"
    note.write_text("first words\n")
    sync(waiting, now=NOW)
    note.write_text("second words\n")
    begun = threading.Thread(target=sync, args=(waiting,), kwargs={"now": NOW})
    with other.lock.exclusive("a test"):
        begun.start()
        time.sleep(1.0)  # by now it has looked at the catalog, and waits
        assert begun.is_alive()
        if how == "deleted and made anew":
            shutil.rmtree(other.layout.index)
        sync(other, full=True, now=NOW)
        note.write_text("third words, that only the one that waits can find\n")
    begun.join(PATIENCE_S)
    assert not begun.is_alive()
    assert words(other) == ["third words, that only the one that waits can find\n"]
    assert state_of(other) == rebuilt_state(other)


def words(space: Space) -> list[str]:
    with space.catalog() as conn:
        return [body for (body,) in conn.execute("SELECT body FROM text_doc")]
