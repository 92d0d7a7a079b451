"""What is searched for when something is to be erased: a text in every form it may have been written down in. Pure.

The forms are UTF-8 of the text as it is, NFC and NFD, with either line break, and each of these inside of JSON, where
letters may be escaped, and inside of JSON that is a text in JSON.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from brain.core.ids import short_hash
from brain.core.slug import file_stem, slug
from brain.errors import UsageError

CHARS_MIN = 4
NAME_CHARS_MIN = 8
"""A name made of a text that is shorter may stand for anything."""
LINE_CHARS_MIN = 12
"""A line of a note that is shorter may stand anywhere."""


@dataclass(frozen=True, slots=True)
class Needles:
    """The forms, the longest first. Of a note besides: the `paths` it has had and its `ids`."""

    forms: tuple[bytes, ...]
    paths: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    hashes: Mapping[str, str] = field(default_factory=dict)
    """The hash of an episode's words → that of what is left of them, so that it stays walked."""

    def within(self, data: bytes) -> bool:
        """Tells whether bytes hold one of the forms."""
        return any(form in data for form in self.forms)

    def in_text(self, text: str) -> bool:
        """Tells whether a text holds one of the forms."""
        return self.within(text.encode("utf-8", "surrogatepass"))

    def lines(self, data: bytes) -> tuple[int, ...]:
        """Returns the numbers of the lines at which a form begins, each once."""
        starts = {start for form in self.forms for start in _starts(data, form)}
        return tuple(sorted({data.count(b"\n", 0, start) + 1 for start in starts}))

    def path_without(self, path: str) -> str:
        """Returns a path whose last part has none of the forms; what is left of no name gets another."""
        folder, slash, name = path.rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        base = stem if dot else name
        left = self.cut(base.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass").strip(" .")
        left = left or f"purged-{short_hash('purged', name, length=8)}"
        return f"{folder}{slash}{left}{dot}{suffix if dot else ''}"

    def cut(self, data: bytes) -> bytes:
        """Returns bytes without any of the forms; taking one out may make another of its two ends, which goes too."""
        while self.within(data):
            for form in self.forms:
                data = data.replace(form, b"")
        return data


def needles_of_text(text: str) -> Needles:
    """Returns what to search for to erase a text. Raises: UsageError when it is too short to be meant."""
    if len("".join(text.split())) < CHARS_MIN:
        raise UsageError(f"A text to erase has {CHARS_MIN} letters at least.", "brain purge --note NOTE erases a whole note")
    return Needles(_forms([text, *_names_of(text)]))


def needles_of_note(text: str, others: Iterable[str], *, paths: Iterable[str], ids: Iterable[str]) -> Needles:
    """Returns what to search for to erase a note: its text, and each line of some length that no other note has."""
    lines = {line.strip() for line in text.splitlines() if len(line.strip()) >= LINE_CHARS_MIN}
    for other in others:
        lines = {line for line in lines if line not in other}
    whole = [text] if len(text.strip()) >= CHARS_MIN else []
    return Needles(_forms([*whole, *lines]), frozenset(paths), frozenset(ids))


def _names_of(text: str) -> Iterable[str]:
    """What brain makes of a text in the name of a note, where some characters cannot stand."""
    return [name for name in (file_stem(text), slug(text)) if len(name) >= NAME_CHARS_MIN and not name.startswith("note-")]


def _forms(texts: Iterable[str]) -> tuple[bytes, ...]:
    forms: set[bytes] = set()
    for text in texts:
        lines = text.replace("\r\n", "\n")
        for broken in {text, lines, lines.replace("\n", "\r\n")}:
            for normal in {broken, unicodedata.normalize("NFC", broken), unicodedata.normalize("NFD", broken)}:
                forms |= _written(normal)
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _written(text: str) -> set[bytes]:
    once = {json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    twice = {json.dumps(inner, ensure_ascii=ascii_only)[1:-1] for inner in once for ascii_only in (True, False)}
    return {form.encode("utf-8", "surrogateescape") for form in {text, *once, *twice}}


def _starts(data: bytes, form: bytes) -> Iterable[int]:
    start = data.find(form)
    while start >= 0:
        yield start
        start = data.find(form, start + 1)
