"""The command that puts right what doctor found, by code or by class, through the write path."""

from __future__ import annotations

import click

from brain.commands.common import dry_run_option, json_option, opened, out, show_run

NOTHING = "Nothing to repair."


@click.command("repair")
@click.argument("code", required=False)
@click.option("--safe", is_flag=True, help="Every repair that is certain and can be taken back.")
@click.option("--all", "is_all", is_flag=True, help="Every repair that has a plan; look with --dry-run first.")
@click.option("--list", "is_list", is_flag=True, help="Show which codes have a plan, and of which class it is.")
@dry_run_option
@json_option
@click.pass_context
def repair_command(ctx: click.Context, code: str | None, safe: bool, is_all: bool, is_list: bool, dry_run: bool, as_json: bool) -> None:
    """Puts right the findings of one CODE of `brain doctor`, or of a class. Exit code 1 when a plan could not be carried out."""
    from brain import show
    from brain.errors import UsageError

    if [bool(code), safe, is_all, is_list].count(True) != 1:
        raise UsageError("Say what to repair: one code, --safe, --all or --list.", "brain repair --list")
    if is_list:
        _list(as_json)
        return
    brain = opened(ctx)
    if code:
        reports = {code: brain.repair(code, dry_run=dry_run)}
        shown = show.run_json(reports[code])
    else:
        reports = dict(brain.repair_all(only_safe=safe, dry_run=dry_run))
        shown = {name: show.run_json(report) for name, report in reports.items()}
    if as_json:
        out(show.as_json(shown))
    else:
        told = {name: report for name, report in reports.items() if code or report.receipts or report.notices}
        for name, report in told.items():
            if not code:
                out(f"{name}:")
            show_run(brain, report)
        if not told:
            out(NOTHING)
    if any(report.failed for report in reports.values()):
        ctx.exit(1)


def _list(as_json: bool) -> None:
    """Prints the codes that have a plan, each with its class and what it means."""
    from brain import show
    from brain.doctor.codes import CODES
    from brain.doctor.repair import classes

    rows = [{"code": code, "class": class_, "means": CODES[code].means} for code, class_ in classes().items()]
    out(show.as_json(rows) if as_json else "".join(f"{row['class']:<5} {row['code']:<22} {row['means']}\n" for row in rows))
