"""The `propose` and `discards` commands: a note offered by an agent or a person, and what became of those not written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brain.commands.common import dry_run_option, json_option, opened, out

if TYPE_CHECKING:
    from brain.stages.propose import Proposed

ceiling_option = click.option("--ceiling", type=click.FloatRange(0, 2), help="Similar is what is at most so far in meaning (1 - cosine; 0 is the same).")
bm25_option = click.option("--bm25", type=click.FloatRange(0), help="Similar is what has at least so much in common by words (BM25).")
force_option = click.option("--force", is_flag=True, help="Write it although something nearly the same is there.")


@click.command("propose")
@click.argument("text", required=False)
@click.option("--file", type=click.Path(path_type=Path), help="Take the words from a file; - is standard input.")
@click.option("--title", required=True, help="What the note is called.")
@click.option("--type", "type_", metavar="KIND", help="What it is about: person, project, decision …")
@click.option("--folder", help="Where it is to lie (default: by its kind).")
@click.option("--agent", help="Who proposes it; kept in the note as brain_agent.")
@click.option("--source", help="Where the words come from; kept in the note as brain_source.")
@ceiling_option
@bm25_option
@force_option
@dry_run_option
@json_option
@click.pass_context
def propose_command(
    ctx: click.Context, text: str | None, file: Path | None, title: str, type_: str | None, folder: str | None, agent: str | None,
    source: str | None, ceiling: float | None, bm25: float | None, force: bool, dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Offers a note; --ceiling or --bm25 says what counts as similar. Exit code 1 when it was not written."""
    from brain.core.proposal import Candidate, Cutoffs

    candidate = Candidate(title, _words(text, file), type_, folder, agent, source)
    _show(ctx, opened(ctx).propose(candidate, Cutoffs(ceiling, bm25), force=force, dry_run=dry_run), dry_run, as_json)


@click.group("discards")
def discards_command() -> None:
    """Proposed notes that were not written, with the reason."""


@discards_command.command("list")
@json_option
@click.pass_context
def list_command(ctx: click.Context, as_json: bool) -> None:
    """Lists them, the latest first."""
    from brain import show, show_review

    found = opened(ctx).discards()
    out(show.as_json(found) if as_json else show_review.discards_text(found))


@discards_command.command("show")
@click.argument("number", type=int, metavar="N")
@json_option
@click.pass_context
def show_command(ctx: click.Context, number: int, as_json: bool) -> None:
    """Shows one of them with its whole text."""
    from brain import show, show_review

    found = opened(ctx).discards().entry(number)
    out(show.as_json(found) if as_json else show_review.discarded_text(found))


@discards_command.command("restore")
@click.argument("number", type=int, metavar="N")
@ceiling_option
@bm25_option
@force_option
@dry_run_option
@json_option
@click.pass_context
def restore_command(
    ctx: click.Context, number: int, ceiling: float | None, bm25: float | None, force: bool, dry_run: bool, as_json: bool
) -> None:
    """Proposes one of them again, beside the notes as they are now; --force writes it although something like it is there."""
    from brain.core.proposal import Cutoffs

    brain = opened(ctx)
    candidate = brain.discards().entry(number).candidate
    _show(ctx, brain.propose(candidate, Cutoffs(ceiling, bm25), force=force, dry_run=dry_run), dry_run, as_json)


def _show(ctx: click.Context, proposed: Proposed, dry_run: bool, as_json: bool) -> None:
    from brain import show, show_review
    from brain.stages.diff import diff_of

    if as_json:
        out(show.as_json(show_review.proposed_json(proposed)))
    else:
        if dry_run and proposed.receipt is not None:
            out(show.shown_text(diff_of([proposed.receipt])))
        out(show_review.proposed_text(proposed, dry_run=dry_run))
    if proposed.outcome in ("discarded", "refused"):
        ctx.exit(1)


def _words(text: str | None, file: Path | None) -> str:
    """Returns the words of the argument or the file. Raises: UsageError."""
    from brain.errors import UsageError

    if (text is None) == (file is None):
        raise UsageError("Give the words, or --file: one of the two.", 'brain propose --title "A name" --bm25 5 "what is known"')
    if file is None:
        return text or ""
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.", "name a file of text") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text.", "save it as UTF-8") from error
