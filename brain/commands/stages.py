"""Commands that change notes through the one write path: walk, reconcile, link, consolidate, maintain, undo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from brain.commands.common import Count, dry_run_option, indexed, json_option, out, show_run, talk

if TYPE_CHECKING:
    from brain.facade import Brain
    from brain.stages.report import RunReport

limit_option = click.option("--limit", type=Count(0), help="How many at most (default: the setting; 0: all).")


@click.command("walk")
@limit_option
@dry_run_option
@json_option
@click.pass_context
def walk_command(ctx: click.Context, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Turns what waiting episodes say into atoms and relations of the notes they are about."""
    _run(ctx, "walk", limit, dry_run, as_json)


@click.command("reconcile")
@limit_option
@dry_run_option
@json_option
@click.pass_context
def reconcile_command(ctx: click.Context, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Merges notes that are certainly one thing; what is not certain waits."""
    _run(ctx, "reconcile", limit, dry_run, as_json)


@click.command("link")
@click.argument("edge", nargs=-1, metavar="[A RELATION B]")
@click.option("--reason", default="", metavar="TEXT", help="With A RELATION B: why it holds.")
@limit_option
@dry_run_option
@json_option
@click.pass_context
def link_command(ctx: click.Context, edge: tuple[str, ...], reason: str, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Writes typed edges with their reason under ## Related: those that notes state, or the one that you say."""
    if edge or reason:
        from brain.commands.hands import relate

        relate(ctx, edge, reason, dry_run, as_json)
        return
    _run(ctx, "link", limit, dry_run, as_json)


@click.command("consolidate")
@click.option("--ceiling", type=Count(1), required=True, help="Only notes with more standing claims than this.")
@limit_option
@dry_run_option
@json_option
@click.pass_context
def consolidate_command(ctx: click.Context, ceiling: int, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Makes one claim of those that say the same, in notes that have too many; nothing is written that no claim says."""
    brain = indexed(ctx)
    _show(brain, [brain.consolidate(ceiling=ceiling, limit=limit, dry_run=dry_run)], as_json)


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
    brain = indexed(ctx)
    try:
        _show(brain, brain.maintain(limit=0 if backlog else limit, dry_run=dry_run), as_json)
    except Locked as error:
        if not once:
            raise
        talk(f"nothing done: {error.message}")


@click.command("undo")
@click.argument("target", required=False, metavar="[RUN|ITEM]")
@dry_run_option
@json_option
@click.pass_context
def undo_command(ctx: click.Context, target: str | None, dry_run: bool, as_json: bool) -> None:
    """Takes back the last run, a run or one item of it, byte for byte. Exit code 1 when something was left."""
    from brain import show, show_work

    report = indexed(ctx).undo(target, dry_run=dry_run)
    if report.diff and not as_json:
        out(show.shown_text(report.diff))
    out(show.as_json(report) if as_json else show_work.undo_text(report))
    if report.left:
        ctx.exit(1)


def _run(ctx: click.Context, stage: str, limit: int | None, dry_run: bool, as_json: bool) -> None:
    brain = indexed(ctx)
    _show(brain, [brain.run_stage(stage, limit=limit, dry_run=dry_run)], as_json)


def _show(brain: Brain, reports: Iterable[RunReport], as_json: bool) -> None:
    from brain import show

    reports = list(reports)
    if as_json:
        shown = [show.run_json(report) for report in reports]
        out(show.as_json(shown[0] if len(shown) == 1 else shown))
        return
    for report in reports:
        show_run(brain, report)
