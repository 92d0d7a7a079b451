"""Where the terms of a query stand in a text. Agrees with the index: words are equal when their stems are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain.index.stems import Stems
from brain.index.tokens import PICTOGRAPH, UNSPACED_RUN
from brain.recall.terms import Term

_ALPHABETS_END = 0x0590  # Latin, Greek, Cyrillic, Armenian; beyond, a mark makes another letter
_NEXT_WORD = re.compile(r"[\W_]*([^\W_]+)")


@dataclass(frozen=True, slots=True)
class Match:
    """Characters `[start, end)` of a text are the term with this index."""

    start: int
    end: int
    term: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text ready for matching.

    `whole` and `words` are it, character for character, as `fold` leaves it; `words` has blanks where `whole` has runs without blanks. `found` are the words that may match.
    """

    text: str
    whole: str
    words: str
    found: tuple[tuple[int, int], ...]


class Matcher:
    """Finds the terms of one query. Texts are prepared first, so that all their words are stemmed at once."""

    def __init__(self, terms: Sequence[Term], stems: Stems) -> None:
        self._stems = stems
        stems.learn(word for term in terms for word in term.words)
        self._literals = [(index, _literal_pattern(term)) for index, term in enumerate(terms) if term.literal is not None]
        self._by_first: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        for index, term in enumerate(terms):
            sequence = tuple(stem for word in term.words for stem in stems.of(word))
            if term.literal is None and sequence:
                self._by_first.setdefault(sequence[0], []).append((index, sequence))
        self._starts = [_word_pattern(start) for start in sorted({fold(_common_start(stem)) for stem in self._by_first})]

    def prepare(self, texts: Iterable[str]) -> list[Prepared]:
        """Prepares texts (already in normal form) and learns their words that may match."""
        prepared = []
        seen: set[str] = set()
        for text in texts:
            whole = fold(text)
            words = whole if text.isascii() else UNSPACED_RUN.sub(lambda run: " " * len(run[0]), whole)
            found = tuple(sorted({match.span() for start in self._starts for match in start.finditer(words)}))
            seen.update(text[start:end].lower() for start, end in found)
            prepared.append(Prepared(text, whole, words, found))
        self._stems.learn(seen)
        return prepared

    def find(self, text: Prepared) -> tuple[Match, ...]:
        """Returns the matches, in order of place."""
        matches = [
            Match(found.start(), found.end(), index) for index, literal in self._literals for found in literal.finditer(text.whole)
        ]
        for start, end in text.found:
            stems = self._stems.of(text.text[start:end].lower())
            for index, sequence in self._by_first.get(stems[0], ()) if stems else ():
                stop = self._end_of(text, end, sequence)
                if stop is not None:
                    matches.append(Match(start, stop, index))
        return tuple(sorted(matches, key=lambda match: (match.start, match.end, match.term)))

    def _end_of(self, text: Prepared, end: int, sequence: tuple[str, ...]) -> int | None:
        """Follows a phrase from its first word on; returns where it ends, None when it is another one."""
        for wanted in sequence[1:]:
            following = _NEXT_WORD.match(text.words, end)
            if following is None or self._stems.of(text.text[slice(*following.span(1))].lower()) != (wanted,):
                return None
            end = following.end()
        return end


class _Folded(dict[int, str]):
    """Character → its lower-case base letter, worked out when first met; always one for one, so that places hold."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        bases = [part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)]
        base = bases[0] if len(bases) == 1 and ord(bases[0]) < _ALPHABETS_END else character
        folded = base.lower() if len(base.lower()) == 1 else base
        self[code] = folded
        return folded


_FOLDED = _Folded()


def fold(text: str) -> str:
    """Returns a text of the same length in lower case, Latin, Greek and Cyrillic letters without accents."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def _common_start(stem: str) -> str:
    """Returns what every word of a stem begins with: stemming may put `e` or `i` at the end, or `bl` for `bil`."""
    if len(stem) > 3 and stem.endswith(("bl", "ble")):
        return stem[: stem.rindex("bl") + 1]
    return stem[:-1] if len(stem) > 1 and stem[-1] in "ei" else stem


def _word_pattern(start: str) -> re.Pattern[str]:
    # The fixed part comes first, so that the engine can jump to it: twenty times faster than a look behind first.
    escaped = re.escape(start)
    return re.compile(rf"{escaped}(?<![^\W_]{escaped})[^\W_]*")


def _literal_pattern(term: Term) -> re.Pattern[str]:
    literal = term.literal or ""
    escaped = re.escape(fold(literal))
    if UNSPACED_RUN.match(literal) or PICTOGRAPH.match(literal):
        return re.compile(escaped)
    return re.compile(rf"(?<![\w+#.]){escaped}(?![\w+#])")
