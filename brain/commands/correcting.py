"""The `correct`, `stale` and `asof` commands: what was wrong, what wants a look, what was so on a day."""

from __future__ import annotations

from dataclasses import replace

import click

from brain.commands.common import (
    Count,
    dry_run_option,
    filter_options,
    json_option,
    looked,
    note_argument,
    opened,
    out,
    show_run,
    talk,
)


@click.command("correct")
@click.argument("fact", nargs=-1, required=True)
@click.option("--was", metavar="WORDS", help="The old wording, wherever it stands as whole words.")
@click.option("--becomes", metavar="WORDS", help="What is to stand in its place.")
@click.option("--authority", "authorities", metavar="NOTE", multiple=True, help="The note that says what is so (may be given again); without one nothing is written.")
@click.option("--limit", type=Count(0), help="How many notes are looked at (default: limits.correct_notes_max; 0: all).")
@click.option("--apply", "is_applied", is_flag=True, help="Write it; without this the places and the diff are shown.")
@json_option
@click.pass_context
def correct_command(
    ctx: click.Context, fact: tuple[str, ...], was: str | None, becomes: str | None, authorities: tuple[str, ...], limit: int | None,
    is_applied: bool, as_json: bool,
) -> None:  # fmt: skip
    """Finds where the notes say a FACT otherwise than it is, and puts it right there. History is left alone."""
    from brain import show, show_correct
    from brain.core.correction import Correction
    from brain.errors import UsageError

    if becomes and not was:
        raise UsageError("--becomes says what is to stand in place of something: of what?", 'brain correct "…" --was "the old words" --becomes "the new ones"')
    brain = opened(ctx)
    found = brain.correct(Correction(" ".join(fact), was, becomes), authorities=authorities, limit=limit, dry_run=not is_applied)
    if as_json:
        out(show.as_json({"places": found.places, "run": show.run_json(found.report)}))
        return
    out(show_correct.places_text(found.places))
    show_run(brain, found.report)


@click.command("stale")
@click.option("--days", type=Count(0), help="After how many days a plan is old (default 30).")
@click.option("--confirm", metavar="NOTE", help="Say that a note holds today.")
@dry_run_option
@json_option
@click.pass_context
def stale_command(ctx: click.Context, days: int | None, confirm: str | None, dry_run: bool, as_json: bool) -> None:
    """Lists claims that time has overtaken, and what rests on claims that stand no more. Exit code 1 when there are any."""
    from brain import show, show_correct

    if confirm is not None:
        brain = opened(ctx)
        report = brain.confirm(confirm, dry_run=dry_run)
        out(show.as_json(show.run_json(report))) if as_json else show_run(brain, report)
        return
    found = looked(ctx).stale(days=days)
    out(show.as_json(found) if as_json else show_correct.wanting_text(found))
    ctx.exit(1 if found else 0)


@click.group("asof")
@click.argument("day", metavar="DATE")
@click.pass_context
def asof_command(ctx: click.Context, day: str) -> None:
    """Answers as of a DATE (2026-03-01): what held then, by the days that notes and claims state."""
    ctx.meta["as_of"] = day


@asof_command.command("get")
@note_argument(required=True)
@json_option
@click.pass_context
def asof_get_command(ctx: click.Context, note: str, as_json: bool) -> None:
    """Shows the claims and relations of a note that held then."""
    from brain import show, show_correct

    found = looked(ctx).as_of(note, ctx.meta["as_of"])
    out(show.as_json(found) if as_json else show_correct.then_text(found))


@asof_command.command("tree")
@note_argument(required=False)
@click.option("--depth", default=0, type=Count(0), help="How many levels; 0: all that limits.tree_levels_max allows.")
@click.option("--kind", "kinds", metavar="KIND", multiple=True, help="Only notes of this kind, and what they hang off (may be given again).")
@json_option
@click.pass_context
def asof_tree_command(ctx: click.Context, note: str | None, depth: int, kinds: tuple[str, ...], as_json: bool) -> None:
    """Shows the tree of part_of as it was then, whole or below one note."""
    from brain import show

    tree = looked(ctx).tree_as_of(ctx.meta["as_of"], note, depth=depth, kinds=kinds)
    out(show.as_json(tree) if as_json else show.tree_text(tree))


@asof_command.command("search")
@click.argument("words", nargs=-1, required=True)
@filter_options
@click.option("--limit", type=Count(1), default=10, show_default=True, help="How many notes at most.")
@json_option
@click.pass_context
def asof_search_command(
    ctx: click.Context, words: tuple[str, ...], kinds: tuple[str, ...], statuses: tuple[str, ...], tags: tuple[str, ...],
    folder: str | None, since: str | None, limit: int, as_json: bool,
) -> None:  # fmt: skip
    """Finds notes among those that were there then."""
    from brain import show
    from brain.core.recall import Query

    query = Query(" ".join(words), limit=limit, kinds=kinds, statuses=statuses, tags=tags, folder=folder, since=since)
    answer = looked(ctx).search(replace(query, as_of=ctx.meta["as_of"]))
    out(show.as_json(show.answer_json(answer)) if as_json else show.answer_text(answer, explain=False))
    for notice in () if as_json else answer.notices:
        talk(notice)
    ctx.exit(0 if answer.hits else 1)
