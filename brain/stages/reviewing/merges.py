"""Two notes that may be one thing: the merge planned anew, and the two kept apart. Reads, writes nothing.

`distinct_from` is written in both notes, as a link that was checked, so that the decision is there for every reader
and blocks every later proposal, whatever finds the pair.
"""

from __future__ import annotations

from brain.core.judgement import Pair, Same, Subject
from brain.core.plan import Plan, SetField
from brain.stages.gate import decision_id
from brain.stages.matching.signals import SIGNALS
from brain.stages.matching.store import Match
from brain.stages.merging import Merging, plan_merge
from brain.stages.moving import ReadNote
from brain.stages.reviewing.desk import Answer, Desk, Known, Obsolete, Stuck
from brain.stages.reviewing.item import Item
from brain.stages.reviewing.titles import titled
from brain.stages.rules import RULES
from brain.stages.target import Names
from brain.stages.union import strings

APART = "distinct_from"
_OVER = ("superseded", "archived")
_WORDS: dict[str, str] = {str(signal): words for signal, words in SIGNALS.items()}


def holds(desk: Desk, item: Item) -> Obsolete | None:
    """Tells why there is nothing left to decide: a note is gone, or nothing says any more that they are one thing."""
    found = _found(desk, item)
    return found if isinstance(found, Obsolete) else None


def replan(desk: Desk, item: Item) -> Answer:
    """Plans the merge from the notes as they are now."""
    assert item.question is not None and isinstance(item.question.verdict, Same)
    found = _found(desk, item)
    if isinstance(found, Obsolete):
        return found
    pair, asked = found, item.question.verdict
    quote = asked.quote if asked.quote == pair.certain else ""
    reason = RULES.identify(pair).reason if asked.judge == RULES.name else asked.reason
    same = Same(asked.judge, reason, pair.left.path, pair.right.path, quote)
    plan = plan_merge(Merging(desk.ctx, desk.reading, Names(desk.ctx)), pair, same, key=_key(item, asked.quote))
    if plan is None:
        return Obsolete("one of the two was merged, archived or damaged since")
    if "unlinkable" in plan.concerns:
        return Stuck(f"{plan.because}.", "rename that note, run brain index, then accept it again")
    return plan


def apart(desk: Desk, item: Item) -> Plan | Stuck:
    """Plans that the two stay two: each names the other."""
    found = _found(desk, item)
    assert isinstance(found, Pair)
    merging = Merging(desk.ctx, desk.reading, Names(desk.ctx))
    one, other = merging.read(found.left.path), merging.read(found.right.path)
    if one is None or other is None:
        return Stuck("One of the two cannot be read.", "brain doctor")
    edits = (_told_apart(desk, one, other), _told_apart(desk, other, one))
    if None in edits:
        return Stuck("No link can lead from one of the two to the other.", "give the notes other names")
    return Plan(
        "review", f"reject|{item.id}", {read.note.path: read.source.sha256 for read in (one, other)},
        tuple(edit for edit in edits if isinstance(edit, SetField)), f"{one.note.path} and {other.note.path} are two things, a person says",
        declines=(item.id, *however_found(item)),
    )  # fmt: skip


def however_found(item: Item) -> tuple[str, ...]:
    """Returns the decision about the same two notes that stands for any evidence: what is declined is it, whatever finds them."""
    return (decision_id(Plan("reconcile", _key(item, ""), {}, (), "")),)


def _told_apart(desk: Desk, here: ReadNote, there: ReadNote) -> SetField | bool | None:
    """Returns the edit that names the other note; True when it is named already, None when no link can lead there."""
    names = Names(desk.ctx)
    written = [link for link in here.note.links if link.place == "property" and link.relation == APART]
    if any(names.leads_to(here.note.path, link.target, link.form) == there.note.path for link in written):
        return True
    link = names.link_to(here.note.path, there.note.path)
    if link is None:
        return None
    values = (*strings(here.note.properties.get(APART)), link)
    return SetField(here.note.path, APART, values if len(values) > 1 else values[0])


def _found(desk: Desk, item: Item) -> Pair | Obsolete:
    """Returns the pair with what is found about it now."""
    assert item.question is not None
    notes: list[Known] = []
    for note_id in item.question.about:
        note = desk.note(note_id)
        if note is None or note.status in _OVER:
            return Obsolete("one of its notes is gone" if note is None else f"{note.path} is {note.status} by now")
        notes.append(note)
    if len(notes) != 2:
        return Obsolete("its record does not say which two notes it is about")
    match = desk.match(notes[0].id, notes[1].id)
    if match is None:
        return Obsolete(f"nothing says any more that {notes[0].path} and {notes[1].path} are one thing")
    return _pair(desk, match, *sorted(notes, key=lambda note: note.path))


def _pair(desk: Desk, match: Match, left: Known, right: Known) -> Pair:
    subjects = [Subject(note.id, note.path, note.title, note.kind, (), {}) for note in (left, right)]
    certain = match.certain if match.tier == "certain" else ""
    signals = tuple(_WORDS.get(signal, signal) for signal in match.signals)
    evidence, vetoes = titled(desk.ctx, match.evidence), titled(desk.ctx, match.vetoes)
    return Pair(subjects[0], subjects[1], signals, certain, match.stated, evidence, vetoes, match.rank, titled(desk.ctx, match.against), match.speaks)


def _key(item: Item, quote: str) -> str:
    """The key under which reconcile decides about this pair."""
    assert item.question is not None
    one, other = sorted(item.question.about)
    return f"{one}|{other}|{quote}"
