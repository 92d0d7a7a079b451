"""The rules judge: decides what is certain, and never guesses. Pure text and values; no files, no models.

Certain are: a line that a person marked (`Decided: …`) about the thing it links, a relation written out
(`[[A]] depends_on:: [[B]]`), a rare identifier that two notes share and nothing speaks against. Everything else is left to a model
or a person: `Unsure`, or nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.config import Limits
from brain.core.judgement import Episode, Extracted, Mention, Pair, Relates, Same, Unsure
from brain.core.vocabulary import canonical_relation
from brain.vault.fields import split_validity
from brain.vault.frontmatter import read_frontmatter
from brain.vault.linkscan import find_links
from brain.vault.mask import FILLER, mask

MARKERS: dict[str, str] = {
    "decided": "decision", "decision": "decision", "risk": "risk", "fact": "fact", "opportunity": "opportunity",
    "hypothesis": "hypothesis", "question": "open_question", "open question": "open_question", "event": "event",
    "person": "person",
}  # fmt: skip

EVIDENCE_SHOWN_MAX, AGAINST_SHOWN_MAX = 4, 2

_ITEM = r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?"
_WORDS = "|".join(sorted((word.replace(" ", "[ \t]+") for word in MARKERS), key=len, reverse=True))
_MARKED = re.compile(
    rf"{_ITEM}(?:(?P<mark>\*\*|__|\*|_)(?:(?P<a>{_WORDS}):(?P=mark)|(?P<b>{_WORDS})(?P=mark):)|(?P<c>{_WORDS}):)(?![:/])[ \t]*(?P<said>\S.*)",
    re.IGNORECASE,
)
_RELATION = re.compile(rf"{_ITEM}\[\[(?P<source>[^\[\]|#\r\n]+)(?:[|#][^\[\]\r\n]*)?\]\][ \t]+(?P<key>\w[\w -]{{0,39}}?)[ \t]*::[ \t]*\[\[(?P<target>[^\[\]|#\r\n]+)(?:[|#][^\[\]\r\n]*)?\]\](?P<rest>.*)")
_REASON = re.compile(r"(?P<days>(?:[ \t]+\((?:from|to) [^()]{1,20}\))*)(?:[ \t]+[-–—][ \t]+(?P<said>.+))?")
_STARTS_BLOCK = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|\||\[\^|!\[|\w[\w ]{0,30}:)")
_ENDS_SENTENCE = tuple(".!?…。！？:;")
_BLOCK_ID = re.compile(r"\s+\^[A-Za-z0-9-]+\s*$")
_TASK = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+\[.\](?:[ \t]|$)|todo\b", re.IGNORECASE)
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?|-?W\d{2}|-?Q[1-4])?")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules made of an episode.

    `nameless` are the lines of marked claims that link no thing; `is_prose_left` tells whether words remain
    that only a model could read, `open_lines` on which lines they and the nameless claims begin.
    """

    claims: tuple[Extracted, ...]
    relations: tuple[Relates, ...]
    nameless: tuple[int, ...]
    is_prose_left: bool
    open_lines: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Rules:
    """The judge that needs no model. `name` is its name and version, as every verdict carries it."""

    name: str = "rules/1"

    def read(self, episode: Episode, limits: Limits) -> Reading:
        """Judges an episode: its marked lines and written-out relations. Code, comments, tasks and quotes are none.

        A page from the web is nobody's marking: its words are left to a model.
        """
        if is_from_web(episode.text, limits):
            return Reading((), (), (), is_prose_left=True, open_lines=frozenset(line.number for line in _lines(episode.text, limits)))
        claims: list[Extracted] = []
        relations: list[Relates] = []
        nameless: list[int] = []
        prose: list[int] = []
        for line in _lines(episode.text, limits):
            if marked := _MARKED.fullmatch(line.masked):
                kind = MARKERS[" ".join((marked["a"] or marked["b"] or marked["c"]).casefold().split())]
                claim = self._claim(line, marked.start("said"), kind, limits)
                if claim is None:
                    nameless.append(line.number)
                else:
                    claims.append(claim)
            elif stated := self._stated(line):
                relations.append(stated)
            elif line.is_prose:
                prose.append(line.number)
        return Reading(tuple(claims), tuple(relations), tuple(nameless), bool(prose), frozenset((*prose, *nameless)))

    def identify(self, pair: Pair) -> Same | Unsure:
        """Judges whether two notes are one thing: certain is an identifier that nothing speaks against."""
        said = "; ".join((*pair.evidence[:EVIDENCE_SHOWN_MAX], *(f"but {no}" for no in (*pair.vetoes, *pair.against[:AGAINST_SHOWN_MAX]))))
        if pair.certain:
            return Same(self.name, f"both have {pair.certain}; {said}", pair.left.path, pair.right.path, pair.certain)
        return Unsure(self.name, said or f"they share {', '.join(pair.signals)}", (pair.left.path, pair.right.path))

    def relate(self, mention: Mention) -> Relates | Unsure:
        """Judges a relation that a sentence writes out: an edge when it has a canonical type and a reason."""
        relation = canonical_relation(mention.relation)
        if relation is None or not mention.reason:
            return Unsure(self.name, "no relation of the vocabulary, or no reason, is written", (mention.path, mention.target))
        return Relates(self.name, mention.reason, mention.path, relation, mention.target, mention.line, mention.quote)

    def _claim(self, line: _Line, said_start: int, kind: str, limits: Limits) -> Extracted | None:
        said, masked = line.text[said_start:], line.masked[said_start:]
        links = [link for link in find_links(masked, said, 0, len(said), limits.link_chars_max) if link.form == "wikilink"]
        entity = next((link.target for link in links if link.target and names_a_thing(link.target)), None)
        if entity is None:
            return None
        text = _BLOCK_ID.sub("", said).strip()
        reason = f"line {line.number} marks a {kind.replace('_', ' ')} and links {entity}"
        return Extracted(self.name, reason, kind, text, entity, line.number, line.text.strip("\r\n"), "verified")

    def _stated(self, line: _Line) -> Relates | None:
        match = _RELATION.fullmatch(line.masked)
        relation = canonical_relation(match["key"]) if match else None
        if match is None or relation is None:
            return None
        reason = _reason_with_days(line.text[match.start("rest") :].rstrip())
        source, target = (line.text[match.start(end) : match.end(end)].strip() for end in ("source", "target"))
        return Relates(self.name, reason, source, relation, target, line.number, line.text.strip("\r\n"))


