"""An embedder without a model: hashed words. Deterministic, for tests and for `--lexical`.

It knows spelling, not meaning. Method: feature hashing with signs (Weinberger et al. 2009).
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "lexical-256"
DIMS = 256
# A word, or one character of a script that is written without spaces.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+"
)
_NO_WORDS = "\x00"


class LexicalEmbedder:
    """Counts words into 256 signed buckets; texts that share words lie near each other."""

    model = MODEL
    dims = DIMS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32[len(texts), 256], rows of unit length; the same text always gives the same row."""
        import numpy as np

        vectors = np.zeros((len(texts), DIMS), np.float32)
        for number, text in enumerate(texts):
            for bucket, weight in _buckets(text).items():
                vectors[number, bucket] = weight
        return vectors


def _buckets(text: str) -> dict[int, float]:
    """Returns bucket → weight, of unit length together; never empty, so that no vector is zero."""
    sums: dict[int, float] = {}
    for token, count in sorted(Counter(_tokens(text)).items()):
        bucket, sign = _place(token)
        sums[bucket] = sums.get(bucket, 0.0) + sign * (1.0 + math.log(count))
    length = math.sqrt(sum(weight * weight for weight in sums.values()))
    if length < 1e-6:  # no words, or words that cancel each other out
        return {_place(_NO_WORDS)[0]: 1.0}
    return {bucket: weight / length for bucket, weight in sums.items()}


def _tokens(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    return _TOKEN.findall(unicodedata.normalize("NFC", plain))


def _place(token: str) -> tuple[int, float]:
    digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return number % DIMS, 1.0 if number >> 63 else -1.0
