"""What is compared of a note: its names, what its properties state, its links and words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice
from sys import intern

from brain.core.ids import fold
from brain.core.matching.codes import codes_in
from brain.core.matching.fields import Field, fields_of
from brain.core.matching.identifiers import BARE_ADDRESSES, reach_of
from brain.core.matching.rarity import (
    Rarity,
    code_of,
    line_of,
    link_to,
    name_word,
    stated,
    text_word,
    value_of,
    whole_name,
)
from brain.core.matching.words import Name, folded, name_of, tokens, word_set
from brain.core.note import Json

WORDS_MAX = 1_000
WORD_NOTES_MIN, WORD_NOTES_SHARE, WORD_NOTES_SHARE_MAX = 4, 0.05, 0.5
TEMPLATE_NOTES_MIN = 3
TEXT_CHARS_MAX = 1_000
_DERIVED = re.compile(r"\b(?:forks?|forked|mirror(?:ed)?|cloned?|abspaltung|abgespalten|kopie von|copy of|derived from)\b")
_LINK_MARKS = re.compile(r"[\[\]*_`#]+")
NOTHING_KNOWN = Rarity(0, lambda _: 0)
_BARE_CODE = re.compile(r"[\d\W_]+|[0-9a-f]{8,}|[0-9a-f-]{32,}")
_PLACEHOLDER = re.compile(r"\{\{|<%")
_FORMS = word_set("template templates _templates vorlage vorlagen modèles modelli plantillas")
"""Folders of templates, folded."""
_DIGITS = re.compile(r"\d+")
_DAY = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_TARGET = re.compile(r"^\s*\[\[|[|#].*$|\]\].*$")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a note before anything is compared: rows of the catalog, as they are."""

    id: str
    path: str
    title: str
    kind: str
    type: str | None = None
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Json] | None = None
    links: tuple[tuple[str, str], ...] = ()
    """What the note links to: id of a note, or what is written when it leads nowhere, and a name for it."""
    body: str = ""
    told_apart: tuple[str, ...] = ()
    """Ids of notes that a person keeps apart from this one; of links that lead nowhere, what is written."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A note as matching sees it. `names[0]` is its own; those after `own_names` are aliases."""

    id: str
    path: str
    kind: str
    type: str | None
    names: tuple[Name, ...]
    own_names: int
    fields: tuple[Field, ...]
    links: Mapping[str, str]
    """Targets with a name for each."""
    words: Mapping[str, float]
    """Rare words of the text that other notes have too, with their bits."""
    words_bits: float
    """What all rare words of the text come to."""
    codes: Mapping[str, bool]
    """Numbers and addresses of the text and of stated identifiers; true for those that the text calls the thing's own."""
    text: str
    """The beginning of the text, folded, link marks taken out."""
    stem: str
    told_apart: frozenset[str] = frozenset()
    """Ids and folded file names of notes that a person keeps apart from this one."""
    is_derived: bool = False
    """Whether the text says that the thing is a fork or a copy of another."""
    is_form: bool = False
    """Whether it is a template that other notes are made from, which is no note about a thing."""
    has_alias_list: bool = False
    """Whether its aliases stand in one text with commas."""

    @property
    def series(self) -> str:
        """The file name with every number taken out; empty when there is none, or nothing else."""
        bare = _DIGITS.sub("0", self.stem)
        return bare if (bare != self.stem and any(c.isalpha() for c in bare)) or _DAY.fullmatch(self.stem) else ""

    def answers_to(self, names: frozenset[str]) -> bool:
        """Tells whether one of the names is this note's id or file name."""
        return self.id in names or self.stem in names

    @property
    def folder(self) -> str:
        """The folder of the note, empty for the root."""
        return self.path.rpartition("/")[0]


