"""Commands that change notes through the one write path: walk, reconcile, link, maintain, undo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from brain.commands.common import Count, dry_run_option, indexed, json_option, out, talk

if TYPE_CHECKING:
    from brain.stages.report import RunReport

limit_option = click.option("--limit", type=Count(0), help="How many at most (default: the setting; 0: all).")


@click.command("walk")
@limit_option
@dry_run_option
@json_option
@click.pass_context
def walk_command(ctx: click.Context, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Turns what waiting episodes say into atoms and relations of the notes they are about."""
    _show([indexed(ctx).run_stage("walk", limit=limit, dry_run=dry_run)], as_json)


@click.command("reconcile")
@limit_option
@dry_run_option
@json_option
@click.pass_context
def reconcile_command(ctx: click.Context, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Merges notes that are certainly one thing; what is not certain waits."""
    _show([indexed(ctx).run_stage("reconcile", limit=limit, dry_run=dry_run)], as_json)


@click.command("link")
@limit_option
@dry_run_option
@json_option
@click.pass_context
def link_command(ctx: click.Context, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Writes typed edges with their reason under ## Related."""
    _show([indexed(ctx).run_stage("link", limit=limit, dry_run=dry_run)], as_json)


@click.command("maintain")
@limit_option
@click.option("--backlog", is_flag=True, help="Everything that waits, whatever the settings say: the same as --limit 0.")
@click.option("--once", is_flag=True, help="For schedulers: nothing to do, and exit code 0, while another run is under way.")
@click.option("--estimate", is_flag=True, help="Only what the language model would be asked, in calls and tokens; nothing is asked.")
@dry_run_option
@json_option
@click.pass_context
def maintain_command(
    ctx: click.Context, limit: int | None, backlog: bool, once: bool, estimate: bool, dry_run: bool, as_json: bool
) -> None:
    """Walks, reconciles and links, in this order."""
    from brain import show
    from brain.errors import Locked, UsageError

    if backlog and limit:
        raise UsageError("--backlog does everything, and --limit does not.", "give one of the two")
    if estimate:
        found = indexed(ctx).estimate(limit=0 if backlog else limit)
        out(show.as_json(show.estimate_json(found)) if as_json else show.estimate_text(found))
        return
    try:
        _show(indexed(ctx).maintain(limit=0 if backlog else limit, dry_run=dry_run), as_json)
    except Locked as error:
        if not once:
            raise
        talk(f"nothing done: {error.message}")


@click.command("undo")
@click.argument("target", required=False, metavar="[RUN|ITEM]")
@json_option
@click.pass_context
def undo_command(ctx: click.Context, target: str | None, as_json: bool) -> None:
    """Takes back the last run, a run or one item of it, byte for byte. Exit code 1 when something was left."""
    from brain import show

    report = indexed(ctx).undo(target)
    out(show.as_json(report) if as_json else show.undo_text(report))
    if report.left:
        ctx.exit(1)


def _show(reports: Iterable[RunReport], as_json: bool) -> None:
    from brain import show
    from brain.stages.diff import diff_of

    reports = list(reports)
    if as_json:
        shown = [show.run_json(report) for report in reports]
        out(show.as_json(shown[0] if len(shown) == 1 else shown))
        return
    for report in reports:
        if report.dry_run and report.receipts:
            out(show.shown_text(diff_of(report.receipts)))
        out(show.run_text(report))
