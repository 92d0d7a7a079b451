"""Which embedder the settings ask for, and the one that switches between numpy and sentence-transformers.

Importing this costs nothing: numpy, tokenizers and sentence-transformers are imported at the first text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.config import Embed
from brain.errors import BrainError
from brain.models.minilm import (
    CURE,
    DIMS,
    MODEL,
    TOKENS_PER_TEXT_MAX,
    WEIGHTS_FILE,
    NumpyMiniLM,
    check_weights,
    default_stamp,
    packaged_folder,
)
from brain.models.named import NamedModel, encoded, loaded
from brain.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A call of up to QUERY_TEXTS_MAX texts is a query or a single note and never imports anything large. Of the
# texts in larger calls, numpy takes the first NUMPY_TEXTS_MAX of a process: importing sentence-transformers
# costs 5 to 9 s, and then it does 39 texts/s against 29 (100 tokens, 2 cores, 2026-11-30), so that it pays
# from about 500 to 800 texts on.
QUERY_TEXTS_MAX = 16
NUMPY_TEXTS_MAX = 500


@lru_cache(maxsize=8)
def make_embedder(settings: Embed) -> Embedder | None:
    """Returns the embedder of the settings, None when embedding is off. Loads nothing yet.

    Equal settings get the same embedder, so that a model is loaded once a process.
    Raises: UsageError when an endpoint is not fully named.
    """
    if settings.model == "none":
        return None
    if settings.model == "lexical":
        from brain.models.lexical import LexicalEmbedder

        return LexicalEmbedder()
    if settings.endpoint is not None:
        from brain.models.endpoint import EndpointEmbedder

        return EndpointEmbedder(settings)
    if settings.model == "minilm":
        return MiniLM(stamp=default_stamp())
    return NamedModel(settings.model, settings.dims)


class MiniLM:
    """The default model: numpy for few texts, sentence-transformers for bulk. One vector space."""

    model = MODEL
    dims = DIMS

    def __init__(self, folder: Path | None = None, *, stamp: Path | None = None) -> None:
        """Takes the model's folder (default: the package's) and the file that remembers a checked hash."""
        self._given_folder = folder
        self._stamp = stamp
        self._loading = threading.Lock()
        self._small = NumpyMiniLM(folder, stamp=stamp)
        self._bulk_texts = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32[len(texts), 384], rows of unit length; texts are cut at 256 tokens.

        Raises: BrainError when the packaged files are missing or are not the published ones.
        """
        if not self._is_bulk(len(texts)):
            return self._small.embed(texts)
        with self._loading:
            bulk = self._bulk
        return encoded(bulk, texts, DIMS)

    def _is_bulk(self, count: int) -> bool:
        if count <= QUERY_TEXTS_MAX:
            return False
        self._bulk_texts += count
        return self._bulk_texts > NUMPY_TEXTS_MAX

    @cached_property
    def _bulk(self) -> Any:
        folder = self._given_folder or packaged_folder()
        weights = folder / WEIGHTS_FILE
        try:
            with open(weights, "rb") as file:
                check_weights(file, weights, self._stamp)
        except OSError as error:
            raise BrainError(f"{weights} cannot be read ({error.strerror}).", CURE) from error
        model = loaded(str(folder), local_only=True, device="cpu")
        model.max_seq_length = TOKENS_PER_TEXT_MAX
        return model


def known_dims(embedder: Embedder) -> int | None:
    """Returns the length of an embedder's vectors, None when only loading its model would tell."""
    return embedder.known_dims if isinstance(embedder, NamedModel) else embedder.dims


def download(embedder: Embedder | None) -> bool:
    """Fetches the model that the settings name, and tells whether that was needed. Raises: BrainError."""
    return isinstance(embedder, NamedModel) and embedder.download()
