"""The `review` command: what waits for a person, looked at, accepted, rejected, or written by hand."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from brain.commands.common import Word, dry_run_option, json_option, opened, out, show_report, talk
from brain.commands.editor import edit
from brain.core.plan import REVIEW_RULES

if TYPE_CHECKING:
    pass

items_argument = click.argument("items", nargs=-1, metavar="[ID]...")
all_option = click.option("--all", "every", is_flag=True, help="All open items; with --rule those held by it.")
rule_option = click.option("--rule", type=Word(REVIEW_RULES), help="Only items held by this rule, with --all.")
as_option = click.option("--as", "told", multiple=True, metavar="NOTE", help="The note that an unclear name means; NAME=NOTE when there are two names.")


@click.group("review", invoke_without_command=True)
@json_option
@click.pass_context
def review_command(ctx: click.Context, as_json: bool) -> None:
    """Shows what waits for your decision, best evidence first."""
    if ctx.invoked_subcommand is None:
        from brain import show, show_review

        queue = opened(ctx).review().queue()
        out(show.as_json(show_review.queue_json(queue)) if as_json else show_review.queue_text(queue))


@review_command.command("show")
@click.argument("item", metavar="ID")
@as_option
@json_option
@click.pass_context
def show_command(ctx: click.Context, item: str, told: tuple[str, ...], as_json: bool) -> None:
    """Shows one item: its reasons, and as a diff what accepting it would change."""
    from brain import show, show_review
    from brain.stages.diff import diff_of

    found = opened(ctx).review().look(item, told=told)
    diff = diff_of([found.receipt]) if found.receipt else ""
    out(show.as_json(show_review.opened_json(found, diff)) if as_json else show_review.opened_text(found, diff))


@review_command.command("accept")
@items_argument
@all_option
@rule_option
@as_option
@dry_run_option
@json_option
@click.pass_context
def accept_command(
    ctx: click.Context, items: tuple[str, ...], every: bool, rule: str | None, told: tuple[str, ...], dry_run: bool, as_json: bool
) -> None:
    """Carries items out, from the notes as they are now. Exit code 1 when one could not be."""
    _decide(ctx, "accept", items, every, rule, told, dry_run, as_json)


@review_command.command("reject")
@items_argument
@all_option
@rule_option
@dry_run_option
@json_option
@click.pass_context
def reject_command(ctx: click.Context, items: tuple[str, ...], every: bool, rule: str | None, dry_run: bool, as_json: bool) -> None:
    """Says no: it is not proposed again, and two notes are told apart in both of them."""
    _decide(ctx, "reject", items, every, rule, (), dry_run, as_json)


@review_command.command("edit")
@click.argument("item", metavar="ID")
@as_option
@json_option
@click.pass_context
def edit_command(ctx: click.Context, item: str, told: tuple[str, ...], as_json: bool) -> None:
    """Opens what would be written in $VISUAL or $EDITOR; what you save is carried out. Unchanged or empty does nothing."""
    brain = opened(ctx)
    review = brain.review()
    draft = review.draft(item, told=told)
    place = _written(draft.text)
    try:
        edit(place, left=", so nothing was done.", cure="run it again")
        report = review.carry_out(draft, place.read_bytes().decode("utf-8", "surrogateescape"))
    except BaseException:
        talk(f"your text is kept in {place}")
        raise
    if report.failed:
        talk(f"your text is kept in {place}")
    else:
        place.unlink()
    show_report(ctx, brain, report, as_json)


@review_command.command("apply")
@dry_run_option
@json_option
@click.pass_context
def apply_command(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Does what is ticked in Review.md, and writes anew what waits. Every stage does so before it runs."""
    brain = opened(ctx)
    show_report(ctx, brain, brain.review().apply(dry_run=dry_run), as_json)


def _decide(
    ctx: click.Context, verb: Literal["accept", "reject"], items: tuple[str, ...], every: bool, rule: str | None, told: tuple[str, ...],
    dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    from brain.stages.reviewing.item import Choice

    brain = opened(ctx)
    show_report(ctx, brain, brain.review().decide(verb, Choice(items, every, rule), told=told, dry_run=dry_run), as_json)


def _written(text: str) -> Path:
    handle, name = tempfile.mkstemp(prefix="brain-review-", suffix=".md")
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
    return Path(name)
