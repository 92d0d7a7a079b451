"""The forms of all notes as one index: how rare everything is, and which notes are near one. In memory, for one run."""

from __future__ import annotations

from binascii import crc32
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from brain.core.matching.rarity import Rarity
from brain.core.matching.sparse import Inverted, Nearest, Sets, best_of
from brain.stages.matching.store import Form

FEATURES_REMEMBERED_MAX = 200_000
TOKENS_FOLLOWED_MAX, TOKEN_POSTINGS_MAX = 400, 8_000


class VaultIndex:
    """Notes by row, in the order of `ids`."""

    def __init__(self, forms: Iterable[Form], *, token_df_max: int) -> None:
        features, tokens, grams = Sets(), Sets(), Sets()
        self.ids: list[str] = []
        for form in forms:
            self.ids.append(form.id)
            features.add(form.features)
            tokens.add(form.tokens)
            grams.add(form.grams)
        self.row_of = {note_id: row for row, note_id in enumerate(self.ids)}
        self._tokens = tokens
        self._features = Inverted(features, most=0)
        self._words = Inverted(self._tokens, most=token_df_max)
        self._nearest = Nearest(grams)
        self.rarity = Rarity(len(self.ids), lru_cache(FEATURES_REMEMBERED_MAX)(self._df), self._df_many)

    def near(self, row: int, count: int) -> list[tuple[int, float]]:
        """Returns the rows whose letters are nearest, with their cosine, best first."""
        return self._nearest.of(row, count)

    def cosine(self, one: str, other: str) -> float:
        """Returns how alike two notes are in their letters."""
        return self._nearest.cosine(self.row_of[one], self.row_of[other])

    def sharing_words(self, row: int, count: int) -> list[tuple[int, float]]:
        """Returns the rows that share rare words with one, with what these are worth in bits, best first."""
        rows, found = self._words.partners(
            self._tokens.of(row), self._words.bits, rarest=TOKENS_FOLLOWED_MAX, postings_max=TOKEN_POSTINGS_MAX
        )
        return best_of(rows, found, row, count)

    def _df(self, feature: str) -> int:
        return self._df_many([feature])[0]

    def _df_many(self, features: Sequence[str]) -> list[int]:
        """Counts notes by feature; all of one call are of one class."""
        if not features:
            return []
        is_word = features[0].startswith("w:")
        numbers = [crc32((feature[2:] if is_word else feature).encode("utf-8", "surrogatepass")) for feature in features]
        return (self._words if is_word else self._features).df_many(np.array(numbers, np.uint32))
