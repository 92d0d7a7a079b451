"""The `schedule` command: what runs every night, shown before it is put in place."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from brain.commands.common import json_option, opened, out, talk

if TYPE_CHECKING:
    from brain.schedule.job import Job
    from brain.schedule.scheduler import Scheduler

with_option = click.option(
    "--with", "with_", type=click.Choice(["cron", "systemd", "launchd"]), help="Which scheduler (default: what the machine has)."
)

NOTHING = "Nothing is scheduled."


@click.group("schedule")
def schedule_command() -> None:
    """Lets the machine's own scheduler run `brain maintain` every night."""


@schedule_command.command("show")
@with_option
@json_option
@click.pass_context
def show_command(ctx: click.Context, with_: str | None, as_json: bool) -> None:
    """Shows what is scheduled for this vault, and what `install` would write."""
    from brain import show

    chosen = _there(ctx, with_)
    if chosen is None:
        nothing: dict[str, object] = {"scheduler": None, "name": None, "installed": None, "would_write": [], "then": []}
        out(show.as_json(nothing) if as_json else NOTHING)
        return
    scheduler, job = chosen
    found, shown = scheduler.installed(job.name), scheduler.shown(job)
    if as_json:
        places = [{"place": place, "text": text} for place, text in shown.texts]
        out(show.as_json({"scheduler": scheduler.name, "name": job.name, "installed": found, "would_write": places, "then": shown.commands}))
        return
    out(f"scheduled with {scheduler.name}:\n{found}" if found else f"nothing is scheduled with {scheduler.name}")
    if not found:
        _print(shown.texts, shown.commands, shown.note)


@schedule_command.command("install")
@click.option("--at", default="03:00", metavar="HH:MM", help="The time of day, on the machine's clock.")
@with_option
@click.option("--dry-run", is_flag=True, help="Change nothing; print what would be written and run.")
@click.pass_context
def install_command(ctx: click.Context, at: str, with_: str | None, dry_run: bool) -> None:
    """Schedules the nightly run of this vault, in place of an earlier one."""
    scheduler, job = _chosen(ctx, with_, at)
    shown = scheduler.shown(job)
    if not dry_run:
        os.makedirs(os.path.dirname(job.log), exist_ok=True)
        scheduler.install(job)
        talk(f"scheduled with {scheduler.name}: every day at {job.time}")
    _print(shown.texts, shown.commands, shown.note)


@schedule_command.command("remove")
@with_option
@click.pass_context
def remove_command(ctx: click.Context, with_: str | None) -> None:
    """Takes the nightly run of this vault away. Exit code 1 when a scheduler is there and had none."""
    chosen = _there(ctx, with_)
    if chosen is None:
        out(NOTHING)
        return
    scheduler, job = chosen
    if scheduler.remove(job.name):
        out(f"no longer scheduled with {scheduler.name}")
        return
    out(f"nothing was scheduled with {scheduler.name}")
    ctx.exit(1)


def _there(ctx: click.Context, with_: str | None) -> tuple[Scheduler, Job] | None:
    """Returns the scheduler with this vault's job; None when none is named and this machine has none."""
    from brain.errors import UsageError
    from brain.schedule.scheduler import usual

    try:
        name = with_ or usual()
    except UsageError:
        return None
    return _chosen(ctx, name, "03:00")


def _chosen(ctx: click.Context, with_: str | None, at: str) -> tuple[Scheduler, Job]:
    from brain.schedule.job import Job
    from brain.schedule.scheduler import schedulers, usual

    brain = opened(ctx)
    hour, minute = _time(at)
    log = brain.space.layout.state / "maintain.log"
    return schedulers()[with_ or usual()], Job(_program(), str(brain.root), str(log), hour, minute)


def _time(at: str) -> tuple[int, int]:
    from brain.errors import UsageError

    hour, _, minute = at.partition(":")
    if not (hour.isdecimal() and minute.isdecimal() and len(minute) == 2 and int(hour) < 24 and int(minute) < 60):
        raise UsageError(f"--at is {at!r}, which is no time of day.", "brain schedule install --at 03:00")
    return int(hour), int(minute)


def _program() -> tuple[str, ...]:
    """The command by its whole path, since a scheduler has another PATH than a shell: the one running now, else the one beside Python."""
    from brain.errors import UsageError

    beside = os.path.join(os.path.dirname(sys.executable), "brain")
    for place in (sys.argv[0], beside):
        if os.path.basename(place) == "brain" and (found := shutil.which(place)):
            return (os.path.abspath(found),)
    raise UsageError("`brain` is not installed as a command, so nothing else could start it.", "pip install brain-vault")


def _print(texts: tuple[tuple[str, str], ...], commands: tuple[str, ...], note: str) -> None:
    for place, text in texts:
        out(f"# {place}\n{text}")
    for command in commands:
        out(f"$ {command}")
    talk(note)
