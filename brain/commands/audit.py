"""Commands that look back: runs, explain."""

from __future__ import annotations

import click

from brain.commands.common import Count, json_option, opened, out


@click.command("runs")
@click.argument("run", required=False)
@click.option("--limit", type=Count(min=0), default=20, show_default=True, help="Runs to show; 0: all.")
@json_option
@click.pass_context
def runs_command(ctx: click.Context, run: str | None, limit: int, as_json: bool) -> None:
    """Shows what the runs of the stages did, the latest first, or one RUN item by item."""
    from brain import show, show_audit

    brain = opened(ctx)
    if run is not None:
        entry = brain.run(run)
        out(show.as_json(entry) if as_json else show_audit.run_text(entry))
        return
    entries = brain.runs()
    shown = entries[: limit or None]
    out(show.as_json(shown) if as_json else show_audit.runs_text(shown, more=len(entries) - len(shown)))


@click.command("explain")
@click.argument("words", nargs=-1, required=True, metavar="ATOM | SOURCE RELATION TARGET | ITEM | NOTE")
@json_option
@click.pass_context
def explain_command(ctx: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Says why something stands in the notes: from which line it comes, who judged it, which run wrote it."""
    from brain import show, show_audit

    found = opened(ctx).explain(*words)
    out(show.as_json(found) if as_json else show_audit.explained_text(found))
