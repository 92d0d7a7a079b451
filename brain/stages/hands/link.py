"""`brain link A RELATION B`: a typed relation that a person states, as a line under `## Related`."""

from __future__ import annotations

from brain.core.nearest import did_you_mean
from brain.core.note import Link
from brain.core.plan import AppendToSection
from brain.core.vocabulary import RELATION_SYNONYMS, RELATIONS, canonical_relation
from brain.errors import UsageError
from brain.stages.context import Context
from brain.stages.edges import RELATED, has_edge, relation_line
from brain.stages.hands.hand import Done, Hand
from brain.stages.hands.move import PART_OF
from brain.stages.hands.tree import grown
from brain.stages.moving import ReadNote

PASSIVE = ("studied_by", "created_by", "assigned_to", "attended_by")
"""What is done, made or attended stands first, and who does it last."""
AGENTS = ("person", "organization")
EVEN = ("relates_to", "same_entity", "contradicts")
"""Said of two notes, it says the same either way round."""


def link(ctx: Context, source: str, word: str, target: str, *, reason: str = "", dry_run: bool = False) -> Done:
    """Writes a relation from one note to another, unless it is there.

    A passive relation said of who does it is turned round. Raises: UsageError for a word that is no relation, for
    `part_of`, a note and itself, and `relates_to` beside `part_of`; as `Hand`.
    """
    relation = relation_of(word)
    if relation == PART_OF:
        raise UsageError("part_of is the tree, where a note has one parent.", f'brain move "{source}" "{target}"')
    if source == target:
        raise UsageError(f"{source} cannot be related to itself.", "brain link A RELATION B, of two notes")
    hand = Hand(ctx, "link", dry_run=dry_run)
    notices: tuple[str, ...] = ()
    if _is_backwards(hand, source, relation, target):
        source, target = target, source
        notices = (f"Turned round: {relation} leads to who does it.",)
    says = f"{source} {relation} {target}"
    read = hand.live(source)
    hand.live(target) if relation == "same_entity" else hand.read(target)
    _check_tree(hand, source, relation, target)
    if said := _said(hand, read, relation, target):
        return hand.nothing(f"{said} is said already", notices)
    written = hand.names.link_to(source, target)
    if written is None:
        raise UsageError(f"No link that can stand in {source} leads to {target}.", f'brain rename "{target}" NAME')
    line = relation_line(relation, written, reason, ctx.config.limits)
    plan = hand.plan(f"{source}|{relation}|{target}", says, [read], [AppendToSection(source, RELATED, (line,))])
    return hand.carry_out([plan], says, notices)


def relation_of(word: str) -> str:
    """Returns the relation that a word means. Raises: UsageError naming the nearest ones."""
    relation = canonical_relation(word)
    if relation is None:
        near = did_you_mean(word.strip().casefold().replace("-", "_").replace(" ", "_"), (*RELATIONS, *RELATION_SYNONYMS))
        raise UsageError(f"{word!r} is no relation.", f"{near} the relations are {', '.join(RELATIONS)}".strip())
    return relation


def _is_backwards(hand: Hand, source: str, relation: str, target: str) -> bool:
    if relation not in PASSIVE:
        return False
    return hand.read(source).note.kind in AGENTS and hand.read(target).note.kind not in AGENTS


def _check_tree(hand: Hand, source: str, relation: str, target: str) -> None:
    """Raises: UsageError when the tree says already what `relates_to` would say, and more."""
    if relation != "relates_to":
        return
    parents = grown(hand).parents
    for part, whole in ((source, target), (target, source)):
        if whole in parents.get(part, ()):
            raise UsageError(f"{part} is part_of {whole}, which says more than relates_to.", f'brain links "{part}"')


def _said(hand: Hand, read: ReadNote, relation: str, target: str) -> str | None:
    """Returns the same relation as it is stated, from either end where that makes no difference."""
    source = read.note.path

    def leads(from_: str, link: Link) -> str | None:
        return hand.names.leads_to(from_, link.target, link.form)

    with hand.names.session():
        if has_edge(read.note, relation, target, lambda link: leads(source, link)):
            return f"{source} {relation} {target}"
        if relation in EVEN and has_edge(hand.read(target).note, relation, source, lambda link: leads(target, link)):
            return f"{target} {relation} {source}"
    return None
