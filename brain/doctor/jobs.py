"""Checks of what is scheduled: whether the program that a scheduler would start is still there. Pure but for a look at files.

What the schedulers have is handed in, by their names: doctor asks none of them.
"""

from __future__ import annotations

import os
import plistlib
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from brain.core.finding import Finding

Jobs = Mapping[str, str]
"""Name of a scheduler → what it has for this vault."""
CRON_FIELDS = 5
INTERPRETER_BYTES_MAX = 512


def broken_jobs(jobs: Jobs) -> Iterator[Finding]:
    """Jobs whose program, its interpreter or whose vault is not there any more."""
    for scheduler, text in sorted(jobs.items()):
        argv = _argv(scheduler, text)
        missing = _missing(argv) if argv else "a command that can be read"
        if missing:
            message = f"What {scheduler} starts every night is not there: {missing}."
            yield Finding("schedule-broken", "warning", "", 0, message, f"brain schedule install --with {scheduler}")


def _missing(argv: list[str]) -> str | None:
    program = Path(argv[0])
    if not (program.is_file() and os.access(program, os.X_OK)):
        return str(program)
    interpreter = _interpreter(program)
    if interpreter and not Path(interpreter).exists():
        return f"{interpreter}, which runs {program}"
    vault = argv[argv.index("--vault") + 1] if "--vault" in argv[:-1] else None
    return None if vault is None or Path(vault).is_dir() else vault


def _interpreter(program: Path) -> str | None:
    with open(program, "rb") as file:
        first = file.read(INTERPRETER_BYTES_MAX).split(b"\n", 1)[0]
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return words[0] if words else None


def _argv(scheduler: str, text: str) -> list[str]:
    """Returns the command of a job, as its scheduler reads it; empty when there is none."""
    try:
        match scheduler:
            case "cron":
                return shlex.split(" ".join(text.split(None, CRON_FIELDS)[CRON_FIELDS:]).replace("\\%", "%"), comments=True)
            case "systemd":
                line = next((line for line in text.splitlines() if line.startswith("ExecStart=")), "")
                return [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line.removeprefix("ExecStart="))]
            case _:
                return [str(word) for word in plistlib.loads(text.encode())["ProgramArguments"]]
    except (ValueError, KeyError, TypeError, plistlib.InvalidFileException):
        return []
