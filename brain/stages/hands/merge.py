"""`brain merge A B`: two notes become one because a person says so. The plan is the one that reconcile makes."""

from __future__ import annotations

from dataclasses import replace

from brain.config import Limits
from brain.core.judgement import Pair, Same, Subject
from brain.core.plan import AppendToSection, Edit, Plan, Provenance, ReplaceSpan, SetField
from brain.core.tree import CATEGORY
from brain.core.vocabulary import canonical_relation
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.edges import RELATED
from brain.stages.hands.hand import Done, Hand
from brain.stages.hands.move import is_part_of
from brain.stages.hands.tree import Grown, grown
from brain.stages.merging import Merging, plan_merge
from brain.stages.moving import ReadNote, relation_lines
from brain.stages.reconciling.merges import decision_of
from brain.stages.record import PERSON
from brain.stages.spelling import found_in, with_links, words_of
from brain.stages.timeline import bring_up
from brain.vault.parse import parse_note


def merge(ctx: Context, kept: str, gone: str, *, dry_run: bool = False) -> Done:
    """Makes one note of two: `kept` takes in what `gone` says, and `gone` forwards to it.

    Raises: UsageError for one note twice, for episodes and notes no longer current, for a category and what is none,
    and where the tree would become a ring; as `Hand`.
    """
    if kept == gone:
        raise UsageError(f"{kept} is one note already.", "brain merge A B, of two notes")
    hand = Hand(ctx, "merge", dry_run=dry_run, stage="reconcile")
    if hand.read(gone).note.status == "superseded" and hand.successor_of(gone) == kept:
        return hand.nothing(f"{gone} was merged into {kept} already")
    notes = hand.live(kept), hand.live(gone)
    tree = grown(hand)
    _check(tree, *notes)
    plan = _planned(hand, *notes, tree)
    says = f"{gone} is {kept}"
    done = hand.carry_out([plan], says, plan.because.split("; ")[1:])
    if dry_run or not done.receipts:
        return done
    return replace(done, notices=(*done.notices, *bring_up(ctx, [("reconcile", ctx.today)])))


def _planned(hand: Hand, keep: ReadNote, gone: ReadNote, tree: Grown) -> Plan:
    left, right = sorted((_subject(hand, keep), _subject(hand, gone)), key=lambda subject: subject.path)
    pair = Pair(left, right, ("person",))
    same = Same(PERSON, "a person says so", keep.note.path, gone.note.path, "")
    plan = plan_merge(Merging(hand.ctx, hand.run.reading, hand.names), pair, same, key=decision_of(pair, same).key, keep=keep.note.path)
    if plan is None or not plan.edits:
        raise UsageError(f"{gone.note.path} cannot be merged: no link can lead to {keep.note.path}.", f'brain rename "{keep.note.path}" NAME')
    provenance = tuple(_on_a_line_of_words(gone, source) for source in plan.provenance)
    return _with_one_parent(replace(plan, concerns=(), certain=True, provenance=provenance), keep, gone, tree, hand.ctx.config.limits)


def _subject(hand: Hand, read: ReadNote) -> Subject:
    with hand.ctx.catalog() as conn:
        (note_id,) = conn.execute("SELECT id FROM note WHERE path=?", (read.note.path,)).fetchone()
    note = read.note
    return Subject(note_id, note.path, note.title, note.kind, note.aliases, note.properties)


