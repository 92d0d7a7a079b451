"""A filter program as `Chat`: the whole request on its standard input, the reply on its standard output.

The program is run directly, never through a shell, and no text of a note is part of its command line. Its
credentials are its own business: it gets our environment without our keys.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from brain.core.asking import Failure, FailureKind, Reply, Request, estimated_cost
from brain.core.ids import short_hash
from brain.errors import UsageError
from brain.models.chat.process import Outcome, run_filter
from brain.models.chat.shown import shown

BYTES_PER_CHARACTER_MAX = 4
_SINGLE = re.compile(r"'[^']*'|\\.", re.S)
_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", re.S)
_SHELL = re.compile(r"[|&;<>]")
_EXPANDED = re.compile(r"`|\$[A-Za-z_({]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OWN_KEYS = ("BRAIN_EMBED_API_KEY", "BRAIN_JUDGE_API_KEY")
_CURE = "check LLM_COMMAND (or [judge] command): it must read a prompt on its input and print the reply"


class CommandChat:
    """Asks one program. The same command line is the same model."""

    def __init__(self, command: str, *, model: str | None = None, environ: Mapping[str, str] = os.environ) -> None:
        """Takes the command line as words. Raises: UsageError when it is none, needs a shell, or is not installed."""
        self._argv = argv_of(command)
        self._environ = {name: value for name, value in environ.items() if name not in _OWN_KEYS}
        found = shutil.which(self._argv[0], path=self._environ.get("PATH", os.defpath))
        if found is None:
            raise UsageError(f"The language model's command `{self._argv[0]}` is not an installed program.", _CURE)
        self._argv[0] = found
        self.model = model or f"command:{Path(found).name}-{short_hash('command', *argv_of(command), length=6)}"

    def __repr__(self) -> str:
        """Returns the name of the model, never the command line, which may hold a key."""
        return f"CommandChat({self.model})"

    def ask(self, request: Request) -> Reply | Failure:
        """Runs the program once on the whole request."""
        data = request.prompt.encode("utf-8", "replace")
        limit = BYTES_PER_CHARACTER_MAX * request.reply_chars_max
        try:
            outcome = run_filter(self._argv, data, timeout_s=request.timeout_s, output_bytes_max=limit, environ=self._environ)
        except OSError as error:
            return Failure("not_started", f"{self._name} could not be started ({error.strerror}).", _CURE)
        return self._read(request, outcome)

    @property
    def _name(self) -> str:
        return f"The language model's command `{Path(self._argv[0]).name}`"

    def _read(self, request: Request, outcome: Outcome) -> Reply | Failure:
        if outcome.end == "timeout":
            cure = "raise LLM_TIMEOUT_SECS (or [judge] timeout_s), or use a faster model"
            return self._failed(request, outcome, "timeout", f"gave no answer within {request.timeout_s:g} s", cure)
        if outcome.end == "too_long":
            return self._failed(request, outcome, "too_long", f"printed more than {request.reply_chars_max:,} characters")
        if outcome.code != 0:
            ended = f"ended with exit code {outcome.code}" if outcome.code > 0 else f"was ended by signal {-outcome.code}"
            said = shown(outcome.errors.decode("utf-8", "replace"))
            return self._failed(request, outcome, "exit", f"{ended}{f': {said}' if said else ''}")
        try:
            text = outcome.output.decode("utf-8")
        except UnicodeDecodeError:
            return self._failed(request, outcome, "not_text", "printed bytes that are not UTF-8 text")
        if len(text) > request.reply_chars_max:
            return self._failed(request, outcome, "too_long", f"printed more than {request.reply_chars_max:,} characters")
        if not text.strip():
            return self._failed(request, outcome, "empty", "printed nothing")
        return Reply(text, estimated_cost(request, text, seconds=outcome.seconds))

    def _failed(self, request: Request, outcome: Outcome, kind: FailureKind, what: str, cure: str = _CURE) -> Failure:
        return Failure(kind, f"{self._name} {what}.", cure, estimated_cost(request, seconds=outcome.seconds))


def argv_of(command: str) -> list[str]:
    """Returns the words of a command line. Raises: UsageError when it is empty, or says what only a shell does."""
    cure = "write it as one program with its arguments, or as: sh -c '…'"
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"The language model's command cannot be read ({error}).", cure) from None
    if not argv or not argv[0]:
        raise UsageError("The language model's command is empty.", cure)
    if _ASSIGNMENT.match(argv[0]):
        raise UsageError("The language model's command begins with a variable.", "write it as: env NAME=value program …")
    if _SHELL.search(_QUOTED.sub(" ", command)) or _EXPANDED.search(_SINGLE.sub(" ", command)):
        raise UsageError("The language model's command uses signs that only a shell understands.", cure)
    return [os.path.expanduser(argv[0]), *argv[1:]]
