"""Claims as bullets: which atom of a note says the same, the new bullet, one more source on an old one. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from brain.core.ids import fold, short_hash
from brain.core.note import Atom, Span
from brain.core.plan import ReplaceSpan
from brain.vault.atoms import render_atom
from brain.vault.fields import split_validity

ID_LENGTHS = (5, 8, 12)
_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*$")


def claim_key(kind: str, text: str) -> str:
    """Returns the form under which two claims are the same: kind, and text but for case, spaces and a full stop."""
    return f"{kind}|{' '.join(fold(split_validity(text)[0]).split()).rstrip('. ')}"


def equal_atom(atoms: Iterable[Atom], kind: str, text: str) -> Atom | None:
    """Returns the atom that already says this, None when there is none."""
    wanted = claim_key(kind, text)
    return next((atom for atom in atoms if claim_key(atom.kind, atom.text) == wanted), None)


def claim_ids(entity: str, kind: str, text: str) -> tuple[str, ...]:
    """Returns the ids a claim may have, shortest first: derived from what is said about what."""
    return tuple(f"a-{short_hash('claim', fold(entity), claim_key(kind, text), length=length)}" for length in ID_LENGTHS)


def free_id(ids: tuple[str, ...], is_taken: Callable[[str], bool]) -> str:
    """Returns the shortest of a claim's ids that no other atom has."""
    return next((candidate for candidate in ids if not is_taken(candidate)), ids[-1])


def bullet(text: str, *, kind: str, confidence: str, source: str, atom_id: str) -> str:
    """Returns the line of a new atom; validity at the end of the text becomes the atom's."""
    said, valid_from, valid_to = split_validity(text)
    return render_atom(
        said, kind=kind, confidence=confidence, valid_from=valid_from, valid_to=valid_to, sources=[source], id=atom_id
    )


def with_source(path: str, text: str, atom: Atom, sources: Iterable[str]) -> ReplaceSpan:
    """Returns the edit that names more sources on an atom's line: an insertion, so that it meets no other edit."""
    line = text[atom.span.start : atom.span.end]
    found = _ID.search(line)
    at = atom.span.start + (found.start() if found else len(line.rstrip()))
    return ReplaceSpan(path, Span(at, at), "", "".join(f" [[{source}]]" for source in sources))


def said_about(text: str, entity: str) -> str:
    """Returns a claim's words for the note it is about: links to that note become plain words."""
    def shown(link: re.Match[str]) -> str:
        target, _, alias = link[1].partition("|")
        return (alias or target.split("#")[0].rsplit("/", 1)[-1]).strip() if fold(target.split("#")[0]) == fold(entity) else link[0]

    return " ".join(re.sub(r"(?<!!)\[\[([^\[\]]+)\]\]", shown, text).split())
