"""The command that puts right what doctor found, one code at a time, through the write path."""

from __future__ import annotations

import click

from brain.commands.common import dry_run_option, json_option, opened, out, show_run


@click.command("repair")
@click.argument("code")
@dry_run_option
@json_option
@click.pass_context
def repair_command(ctx: click.Context, code: str, dry_run: bool, as_json: bool) -> None:
    """Puts right the findings of one CODE of `brain doctor`. Exit code 1 when a plan could not be carried out."""
    from brain import show

    brain = opened(ctx)
    report = brain.repair(code, dry_run=dry_run)
    if as_json:
        out(show.as_json(show.run_json(report)))
    else:
        show_run(brain, report)
    if report.failed:
        ctx.exit(1)