RULES = Rules()


def is_from_web(text: str, limits: Limits) -> bool:
    """Tells whether an episode was fetched: it says `origin: web` in its frontmatter."""
    block = read_frontmatter(text, limits).block
    return block is not None and any(entry.value == "web" for entry in block.find("origin"))


def names_a_thing(target: str) -> bool:
    """Tells whether a link target can name a durable thing: a date or a week is none."""
    return _DAY.fullmatch(target.rsplit("/", 1)[-1].strip()) is None


def _reason_with_days(rest: str) -> str:
    """Returns what a relation line says after its link: the words of its reason, and its days at their end."""
    match = _REASON.match(rest)
    if match is None or (match["said"] is None and match.end() < len(rest)):
        return ""
    words, *days = split_validity(match["said"] or "")
    if not any(days):
        days = list(split_validity(match["days"])[1:])
    written = (f"({word} {day})" for word, day in zip(("from", "to"), days, strict=True) if day)
    return " ".join(filter(None, (plain(words), *written)))


def plain(text: str) -> str:
    """Returns a text on one line with its wikilinks as words."""
    words = re.sub(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]", lambda link: link[2] or link[1], text)
    return " ".join(words.split())


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the body (with what continues its sentence), masked and as written; `number` is 1-based."""

    number: int
    text: str
    masked: str

    @property
    def is_prose(self) -> bool:
        words = self.masked.strip(f"{FILLER} \t\r\n")
        return any(c.isalnum() for c in words) and not words.startswith(("#", ">")) and not _TASK.match(words)


def _lines(text: str, limits: Limits) -> Iterator[_Line]:
    body = read_frontmatter(text, limits).end
    masked = mask(text, body)
    spans = _spans(text, body)
    first = text.count("\n", 0, body) + 1
    place = 0
    while place < len(spans):
        start, end = spans[place]
        number, place = first + place, place + 1
        while place < len(spans) and _continues(masked[start:end], masked[slice(*spans[place])]):
            end = spans[place][1]
            place += 1
        yield _Line(number, text[start:end], _one_line(masked[start:end]))


def _spans(text: str, start: int) -> list[tuple[int, int]]:
    """Lines without their ends."""
    spans = []
    at = start
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        spans.append((at, end - 1 if end > at and text[end - 1] == "\r" else end))
        at = end + 1
    return spans


def _continues(line: str, following: str) -> bool:
    """A hard-wrapped sentence goes on in the next line: unfinished here, and there a small letter or a link starts."""
    lead = following.lstrip()
    if not _MARKED.fullmatch(_one_line(line)) or line.endswith("  ") or line.rstrip().endswith((*_ENDS_SENTENCE, "\\")):
        return False
    return bool(lead) and (lead[0].islower() or lead.startswith("[[")) and not _STARTS_BLOCK.match(following)


def _one_line(masked: str) -> str:
    return masked.replace("\r", " ").replace("\n", " ")
