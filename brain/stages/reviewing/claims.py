"""What an episode says about a name that is unclear, or a note that no link leads to: filed where a person says. Reads, writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from brain.core.ids import fold
from brain.core.judgement import Episode, Extracted, Relates
from brain.core.plan import Plan, SetField
from brain.errors import UsageError
from brain.stages.reviewing.desk import Answer, Desk, Obsolete, Stuck
from brain.stages.reviewing.item import Item
from brain.stages.rules import Reading
from brain.stages.target import Existing, Names, NoThing, Target, Unclear
from brain.stages.walking import STAMP, Walking, plan_episode

CHOICES_SHOWN_MAX = 12


@dataclass(slots=True)
class _Told(Walking):
    """Planning an episode with what a person said some names in it mean."""

    told: dict[str, str] = field(default_factory=dict)

    def find(self, episode: Episode, name: str) -> Target:
        """Returns what a name leads to: the note that a person named, else what it says by itself."""
        return Walking.find(self, episode, self.told.get(fold(name), name))


def holds(desk: Desk, item: Item) -> Obsolete | None:
    """Tells why there is nothing left to decide: the episode is gone, or does not say it any more."""
    found = _episode(desk, item)
    if isinstance(found, Obsolete):
        return found
    return Obsolete("the name leads to no thing a claim can be about") if isinstance(_found(desk, found[0], item), NoThing) else None


def choices(desk: Desk, item: Item) -> tuple[str, ...]:
    """Returns the notes that the unclear name may mean, when a person has to say which."""
    found = _episode(desk, item)
    if isinstance(found, Obsolete):
        return ()
    target = _found(desk, found[0], item)
    return target.candidates[:CHOICES_SHOWN_MAX] if isinstance(target, Unclear) and len(target.candidates) != 1 else ()


def replan(desk: Desk, item: Item) -> Answer:
    """Plans what the episode says from the notes as they are now; the only note that an unclear name comes close to is taken."""
    gone = holds(desk, item)
    found = _episode(desk, item)
    if gone is not None or isinstance(found, Obsolete):
        return gone or Obsolete("the episode is gone")
    episode, stated = found
    walking = _Told(desk.ctx, desk.reading, Names(desk.ctx), desk.ledger, told=_told(desk, item, episode, stated))
    said = Reading((stated,), (), (), is_prose_left=False) if isinstance(stated, Extracted) else Reading((), (stated,), (), is_prose_left=False)
    whole = plan_episode(walking, episode, said)
    unclear = [plan.because for plan in walking.questions(episode)]
    if unclear:
        return Stuck(f"{'; '.join(dict.fromkeys(unclear))}.", f'brain review accept {item.id} --as NOTE, with the note that is meant')
    edits = tuple(edit for edit in whole.edits if not (isinstance(edit, SetField) and edit.path == episode.path and edit.key == STAMP))
    if not edits:
        return Obsolete("it is said already, or was taken back")
    provenance = tuple(replace(source, episode_sha256=episode.sha256, line=stated.line) for source in whole.provenance)
    return Plan("walk", item.key, whole.base, edits, f"{episode.path} says it in line {stated.line}", provenance)


def _episode(desk: Desk, item: Item) -> tuple[Episode, Extracted | Relates] | Obsolete:
    """Returns the episode as it is now, and the verdict with the line on which its words stand now."""
    question = item.question
    assert question is not None and isinstance(question.verdict, Extracted | Relates)
    note = desk.note(question.about[0]) if question.about else None
    source = desk.reading.read(note.path) if note else None
    if note is None or source is None:
        return Obsolete("the episode is gone")
    lead = "\n" if question.verdict.judge.startswith("rules/") else ""  # rules quote whole lines, a model words of one
    at = f"{lead}{source.text}".find(f"{lead}{question.verdict.quote}")
    if at < 0:
        return Obsolete(f"{note.path} does not say it any more")
    stated = replace(question.verdict, line=source.text.count("\n", 0, at) + 1)
    return Episode(note.id, note.path, source.sha256, source.text), stated


def _found(desk: Desk, episode: Episode, item: Item) -> Target | None:
    """Returns what the name of an item leads to by itself; None when the item is about a note that no link leads to."""
    if "ambiguous" not in item.rules or item.question is None or len(item.question.about) < 2:
        return None
    return Walking(desk.ctx, desk.reading, Names(desk.ctx), desk.ledger).find(episode, item.question.about[1])


def _told(desk: Desk, item: Item, episode: Episode, stated: Extracted | Relates) -> dict[str, str]:
    """Returns what names mean, by folded name: what a person said, else the only note that comes near."""
    names = [stated.entity] if isinstance(stated, Extracted) else [stated.source, stated.target]
    own = item.question.about[1] if item.question and len(item.question.about) > 1 else names[0]
    told: dict[str, str] = {}
    for said in desk.told:
        name, is_for, note = said.partition("=")
        known = next((known for known in names if is_for and fold(known) == fold(name)), None)
        told[fold(known or own)] = _named(desk, episode, note if known else said)
    for name in names:
        found = Walking(desk.ctx, desk.reading, Names(desk.ctx), desk.ledger).find(episode, name)
        if isinstance(found, Unclear) and len(found.candidates) == 1:
            told.setdefault(fold(name), found.candidates[0][:-3])
    return told


def _named(desk: Desk, episode: Episode, name: str) -> str:
    """Returns the path, as a link has it, of the note that a person named. Raises: UsageError."""
    found = Names(desk.ctx).find(episode.path, name.strip().removesuffix(".md"))
    if not isinstance(found, Existing):
        raise UsageError(f"--as {name}: no one note answers to that.", "give the path of the note")
    return found.path[:-3]
