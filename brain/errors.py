"""Every error a person can meet: what happened, to which file, and what to type next.

Expected outcomes (a held plan, a finding, an empty answer) are values, never exceptions.
`cli.py` prints `error:` and `cure:` and exits with `exit_code`; library code never prints.
"""

from __future__ import annotations

EXIT_OK = 0
EXIT_FINDING = 1
EXIT_USAGE = 2
EXIT_LOCKED = 3
EXIT_BROKEN = 4


class BrainError(Exception):
    """Carries a sentence about what happened and the next command to type."""

    exit_code = EXIT_BROKEN

    def __init__(self, message: str, cure: str) -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure


class UsageError(BrainError):
    """The command, setting or argument cannot be carried out as given."""

    exit_code = EXIT_USAGE


class NotFound(BrainError):
    """The named note, run or query does not exist."""

    exit_code = EXIT_FINDING


class Ambiguous(BrainError):
    """A name that more than one note answers to; the message lists the candidates."""

    exit_code = EXIT_FINDING


class Locked(BrainError):
    """Another process held the lock for longer than the wait limit."""

    exit_code = EXIT_LOCKED


class NoteChanged(BrainError):
    """A file is not what the plan was made from; nothing was written to it."""

    exit_code = EXIT_FINDING

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} changed after it was read, so it was left alone.", "run the command again")
        self.path = path


class IndexBroken(BrainError):
    """A derived store cannot be used; the notes are untouched."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "brain rebuild")
