"""A vault on the engine of this run, and the verbs of `Brain` on it: names are looked up as a person gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from brain.facade import Brain
from tests.stages.support import Vault, make_vault


@dataclass(frozen=True)
class Held:
    """A vault in a person's hands."""

    vault: Vault
    brain: Brain

    def text(self, path: str) -> str:
        return self.vault.text(path)

    def write(self, path: str, text: str) -> None:
        self.vault.write(path, text)

    def edges(self) -> set[tuple[str, str, str]]:
        """Typed relations as the index has them."""
        with self.vault.space.catalog() as conn:
            return set(conn.execute("SELECT s.path, l.edge_type, t.path FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid WHERE edge_type IS NOT NULL"))


Hold = Callable[..., Held]


@pytest.fixture
def hold(tmp_path: Path, engine: str) -> Hold:
    """Writes notes exactly as given into a new vault and indexes it."""

    def held(notes: Mapping[str, str], **settings: object) -> Held:
        vault = make_vault(tmp_path / "vault", {}, engine=engine, **settings)
        for path, text in notes.items():
            vault.write(path, text)
        brain = Brain(vault.space)
        brain.index(embed=False)
        return Held(vault, brain)

    return held
