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
    clean,
    default_stamp,
    packaged_folder,
)
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
TEXTS_PER_PASS = 32
USE_DEFAULT_CURE = 'set model = "minilm" under [embed] in brain.toml, or BRAIN_EMBED_MODEL=minilm'


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
        return _encoded(bulk, texts, DIMS)

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
        model = _loaded(str(folder), local_only=True, device="cpu")
        model.max_seq_length = TOKENS_PER_TEXT_MAX
        return model


class NamedModel:
    """Any sentence-transformers model by its name or folder, loaded at the first text."""

    def __init__(self, name: str, dims: int | None = None) -> None:
        """Takes the name; with `dims` given nothing needs loading to know the shape."""
        self.model = name
        self._dims = dims
        self._loading = threading.Lock()

    @property
    def dims(self) -> int:
        """Length of a vector; loads the model when the settings do not say it."""
        if self._dims is None:
            with self._loading:
                self._dims = int(self._network.get_embedding_dimension())
        return self._dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32[len(texts), dims], rows of unit length.

        Raises: BrainError when the model is not on this machine and cannot be fetched, or has other dims.
        """
        dims = self.dims
        with self._loading:
            network = self._network
        return _encoded(network, texts, dims)

    @cached_property
    def _network(self) -> Any:
        try:
            return _loaded(self.model, local_only=True)
        except (OSError, ValueError):  # not on this machine: naming it is asking for it
            return self._fetched()

    def _fetched(self) -> Any:
        try:
            return _loaded(self.model, local_only=False)
        except (OSError, ValueError) as error:
            first_line = str(error).strip().partition("\n")[0][:200]
            raise BrainError(
                f"The embedding model {self.model!r} is not on this machine and could not be fetched ({first_line}).",
                f"connect once without HF_HUB_OFFLINE and run brain index, or {USE_DEFAULT_CURE}",
            ) from error


def _loaded(name: str, *, local_only: bool, device: str | None = None) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError as error:
        raise BrainError(
            f"sentence-transformers cannot be imported ({error}).", "pip install --upgrade sentence-transformers"
        ) from error
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # a library draws nothing on the terminal
    try:
        return SentenceTransformer(name, device=device, local_files_only=local_only)
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def _encoded(network: Any, texts: Sequence[str], dims: int) -> NDArray[np.float32]:
    import numpy as np

    if not texts:
        return np.empty((0, dims), np.float32)
    vectors = network.encode(
        [clean(text) for text in texts], batch_size=TEXTS_PER_PASS, normalize_embeddings=True,
        convert_to_numpy=True, show_progress_bar=False,
    )  # fmt: skip
    found: NDArray[np.float32] = np.asarray(vectors, dtype=np.float32)
    if found.shape != (len(texts), dims):
        raise BrainError(
            f"The embedding model gives vectors of {found.shape[-1]} dims, the settings say {dims}.",
            f"set dims = {found.shape[-1]} under [embed] in brain.toml",
        )
    if not np.isfinite(found).all():
        raise BrainError("The embedding model gave a vector that is not a number.", USE_DEFAULT_CURE)
    return found
