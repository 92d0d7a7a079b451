"""The commands of forgetting: what fades, a touch by hand, and archiving what has faded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from brain.commands.common import Count, dry_run_option, indexed, json_option, note_argument, out, show_report

if TYPE_CHECKING:
    from datetime import datetime

    from brain.facade import Brain


@click.command("decay")
@click.option("--at", "moment", metavar="DATE", help="As of this day or instant (ISO); else now.")
@click.option("--table", is_flag=True, help="Only print the half-lives.")
@click.option("--dry-run", is_flag=True, help="Only look: the weights in the graph stay as they are.")
@json_option
@click.pass_context
def decay_command(ctx: click.Context, moment: str | None, table: bool, dry_run: bool, as_json: bool) -> None:
    """Says what has faded by a day and what fades next, and brings the weights in the graph to that day."""
    from brain import show, show_forgetting

    if table:
        out(show.as_json(show_forgetting.half_lives_json()) if as_json else show_forgetting.half_life_table())
        return
    found = indexed(ctx).decay(at=_instant(moment), dry_run=dry_run)
    out(show.as_json(found) if as_json else show_forgetting.forecast_text(found))


@click.command("reinforce")
@note_argument(required=True)
@json_option
@click.pass_context
def reinforce_command(ctx: click.Context, note: str, as_json: bool) -> None:
    """Touches a NOTE by hand: it is as fresh as on its first day, and what it is part of has a share of that."""
    from brain import show, show_forgetting

    found = indexed(ctx).reinforce(note)
    out(show.as_json(found) if as_json else show_forgetting.reinforced_text(found))


@click.command("prune")
@click.option("--yes", is_flag=True, help="Do it; without it a terminal asks, and anything else is refused.")
@click.option("--limit", default=0, type=Count(0), help="At most so many notes, the most faded first; 0: all.")
@dry_run_option
@json_option
@click.pass_context
def prune_command(ctx: click.Context, yes: bool, limit: int, dry_run: bool, as_json: bool) -> None:
    """Archives notes that have faded and that nothing keeps. Deletes nothing; brain undo takes it back."""
    brain = indexed(ctx)
    if not dry_run and not yes and not _confirmed(brain, limit):
        return
    show_report(ctx, brain, brain.prune(limit=limit, dry_run=dry_run), as_json)


def _confirmed(brain: Brain, limit: int) -> bool:
    """Shows what would be archived and asks for the number of notes. Raises: UsageError without a terminal to ask at."""
    from brain.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("Nothing is archived without a word for it.", "brain prune --dry-run to look, then brain prune --yes")
    found = brain.prune(limit=limit, dry_run=True)
    count = len(found.applied)
    if not count:
        out("No note has faded that nothing keeps.")
        return False
    out("\n".join(patch.path for receipt in found.applied for patch in receipt.patches))
    return str(click.prompt(f"Type {count} to archive these notes", default="", show_default=False, err=True)).strip() == str(count)


def _instant(moment: str | None) -> datetime | None:
    from brain.core.dates import instant_of
    from brain.errors import UsageError

    found = instant_of(moment) if moment else None
    if moment and found is None:
        raise UsageError(f"{moment!r} is no date.", "brain decay --at 2026-12-31")
    return found
