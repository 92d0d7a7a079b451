"""File names from titles: legible, in any script, and possible on every file system.

Letters of every script stay as they are. What one of the common file systems or the link syntax cannot
hold becomes a space. Source of the reserved names: Windows file naming rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from brain.core.ids import fold, short_hash

NAME_CHARS_MAX = 80
NAME_BYTES_MAX = 200
TRIES_MAX = 50

_UNUSABLE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*#^\[\]\ud800-\udfff]+')
_DOTS = re.compile(r"\.{2,}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)


def file_stem(title: str, *, chars_max: int = NAME_CHARS_MAX) -> str:
    """Returns a file stem for a title: NFC, one line, cut at a word; `note-<hash>` when nothing is left."""
    text = unicodedata.normalize("NFC", title)
    text = "".join(" " if unicodedata.category(c) in ("Cf", "Zl", "Zp") and c not in "\u200c\u200d" else c for c in text)
    text = _DOTS.sub(".", _UNUSABLE.sub(" ", text))
    stem = _edged(_cut(_edged(" ".join(text.split())), chars_max))
    if not any(c.isalnum() for c in stem) and not _has_symbol(stem):
        return f"note-{short_hash('slug', title, length=8)}"
    return f"_{stem}" if _RESERVED.fullmatch(stem) else stem


def slug(title: str, *, chars_max: int = 60) -> str:
    """Returns the title in lower case with hyphens between its words; letters of every script are kept."""
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", unicodedata.normalize("NFC", title).casefold())
    text = _cut("-".join(word.replace("'", "").replace("’", "") for word in words), chars_max, separator="-")
    text = unicodedata.normalize("NFC", text).strip("-")
    if not text:
        return f"note-{short_hash('slug', title, length=8)}"
    return f"_{text}" if _RESERVED.fullmatch(text) else text


def free_name(stem: str, is_taken: Callable[[str], bool]) -> str | None:
    """Returns the stem, or the first of `stem 2` … that is free; None when all tries are taken."""
    names = [stem, *(f"{stem} {number}" for number in range(2, TRIES_MAX + 1))]
    return next((name for name in names if not is_taken(name)), None)


def compact(name: str) -> str:
    """Returns the letters and digits of a name, folded: `Site Map`, `site-map` and `SiteMap` are one."""
    return "".join(c for c in fold(name) if c.isalnum())


def _edged(text: str) -> str:
    return text.strip().rstrip(". ").lstrip(". ")


def _cut(text: str, chars_max: int, separator: str = " ") -> str:
    """Cuts at a word where one ends in the second half, and never inside a UTF-8 limit of file systems."""
    cut = text
    if len(cut) > chars_max:
        cut = text[:chars_max]
        at = cut.rfind(separator) if text[chars_max] != separator else chars_max
        cut = cut[:at] if at > chars_max // 2 else cut
    while len(cut.encode("utf-8")) > NAME_BYTES_MAX:
        cut = cut[:-1]
    return cut.rstrip()


def _has_symbol(text: str) -> bool:
    """A name of symbols alone (an emoji) is a name; one of punctuation alone is not."""
    return any(unicodedata.category(c) in ("So", "Sk", "Sc", "Sm") for c in text)
