"""One job as data, and the text each scheduler reads for it. Pure.

Sources: crontab(5), systemd.timer(5) and systemd.service(5) on quoting and specifiers, launchd.plist(5).
"""

from __future__ import annotations

import plistlib
import shlex
from dataclasses import dataclass

from brain.core.ids import short_hash
from brain.errors import UsageError

MARK = "# brain:"
DESCRIPTION = "Nightly maintenance of the notes in"
_CONTROL = frozenset(map(chr, (*range(32), 127)))


@dataclass(frozen=True, slots=True)
class Job:
    """What runs when: `program` is the command without its options, `vault` and `log` are absolute paths.

    Raises: UsageError for a path with a control character, which no scheduler's file can hold.
    """

    program: tuple[str, ...]
    vault: str
    log: str
    hour: int
    minute: int

    def __post_init__(self) -> None:
        for text in (*self.program, self.vault, self.log):
            if not _CONTROL.isdisjoint(text):
                raise UsageError(f"{text!r} has a control character, which a schedule cannot hold.", "rename the folder")

    @property
    def name(self) -> str:
        """The name by which the job of this vault is found again, whatever it runs and when."""
        return name_of(self.vault)

    @property
    def command(self) -> tuple[str, ...]:
        """The whole command line."""
        return (*self.program, "--vault", self.vault, "maintain", "--once")

    @property
    def time(self) -> str:
        """The time of day as `HH:MM`."""
        return f"{self.hour:02}:{self.minute:02}"


def name_of(vault: str) -> str:
    """Returns the name of the job of a vault."""
    return f"brain-{short_hash('job', vault, length=8)}"


def cron_line(job: Job) -> str:
    """Returns the line of a crontab, with the mark that finds it again. A `%` would end the command."""
    command = f"{shlex.join(job.command)} >> {shlex.quote(job.log)} 2>&1"
    return f"{job.minute} {job.hour} * * * {command.replace('%', chr(92) + '%')} {MARK}{job.name}"


def without_line(crontab: str, name: str) -> str:
    """Returns a crontab without the line of a job; every other byte stays."""
    return "".join(line for line in crontab.splitlines(keepends=True) if not line.rstrip("\r\n").endswith(f"{MARK}{name}"))


def line_of(crontab: str, name: str) -> str | None:
    """Returns the line of a job in a crontab."""
    return next((line for line in crontab.splitlines() if line.endswith(f"{MARK}{name}")), None)


def service_unit(job: Job) -> str:
    """Returns the systemd service: one run, polite to whatever else is going on."""
    return (
        f"[Unit]\nDescription={DESCRIPTION} {_specifiers(job.vault)}\n\n"
        f"[Service]\nType=oneshot\nExecStart={' '.join(map(_systemd_word, job.command))}\n"
        f"StandardOutput=append:{_specifiers(job.log)}\nStandardError=append:{_specifiers(job.log)}\n"
        "Nice=10\nIOSchedulingClass=idle\n"
    )


def timer_unit(job: Job) -> str:
    """Returns the systemd timer; `Persistent` makes up for a night on which the machine was off."""
    return (
        f"[Unit]\nDescription={DESCRIPTION} {_specifiers(job.vault)}\n\n"
        f"[Timer]\nOnCalendar=*-*-* {job.time}:00\nPersistent=true\nRandomizedDelaySec=60\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )


def launchd_plist(job: Job) -> bytes:
    """Returns the launchd agent; a time that passed while the machine slept is made up for at waking."""
    return plistlib.dumps({
        "Label": job.name, "ProgramArguments": list(job.command), "StartCalendarInterval": {"Hour": job.hour, "Minute": job.minute},
        "StandardOutPath": job.log, "StandardErrorPath": job.log, "ProcessType": "Background", "LowPriorityIO": True,
    })  # fmt: skip


def _systemd_word(word: str) -> str:
    escaped = _specifiers(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def _specifiers(text: str) -> str:
    return text.replace("%", "%%")