def profile_of(facts: Facts, rarity: Rarity = NOTHING_KNOWN) -> Profile:
    """Makes the profile of a note. Lines that many notes share are nobody's own words, and common words say nothing."""
    written = facts.path.rsplit("/", 1)[-1].removesuffix(".md")
    stem = fold(written)
    properties = facts.properties or {}
    is_code = _BARE_CODE.fullmatch(stem) is not None and _DAY.fullmatch(stem) is None
    own = _names(text for text in (facts.title, written) if not (is_code and fold(text) == stem))
    known = {name.key for name in own}
    aliases = tuple(name for name in _names(facts.aliases) if name.key not in known)
    fields = fields_of(properties, facts.body)
    written_lines = lines_of(facts.body)
    shared = rarity.counts([line_of(line) for line in written_lines])
    lines = [line for line, count in zip(written_lines, shared, strict=True) if count < TEMPLATE_NOTES_MIN]
    words, words_bits = _own_words(lines, {word for name in own for word in name.words}, rarity)
    text = folded(_LINK_MARKS.sub("", " ".join(lines)[:TEXT_CHARS_MAX]))
    return Profile(
        facts.id, facts.path, facts.kind, facts.type, (*own, *aliases), len(own), fields, dict(facts.links),
        words, words_bits, _codes(lines, fields), text, stem, _told_apart(facts), _DERIVED.search(text) is not None, _is_form(facts),
        any(isinstance(value := properties.get(key), str) and "," in value for key in ("alias", "aliases")),
    )  # fmt: skip


def features_of(profile: Profile) -> Iterator[str]:
    """Yields every feature of a note but its words and lines, each once."""
    yield from (name_word(word) for word in sorted({word for name in profile.names for word in name.words}))
    yield from (whole_name(key) for key in sorted({name.key for name in profile.names}))
    for field in profile.fields:
        yield stated(field.key)
        yield from (value_of(field.key, value) for value in field.values)
    yield from (link_to(target) for target in sorted(profile.links))
    yield from (code_of(code) for code in sorted(profile.codes))


def _codes(lines: Iterable[str], fields: Iterable[Field]) -> dict[str, bool]:
    stated = {
        code: reach_of(field.key) == "thing" for field in fields if field.kind == "identifier"
        for value in field.values for code in codes_in(f"https://{value}" if field.key in BARE_ADDRESSES else value)
    }  # fmt: skip
    return codes_in("\n".join(lines)) | stated


def _own_words(lines: Iterable[str], named: Set[str], rarity: Rarity) -> tuple[dict[str, float], float]:
    """Returns the rare words of a text that others have too, with what each is worth, and what all its rare words come to.

    The words of its name are evidence already; a word that no other note has cannot be shared.
    """
    words = sorted(set(islice((word for line in lines for word in tokens(line)), WORDS_MAX)) - named)
    counts = rarity.counts([text_word(word) for word in words])
    most = min(max(WORD_NOTES_MIN, WORD_NOTES_SHARE * rarity.notes), WORD_NOTES_SHARE_MAX * rarity.notes)
    rare = [(word, count) for word, count in zip(words, counts, strict=True) if count <= most]
    return {intern(word): rarity.worth(count) for word, count in rare if count > 1}, sum(rarity.worth(count) for _, count in rare)


def _is_form(facts: Facts) -> bool:
    """A template lies in a folder of templates, or has places to fill in where other notes state something."""
    stated = (facts.title, *(str(value) for value in (facts.properties or {}).values()))
    return not _FORMS.isdisjoint(fold(facts.path).split("/")[:-1]) or any(_PLACEHOLDER.search(text) for text in stated)


def lines_of(body: str) -> list[str]:
    """Returns the lines of a text that say something, without their indentation."""
    return [line for written in body.split("\n") if (line := written.strip()) and any(c.isalnum() for c in line)]


def _told_apart(facts: Facts) -> frozenset[str]:
    written = (facts.properties or {}).get("distinct_from")
    texts = [str(text) for text in (written if isinstance(written, list) else [written]) if text]
    return frozenset((*facts.told_apart, *(_stem_in(text) for text in (*facts.told_apart, *texts))))


def _stem_in(text: str) -> str:
    """Returns the file name that a plain name, a path or a wikilink gives."""
    return fold(_TARGET.sub("", text).rsplit("/", 1)[-1]).removesuffix(".md")


def _names(texts: Iterable[str]) -> tuple[Name, ...]:
    found: dict[str, Name] = {}
    for text in texts:
        if _PLACEHOLDER.search(text):
            continue
        name = name_of(text)
        if name.words or name.numbers:
            found.setdefault(name.key, name)
    return tuple(found.values())
