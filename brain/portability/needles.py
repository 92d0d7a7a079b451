"""What is searched for when something is to be erased: a text in every form it may have been written down in. Pure.

The forms are UTF-8 of the text as it is, NFC and NFD, with either line break, and each of these inside of JSON, where
letters may be escaped, and inside of JSON that is a text in JSON. A text of a person is searched for in links, in
quotes of YAML, in HTML and in other encodings too.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from brain.core.dates import instant_of
from brain.core.ids import short_hash
from brain.core.slug import file_stem, slug
from brain.errors import UsageError

CHARS_MIN = 4
NAME_CHARS_MIN = 8
"""A name made of a text that is shorter may stand for anything."""
LINE_CHARS_MIN = 12
"""A line of a note that is shorter may stand anywhere; so may a field with a shorter value, or with a date."""
HEADING_CHARS_MIN = 24
_FIELD, _HEADING, _ESCAPE = re.compile(r"(?:[\w-]+:|-)(?:\s+(.*))?"), re.compile(r"#{1,6}\s+(.*)"), re.compile("%[0-9A-F]{2}")


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
        numbers, number, before = dict[int, None](), 1, 0
        for start in sorted({start for form in self.forms for start in _starts(data, form)}):
            number, before = number + data.count(b"\n", before, start), start
            numbers[number] = None
        return tuple(numbers)

    def place_without(self, path: str) -> str:
        """Returns a path of which no part has any of the forms."""
        folder, _, name = path.rpartition("/")
        parts = [self.path_without(part) if self.in_text(part) else part for part in folder.split("/")] if folder else []
        return "/".join([*parts, self.path_without(name) if self.in_text(name) else name])

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
    found = _forms([text, *_names_of(text)]) | {form for normal in _normal(text) for form in _elsewhere(normal)}
    return Needles(_sorted(found))


def needles_of_note(text: str, others: Iterable[str], *, paths: Iterable[str], ids: Iterable[str]) -> Needles:
    """Returns what to search for to erase a note: its text, and each line of some length that no other note has."""
    lines = {line.strip() for line in text.splitlines() if _is_telling(line.strip())}
    for other in others:
        lines = {line for line in lines if line not in other}
    whole = [text] if len(text.strip()) >= CHARS_MIN else []
    return Needles(_sorted(_forms([*whole, *lines])), frozenset(paths), frozenset(ids))


def _is_telling(line: str) -> bool:
    """Tells whether a line is one that only its note would have: a common field or heading stands in older texts of others."""
    if heading := _HEADING.fullmatch(line):
        return len(heading[1]) >= HEADING_CHARS_MIN
    value = (_FIELD.fullmatch(line) or (line, line))[1] or ""
    return len(value) >= LINE_CHARS_MIN and instant_of(value.strip("'\"")) is None


def _names_of(text: str) -> Iterable[str]:
    """What brain makes of a text in the name of a note, where some characters cannot stand."""
    return [name for name in (file_stem(text), slug(text)) if len(name) >= NAME_CHARS_MIN and not name.startswith("note-")]


def _forms(texts: Iterable[str]) -> set[bytes]:
    return {form for text in texts for normal in _normal(text) for form in _written(normal)}


def _sorted(forms: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _normal(text: str) -> set[str]:
    lines = text.replace("\r\n", "\n")
    broken = {text, lines, lines.replace("\n", "\r\n")}
    return {normal for one in broken for normal in (one, unicodedata.normalize("NFC", one), unicodedata.normalize("NFD", one))}


def _elsewhere(text: str) -> set[bytes]:
    """How other programs, links and other encodings hold a text."""
    quoted = {quote(text, safe, errors="surrogatepass") for safe in ("", "/", "!#$&'()*+,/:;=?@[]~")}
    linked = {text.replace(" ", "%20"), *quoted, *(_ESCAPE.sub(lambda found: found[0].lower(), one) for one in quoted)}
    written = {form for one in (*linked, text.replace("'", "''"), html.escape(text), html.escape(text, quote=False)) for form in _written(one)}
    return written | {text.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be")} | _in_latin(text)


def _in_latin(text: str) -> set[bytes]:
    """The text in the older encoding, unless its bytes are other letters in UTF-8."""
    try:
        form = text.encode("cp1252")
    except UnicodeEncodeError:
        return set()
    try:
        form.decode("utf-8")
    except UnicodeDecodeError:
        return {form}
    return set()


def _written(text: str) -> set[bytes]:
    once = {json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    twice = {json.dumps(inner, ensure_ascii=ascii_only)[1:-1] for inner in once for ascii_only in (True, False)}
    return {form.encode("utf-8", "surrogateescape") for form in {text, *once, *twice}}


def _starts(data: bytes, form: bytes) -> Iterable[int]:
    start = data.find(form)
    while start >= 0:
        yield start
        start = data.find(form, start + 1)