def _check(tree: Grown, keep: ReadNote, gone: ReadNote) -> None:
    """Raises: UsageError when the tree could not stand with the two as one."""
    one, other = keep.note.path, gone.note.path
    if (keep.note.kind == CATEGORY) != (gone.note.kind == CATEGORY):
        part, whole = (other, one) if keep.note.kind == CATEGORY else (one, other)
        part, whole = (whole, part) if part == tree.owner else (part, whole)
        raise UsageError(f"Of {one} and {other} one is a category: that is one thing with another category alone.", f'brain move "{part}" "{whole}"')
    if tree.owner == other and set(tree.parents.get(one, ())) - {other}:
        raise UsageError(f"{other} is the owner, at the root of the tree, and {one} is part of a note.", f'brain merge "{other}" "{one}"')
    between = [child for child in tree.children(other) if child != one and (child in tree.above(one))]
    if between:
        raise UsageError(f"{between[0]} stands between the two: it is part of {other}, and {one} is part of it.", f'brain merge "{one}" "{other}" --into "{other}"')
    children = [child for child in tree.children(other) if tree.kinds[child] != CATEGORY and child != one]
    own = [child for child in tree.children(one) if tree.kinds[child] != CATEGORY and child != other]
    if tree.owner in (one, other) and (children or own):
        raise UsageError(f"Only categories are part of the owner, and {(children or own)[0]} is none.", f'brain move "{(children or own)[0]}" PARENT first')


def _with_one_parent(plan: Plan, keep: ReadNote, gone: ReadNote, tree: Grown, limits: Limits) -> Plan:
    """Returns the plan so that the note that stays has one parent, and not one that is below it."""
    path, other = keep.note.path, gone.note.path
    own = [parent for parent in tree.parents.get(path, ()) if parent != other]
    theirs = [parent for parent in tree.parents.get(other, ()) if parent != path]
    if own and theirs:
        return replace(plan, edits=tuple(_in_words(edit, path, limits) for edit in plan.edits))
    if not any(path in tree.above(parent) for parent in theirs) and path != tree.owner:
        return plan
    lines = {(span.start, span.end) for span, links in relation_lines(gone) if any(map(is_part_of, links))}
    edits = (_without_parent(edit, keep, gone, lines, limits) for edit in plan.edits)
    note = f"; that it is part of {', '.join(theirs)} stays with {other}" if theirs else ""
    return replace(plan, edits=tuple(edit for edit in edits if edit is not None), because=f"{plan.because}{note}")


def _without_parent(edit: Edit, keep: ReadNote, gone: ReadNote, lines: set[tuple[int, int]], limits: Limits) -> Edit | None:
    """Returns an edit without what it would say of a parent; the line stays in the note that forwards."""
    path, other = keep.note.path, gone.note.path
    match edit:
        case ReplaceSpan() if edit.path == other and (edit.span.start, edit.span.end) in lines:
            return None
        case AppendToSection() if edit.path == path and edit.heading == RELATED:
            kept = tuple(line for line in edit.lines if not _says_part_of(line))
            return replace(edit, lines=kept) if kept else None
        case SetField() if edit.path == path and edit.key in _parts_keys(gone):
            return None
        case _:
            return _in_words(edit, path, limits)


def _in_words(edit: Edit, path: str, limits: Limits) -> Edit:
    """Returns an edit that brings prose of the absorbed note with its `part_of` as plain words."""
    if not isinstance(edit, AppendToSection) or edit.path != path or edit.heading == RELATED:
        return edit
    return replace(edit, lines=tuple(_line_in_words(line, limits) for line in edit.lines))


def _line_in_words(line: str, limits: Limits) -> str:
    parts = {link.span.start for link in parse_note("", line, limits).links if is_part_of(link)}
    links = [found_in(link) for link in parse_note("", line, limits).links if link.place == "body"]
    return with_links(line, links, lambda link, raw: words_of(link) if link.start in parts else raw)


def _says_part_of(line: str) -> bool:
    word = line.lstrip("-*+ \t").partition("::")[0]
    return canonical_relation(word) == "part_of"


def _parts_keys(gone: ReadNote) -> set[str]:
    return {link.relation for link in gone.note.links if link.place == "property" and link.relation and is_part_of(link)}


def _on_a_line_of_words(gone: ReadNote, source: Provenance) -> Provenance:
    """Returns the provenance with the first line that says anything: a person gives no quote."""
    lines = gone.source.text.split("\n")
    at = next((n for n, line in enumerate(lines, 1) if line.strip("\ufeff \t\r-")), 1)
    return replace(source, line=at, quote=lines[at - 1].strip("\r"))
