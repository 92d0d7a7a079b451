"""Actions that an episode names become lines of the note of loops, never part of the graph. Reads, writes nothing.

A line is written once: ticked, reworded or deleted by a person, it does not come back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from brain.core.ids import fold, short_hash
from brain.core.judgement import Episode
from brain.core.plan import AppendToSection, CreateNote, Edit
from brain.errors import BrainError
from brain.stages import paths
from brain.stages.context import Reading
from brain.vault.sections import append_to_section
from brain.vault.store import Source

if TYPE_CHECKING:
    from brain.models.judge.values import Action

HEADING = "Open"
LEAD = "# Loops\n\nWhat is still to be done, as episodes say it. Tick a line off, change it or delete it: it is not written again.\n"


@dataclass(frozen=True, slots=True)
class Todo:
    """What an episode adds to the note of loops: edits, the sha256 they were made from, and (item, line, quote, reason, judge) of each action.

    `read` are the pieces that count as read with it; with `is_whole` the episode is read to its end.
    """

    read: tuple[str, ...] = ()
    is_whole: bool = True
    edits: tuple[Edit, ...] = ()
    items: tuple[tuple[str, int, str, str, str], ...] = ()
    base: dict[str, str] = field(default_factory=dict)


def place_of(root: Path, reading: Reading, path: str) -> tuple[str, Source | None]:
    """Returns where the note of loops lies, in the case it has on disk, and what it holds; None when there is none yet."""
    folder, _, name = path.rpartition("/")
    wanted = f"{paths.real_folder(root, folder)}/{name}" if folder else name
    there = reading.taken(wanted) or wanted
    return there, reading.read(there)


def why_closed(path: str, source: Source | None) -> str | None:
    """Returns why no line can be added to the note, None when one can."""
    try:
        append_to_section(source.text if source else "", HEADING, ("- [ ] x",))
    except BrainError as error:
        return f"{path}: {error.message.rstrip('.')}"
    return None


def action_id(episode: Episode, action: Action) -> str:
    """Returns the id of an action: what is to be done, as one episode says it."""
    return f"t-{short_hash('action', episode.id, fold(action.text), length=10)}"


def new_actions(episode: Episode, actions: Sequence[Action], *, made: Collection[str], source: Source | None, link: str) -> Iterator[Action]:
    """Yields the actions that have no line: neither in the note nor, `made`, ever before."""
    seen = set(made)
    lines = [fold(line) for line in source.text.splitlines() if link in line] if source else []
    for action in actions:
        item = action_id(episode, action)
        if item not in seen and not any(fold(action.text) in line for line in lines):
            yield action
        seen.add(item)


def line_of(action: Action, link: str) -> str:
    """Returns the line of an action, with its day and a link to the episode."""
    due = f" (due {action.due})" if action.due else ""
    return f"- [ ] {action.text}{due} {link}"


def edit_of(path: str, source: Source | None, lines: Sequence[str]) -> Edit:
    """Returns the edit that adds lines to the note of loops, which is made when there is none."""
    if source is None:
        return CreateNote(path, append_to_section(LEAD, HEADING, tuple(lines)))
    return AppendToSection(path, HEADING, tuple(lines))
