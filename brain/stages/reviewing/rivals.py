"""Two claims of one note that cannot both hold: closed anew as things are, or the one that a person names stands. Reads, writes nothing."""

from __future__ import annotations

from brain.core.judgement import Contradicts, Supersedes
from brain.stages.reconciling.replacing import TwoClaims, plan_replacing, read_two
from brain.stages.record import PERSON
from brain.stages.reviewing.desk import Answer, Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Item


def holds(desk: Desk, item: Item) -> Obsolete | None:
    """Tells why there is nothing left to decide: the note is gone, or one of the claims does not stand there any more."""
    found = _found(desk, item)
    return found if isinstance(found, Obsolete) else None


def choices(_desk: Desk, item: Item) -> tuple[str, ...]:
    """Returns the claims of which a person has to say which holds."""
    verdict = _verdict(item)
    return (f"^{verdict.left}", f"^{verdict.right}") if isinstance(verdict, Contradicts) else ()


def replan(desk: Desk, item: Item) -> Answer:
    """Plans that the claim that holds replaces the other, from the note as it is now."""
    found, verdict = _found(desk, item), _verdict(item)
    if isinstance(found, Obsolete):
        return found
    replacing = verdict if isinstance(verdict, Supersedes) else _told(desk, verdict)
    if replacing is None:
        return Stuck(f"{item.because}.", f"brain review accept {item.id} --as ^ID, with the claim that holds")
    assert item.question is not None
    plan = plan_replacing(found, replacing, key=item.key, note_id=item.question.about[0])
    return plan or Stuck(f"The line of the claim in {found.source.path} cannot say that it was replaced.", "change that line, then accept it again")


def _told(desk: Desk, verdict: Contradicts) -> Supersedes | None:
    """Returns which claim replaces which as a person said it, from today on; None when nobody named one of the two."""
    said = {told.strip().removeprefix("^") for told in desk.told} & {verdict.left, verdict.right}
    if len(said) != 1:
        return None
    (later,) = said
    earlier = verdict.right if later == verdict.left else verdict.left
    return Supersedes(PERSON, "a person says which of the two holds", later, earlier, desk.ctx.today)


def _verdict(item: Item) -> Supersedes | Contradicts:
    assert item.question is not None and isinstance(item.question.verdict, Supersedes | Contradicts)
    return item.question.verdict


def _found(desk: Desk, item: Item) -> TwoClaims | Obsolete:
    """Returns the two claims as they stand now."""
    assert item.question is not None
    verdict = _verdict(item)
    ends = (verdict.later, verdict.earlier) if isinstance(verdict, Supersedes) else (verdict.left, verdict.right)
    note = desk.note(item.question.about[0]) if item.question.about else None
    if note is None or note.status in ("superseded", "archived"):
        return Obsolete("its note is gone" if note is None else f"{note.path} is {note.status} by now")
    return read_two(desk.ctx, desk.reading, note.path, *ends) or Obsolete(f"one of its claims does not stand in {note.path} any more")
