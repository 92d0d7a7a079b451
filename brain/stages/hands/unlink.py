"""`brain unlink A B`: the typed relations from one note to another are taken out; `part_of` is `brain move`'s."""

from __future__ import annotations

from collections.abc import Iterator

from brain.core.note import Link
from brain.core.plan import Edit, ReplaceSpan, SetField
from brain.core.vocabulary import canonical_relation
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.hands.cut import has_more, without_link, without_links_in
from brain.stages.hands.hand import Done, Hand
from brain.stages.hands.link import relation_of
from brain.stages.hands.move import PART_OF, is_part_of
from brain.stages.moving import ReadNote, relation_lines


def unlink(ctx: Context, source: str, target: str, *, word: str | None = None, dry_run: bool = False) -> Done:
    """Takes out the relations from `source` to `target`, all or those of one kind; a plain link stays.

    Raises: UsageError for `part_of`, and for a word that is no relation; as `Hand`.
    """
    wanted = None if word is None else relation_of(word)
    if wanted == PART_OF:
        raise UsageError(_IN_TREE, f'brain move "{source}" PARENT, or --top')
    hand = Hand(ctx, "unlink", dry_run=dry_run)
    read = hand.read(source)
    all_of_them = _relations(hand, read, target)
    links = [link for link in all_of_them if not is_part_of(link) and wanted in (None, canonical_relation(link.relation or ""))]
    if not links:
        if wanted is None and all_of_them:
            raise UsageError(f"{source} is part_of {target}. {_IN_TREE}", f'brain move "{source}" PARENT, or --top')
        return hand.nothing(f"{source} has no {wanted or 'relation'} to {target}", list(_hints(hand, source, target)))
    hand.live(source)
    said = ", ".join(sorted({canonical_relation(link.relation or "") or "" for link in links}))
    says = f"{source} no longer {said} {target}"
    return hand.carry_out([hand.plan(f"{source}|{said}|{target}", says, [read], list(_edits(hand, read, links)))], says)


_IN_TREE = "part_of is the tree, where a note is given another place."


def _relations(hand: Hand, read: ReadNote, target: str) -> list[Link]:
    """Returns the typed links of a note that lead to another one."""
    path = read.note.path
    with hand.names.session():
        return [
            link for link in read.note.links
            if link.relation and canonical_relation(link.relation) and hand.names.leads_to(path, link.target, link.form) == target
        ]  # fmt: skip


def _edits(hand: Hand, read: ReadNote, links: list[Link]) -> Iterator[Edit]:
    path, text = read.note.path, read.source.text
    for key in dict.fromkeys(link.relation or "" for link in links if link.place == "property"):
        mine = [link for link in links if link.place == "property" and link.relation == key]
        yield SetField(path, key, without_links_in(read, key, mine, hand.ctx.config.limits))
    done: set[int] = set()
    for span, of_line in relation_lines(read):
        if all(link in links for link in of_line) and not has_more(read, span):
            done.update(link.span.start for link in of_line)
            yield ReplaceSpan(path, span, text[span.start : span.end], "")
    yield from (without_link(read, link) for link in links if link.place == "body" and link.span.start not in done)


def _hints(hand: Hand, source: str, target: str) -> Iterator[str]:
    """Says what there is instead: a relation the other way round, or of another kind."""
    there = [link for link in _relations(hand, hand.read(source), target) if not is_part_of(link)]
    if there:
        yield f"{source} {canonical_relation(there[0].relation or '')} {target} is said."
    back = [link for link in _relations(hand, hand.read(target), source) if not is_part_of(link)]
    if back:
        yield f'{target} {canonical_relation(back[0].relation or "")} {source} is said: brain unlink "{target}" "{source}"'
