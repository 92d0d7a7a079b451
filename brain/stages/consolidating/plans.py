"""The plan of one fold: the claim that stays gets the sources of the others, which go or are closed in its favour. Writes nothing.

A bullet is taken out only when the one that stays has its very words and nothing refers to it; any other stays where
it is, with its words and its id, marked superseded. What the note says after that is read back before it is planned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from brain.config import Limits
from brain.core.ids import fold, short_hash
from brain.core.note import Atom, Note, Span
from brain.core.plan import Edit, Plan, Provenance, ReplaceSpan
from brain.stages.claims import claim_key, with_sources
from brain.stages.consolidating.rules import Fold, is_exact
from brain.stages.consolidating.standing import ReadClaims, Standing
from brain.stages.moving import whole_lines
from brain.vault.atoms import parse_atom, replace_claim
from brain.vault.parse import decode, parse_note
from brain.vault.render import PlanError, render

_BEGINS_BLOCK = ("-", "*", "+", "#")
_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class _Change:
    """What becomes of the line of one claim: its atom as it will be read, None when it goes."""

    edit: ReplaceSpan
    atom: Atom | None


def plan_fold(read: ReadClaims, folded: Fold, *, note_id: str, today: str, limits: Limits) -> Plan | None:
    """Returns the plan of a fold, without those claims whose line can neither go nor say that it is closed; None when none is left."""
    keep, path, source = folded.keep, read.note.path, read.source
    by = keep.known_id if keep.atom.id is None else keep.atom.id
    ways = [(claim, _closing(read, keep, claim, by, today)) for claim in folded.gone]
    gone, changes = [claim for claim, change in ways if change], [change for _, change in ways if change]
    kept = _kept(read, keep, gone, by if any(change.atom for change in changes) else None) if changes else None
    if kept is None:
        return None
    everything = [kept, *changes]
    edits: tuple[Edit, ...] = tuple(change.edit for change in everything if change.edit.expected != change.edit.text)
    names = sorted(claim.name for claim in gone)
    plan = Plan(
        "consolidate", f"fold|{note_id}|{keep.name}|{'|'.join(names)}|{short_hash(source.sha256)}", {path: source.sha256}, edits, _because(path, folded, gone),
        tuple(_provenance(read, folded, claim) for claim in gone),
    )  # fmt: skip
    return plan if _is_sound(read, plan, everything, limits) else None


def item_of(keep: str, gone: str) -> str:
    """Returns the name of one claim's going in favour of another, as its provenance has it: what a person's no is kept under."""
    return f"{gone}|restates|{keep}"


def _closing(read: ReadClaims, keep: Standing, claim: Standing, by: str | None, today: str) -> _Change | None:
    """Returns how the line of a claim goes or is closed; None for a person's bullet that cannot go, and where it would be read otherwise."""
    text, atom = read.source.text, claim.atom
    if _is_removable(read, keep, claim):
        whole = whole_lines(text, atom.span)
        return _Change(ReplaceSpan(read.note.path, whole, text[whole.start : whole.end], ""), None)
    if atom.confidence is None:
        return None
    line = text[atom.span.start : atom.span.end]
    closed = replace_claim(line, status="superseded", superseded_by=by, superseded_on=today)
    wanted = replace(atom, status="superseded", superseded_by=by, superseded_on=today)
    return _Change(ReplaceSpan(read.note.path, atom.span, line, closed), wanted) if parse_atom(closed, atom.line, atom.span) == wanted else None


def _is_removable(read: ReadClaims, keep: Standing, claim: Standing) -> bool:
    """Tells whether a bullet can go: the same words stand elsewhere, nothing names its id, no line belongs to it."""
    if not is_exact(keep, claim) or claim.is_referred:
        return False
    text, whole = read.source.text, whole_lines(read.source.text, claim.atom.span)
    following = text[whole.end :].split("\n", 1)[0].strip()
    return "\n" not in text[whole.start : whole.end].rstrip("\r\n") and (not following or following.startswith(_BEGINS_BLOCK))


def _kept(read: ReadClaims, keep: Standing, gone: Sequence[Standing], by: str | None) -> _Change | None:
    """Returns the line of the claim that stays, with further sources, and with its id `by` when another line has to name it."""
    text, atom, path = read.source.text, keep.atom, read.note.path
    line = text[atom.span.start : atom.span.end]
    fresh = {place: raw for claim in gone for place, raw in claim.sources.items() if place not in keep.sources}
    changed = line
    if fresh:
        edit = with_sources(path, text, atom, list(fresh.values()), spare_id=keep.known_id)
        if edit is None:
            return None
        at = edit.span.start - atom.span.start
        changed = f"{line[:at]}{edit.text}{line[at:]}"
    found = parse_atom(changed, atom.line, atom.span)
    if found is not None and found.id is None and by:
        end = len(changed.rstrip())
        changed = f"{changed[:end]} ^{by}{changed[end:]}"
        found = parse_atom(changed, atom.line, atom.span)
    if found is None or not _says_the_same(found, atom) or len(found.sources) != len(atom.sources) + len(fresh):
        return None
    return _Change(ReplaceSpan(path, atom.span, line, changed), found)


def _says_the_same(found: Atom, atom: Atom) -> bool:
    as_it_was = replace(found, id=atom.id, text=atom.text, sources=atom.sources)
    return as_it_was == atom and claim_key(found.kind, found.text) == claim_key(atom.kind, atom.text) and atom.id in (None, found.id)


def _is_sound(read: ReadClaims, plan: Plan, changes: Sequence[_Change], limits: Limits) -> bool:
    """Tells whether the note, read back, has the claims that are meant, its headings, and every link and block id but those that go."""
    try:
        (patch,) = render(plan, {read.note.path: read.source}, limits)
    except (PlanError, ValueError):
        return False
    after = parse_note(read.note.path, decode(patch.after or b"")[0], limits)
    of = {change.edit.span.start: change for change in changes}
    wanted = [of[atom.span.start].atom if atom.span.start in of else atom for atom in read.note.atoms]
    lost = {fold(atom.id) for atom in read.note.atoms if atom.span.start in of and atom.id and of[atom.span.start].atom is None}
    kept_ids = {fold(name) for name in read.note.block_ids} - lost | {fold(atom.id) for atom in wanted if atom and atom.id}
    return (
        list(map(_placeless, after.atoms)) == [_placeless(atom) for atom in wanted if atom is not None]
        and [heading.text for heading in after.headings] == [heading.text for heading in read.note.headings]
        and {fold(name) for name in after.block_ids} == kept_ids and _other_links(after) == _other_links(read.note)
        and after.properties == read.note.properties
    )  # fmt: skip


def _other_links(note: Note) -> Counter[str]:
    """Returns the links that stand on no line of a claim."""
    lines = {atom.line for atom in note.atoms}
    return Counter(link.raw for link in note.links if link.place != "body" or link.line not in lines)


def _placeless(atom: Atom) -> Atom:
    return replace(atom, line=0, span=_NOWHERE)


def _because(path: str, folded: Fold, gone: Sequence[Standing]) -> str:
    return f"{path}: {folded.keep.shown} stands for {', '.join(claim.shown for claim in gone)}: {folded.reason}"


def _provenance(read: ReadClaims, folded: Fold, claim: Standing) -> Provenance:
    quote = read.source.text[claim.atom.span.start : claim.atom.span.end].strip()
    item = item_of(folded.keep.name, claim.name)
    return Provenance(item, read.note.path, read.source.sha256, claim.atom.line, quote, folded.reason, folded.judge)
