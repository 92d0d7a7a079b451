"""A named model and the index: it is loaded with no lock held, and only when there is something to embed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brain.core.recall import Query
from brain.errors import Locked
from brain.facade import Brain
from brain.graph.engine import open_graph
from brain.models.named import NamedModel
from brain.ports import Embedder
from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.lock import VaultLock
from tests.laws.support import NOW, space_of


class Network:
    """What a loaded model is to us: it counts letters."""

    def get_embedding_dimension(self) -> int:
        return 3

    def encode(self, texts: Sequence[str], **_: Any) -> Any:
        rows = np.array([[len(text), text.count("e"), 1.0] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Watchful(NamedModel):
    """Takes note of each loading, and of whether the vault could be had alone then."""

    def __init__(self, lock_path: Path) -> None:
        super().__init__("letters")
        self.lock_path = lock_path
        self.was_free: list[bool] = []

    @cached_property
    def _network(self) -> Network:
        try:
            with VaultLock(self.lock_path, 0).exclusive("a look"):
                self.was_free.append(True)
        except Locked:
            self.was_free.append(False)
        return Network()


@dataclass(frozen=True, slots=True)
class ModelSpace(Space):
    """A vault whose embedder is the one given."""

    model: Embedder

    def embedder(self) -> Embedder | None:
        return self.model


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    for name in ("Ada", "Bee", "Cedar"):
        (root / f"{name}.md").write_text(f"# {name}\n\nWords about {name} here.\n", "utf-8")
    return root


def opened(vault: Path, engine: str) -> tuple[Space, Watchful]:
    """Opens the vault as a new process would: nothing is known of the model yet."""
    plain = space_of(vault, engine)
    model = Watchful(plain.layout.lock_path)
    return ModelSpace(**{f.name: getattr(plain, f.name) for f in fields(plain)}, model=model), model


def vectors_in_graph(space: Space) -> list[int]:
    with open_graph(space.graph_path, space.engine, read_only=True) as graph:
        return [len(row["vector"]) for row in graph.execute("MATCH (c:Chunk)-[:EMBEDS]->(:Note) RETURN c.vector AS vector")]


def test_a_model_is_loaded_once_with_no_lock_held(vault: Path, engine: str) -> None:
    space, model = opened(vault, engine)
    assert sync(space, now=NOW).embedded == 3
    assert model.was_free == [True]
    assert vectors_in_graph(space) == [3, 3, 3]
    assert list(space.layout.index.glob("*.broken-*")) == []


def test_the_length_of_its_vectors_is_learnt_once(vault: Path, engine: str) -> None:
    sync(opened(vault, engine)[0], now=NOW)
    space, model = opened(vault, engine)
    sync(space, now=NOW)
    (vault / "Bee.md").unlink()
    sync(space, now=NOW)
    assert sync(space, now=NOW, full=True).from_cache == 2
    shutil.rmtree(space.layout.index)
    assert sync(space, now=NOW).from_cache == 2
    assert vectors_in_graph(space) == [3, 3]
    assert model.was_free == []


def test_a_graph_that_was_made_before_the_model_was_loaded_gets_its_vectors(vault: Path, engine: str) -> None:
    space, model = opened(vault, engine)
    sync(space, now=NOW, embed=False)
    assert (vectors_in_graph(space), model.was_free) == ([], [])
    sync(space, now=NOW)
    assert (vectors_in_graph(space), model.was_free) == ([3, 3, 3], [True])
    assert list(space.layout.index.glob("*.broken-*")) == []


def test_without_its_model_a_vault_is_indexed_and_searched_by_words_and_says_why(vault: Path, engine: str) -> None:
    settings = {"BRAIN_ENGINE": engine, "BRAIN_MACHINE": "m-test", "BRAIN_EMBED_MODEL": "no-one/no-such-model"}
    brain = Brain.open(vault, environ=settings)
    report = brain.index()
    assert (report.notes, report.waiting_to_embed) == (3, 3)
    assert any("not on this machine" in notice and "--download" in notice for notice in report.notices)
    answer = brain.search(Query("cedar"))
    assert [hit.path for hit in answer.hits] == ["Cedar.md"]
    assert any("only words count" in notice for notice in answer.notices)


def test_vectors_whose_model_went_away_leave_words_to_answer(vault: Path, engine: str) -> None:
    space, _ = opened(vault, engine)
    sync(space, now=NOW)
    answer = Brain.open(vault, environ={"BRAIN_ENGINE": engine, "BRAIN_MACHINE": "m-test", "BRAIN_EMBED_MODEL": "letters"}).search(Query("cedar"))
    assert [hit.path for hit in answer.hits] == ["Cedar.md"]
    assert any("not on this machine" in notice for notice in answer.notices)
