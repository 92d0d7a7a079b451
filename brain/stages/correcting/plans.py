"""The plan of one note that restates a fact wrongly. Reads, writes nothing.

Words of a person's own text are written anew in place. A claim is not: the old one stays, closed in favour of a new
one that names the note with authority as its source. What the note says after that is read back before it is planned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from brain.core.ids import short_hash
from brain.core.note import Atom, Span
from brain.core.plan import Edit, Plan, Provenance, ReplaceSpan
from brain.core.vocabulary import canonical_relation
from brain.stages.claims import bullet, claim_ids, free_id
from brain.stages.context import Context
from brain.stages.correcting.places import Wrong, atom_at
from brain.stages.moving import ReadNote
from brain.stages.target import Names
from brain.vault.atoms import parse_atom, replace_claim
from brain.vault.parse import parse_note
from brain.vault.render import PlanError, render


@dataclass(frozen=True, slots=True)
class Authority:
    """A note that knows: it says what is so on `line`, in `quote`."""

    read: ReadNote
    line: int
    quote: str


def plan_of(ctx: Context, names: Names, read: ReadNote, wrongs: Sequence[Wrong], authority: Authority) -> Plan | str:
    """Returns the plan for one note, or why there is none."""
    path = read.note.path
    edits: list[Edit] = []
    provenance: list[Provenance] = []
    for atom, of_atom in _by_atom(read, wrongs):
        if atom is None:
            edits += [ReplaceSpan(path, wrong.span, read.source.text[wrong.span.start : wrong.span.end], wrong.new) for wrong in of_atom]
            continue
        made = _claim_anew(ctx, names, read, atom, of_atom, authority)
        if isinstance(made, str):
            return made
        edits.append(made[0])
        provenance.append(made[1])
    first = wrongs[0]
    key = f"correct|{path}|{short_hash('correct', *(f'{wrong.place.text}|{wrong.new}' for wrong in wrongs), length=16)}"
    base = {path: read.source.sha256, authority.read.note.path: authority.read.source.sha256}
    because = f"{path} is put right: {first.reason} ({authority.read.note.path}, line {authority.line})"
    plan = Plan("correct", key, base, tuple(edits), because, tuple(provenance))
    return _unless_broken(ctx, plan, read, claims_made=len(provenance)) or plan


def _by_atom(read: ReadNote, wrongs: Sequence[Wrong]) -> list[tuple[Atom | None, list[Wrong]]]:
    found: dict[int, tuple[Atom | None, list[Wrong]]] = {}
    for wrong in wrongs:
        atom = atom_at(read.note, wrong.span)
        found.setdefault(atom.span.start if atom else -1, (atom, []))[1].append(wrong)
    return list(found.values())


def _claim_anew(
    ctx: Context, names: Names, read: ReadNote, atom: Atom, wrongs: Sequence[Wrong], authority: Authority
) -> tuple[ReplaceSpan, Provenance] | str:
    """Returns the edit that closes a claim and makes a right one below it, with where that comes from."""
    path, text = read.note.path, read.source.text
    line = text[atom.span.start : atom.span.end]
    said = parse_atom(_written_anew(text, atom.span, wrongs), atom.line, atom.span)
    link = names.link_to(path, authority.read.note.path)
    if said is None or link is None:
        return "a claim in it cannot be written so that it is read back"
    new_id = free_id(claim_ids(read.note.title, atom.kind, said.text), names.is_atom_id)
    new = bullet(said.text, kind=atom.kind, confidence="verified", source=link, atom_id=new_id)
    closed = replace_claim(line, status="superseded", superseded_by=new_id, superseded_on=ctx.today)
    indent = line[: len(line) - len(line.lstrip())]
    newline = "\r\n" if text[atom.span.end : atom.span.end + 2] == "\r\n" else "\n"
    edit = ReplaceSpan(path, atom.span, line, f"{closed}{newline}{indent}{new}")
    made = Provenance(
        new_id, authority.read.note.path, authority.read.source.sha256, authority.line, authority.quote, wrongs[0].reason, wrongs[0].judge
    )
    return edit, made


def _written_anew(text: str, whole: Span, wrongs: Sequence[Wrong]) -> str:
    for wrong in sorted(wrongs, key=lambda wrong: -wrong.span.start):
        text = text[: wrong.span.start] + wrong.new + text[wrong.span.end :]
    grown = sum(len(wrong.new) - (wrong.span.end - wrong.span.start) for wrong in wrongs)
    return text[whole.start : whole.end + grown]


def _unless_broken(ctx: Context, plan: Plan, read: ReadNote, *, claims_made: int) -> str | None:
    """Returns why the note would not be what it was but for the corrected words; None when it would."""
    limits, was = ctx.config.limits, read.note
    try:
        patches = render(plan, {read.source.path: read.source}, limits)
    except PlanError as error:
        return error.message
    after = parse_note(was.path, (patches[0].after or b"").decode("utf-8", "surrogateescape"), limits)
    is_same = (after.properties, len(after.headings), after.malformed) == (was.properties, len(was.headings), was.malformed)
    kept = is_same and len(after.atoms) == len(was.atoms) + claims_made
    stated, said = (Counter((canonical_relation(link.relation or ""), link.target) for link in note.links) for note in (was, after))
    return None if kept and stated <= said else "it would not be the same note with the new words in it"
