"""Commands on a vault as a whole: init, setup, index, rebuild, watch, add."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brain.commands.common import dry_run_option, indexed, json_option, opened, out, progress, show_run, talk

if TYPE_CHECKING:
    from brain.facade import Brain
    from brain.sync.report import SyncReport


@click.command("init")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--adopt", is_flag=True, help="Keep what is in the folder; write only brain.toml and .brain/.")
def init_command(folder: Path, adopt: bool) -> None:
    """Makes FOLDER a vault. One that is not empty, or inside a vault, needs --adopt; no note in it is touched."""
    from brain.config import vault_around
    from brain.facade import Brain

    for path in Brain.init(folder, adopt=adopt):
        out(path)
    outer = vault_around(folder.resolve().parent)
    if outer is not None:
        talk(f"it lies inside the vault {outer}, which reads these notes too")
    first = "brain index" if adopt else 'brain setup --name "Your Name"'
    talk(f"next: {first}" if folder.resolve() == Path.cwd() else f'next: cd "{folder}" && {first}')


@click.command("setup")
@click.option("--name", required=True, help="The person the vault belongs to: the root of the tree.")
@click.pass_context
def setup_command(ctx: click.Context, name: str) -> None:
    """Writes the owner into brain.toml and makes a note for that person when there is none."""
    from brain.show import receipt_json

    receipt = indexed(ctx).set_owner(name)
    out(f"owner: {name}")
    for path in receipt_json(receipt).get("paths", ()) if receipt else ():
        out(f"created: {path}")


@click.command("index")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--full", is_flag=True, help="Make the index anew instead of bringing it forward.")
@click.option("--no-embed", is_flag=True, help="Leave vectors for the next run.")
@click.option("--download", is_flag=True, help="Fetch the embedding model that brain.toml names, once; nothing else ever does.")
@json_option
@click.pass_context
def index_command(ctx: click.Context, folder: Path | None, full: bool, no_embed: bool, download: bool, as_json: bool) -> None:
    """Brings the index to what the files say. Any folder of Markdown works; no note is written to."""
    from brain.facade import Brain

    brain = Brain.open(folder) if folder else _this_folder(ctx)
    if download:
        model = brain.space.config.embed.model
        talk(f"fetched {model}" if brain.download_model() else f"nothing to fetch: {model} needs no download")
    with progress() as report:
        done = brain.index(full=full, embed=not no_embed, progress=report)
    _show_sync(done, as_json)


def _this_folder(ctx: click.Context) -> Brain:
    """Opens the vault that is named or above; without one, the folder a person stands in is what they mean."""
    from brain.errors import NotFound
    from brain.facade import Brain

    try:
        return opened(ctx)
    except NotFound:
        if ctx.obj or "BRAIN_VAULT" in os.environ or "VAULT_ROOT" in os.environ:
            raise
        return Brain.open(Path.cwd())


@click.command("rebuild")
@click.option("--no-embed", is_flag=True, help="Leave vectors that are not in the cache for the next run.")
@json_option
@click.pass_context
def rebuild_command(ctx: click.Context, no_embed: bool, as_json: bool) -> None:
    """Makes every derived store anew from the notes and the journal. Nothing is embedded twice."""
    with progress() as report:
        done = opened(ctx).index(full=True, embed=not no_embed, progress=report)
    _show_sync(done, as_json)


@click.command("watch")
@click.option("--no-embed", is_flag=True, help="Follow words and links only.")
@click.pass_context
def watch_command(ctx: click.Context, no_embed: bool) -> None:
    """Follows changes on disk until it is stopped (Ctrl-C)."""
    from threading import Event

    stop = Event()
    brain = opened(ctx)
    talk(f"watching {brain.root} (Ctrl-C stops)")
    try:
        with progress() as report:
            _show_sync(brain.index(embed=not no_embed, progress=report), False)
        brain.watch(_show_changes, stop, embed=not no_embed)
    except KeyboardInterrupt:
        stop.set()


@click.command("add")
@click.argument("text", required=False)
@click.option("--file", "file", type=click.Path(path_type=Path, allow_dash=True), help="Read the words from a file; - is stdin.")
@click.option("--url", help="Fetch a public page (needs fetch = true under [web] in brain.toml).")
@click.option("--title", help="Title of the episode note; else the first line.")
@click.option("--source", help="Where the words come from.")
@click.option("--no-walk", is_flag=True, help="Only put it into the inbox.")
@dry_run_option
@click.pass_context
def add_command(
    ctx: click.Context, text: str | None, file: Path | None, url: str | None, title: str | None, source: str | None,
    no_walk: bool, dry_run: bool,
) -> None:  # fmt: skip
    """Puts new words into the inbox as an episode note, then walks it."""
    from brain.errors import UsageError
    from brain.show import receipt_json, shown_text
    from brain.stages.diff import diff_of

    if sum(given is not None for given in (text, file, url)) != 1:
        raise UsageError("Give the words, or --file, or --url: one of the three.", 'brain add "what happened"')
    brain = opened(ctx) if dry_run else indexed(ctx)
    words, title, source = _words(brain, text, file, url, title, source)
    done = brain.add(words, title=title, source=source, is_from_web=url is not None, dry_run=dry_run)
    receipt = receipt_json(done)
    if dry_run:
        out(shown_text(diff_of([done])))
    for path in () if dry_run else receipt.get("paths", ()):
        out(f"added: {path}")
    if "why" in receipt:
        talk(f"not added: {receipt['why']}")
        ctx.exit(1)
    if not no_walk and dry_run:
        talk("what walking it would write is not shown: it has to be in the inbox for that (brain add --no-walk, then brain walk --dry-run)")
    elif not no_walk:
        show_run(brain, brain.run_stage("walk", added=done))
        out(f"brain undo {receipt['item'].rpartition('.')[0]} takes all of it back, what was added and what the walk wrote")


def _words(
    brain: Brain, text: str | None, file: Path | None, url: str | None, title: str | None, source: str | None
) -> tuple[str, str | None, str | None]:
    from brain.errors import UsageError

    if url is not None:
        found_title, words = brain.fetch(url)
        return words, title or found_title, source or url
    if file is None:
        return text or "", title, source
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return data.decode("utf-8"), title or (None if str(file) == "-" else file.stem), source or (None if str(file) == "-" else file.name)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.", "name a file of text") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text.", "save it as UTF-8") from error


def _show_changes(done: SyncReport) -> None:
    if done.added or done.changed or done.removed or done.moved:
        _show_sync(done, False)


def _show_sync(done: SyncReport, as_json: bool) -> None:
    from brain import show, show_work

    out(show.as_json(show.report_json(done)) if as_json else show_work.sync_text(done))
    for notice in done.notices:
        talk(notice)
