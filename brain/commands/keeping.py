"""Commands that carry a vault elsewhere and back: backup, restore, clear, export, import, purge."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from brain.commands import keeping_text
from brain.commands.common import Count, Word, dry_run_option, json_option, opened, out, show_run, talk
from brain.facade.keeping import FORMATS

yes_option = click.option("--yes", is_flag=True, help="Do it; without this it is only shown.")


@click.command("backup")
@click.option("--label", default="", help="A few words; a backup with a label is never removed by --keep.")
@click.option("--keep", type=Count(1), metavar="N", help="Then remove backups without a label, but for the newest N.")
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", help="Another folder than .brain/backups.")
@click.option("--if-older-than", "days", type=click.FloatRange(0), metavar="DAYS", help="Only when the newest one is older.")
@click.option("--list", "is_list", is_flag=True, help="List the backups, the newest first.")
@json_option
@click.pass_context
def backup_command(ctx: click.Context, label: str, keep: int | None, to: Path | None, days: float | None, is_list: bool, as_json: bool) -> None:
    """Puts notes, attachments, settings and journal into one zip file, and verifies it by unpacking it."""
    from brain import show
    from brain.portability.backup import backups_folder

    brain = opened(ctx)
    if is_list:
        found = brain.backups(to)
        out(show.as_json([{**show.plain(backup), "path": str(backup.path)} for backup in found]) if as_json else keeping_text.backups_text(found, to or backups_folder(brain.root)))
        return
    made = brain.backup(label=label, keep=keep, to=to, older_than_days=days)
    if made is None:
        talk(f"the newest backup is not older than {days:g} days")
    elif as_json:
        out(show.as_json({**show.plain(made), "backup": {**show.plain(made.backup), "path": str(made.backup.path)}}))
    else:
        out(keeping_text.backed_text(made))


@click.command("restore")
@click.argument("file")
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", help="Make a new folder of it, and leave the vault alone.")
@click.option("--note", "notes", multiple=True, metavar="PATH", help="Only this note (may be given again).")
@yes_option
@json_option
@click.pass_context
def restore_command(ctx: click.Context, file: str, to: Path | None, notes: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Brings a backup back: FILE is a path or a name that `backup --list` shows.

    Into the vault: shown first, done with --yes. A backup of the present state is made, notes go back as one run that
    undo takes back, notes that are not in the backup stay, and of the journal nothing is cut.
    """
    from brain import show
    from brain.errors import UsageError

    brain = opened(ctx)
    if to is not None:
        if notes:
            raise UsageError("--to makes a folder of the whole backup.", "brain restore FILE --note PATH without --to")
        count = brain.restore_to(file, to)
        out(show.as_json({"files": count, "folder": str(to)}) if as_json else f"{to}: {count} files, every hash compared")
        return
    restored = brain.restore(file, notes=notes, dry_run=not yes)
    if as_json:
        shown = {name: value for name, value in show.plain(restored).items() if name not in ("report", "before")}
        out(show.as_json({**shown, "before": str(restored.before.backup.path) if restored.before else None, "run": show.run_json(restored.report)}))
    else:
        show_run(brain, restored.report)
        where = ["--vault", ctx.find_root().params["vault"]] if ctx.find_root().params.get("vault") else []
        command = shlex.join(["brain", *where, "restore", file, *(word for note in notes for word in ("--note", note))])
        out(keeping_text.restored_text(restored, command, dry_run=not yes))
    if restored.report.failed:
        ctx.exit(1)


