"""`brain describe`: what a note says of its thing in its own words, above its first section.

The title, the sections, the claims and the relations stay; a relation that the old words stated goes below `## Related`.
"""

from __future__ import annotations

from collections.abc import Iterator

from brain.config import Limits
from brain.core.note import Link, Note, Span
from brain.core.plan import AppendToSection, Edit, ReplaceSpan
from brain.core.vocabulary import canonical_relation
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.edges import RELATED, relation_line
from brain.stages.hands.hand import Done, Hand
from brain.stages.hands.move import is_part_of
from brain.stages.moving import ReadNote
from brain.vault.linkscan import Lines
from brain.vault.mask import mask
from brain.vault.outline import find_headings, opening_heading
from brain.vault.parse import parse_note


def describe(ctx: Context, path: str, words: str, *, dry_run: bool = False) -> Done:
    """Puts `words` in the place of a note's own text above its first section.

    Raises: UsageError for no words, and for words that would change what the rest of the note says; as `Hand`.
    """
    wanted = words.replace("\r\n", "\n").strip()
    if not wanted:
        raise UsageError("There is no text.", f'brain describe "{path}" "what it is"')
    hand = Hand(ctx, "describe", dry_run=dry_run)
    read = hand.live(path)
    text, limits = read.source.text, ctx.config.limits
    span = lead_of(read)
    old = text[span.start : span.end]
    if old.strip().replace("\r\n", "\n") == wanted:
        return hand.nothing(f"{path} says that already")
    edit = ReplaceSpan(path, span, old, _fitted(text, span, wanted))
    _check(read.note, path, text[: span.start] + edit.text + text[span.end :], span, limits)
    stated = [link for link in read.note.links if link.place == "body" and span.start <= link.span.start < span.end]
    _check_tree(path, stated, parse_note(path, wanted, limits))
    kept = list(_relations(read, stated, wanted, limits))
    says = f"{path} has a new description"
    edits: list[Edit] = [edit, *([AppendToSection(path, RELATED, tuple(kept))] if kept else [])]
    notices = [f"What the old words stated as a relation is kept below ## {RELATED}."] if kept else []
    gone = set(read.note.block_ids) - set(parse_note(path, text[: span.start] + edit.text + text[span.end :], limits).block_ids)
    notices += [f"Links name ^{block} of the old words, which is gone." for block in sorted(gone) if hand.names.is_referred_to(block)]
    return hand.carry_out([hand.plan(f"{path}|{wanted}", says, [read], edits)], says, notices)


def lead_of(read: ReadNote) -> Span:
    """Returns where a note's own words stand: below its title, above its next heading, with no blank lines around."""
    text, start = read.source.text, read.note.body_start
    headings = find_headings(mask(text, start), text, start, Lines(text))
    title = opening_heading(text, start, headings)
    if title is not None and title.level == 1:
        newline = text.find("\n", title.span.end)
        start = len(text) if newline < 0 else newline + 1
    end = next((heading.span.start for heading in headings if heading.span.start >= start), len(text))
    lead = text[start:end]
    if not lead.strip():
        return Span(start, end)
    return Span(start + len(lead) - len(lead.lstrip()), start + len(lead.rstrip()))


def _fitted(text: str, span: Span, wanted: str) -> str:
    """Returns the words with the blank lines they need, where none stood before."""
    if text[span.start : span.end].strip():
        return wanted
    before, after = text[: span.start], text[span.end :]
    lead = "" if not before.strip("\ufeff") else "\n" if before.endswith("\n") else "\n\n"
    return f"{lead}{wanted}\n" + ("\n" if after else "")


def _check(note: Note, path: str, text: str, span: Span, limits: Limits) -> None:
    """Raises: UsageError when the new text does not read as the old one but for the words."""
    after = parse_note(path, text, limits)
    is_same = _claims(after) == _claims(note) and _outline(after) == _outline(note) and _tail(after, span) == _tail(note, span)
    if not is_same or after.properties != note.properties:
        raise UsageError("The text would change what the rest of the note says: headings, claims and open marks go another way.", f'brain edit "{path}"')


def _check_tree(path: str, stated: list[Link], words: Note) -> None:
    """Raises: UsageError when the new words give the note a parent that the old ones did not."""
    known = {link.target for link in stated if is_part_of(link)}
    fresh = next((link for link in words.links if is_part_of(link) and link.target not in known), None)
    if fresh is not None:
        raise UsageError("The text says what the note is part of, which is a place in the tree.", f'brain move "{path}" "{fresh.target}"')


def _claims(note: Note) -> list[tuple[str | None, str, str, str]]:
    return [(atom.id, atom.kind, atom.text, atom.status) for atom in note.atoms]


def _outline(note: Note) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in note.headings]


def _tail(note: Note, span: Span) -> list[str]:
    """Returns the links below the words, as written."""
    first = next((heading.span.start for heading in note.headings if heading.span.start > span.start), None)
    return [] if first is None else [link.raw for link in note.links if link.place == "body" and link.span.start >= first]


def _relations(read: ReadNote, stated: list[Link], wanted: str, limits: Limits) -> Iterator[str]:
    """Yields the lines of relations that stood in the old words and are said nowhere else."""
    inside = {link.span.start for link in stated}
    elsewhere = {(canonical_relation(link.relation or ""), link.target) for link in read.note.links if link.span.start not in inside}
    elsewhere |= {(canonical_relation(link.relation or ""), link.target) for link in parse_note("", wanted, limits).links}
    for link in stated:
        relation = canonical_relation(link.relation or "")
        if relation is not None and (relation, link.target) not in elsewhere:
            elsewhere.add((relation, link.target))
            yield relation_line(relation, link.raw, link.reason or "", limits)
