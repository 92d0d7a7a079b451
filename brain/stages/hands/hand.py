"""What every hand works with: a run of its own, notes read and parsed, and its plans carried out or shown.

A hand is told by a person, so nothing is judged and nothing waits: it is done, it is done already, or an error says
why not and what to type instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, assert_never

from brain.core.note import Json, Note
from brain.core.plan import Applied, Conflict, Edit, Held, Plan, Refused, Stage
from brain.errors import BrainError, NoteChanged, NotFound, UsageError
from brain.stages.context import Context
from brain.stages.growing.forest import forwarded, owner_of
from brain.stages.moving import ReadNote
from brain.stages.run import Run
from brain.stages.target import Names
from brain.stages.undo import undo
from brain.vault.links import NOT_LIVE
from brain.vault.parse import parse_note


@dataclass(frozen=True, slots=True)
class Done:
    """What a hand did, in a sentence. Without receipts there was nothing to do; `notices` are sentences about what stays."""

    hand: str
    run: str
    says: str
    receipts: tuple[Applied, ...] = ()
    notices: tuple[str, ...] = ()
    dry_run: bool = False


class Hand:
    """One hand's run. Opening it rolls back what a run before it left half-way."""

    def __init__(self, ctx: Context, name: str, *, dry_run: bool = False, stage: Stage = "edit") -> None:
        self.ctx = ctx
        self.name = name
        self.run = Run(ctx, stage, dry_run=dry_run)
        self.names = Names(ctx)
        self._has_landed = False

    def read(self, path: str) -> ReadNote:
        """Reads one note. Raises: NotFound; BrainError when its frontmatter cannot be used."""
        source = self.run.reading.read(path)
        if source is None:
            raise NotFound(f"There is no note {path}.", "brain list")
        note = parse_note(path, source.text, self.ctx.config.limits)
        if note.malformed:
            raise BrainError(f"The frontmatter of {path} cannot be read, so it was left alone.", f'brain edit "{path}"')
        return ReadNote(source, note)

    def live(self, path: str) -> ReadNote:
        """Reads a note that is to be written into. Raises: UsageError for an episode and for one that is no longer current; as `read`."""
        read = self.read(path)
        note = read.note
        if note.kind == "episode":
            raise UsageError(f"{path} is an episode: what was said is not rewritten.", f'brain edit "{path}" changes it all the same')
        if note.status in NOT_LIVE:
            cure = f'brain forget --back "{path}"' if note.status == "archived" else f'brain get "{self.successor_of(path)}"'
            raise UsageError(f"{path} is {note.status}, so it was left alone.", cure)
        return read

    def successor_of(self, path: str) -> str:
        """Returns the note that a superseded one forwards to, itself when it forwards nowhere."""
        with self.ctx.catalog() as conn:
            row = conn.execute("SELECT nid, path, status FROM note WHERE path=?", (path,)).fetchone()
            return (None if row is None else forwarded(conn, *row)) or path

    def owner(self) -> str | None:
        """Returns the path of the owner's note, None without one."""
        with self.ctx.catalog() as conn:
            return owner_of(conn, self.ctx.config.owner)

    def carry_out(self, plans: Sequence[Plan], says: str, notices: Sequence[str] = ()) -> Done:
        """Carries out the plans of one run, or shows what they would do.

        Raises: NoteChanged, UsageError when one cannot be carried out; then those before it are taken back.
        """
        applied: list[Applied] = []
        for plan in plans:
            receipt = self.run.commit(plan)
            if isinstance(receipt, Applied):
                applied.append(receipt)
                self._has_landed = self._has_landed or not self.run.is_dry
            else:
                self._give_up(receipt)
        if not any(receipt.patches for receipt in applied):
            return self.nothing(says, notices)
        said = self.run.report(found=len(applied)).notices
        return Done(self.name, self.run.id, says, tuple(applied), (*said, *notices), self.run.is_dry)

    def _give_up(self, receipt: Conflict | Refused | Held) -> NoReturn:
        """Takes back what this run has done. Raises: NoteChanged, UsageError with what stood in the way."""
        if self._has_landed:
            undo(self.ctx, self.run.id)
        match receipt:
            case Conflict(path=path):
                raise NoteChanged(path)
            case Refused(why=why) | Held(why=why):
                raise UsageError(why, f'look at it with brain edit "{receipt.plan.edits[0].path}"')
            case _:
                assert_never(receipt)

    def nothing(self, says: str, notices: Sequence[str] = ()) -> Done:
        """Returns that there is nothing to do, and why."""
        return Done(self.name, self.run.id, says, (), tuple(notices), self.run.is_dry)

    def plan(self, key: str, because: str, reads: Sequence[ReadNote], edits: Sequence[Edit]) -> Plan:
        """Returns a plan of this hand over notes as they were read."""
        base = {read.source.path: read.source.sha256 for read in reads}
        return Plan("edit", f"{self.name}|{key}", base, tuple(edits), because)


def property_of(note: Note, key: str) -> Json:
    """Returns a property whatever the case of its name, None when it is not there; of several the last one counts."""
    found = [value for name, value in note.properties.items() if name.casefold() == key]
    return found[-1] if found else None
