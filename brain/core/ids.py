"""Identifiers: derived from content, never from a clock or a random source, except run ids."""

from __future__ import annotations

import hashlib
import unicodedata

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford base 32, lower case: no i, l, o, u


def sha256_hex(data: bytes) -> str:
    """Returns the sha256 of bytes as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def short_hash(*parts: str, length: int = 12) -> str:
    """Returns `length` base-32 characters (5 bits each) of the sha256 of the parts."""
    number = int.from_bytes(hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest(), "big")
    digits = []
    for _ in range(length):
        number, low = divmod(number, 32)
        digits.append(_ALPHABET[low])
    return "".join(digits)


def note_id_of_path(path: str, claims: int = 0) -> str:
    """Returns the id of a note without an `id:`; `claims` counts how often its path was given up."""
    return "n-" + short_hash("note", path, str(claims), length=16)


def atom_id_of_text(note_id: str, text: str, ordinal: int) -> str:
    """Returns the id of an atom without a block id; `ordinal` counts equal texts in one note."""
    return "a-" + short_hash("atom", note_id, text, str(ordinal))


def chunk_id_of(model: str, text: str) -> str:
    """Returns the id of an embedded text: equal texts under one model share one chunk."""
    return "c-" + short_hash("chunk", model, text, length=20)


def fold(name: str) -> str:
    """Returns the form under which names are compared: NFC, case-folded, edges trimmed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()
