"""How rare something is in a vault: what makes agreement on it worth bits. Pure.

A feature is a text with the class in front: a word of names, a word of texts, a property, a value of a
property, a whole name, a link target, a line. Its worth is `log2(notes / notes that have it)`, counted as if
`PRIOR_NOTES` of a usual vault had been counted too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log2

NOTES_MIN = 256
"""In a vault of a dozen notes two of them are still unlikely to be one thing."""
PRIOR_NOTES = 64
"""Where nearly nothing was counted nearly everything looks rare: so many notes of a usual vault are added to every count."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """Document frequencies of one vault; `df` answers 0 for a feature that no note has, `df_many` does it for many at once."""

    notes: int
    df: Callable[[str], int]
    df_many: Callable[[Sequence[str]], Sequence[int]] | None = None
    span: float = field(init=False)
    """How unlikely two notes drawn by chance are one thing, and about what the rarest feature is worth."""
    _worth: dict[int, float] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "span", log2(max(self.notes, NOTES_MIN)))

    def counts(self, features: Sequence[str]) -> Sequence[int]:
        """Returns how many notes have each of the features."""
        return self.df_many(features) if self.df_many else [self.df(feature) for feature in features]

    def worth(self, count: int) -> float:
        """Returns what sharing something is worth that so many notes have."""
        if count not in self._worth:
            self._worth[count] = max(0.0, log2((self.notes + PRIOR_NOTES) / (max(1, count) + PRIOR_NOTES / NOTES_MIN)))
        return self._worth[count]

    def is_rare(self, feature: str, least: int, share: float) -> bool:
        """Tells whether few enough notes have a feature: `least`, or that share of all."""
        return self.df(feature) <= max(least, share * self.notes)

    def bits(self, feature: str) -> float:
        """Returns what sharing a feature is worth among all notes."""
        return self.worth(self.df(feature))

    def bits_among(self, feature: str, key: str, least: int = 0) -> float:
        """Returns what sharing a value is worth among the notes that state this property, at least `least` of them."""
        return max(0.0, log2((max(self.df(key), least) + 1) / max(1, self.df(feature))))


def name_word(word: str) -> str:
    """Names a word of a note's names."""
    return f"n:{word}"


def whole_name(key: str) -> str:
    """Names a whole name, by its key."""
    return f"a:{key}"


def text_word(word: str) -> str:
    """Names a word of a note's text."""
    return f"w:{word}"


def stated(key: str) -> str:
    """Names the fact that a property is stated at all."""
    return f"k:{key}"


def value_of(key: str, value: str) -> str:
    """Names a value of a property."""
    return f"v:{key}={value}"


def link_to(target: str) -> str:
    """Names a link."""
    return f"t:{target}"


def line_of(line: str) -> str:
    """Names a whole line of a note's text."""
    return f"l:{line}"


def code_of(code: str) -> str:
    """Names a code in a note's text."""
    return f"c:{code}"
