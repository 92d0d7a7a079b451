"""The lexical embedder: the same text always gives the same unit vector, and shared words bring texts together."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from brain.models.lexical import DIMS, LexicalEmbedder

lexical = LexicalEmbedder()


@given(st.lists(st.text(alphabet=st.characters(), max_size=40), max_size=5))
def test_every_text_gives_a_unit_vector(texts: list[str]) -> None:
    vectors = lexical.embed(texts)
    assert vectors.shape == (len(texts), DIMS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_shared_words_bring_texts_together() -> None:
    query, near, far = lexical.embed(["release the graph engine", "The engine of the graph", "buy milk and bread"])
    assert query @ near > 0.5 > query @ far


def test_case_accents_and_order_do_not_matter() -> None:
    a, b, c = lexical.embed(["Café ÉCLAIR", "eclair cafe", "e\u0301clair café"])
    assert np.array_equal(a, b)
    assert np.array_equal(b, c)


def test_characters_of_scripts_without_spaces_are_words() -> None:
    query, near, far = lexical.embed(["知識", "知識グラフ", "音楽家"])
    assert query @ near > 0.5 > query @ far


def test_another_process_gives_the_same_bytes() -> None:
    program = (
        "import sys, hashlib; from brain.models.lexical import LexicalEmbedder\n"
        "print(hashlib.sha256(LexicalEmbedder().embed(['one two three', '']).tobytes()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert hashlib.sha256(lexical.embed(["one two three", ""]).tobytes()).hexdigest() == done.stdout.strip()
