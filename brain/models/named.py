"""A sentence-transformers model that the settings name: found on this machine, never fetched unasked (ADR 0011).

It is handed to the library as a folder and not by its name: with a name the libraries send a request to
the hub even when told to use local files only (huggingface_hub 2.4).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.errors import BrainError
from brain.models.minilm import clean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TEXTS_PER_PASS = 32
ANSWER_S_MAX = 10.0
USE_DEFAULT_CURE = 'set model = "minilm" under [embed] in brain.toml, or BRAIN_EMBED_MODEL=minilm'
_SHORT_NAMES_OF = "sentence-transformers"  # whose models are named without their maker
_OWN_MODULES = "sentence_transformers."


class NamedModel:
    """Any sentence-transformers model by its name or folder, loaded at the first text."""

    def __init__(self, name: str, dims: int | None = None) -> None:
        """Takes the name; with `dims` given nothing needs loading to know the shape."""
        self.model = name
        self.known_dims = dims
        """Length of a vector as far as it is known without loading anything."""
        self._loading = threading.Lock()

    @property
    def dims(self) -> int:
        """Length of a vector; loads the model when nobody has said it. Raises: as `embed`."""
        if self.known_dims is None:
            with self._loading:
                self.known_dims = int(self._network.get_embedding_dimension())
        return self.known_dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32[len(texts), dims], rows of unit length.

        Raises: BrainError when the model is not on this machine, cannot be used, or has other dims.
        """
        dims = self.dims
        with self._loading:
            network = self._network
        return encoded(network, texts, dims)

    def download(self) -> bool:
        """Fetches the model when it is not on this machine; tells whether it had to be.

        Raises: BrainError when it cannot be fetched.
        """
        if folder_of(self.model) is not None:
            return False
        try:
            _ask_hub(self.model)  # fails at once where loading would try again and again for 80 s
            loaded(self.model, local_only=False)
        except BrainError:
            raise
        except Exception as error:  # HTTP and model libraries have no common class of errors
            raise BrainError(
                f"The embedding model {self.model!r} could not be fetched ({_first_line(error)}).",
                f"check its name, the connection, and that HF_HUB_OFFLINE is not set; or {USE_DEFAULT_CURE}",
            ) from error
        return True

    @cached_property
    def _network(self) -> Any:
        folder = folder_of(self.model)
        if folder is None:
            raise BrainError(
                f"The embedding model {self.model!r} is not on this machine, and nothing is fetched unasked.",
                f"brain index --download fetches it once; or {USE_DEFAULT_CURE}",
            )
        _check_modules(folder)
        try:
            return loaded(str(folder), local_only=True)
        except BrainError:
            raise
        except Exception as error:  # what broken files of a stranger make the libraries raise has no common class
            raise BrainError(
                f"The embedding model {self.model!r} in {folder} cannot be used ({_first_line(error)}).",
                f"delete that folder and run brain index --download, or {USE_DEFAULT_CURE}",
            ) from error


def folder_of(name: str) -> Path | None:
    """Returns where a model lies on this machine: the folder named, else its copy in the hub's cache."""
    folder = Path(name).expanduser()
    if name and folder.is_dir():
        return folder
    from huggingface_hub import snapshot_download

    for place in _hub_names(name):
        try:
            return Path(snapshot_download(place, local_files_only=True, cache_dir=os.environ.get("SENTENCE_TRANSFORMERS_HOME")))
        except (OSError, ValueError):  # not there, or no name of the hub at all
            continue
    return None


def loaded(place: str, *, local_only: bool, device: str | None = None) -> Any:
    """Returns the network of a folder, or of a name when the hub may be asked. Raises: BrainError, OSError, ValueError."""
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
        return SentenceTransformer(place, device=device, local_files_only=local_only, trust_remote_code=False)
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def encoded(network: Any, texts: Sequence[str], dims: int) -> NDArray[np.float32]:
    """Returns float32[len(texts), dims] of unit length. Raises: BrainError for another shape or what is no number."""
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


def _hub_names(name: str) -> tuple[str, ...]:
    return (name,) if "/" in name else (f"{_SHORT_NAMES_OF}/{name}", name)


def _ask_hub(name: str) -> None:
    """Asks the hub whether it has the model. Raises: whatever the library raises when it has not, or is not reached."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    first, *others = _hub_names(name)
    try:
        HfApi().model_info(first, timeout=ANSWER_S_MAX)
    except RepositoryNotFoundError:
        if not others:
            raise
        HfApi().model_info(others[0], timeout=ANSWER_S_MAX)


def _check_modules(folder: Path) -> None:
    """Refuses a model that brings program code of its own: older libraries run it from any folder (before 6)."""
    try:
        modules = json.loads((folder / "modules.json").read_text("utf-8"))
        kinds = [str(module["type"]) for module in modules]
    except FileNotFoundError:
        return  # a plain transformer without a list of modules
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BrainError(f"The list of modules in {folder} cannot be read ({error}).", USE_DEFAULT_CURE) from error
    foreign = sorted(kind for kind in kinds if not kind.startswith(_OWN_MODULES))
    if foreign:
        raise BrainError(f"The embedding model in {folder} brings code of its own ({foreign[0]}), which is not run.", USE_DEFAULT_CURE)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__
