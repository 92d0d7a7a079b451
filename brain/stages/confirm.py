"""Confirm: a person says that a note holds today. Only then does `last_confirmed` move."""

from __future__ import annotations

from brain.core.plan import Plan, SetField
from brain.stages.context import Context
from brain.stages.report import RunReport
from brain.stages.run import Run
from brain.vault.parse import parse_note


def confirm(ctx: Context, path: str, *, dry_run: bool = False) -> RunReport:
    """Writes today's `last_confirmed` into the note at a path; one that has it already is left alone."""
    run = Run(ctx, "edit", dry_run=dry_run)
    source = run.reading.read(path)
    note = parse_note(path, source.text, ctx.config.limits) if source else None
    if source is None or note is None:
        run.say(f"{path} is not there any more.")
    elif str(note.properties.get("last_confirmed")) == ctx.today:
        run.say(f"{path} was confirmed today already.")
    else:
        edits = (SetField(path, "last_confirmed", ctx.today),)
        run.commit(Plan("edit", f"confirm|{path}|{ctx.today}", {path: source.sha256}, edits, f"{path} is confirmed"))
        if note.status == "stale":
            run.say("Its status goes back to what it was with the next reconcile.")
    return run.report(found=1)
