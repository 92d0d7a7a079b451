"""Name tokens: the normalised words of a title or alias, by which candidates are blocked."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W_]\.){2,}(?:[^\W_](?![^\W_]))?")


def name_tokens(*names: str) -> tuple[str, ...]:
    """Returns the distinct tokens of the names, sorted: case-folded, accents removed, one-letter words dropped.

    A single CJK character is a word and is kept; initials with dots make one word (`U.T.C.` gives `utc`).
    """
    found: set[str] = set()
    for name in names:
        text = name.casefold()
        if not text.isascii():
            decomposed = unicodedata.normalize("NFKD", text)
            text = unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))
        text = _INITIALS.sub(lambda match: match[0].replace(".", "") + " ", text)
        found.update(word for word in _WORD.findall(text) if len(word) > 1 or ord(word) > 0x2E7F)
    return tuple(sorted(found))
