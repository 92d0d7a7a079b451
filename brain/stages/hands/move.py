"""`brain move`: what a note is part of, and in which folder it lies."""

from __future__ import annotations

from collections.abc import Iterator

from brain.config import Limits
from brain.core.note import Link
from brain.core.plan import AppendToSection, Edit, ReplaceSpan, SetField
from brain.core.vocabulary import canonical_relation
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.edges import RELATED
from brain.stages.hands.cut import has_more, is_alone, without_link, without_links_in
from brain.stages.hands.hand import Done, Hand
from brain.stages.hands.relocate import filed_in, plan_relocation
from brain.stages.hands.tree import check_parent, grown
from brain.stages.moving import ReadNote, relation_lines

PART_OF = "part_of"


def move(
    ctx: Context, path: str, parent: str | None, *, to: str | None = None, top: bool = False, dry_run: bool = False
) -> Done:
    """Makes a note part of another one (`top`: of none), moves its file into the folder `to`, or both.

    Raises: UsageError for a ring, a place that only categories have, a folder that cannot be; as `Hand`.
    """
    if parent is None and to is None and not top:
        raise UsageError("Where should it go?", f'brain move "{path}" PARENT, or --to FOLDER, or --top')
    hand = Hand(ctx, "move", dry_run=dry_run)
    new = path if to is None else filed_in(ctx, path, to)
    says = f"{path} is now {new}"
    if new != path:
        plan_relocation(hand, {path: new}, says)  # what cannot be moved gets no other parent either
    done = hand.nothing(f"{path} lies there already") if parent is None and not top else _hung(hand, path, parent)
    if new == path:
        return done
    made = plan_relocation(hand, {path: new}, says)
    moved = hand.carry_out(made.plans(), f"{done.says}; {says}" if done.receipts else says, made.notices)
    return Done(moved.hand, moved.run, moved.says, (*done.receipts, *moved.receipts), moved.notices, dry_run)


def _hung(hand: Hand, path: str, parent: str | None) -> Done:
    tree = grown(hand)
    known = tree.parents.get(path, ())
    if parent is None:
        read, says = hand.live(path), f"{path} is part of nothing"
        edits = list(_parts_edits(read, None, hand.ctx.config.limits))
        return hand.carry_out([hand.plan(f"{path}|top", says, [read], edits)], says) if edits else hand.nothing(f"{says} already")
    if known == (parent,):
        return hand.nothing(f"{path} is part of {parent} already")
    read, above = hand.live(path), hand.live(parent)
    check_parent(tree, read.note, above.note)
    link = hand.names.link_to(path, parent)
    if link is None:
        raise UsageError(f"No link can lead to {parent}.", f'brain rename "{parent}" NAME')
    says = f"{path} is part of {parent}"
    edits = list(_parts_edits(read, link, hand.ctx.config.limits)) or [AppendToSection(path, RELATED, (f"- {PART_OF}:: {link}",))]
    was = f", no longer of {', '.join(known)}" if known else ""
    return hand.carry_out([hand.plan(f"{path}|{parent}", says, [read, above], edits)], f"{says}{was}")


def _parts_edits(read: ReadNote, link: str | None, limits: Limits) -> Iterator[Edit]:
    """Yields the edits that lead the first `part_of` of a note by `link`, and take every other one away; nothing when it has none."""
    stated = [found for found in read.note.links if is_part_of(found)]
    kept = stated[0] if stated and link is not None else None
    yield from _in_properties(read, stated, kept, link, limits)
    done: set[int] = set()
    for span, links in relation_lines(read):
        if links and all(is_part_of(found) for found in links) and not has_more(read, span):
            done.update(found.span.start for found in links)
            text = read.source.text[span.start : span.end]
            whole = f"- {PART_OF}:: {link}{_end_of_line(text)}" if kept in links else ""
            yield ReplaceSpan(read.note.path, span, text, whole)
    for found in stated:
        if found.place == "body" and found.span.start not in done:
            if found is kept and link is not None:
                yield ReplaceSpan(read.note.path, found.span, found.raw, link)
            else:
                yield without_link(read, found)


def _in_properties(read: ReadNote, stated: list[Link], kept: Link | None, link: str | None, limits: Limits) -> Iterator[SetField]:
    """Yields the edits of the properties that say `part_of`, each once; the first one of all keeps the place."""
    keys = dict.fromkeys(found.relation or "" for found in stated if found.place == "property")
    for key in keys:
        mine = [found for found in stated if found.place == "property" and found.relation == key]
        rest = without_links_in(read, key, mine, limits)
        if kept in mine and link is not None:
            yield SetField(read.note.path, key, link if is_alone(read, key) else (link, *(rest or ())))
        else:
            yield SetField(read.note.path, key, rest)


def is_part_of(link: Link) -> bool:
    """Tells whether a link says what its note is part of."""
    return link.relation is not None and canonical_relation(link.relation) == PART_OF


def _end_of_line(text: str) -> str:
    return "\r\n" if text.endswith("\r\n") else "\n" if text.endswith("\n") else ""

