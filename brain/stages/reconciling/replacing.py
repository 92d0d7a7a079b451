"""A later claim closes an earlier one: the edits of the one line that changes, and the plan. Reads, writes nothing.

The earlier claim stays where it is, with its words, its day of end and the id of what came after it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from brain.core.judgement import Contradicts, Supersedes
from brain.core.note import Atom, Span
from brain.core.plan import Plan, Provenance, Question, ReplaceSpan
from brain.stages.context import Context, Reading
from brain.stages.target import Names
from brain.vault.atoms import parse_atom, replace_claim
from brain.vault.parse import parse_note
from brain.vault.store import Source


@dataclass(frozen=True, slots=True)
class TwoClaims:
    """Two claims that stand in one note, read again: each with the id it has now."""

    source: Source
    title: str
    atoms: dict[str, Atom]

    def words(self, atom_id: str) -> str:
        """A claim for a person: its id, its words and its days."""
        atom = self.atoms[atom_id]
        days = "".join(f" ({word} {day})" for word, day in (("from", atom.valid_from), ("to", atom.valid_to)) if day)
        return f"^{atom_id}: “{atom.text}”{days}"


def key_of(note_id: str, one: str, other: str) -> str:
    """Returns the key under which two claims of a note are decided about, whatever is said of them."""
    return f"claims|{note_id}|{'|'.join(sorted((one, other)))}"


def read_two(ctx: Context, reading: Reading, path: str, one: str, other: str) -> TwoClaims | None:
    """Reads two claims of a note; None when one of them is gone or does not stand any more."""
    source = reading.read(path)
    if source is None:
        return None
    note, names = parse_note(path, source.text, ctx.config.limits), Names(ctx)
    known = {atom.id or names.atom_id_at(path, atom): atom for atom in note.atoms if atom.status == "active"}
    atoms = {atom_id: known[atom_id] for atom_id in (one, other) if atom_id in known}
    return TwoClaims(source, note.title, atoms) if len(atoms) == 2 and not note.malformed else None


def plan_replacing(claims: TwoClaims, verdict: Supersedes, *, key: str, note_id: str) -> Plan | None:
    """Returns the plan that closes the earlier claim; None when its line cannot say that and still be the same claim.

    What is verified is not closed by what is inferred, and no bullet in a person's own form by anyone else: a person decides.
    """
    path, text = claims.source.path, claims.source.text
    later, earlier = claims.atoms[verdict.later], claims.atoms[verdict.earlier]
    named = _named(text, later, verdict.later, path)
    closed = _closed(text[earlier.span.start : earlier.span.end], earlier, verdict, has_id=later.id is not None or named is not None)
    if closed is None:
        return None
    edits = (ReplaceSpan(path, earlier.span, text[earlier.span.start : earlier.span.end], closed), *((named,) if named else ()))
    because = f"{path}: “{later.text}” replaces “{earlier.text}” from {verdict.on} on: {verdict.reason}"
    is_certain = earlier.confidence is not None and not (earlier.confidence == "verified" and later.confidence != "verified")
    quote = text[later.span.start : later.span.end]
    item = f"{verdict.later}|supersedes|{verdict.earlier}"
    return Plan(
        "reconcile", key, {path: claims.source.sha256}, edits, because,
        (Provenance(item, path, claims.source.sha256, later.line, quote, verdict.reason, verdict.judge),), certain=is_certain,
        question=Question(verdict, (note_id,), (claims.words(verdict.later), claims.words(verdict.earlier))),
    )  # fmt: skip


def plan_contradiction(claims: TwoClaims, verdict: Contradicts, *, key: str, note_id: str) -> Plan:
    """Returns the plan that puts two claims before a person: it changes nothing by itself."""
    path = claims.source.path
    words = claims.words(verdict.left), claims.words(verdict.right)
    because = f"{path}: two claims cannot both hold: “{claims.atoms[verdict.left].text}” and “{claims.atoms[verdict.right].text}”: {verdict.reason}"
    return Plan("reconcile", key, {path: claims.source.sha256}, (), because, certain=False, question=Question(verdict, (note_id,), words))


def _named(text: str, atom: Atom, atom_id: str, path: str) -> ReplaceSpan | None:
    """Returns the edit that writes the id of a claim that has none, so that another can name it; None when it has one or cannot."""
    line = text[atom.span.start : atom.span.end]
    at = len(line.rstrip())
    read = parse_atom(f"{line[:at]} ^{atom_id}", atom.line, atom.span)
    if atom.id is not None or read is None or replace(read, id=None) != atom:
        return None
    return ReplaceSpan(path, Span(atom.span.start + at, atom.span.start + at), "", f" ^{atom_id}")


def _closed(line: str, atom: Atom, verdict: Supersedes, *, has_id: bool) -> str | None:
    by = verdict.later if has_id else None
    closed = replace_claim(line, status="superseded", superseded_by=by, superseded_on=verdict.on)
    wanted = replace(atom, status="superseded", superseded_by=by, superseded_on=verdict.on)
    if atom.valid_to is None:
        ended = replace(wanted, valid_to=verdict.on)
        tried = (f"{closed[:at].rstrip()} (to {verdict.on}) {closed[at:]}".rstrip() for at in _ends(closed))
        found = next((text for text in tried if parse_atom(text, atom.line, atom.span) == ended), None)
        if found is not None:
            return found
    return closed if parse_atom(closed, atom.line, atom.span) == wanted else None


def _ends(line: str) -> list[int]:
    """Returns where the words of a claim may end, the first place first: before a source, before the id, at the end."""
    return [*(at + 1 for at in range(len(line) - 1) if line[at] == " " and line[at + 1] in "[^"), len(line)]
