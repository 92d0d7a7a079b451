"""Commands that only read: search, get, links, list, tree, status, doctor."""

from __future__ import annotations

import click

from brain.commands.common import Count, Word, filter_options, json_option, looked, note_argument, opened, out, talk
from brain.doctor.codes import CODES

FINDINGS_SHOWN_MAX = 20
"""Findings of one code in a report for a person."""


@click.command("search")
@click.argument("words", nargs=-1)
@filter_options
@click.option("--as-of", metavar="DATE", help="What was there and valid on that day.")
@click.option("--limit", default=10, show_default=True, type=Count(1), help="How many notes.")
@click.option("--mode", type=Word(["hybrid", "lexical", "vector"]), default="hybrid", show_default=True, help="What to go by.")
@click.option("--lexical", is_flag=True, help="Words only: the same as --mode lexical.")
@click.option("--expand", is_flag=True, help="Add the notes one link away.")
@click.option("--superseded", is_flag=True, help="Show superseded notes too, below what replaced them.")
@click.option("--explain", is_flag=True, help="Show every part of the score.")
@json_option
@click.pass_context
def search_command(
    ctx: click.Context, words: tuple[str, ...], kinds: tuple[str, ...], statuses: tuple[str, ...], tags: tuple[str, ...],
    folder: str | None, since: str | None, as_of: str | None, limit: int, mode: str, lexical: bool, expand: bool,
    superseded: bool, explain: bool, as_json: bool,
) -> None:  # fmt: skip
    """Finds notes by words and by meaning. "Quotes" hold a phrase together. Exit code 1 when nothing is found."""
    from brain import show
    from brain.core.recall import Query

    query = Query(
        " ".join(words), limit, kinds, statuses, tags, folder, since, as_of, "lexical" if lexical else mode, expand, superseded
    )
    answer = looked(ctx).search(query)
    out(show.as_json(show.answer_json(answer)) if as_json else show.answer_text(answer, explain=explain))
    for notice in () if as_json else answer.notices:
        talk(notice)
    if not answer.hits:
        ctx.exit(1)


@click.command("get")
@note_argument(required=True)
@json_option
@click.pass_context
def get_command(ctx: click.Context, note: str, as_json: bool) -> None:
    """Shows one note: by path, file name, alias or id."""
    from brain import show

    answer = looked(ctx).get(note)
    if as_json:
        out(show.as_json({**show.plain(answer.note), "text": answer.text}))
    else:
        if answer.note.superseded_by:
            talk(f"{answer.note.path} was replaced by {answer.note.superseded_by}")
        out(show.shown_text(answer.text))


@click.command("links")
@note_argument(required=True)
@json_option
@click.pass_context
def links_command(ctx: click.Context, note: str, as_json: bool) -> None:
    """Shows the links in a note, where they lead, and the links of others that lead to it."""
    from brain import show

    view, links, backlinks = looked(ctx).links(note)
    out(show.as_json(show.links_json(view, links, backlinks)) if as_json else show.links_text(view, links, backlinks))


@click.command("list")
@filter_options
@click.option("--as-of", metavar="DATE", help="Only notes that were there on that day.")
@click.option("--limit", default=0, type=Count(0), help="How many notes; 0: all.")
@json_option
@click.pass_context
def list_command(
    ctx: click.Context, kinds: tuple[str, ...], statuses: tuple[str, ...], tags: tuple[str, ...], folder: str | None,
    since: str | None, as_of: str | None, limit: int, as_json: bool,
) -> None:  # fmt: skip
    """Lists notes by path, superseded ones included."""
    from brain import show
    from brain.core.recall import Query

    brain = looked(ctx)
    found = brain.list(Query("", limit, kinds, statuses, tags, folder, since, as_of))
    if as_json:
        out(show.as_json(found))
    elif found:
        out("".join(f"{show.clean(n.path)}  [{n.kind}{'' if n.status == 'active' else ', ' + n.status}]\n" for n in found))
    if not found:
        talk(brain.unknown_folder(folder) or "No note passes these filters.")
        ctx.exit(1)


@click.command("status")
@click.option("--excluded", is_flag=True, help="List the Markdown files that are not notes, and why.")
@json_option
@click.pass_context
def status_command(ctx: click.Context, excluded: bool, as_json: bool) -> None:
    """Shows what the vault holds and the state of its index."""
    from brain import show

    brain = opened(ctx)
    if excluded:
        found = brain.excluded()
        out(show.as_json(found) if as_json else show.excluded_text(found))
        return
    status = brain.status()
    out(show.as_json(status) if as_json else show.status_text(status))


@click.command("doctor")
@click.option("--strict", is_flag=True, help="Exit code 1 for warnings too.")
@click.option("--brief", is_flag=True, help="One line about the last look, at once; nothing is looked at anew.")
@click.option("--code", type=Word(tuple(CODES)), metavar="CODE", help="Only findings of this code, and all of them.")
@click.option("--level", type=Word(["error", "warning", "info"]), help="Only findings of this level.")
@click.option("--probe", is_flag=True, help="Also connect to the models that the settings choose; nothing is sent.")
@json_option
@click.pass_context
def doctor_command(
    ctx: click.Context, strict: bool, brief: bool, code: str | None, level: str | None, probe: bool, as_json: bool
) -> None:
    """Names everything that may want putting right, each with its cure. Exit code 1 when there are errors among it."""
    from brain import show
    from brain.errors import UsageError

    if brief and (code or level or probe):
        raise UsageError("--brief is about all that was found.", "brain doctor --code, --level or --probe without it")
    counted = {"error", "warning"} if strict else {"error"}
    if brief:
        last = opened(ctx).brief()
        out(show.as_json(last) if as_json else last.text)
        is_ill = any(last.counts[severity] for severity in counted)
    else:
        findings = tuple(f for f in opened(ctx).doctor(code=code, probe=probe) if code in (None, f.code) and level in (None, f.severity))
        out(show.as_json(findings) if as_json else show.findings_text(findings, of_one_code_max=0 if code else FINDINGS_SHOWN_MAX))
        is_ill = any(finding.severity in counted for finding in findings)
    if is_ill:
        ctx.exit(1)
