"""Text → what the full-text index is given, and back: which words of a text are a query's terms. Pure.

The index's own tokenizer (`TOKENIZE`) stems, folds case and accents, and splits at punctuation. It knows
no words in scripts without blanks, and drops symbols; for those a text has a second, encoded half:
pairs of neighbouring characters for CJK and its like, symbol words such as `C++`, `.NET`, and pictographs.
"""

from __future__ import annotations

import re
import unicodedata

TOKENIZE = "porter unicode61 remove_diacritics 2"
WORD_CHARS_MAX = 128
BLOB_CHARS_MIN = 200

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035"
    "\u3040-\u30fa\u30fc-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_PICTOGRAPHS = "\u00a9\u00ae\u2100-\u214f\u2190-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001fbff"
UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_ENCODED = re.compile(f"[{_UNSPACED}{_PICTOGRAPHS}]")
PICTOGRAPH = re.compile(f"[{_PICTOGRAPHS}]")
_MARKS = (re.compile(r"\+\+(?![\w+#])"), re.compile(r"#(?![\w+#])"))  # two, since each begins with its literal
_BEFORE_MARK = re.compile(r"(?<![\w+#.])[^\W\d_][^\W_]{0,15}\Z")
_DOTTED = re.compile(r"\.(?<![^ \n(`]\.)[^\W\d_][^\W_]{1,15}(?![\w./])")
_WORD_BEFORE_MARK_CHARS_MAX = 17
WORD = re.compile(r"[^\W_]+")
_BLOB = re.compile(rf"[A-Za-z0-9+/=_\-]{{{BLOB_CHARS_MIN},}}|[^\W_]{{{WORD_CHARS_MAX + 1},}}")
_PRIVATE = 0xE000  # private-use characters count as letters for the tokenizer and stand in no text


def index_forms(text: str) -> tuple[str, str]:
    """Returns what to index of a text: the plain half for the tokenizer, and the encoded half.

    Blobs (base64, hashes) and words longer than `WORD_CHARS_MAX` are left out of both.
    """
    if text.isascii():
        text = _without_blobs(text)
        return text, _symbol_words(text)
    text = normal_form(text)
    if not _ENCODED.search(text):
        text = _without_blobs(text)
        return text, _symbol_words(text)
    plain = _without_blobs(UNSPACED_RUN.sub(" ", text))
    extra = [term for run in UNSPACED_RUN.findall(text) for term in run_terms(run)]
    extra.extend(encode_symbols(sign) for sign in PICTOGRAPH.findall(text))
    return plain, " ".join((*extra, _symbol_words(plain))).strip()


def normal_form(text: str) -> str:
    """Returns the composed form in which texts and queries are compared."""
    return text if text.isascii() else unicodedata.normalize("NFKC", storable(text))


def storable(text: str) -> str:
    """Returns the text as a database can hold and measure it: lone surrogates become `?`, NUL a blank."""
    text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def run_terms(run: str) -> tuple[str, ...]:
    """Returns the terms of a run without blanks: every pair of neighbours, and the last character alone."""
    return (*(run[at : at + 2] for at in range(len(run) - 1)), run[-1:])


def encode_symbols(word: str) -> str:
    """Returns a symbol word or a pictograph as letters and digits that no ordinary text contains."""
    return "".join(c if c.isalnum() and not PICTOGRAPH.match(c) else _stand_in(c) for c in word)


def _without_blobs(text: str) -> str:
    # A run longer than WORD_CHARS_MAX covers one of these windows whole; looking is 30 times cheaper than a regex.
    half = WORD_CHARS_MAX // 2
    windows = (text[at : at + half] for at in range(0, len(text) - half + 1, half))
    return _BLOB.sub(" ", text) if any(" " not in window and window.split() == [window] for window in windows) else text


def symbol_words(text: str) -> list[str]:
    """Returns the words that a symbol belongs to, such as `C++`, `F#`, `.NET`, in order of kind and place."""
    found: list[str] = []
    # Each mark is looked for by its own characters, so that a text without them costs next to nothing.
    if "++" in text or "#" in text:
        for start, mark in sorted((hit.start(), hit[0]) for marks in _MARKS for hit in marks.finditer(text)):
            before = _BEFORE_MARK.search(text[max(0, start - _WORD_BEFORE_MARK_CHARS_MAX) : start])
            if before:
                found.append(before[0] + mark)
    if "." in text:
        found.extend(_DOTTED.findall(text))
    return found


def _symbol_words(text: str) -> str:
    return " ".join(map(encode_symbols, symbol_words(text)))


def _stand_in(sign: str) -> str:
    # A number after the mark, not a hexadecimal one: a stemmer takes endings such as `ed` off.
    return chr(_PRIVATE + ord(sign)) if ord(sign) < 128 else f"{chr(_PRIVATE)}{ord(sign)}"