@click.command("clear")
@click.option("--journal", is_flag=True, help="Forget the history too: clocks, answers, undo. It stays in the backup.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def clear_command(ctx: click.Context, journal: bool, yes: bool) -> None:
    """Removes what is made from the notes: the index and the embeddings. Never a note, and never a setting.

    Asks for the vault's name, and makes a backup first. `brain index` makes everything anew.
    """
    from brain.errors import UsageError

    brain = opened(ctx)
    if not yes and _answer(f"type the name of the vault ({brain.root.name}) to clear it: ") != brain.root.name:
        raise UsageError("That is not the name of the vault, so nothing was cleared.", "brain clear --yes does not ask")
    cleared = brain.clear(journal=journal)
    out(keeping_text.backed_text(cleared.before))
    for folder in cleared.removed:
        out(f"removed: {folder}")
    talk("next: brain index")


@click.command("export")
@click.option("--format", "kind", type=Word(FORMATS), default="jsonl", show_default=True, help="How it is written.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="A new file; for csv a new folder.")
@click.option("--full", is_flag=True, help="With the texts of the notes and the journal: what brain import takes (jsonl only).")
@click.option("--lean", is_flag=True, help="Without chunks and tokens; a canvas without plain links.")
@click.option("--now", "moment", metavar="INSTANT", help="Take weights at this instant (ISO); else now.")
@click.pass_context
def export_command(ctx: click.Context, kind: str, output: Path | None, full: bool, lean: bool, moment: str | None) -> None:
    """Writes the graph: canonical JSON lines (equal graphs give equal bytes), GraphML, a Cypher script, CSV for Neo4j, or a canvas."""
    from brain import show
    from brain.core.dates import instant_of
    from brain.errors import UsageError
    from brain.portability.output import write_lines

    now = instant_of(moment) if moment else None
    if moment and now is None:
        raise UsageError(f"{moment!r} is not an instant.", "brain export --now 2026-01-31T12:00:00Z")
    if full and kind != "jsonl":
        raise UsageError("Only JSON lines hold the texts of the notes and the journal.", "brain export --full --output FILE")
    brain = opened(ctx)
    if kind == "csv":
        if output is None:
            raise UsageError("CSV is several files, one a table.", "brain export --format csv --output FOLDER")
        for name, count in brain.export_tables(output, now=now, lean=lean).items():
            out(f"{output / name}: {count}")
        return
    lines = brain.export_as(kind, now=now, lean=lean, full=full)
    if kind == "jsonl":
        lines = map(show.escaped, lines)
    if output is not None:
        write_lines(output, lines)
        out(str(output))
        return
    for line in lines:
        out(line)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--rename", is_flag=True, help="Put a note beside the one that has its path and other bytes.")
@dry_run_option
@json_option
@click.pass_context
def import_command(ctx: click.Context, file: Path, rename: bool, dry_run: bool, as_json: bool) -> None:
    """Takes in FILE, which `brain export --full` made. What is there already is never written over; twice changes nothing."""
    from brain import show

    brain = opened(ctx)
    imported = brain.import_bundle(file, rename=rename, dry_run=dry_run)
    if as_json:
        shown = {name: value for name, value in show.plain(imported).items() if name != "report"}
        out(show.as_json({**shown, "run": show.run_json(imported.report)}))
    else:
        show_run(brain, imported.report)
        out(keeping_text.imported_text(imported, dry_run=dry_run))
    if imported.report.failed or imported.differing or imported.clashing or imported.refused:
        ctx.exit(1)


@click.command("purge")
@click.argument("text", required=False)
@click.option("--note", metavar="NOTE", help="Erase a note instead, with every line that no other has; links to it keep its name.")
@yes_option
@json_option
@click.pass_context
def purge_command(ctx: click.Context, text: str | None, note: str | None, yes: bool, as_json: bool) -> None:
    """Erases TEXT for good: in notes, journal, index, caches and backups; `-` reads it from standard input.

    Without --yes every place is listed and nothing is changed. Nothing can take it back. Exit code 1 when it is left somewhere.
    """
    from brain import show
    from brain.errors import UsageError

    if (text is None) == (note is None):
        raise UsageError("Name a text, or a note.", 'brain purge "TEXT", or brain purge --note NOTE')
    if text == "-":
        text = sys.stdin.read().rstrip("\n")
    purged = opened(ctx).purge(text, note=note, dry_run=not yes)
    out(show.as_json(purged) if as_json else keeping_text.purged_text(purged))
    if purged.left:
        ctx.exit(1)


def _answer(question: str) -> str:
    """Asks a person; where nobody is, nothing is answered."""
    talk(question)
    return sys.stdin.readline().strip() if sys.stdin is not None else ""
