"""The schedulers of the platforms: cron, a systemd user timer, a launchd agent. Each is told by its own program.

A scheduler is asked and told through files in the user's own folders and its own command, never as root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from brain.errors import BrainError, UsageError
from brain.schedule import job as texts
from brain.schedule.job import Job

COMMAND_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Shown:
    """What a scheduler is told: the texts by the place they go to, and the commands run afterwards."""

    texts: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]
    note: str


class Scheduler(Protocol):
    """One platform's way of running something every night."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    def shown(self, job: Job) -> Shown:
        """Returns what `install` would write and run; changes nothing."""
        ...

    def installed(self, name: str) -> str | None:
        """Returns what the scheduler has under a name, None when it has nothing."""
        ...

    def install(self, job: Job) -> None:
        """Puts the job in place of an older one of its name. Raises: BrainError when the scheduler refuses."""
        ...

    def remove(self, name: str) -> bool:
        """Takes the job away; tells whether there was one. Raises: BrainError when the scheduler refuses."""
        ...


@dataclass(frozen=True, slots=True)
class Cron:
    """One line in the user's crontab; every other line stays as it is."""

    name: str = "cron"

    def shown(self, job: Job) -> Shown:
        """Returns the line."""
        note = "cron starts nothing that was due while the machine was off or asleep."
        return Shown((("your crontab", texts.cron_line(job) + "\n"),), ("crontab -",), note)

    def installed(self, name: str) -> str | None:
        """Returns the job's line."""
        return texts.line_of(_crontab(), name)

    def install(self, job: Job) -> None:
        """Replaces the job's line, or adds it at the end."""
        kept = texts.without_line(_crontab(), job.name)
        ending = "" if not kept or kept.endswith("\n") else "\n"
        _run(["crontab", "-"], text=f"{kept}{ending}{texts.cron_line(job)}\n")

    def remove(self, name: str) -> bool:
        """Takes the job's line out."""
        now = _crontab()
        if texts.line_of(now, name) is None:
            return False
        _run(["crontab", "-"], text=texts.without_line(now, name))
        return True


@dataclass(frozen=True, slots=True)
class Systemd:
    """A user timer and its service. `folder` is where the user's units lie."""

    folder: Path
    name: str = "systemd"

    def shown(self, job: Job) -> Shown:
        """Returns both units."""
        service, timer = self._units(job.name)
        commands = ("systemctl --user daemon-reload", f"systemctl --user enable --now {timer.name}")
        note = "A night on which the machine was off is made up for. Without a login it runs only after: loginctl enable-linger"
        return Shown(((str(service), texts.service_unit(job)), (str(timer), texts.timer_unit(job))), commands, note)

    def installed(self, name: str) -> str | None:
        """Returns the texts of both units."""
        found = [unit.read_text("utf-8") for unit in self._units(name) if unit.is_file()]
        return "\n".join(found) if found else None

    def install(self, job: Job) -> None:
        """Writes the units and starts the timer."""
        for place, text in self.shown(job).texts:
            _write(Path(place), text.encode())
        _run(["systemctl", "--user", "daemon-reload"])
        _run(["systemctl", "--user", "enable", "--now", f"{job.name}.timer"])

    def remove(self, name: str) -> bool:
        """Stops the timer and removes the units."""
        if self.installed(name) is None:
            return False
        _run(["systemctl", "--user", "disable", "--now", f"{name}.timer"])
        for unit in self._units(name):
            unit.unlink(missing_ok=True)
        _run(["systemctl", "--user", "daemon-reload"])
        return True

    def _units(self, name: str) -> tuple[Path, Path]:
        return self.folder / f"{name}.service", self.folder / f"{name}.timer"


@dataclass(frozen=True, slots=True)
class Launchd:
    """A launch agent of the user. `folder` is where the user's agents lie, `user` their number."""

    folder: Path
    user: int
    name: str = "launchd"

    def shown(self, job: Job) -> Shown:
        """Returns the property list."""
        place = self._place(job.name)
        note = "A time that passed while the machine slept is made up for when it wakes."
        return Shown(((str(place), texts.launchd_plist(job).decode()),), (f"launchctl bootstrap gui/{self.user} {place}",), note)

    def installed(self, name: str) -> str | None:
        """Returns the property list."""
        place = self._place(name)
        return place.read_text("utf-8") if place.is_file() else None

    def install(self, job: Job) -> None:
        """Writes the property list and loads it."""
        self.remove(job.name)
        _write(self._place(job.name), texts.launchd_plist(job))
        _run(["launchctl", "bootstrap", f"gui/{self.user}", str(self._place(job.name))])

    def remove(self, name: str) -> bool:
        """Unloads the agent and removes its file."""
        place = self._place(name)
        if not place.is_file():
            return False
        _run(["launchctl", "bootout", f"gui/{self.user}/{name}"])
        place.unlink()
        return True

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.plist"


def schedulers(environ: Mapping[str, str] = os.environ) -> dict[str, Scheduler]:
    """Returns the schedulers there are, by name, whether or not this machine has them."""
    home = Path(environ.get("HOME") or Path.home())
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    user = os.getuid() if hasattr(os, "getuid") else 0
    found: tuple[Scheduler, ...] = (Systemd(config / "systemd" / "user"), Cron(), Launchd(home / "Library" / "LaunchAgents", user))
    return {scheduler.name: scheduler for scheduler in found}


def usual(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """Returns the name of the scheduler this machine should use. Raises: UsageError when it has none that is known."""
    path = environ.get("PATH")
    if platform == "darwin":
        return "launchd"
    if shutil.which("systemctl", path=path) and Path(environ.get("XDG_RUNTIME_DIR") or "/nowhere", "systemd").is_dir():
        return "systemd"
    if shutil.which("crontab", path=path):
        return "cron"
    raise UsageError(
        "This machine has neither a systemd of the user nor cron.", "let any scheduler run: brain --vault DIR maintain --once"
    )


def _crontab() -> str:
    """Returns the user's crontab. A user without one gets exit code 1 from it, and the words `no crontab`."""
    ended = _ended(["crontab", "-l"], "")
    if ended.returncode == 0:
        return ended.stdout
    if "no crontab" in ended.stderr.casefold():
        return ""
    raise _refused(["crontab", "-l"], ended.stderr)


def _run(command: Sequence[str], *, text: str = "") -> None:
    ended = _ended(command, text)
    if ended.returncode != 0:
        raise _refused(command, ended.stderr)


def _ended(command: Sequence[str], text: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "LC_ALL": "C"}  # its messages are read above
    try:
        return subprocess.run(
            command, input=text, capture_output=True, text=True, errors="surrogateescape", timeout=COMMAND_TIMEOUT_S, env=environ, check=False
        )
    except FileNotFoundError as error:
        raise UsageError(f"This machine has no `{command[0]}`.", "brain schedule install --with another one") from error
    except subprocess.TimeoutExpired as error:
        raise BrainError(f"`{' '.join(command)}` did not end within {COMMAND_TIMEOUT_S:.0f} s.", "brain schedule show") from error


def _refused(command: Sequence[str], said: str) -> BrainError:
    why = " ".join(said.split())[:300] or "it did not say why"
    return BrainError(f"`{' '.join(command)}` refused: {why}.", "brain schedule show prints what to put in place by hand")


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(place.name + ".new")
    fresh.write_bytes(data)
    os.replace(fresh, place)
