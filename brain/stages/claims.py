"""Claims as bullets: which atom of a note says the same, the new bullet, one more source on an old one. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from brain.config import Limits
from brain.core.ids import fold, short_hash
from brain.core.note import Atom, Span
from brain.core.plan import ReplaceSpan
from brain.stages.spelling import Shown, links_in, open_marks, with_links
from brain.vault.atoms import parse_atom, render_atom
from brain.vault.fields import split_validity

ID_LENGTHS = (5, 8, 12)
_WORD = re.compile(r"[^\W_]+(?:[.,:'’+-]+[^\W_]+)*|[^\w\s.,;:!?'\"()’“”]")
_ARTICLES = frozenset(("a", "an", "the", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "il", "lo", "gli", "el", "los", "las"))
_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*$")
_ESCAPE = re.compile(r"\\(?=%%|\$\$|<!--)")


def claim_key(kind: str, text: str) -> str:
    """Returns the form under which two claims are the same: kind, and text but for case, spaces, escapes and a full stop."""
    return f"{kind}|{' '.join(_ESCAPE.sub('', fold(split_validity(text)[0])).split()).rstrip('. ')}"


def equal_atoms(atoms: Iterable[Atom], kind: str, text: str) -> list[Atom]:
    """Returns the atoms that already say this."""
    wanted = claim_key(kind, text)
    return [atom for atom in atoms if claim_key(atom.kind, atom.text) == wanted]


def near_key(text: str) -> str:
    """Returns the form under which two claims say the same in nearly the same words: articles, marks and letter case aside."""
    return " ".join(word for word in _WORD.findall(fold(split_validity(text)[0])) if word not in _ARTICLES)


def near_atoms(atoms: Iterable[Atom], text: str) -> list[Atom]:
    """Returns the atoms that say this in nearly the same words, of whatever kind; a day that none of them has is news."""
    wanted, (_, valid_from, valid_to) = near_key(text), split_validity(text)
    near = (atom for atom in atoms if near_key(atom.text) == wanted)
    return [atom for atom in near if valid_from in (None, atom.valid_from) and valid_to in (None, atom.valid_to)]


def says_no_more(atom: Atom, known: Atom) -> bool:
    """Tells whether an atom that claims the same says nothing that the known one does not: no date, status, surety."""
    return _state(atom)[1:] == _state(known)[1:] and atom.confidence in (None, known.confidence)


def claim_ids(entity: str, kind: str, text: str) -> tuple[str, ...]:
    """Returns the ids a claim may have, shortest first: derived from what is said about what."""
    return tuple(f"a-{short_hash('claim', fold(entity), claim_key(kind, text), length=length)}" for length in ID_LENGTHS)


def free_id(ids: tuple[str, ...], is_taken: Callable[[str], bool]) -> str:
    """Returns the shortest of a claim's ids that no other atom has."""
    return next((candidate for candidate in ids if not is_taken(candidate)), ids[-1])


def bullet(text: str, *, kind: str, confidence: str, source: str, atom_id: str) -> str:
    """Returns the line of a new atom; `source` is a link as text, validity at the end of the text becomes the atom's."""
    said, valid_from, valid_to = split_validity(_with_open_marks_escaped(text))
    return render_atom(
        said, kind=kind, confidence=confidence, valid_from=valid_from, valid_to=valid_to, sources=[source], id=atom_id
    )


def with_sources(path: str, text: str, atom: Atom, links: Sequence[str], *, spare_id: str | None) -> ReplaceSpan | None:
    """Returns the edit that names more sources on an atom's line: an insertion, so that it meets no other edit.

    Links at the end of a bare bullet (`- leaks`) are part of what it says. There `spare_id`, the id the atom has by
    its words, is written too, then a full stop; None when even so the line would not be read as the same claim.
    """
    line = text[atom.span.start : atom.span.end]
    found = _ID.search(line)
    at = found.start() if found else len(line.rstrip())
    named = "".join(f" {link}" for link in links)
    spare = f" ^{spare_id}" if spare_id and atom.id is None else ""
    for inserted in dict.fromkeys((named, named + spare, f".{named}{spare}")):
        read = parse_atom(line[:at] + inserted + line[at:], atom.line, atom.span)
        if read is not None and _is_same(read, atom) and len(read.sources) == len(atom.sources) + len(links):
            where = Span(atom.span.start + at, atom.span.start + at)
            return ReplaceSpan(path, where, "", inserted)
    return None


def said_about(text: str, shown: Shown, limits: Limits) -> str:
    """Returns a claim's words on one line, with each link as `shown` writes it."""
    return " ".join(with_links(text, links_in(text, limits), shown).split())


def _with_open_marks_escaped(text: str) -> str:
    """Returns the words with a mark that opens a comment or formula and closes none escaped: it would hide the bullets below."""
    opened = open_marks(text)
    return "".join(f"\\{character}" if at in opened else character for at, character in enumerate(text))


def _is_same(one: Atom, other: Atom) -> bool:
    """Tells whether two readings of a line make one claim; an id more is none less."""
    return claim_key(one.kind, one.text) == claim_key(other.kind, other.text) and _state(one) == _state(other)


def _state(atom: Atom) -> tuple[str | None, ...]:
    return (atom.confidence, atom.status, atom.superseded_by, atom.superseded_on, atom.valid_from, atom.valid_to)
