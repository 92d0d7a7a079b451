"""The kinds of items: for each stage and type of verdict, how it is looked at and planned anew. One line a kind.

A further kind is a module with `holds` and `replan`, a question in the plans that its stage holds, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from brain.core.plan import Plan
from brain.stages.reviewing import claims, endings, merges, relations, rivals, tree
from brain.stages.reviewing.desk import Answer, Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Item


def _no_choices(_desk: Desk, _item: Item) -> tuple[str, ...]:
    return ()


def _nothing_else(_item: Item) -> tuple[str, ...]:
    return ()


def declined(_desk: Desk, item: Item) -> Plan:
    """Plans a no that stands in the journal alone: no note changes."""
    declines = (item.id, *kind_of(item).also(item))
    return Plan("review", f"reject|{item.id}", {}, (), f"a person said no: {item.because}", declines=declines)


@dataclass(frozen=True, slots=True)
class Kind:
    """`holds` says why an item is obsolete, `replan` makes its plan, `refuse` the plan of a no.

    `choices` are the notes of which a person must name one; `also` the further decisions that a no covers.
    """

    holds: Callable[[Desk, Item], Obsolete | None]
    replan: Callable[[Desk, Item], Answer]
    refuse: Callable[[Desk, Item], Plan | Stuck] = declined
    choices: Callable[[Desk, Item], tuple[str, ...]] = _no_choices
    also: Callable[[Item], tuple[str, ...]] = _nothing_else


KINDS: dict[tuple[str, str], Kind] = {
    ("reconcile", "Same"): Kind(merges.holds, merges.replan, merges.apart, also=merges.however_found),
    ("reconcile", "Supersedes"): Kind(rivals.holds, rivals.replan),
    ("reconcile", "Contradicts"): Kind(rivals.holds, rivals.replan, choices=rivals.choices),
    ("reconcile", "Relates"): Kind(endings.holds, endings.replan),
    ("walk", "Extracted"): Kind(claims.holds, claims.replan, choices=claims.choices),
    ("walk", "Relates"): Kind(claims.holds, claims.replan, choices=claims.choices),
    ("link", "Relates"): Kind(relations.holds, relations.replan),
    ("tree", "Relates"): Kind(tree.holds, tree.replan),
}


def kind_of(item: Item) -> Kind:
    """Returns the kind of an item; one that was held without a question is asked anew by its stage."""
    if not item.is_readable:
        return _UNREADABLE
    return KINDS.get((item.stage, type(item.question.verdict).__name__ if item.question else ""), _UNASKED if item.question is None else _UNREADABLE)


def _unasked(_desk: Desk, item: Item) -> Obsolete:
    return Obsolete(f"too little was kept of it to carry it out; the next brain {item.stage or 'maintain'} asks again")


def _stands(_desk: Desk, _item: Item) -> None:
    return None


def _unreadable(_desk: Desk, _item: Item) -> Stuck:
    return Stuck("Another version of brain asked this.", "use that version, or reject it")


_UNASKED = Kind(_unasked, _unasked)
_UNREADABLE = Kind(_stands, _unreadable)
