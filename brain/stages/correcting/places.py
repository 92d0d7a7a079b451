"""Where a fact stands in one note, line by line, and what each place is. Reads nothing but what it is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.correction import Correction, Place, Role, misstated, shares_words, why_line_is_history
from brain.core.history import why_historical
from brain.core.note import Atom, Note, Span
from brain.stages.context import Context
from brain.stages.moving import ReadNote
from brain.vault.mask import FILLER, mask

NEAR_SHARE_MIN = 0.5
"""Share of a fact's words that a line must have to be put before a judge."""
NEAR_LINES_MAX = 3
PERSON = "person"


@dataclass(frozen=True, slots=True)
class Wrong:
    """Words of a line that are to be written anew. `judge` says who found them wrong."""

    place: Place
    span: Span
    new: str
    judge: str
    reason: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a body, as characters of the whole text."""

    number: int
    span: Span
    text: str


def role_of(ctx: Context, note: Note) -> tuple[Role, str]:
    """Returns what a note is that has no authority, and why."""
    folders = ctx.config.folders
    if note.kind == "episode":
        return "history", "it is an episode"
    why = why_historical(note.path, type=note.type, status=note.status, folders=(folders.inbox, folders.timeline, folders.archive))
    return ("history", why) if why else ("restates", "it speaks of the present")


def literal_places(read: ReadNote, correction: Correction) -> Iterator[Place | Wrong]:
    """Yields where the old wording stands in a note that speaks of the present: `Wrong` where it is to be written anew."""
    if not correction.was:
        return
    text, masked = read.source.text, mask(read.source.text, read.note.body_start)
    for span in misstated(text, correction.was, correction.becomes):
        line = _line_at(text, span.start)
        role, why = _of_place(read, masked, span, line)
        if role == "restates" and correction.becomes is None:
            role, why = "unsure", "nothing is said that could stand there (--becomes)"
        place = Place(read.note.path, line.number, line.text.strip(), role, why)
        is_wrong = role == "restates" and correction.becomes is not None
        yield Wrong(place, span, correction.becomes or "", PERSON, correction.fact) if is_wrong else place


def near_lines(read: ReadNote, correction: Correction) -> list[Line]:
    """Returns the lines that have most of the fact's words and speak of the present: at most a few, the nearest first."""
    text = read.source.text
    masked = mask(text, read.note.body_start)
    found: list[tuple[float, Line]] = []
    for line in _lines(text, read.note.body_start):
        share = shares_words(masked[line.span.start : line.span.end].replace(FILLER, " "), correction.fact)
        atom = atom_at(read.note, line.span)
        is_now = not line.text.lstrip().startswith("#") and why_line_is_history(atom.text if atom else line.text) is None
        if share >= NEAR_SHARE_MIN and is_now and _atom_is_open(atom):
            found.append((-share, line))
    return [line for _, line in sorted(found, key=lambda entry: (entry[0], entry[1].number))[:NEAR_LINES_MAX]]


def words_in_line(read: ReadNote, line: Line, words: str, new: str) -> Iterator[Span]:
    """Yields where words stand in a line, outside of links and code, and are not part of the new ones yet."""
    masked = mask(read.source.text, read.note.body_start)
    for found in misstated(line.text, words, new):
        span = Span(line.span.start + found.start, line.span.start + found.end)
        if _of_place(read, masked, span, line)[0] == "restates":
            yield span


def atom_at(note: Note, span: Span) -> Atom | None:
    """Returns the claim on whose line a place lies."""
    return next((atom for atom in note.atoms if atom.span.start <= span.start < atom.span.end), None)


def _of_place(read: ReadNote, masked: str, span: Span, line: Line) -> tuple[Role, str]:
    if span.start < read.note.body_start:
        return "unsure", "it stands in a property: brain edit"
    if FILLER in masked[span.start : span.end]:
        return "unsure", "it stands in code or in a comment"
    if read.source.text[span.start - 1 : span.start] in ("#", "^"):
        return "unsure", "it stands in a tag or in the name of a block"
    if any(link.span.start < span.end and span.start < link.span.end for link in read.note.links if link.place == "body"):
        return "unsure", "it stands in a link"
    if any(heading.span.start <= span.start < heading.span.end for heading in read.note.headings):
        return "unsure", "it stands in a heading, which links may name"
    atom = atom_at(read.note, span)
    if not _atom_is_open(atom):
        return "history", "the claim does not stand any more"
    why = why_line_is_history(atom.text if atom else line.text)  # a source is named by its day, which is not what is said
    return ("history", why) if why else ("restates", "it repeats the old wording")


def _atom_is_open(atom: Atom | None) -> bool:
    return atom is None or (atom.status in ("active", "stale") and atom.valid_to is None)


def _lines(text: str, start: int) -> Iterator[Line]:
    number, at = text.count("\n", 0, start) + 1, start
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        yield Line(number, Span(at, end), text[at:end].rstrip("\r"))
        number, at = number + 1, end + 1


def _line_at(text: str, at: int) -> Line:
    start = text.rfind("\n", 0, at) + 1
    return next(_lines(text, start))
