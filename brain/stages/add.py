"""Add: new words become an episode note in the inbox, through the one write path. Walking it is another command."""

from __future__ import annotations

from brain.core.dates import civil_date
from brain.core.ids import short_hash
from brain.core.plan import CreateNote, Plan, Receipt
from brain.core.slug import file_stem, free_name
from brain.errors import UsageError
from brain.stages import paths
from brain.stages.commit import commit, recover
from brain.stages.context import Context
from brain.vault.render import episode_note

TITLE_CHARS_MAX = 60


def add(
    ctx: Context, text: str, *, title: str | None = None, source: str | None = None, is_from_web: bool = False, dry_run: bool = False
) -> Receipt:
    """Writes an episode note `<inbox>/DATE <title>.md`; the title is the first line when none is given.

    `source` says where the words come from (a file name, a URL). Words from the web are marked `origin: web`
    and cannot write links: their marks are nobody's decision.
    Raises: UsageError for empty words or when the inbox holds too many notes of this name.
    """
    if not text.strip():
        raise UsageError("There is nothing to add: the text is empty.", 'brain add "what happened"')
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > ctx.config.limits.note_bytes_max:
        raise UsageError(f"The text has {size} bytes, more than limits.note_bytes_max.", "add it in parts")
    if not dry_run:
        recover(ctx)
    body = text.replace("[[", "\\[[") if is_from_web else text
    path = _free_path(ctx, title or _first_line(text))
    fields = [
        ("id", f"n-{short_hash('episode', path, text, length=16)}"), ("type", "episode"), ("created", ctx.today),
        ("source", source), ("origin", "web" if is_from_web else None),
    ]  # fmt: skip
    plan = Plan("edit", f"add|{path}", {}, (CreateNote(path, episode_note(fields, body)),), f"words were added from {source or 'the command line'}")
    (receipt,) = commit(ctx, [plan], run=ctx.new_run(), dry_run=dry_run)
    return receipt


def _free_path(ctx: Context, title: str) -> str:
    folder = paths.real_folder(ctx.vault.root, ctx.config.folders.inbox)
    stem = file_stem(title, chars_max=TITLE_CHARS_MAX)
    dated = stem if civil_date(stem) == ctx.today else f"{ctx.today} {stem}"
    name = free_name(dated, lambda candidate: ctx.vault.taken(f"{folder}/{candidate}.md") is not None)
    if name is None:
        raise UsageError(f"{folder} holds too many notes called {dated}.", "give another title with --title")
    return f"{folder}/{name}.md"


def _first_line(text: str) -> str:
    return next((line.strip("#*->_ \t") for line in text.splitlines() if line.strip("#*->_ \t")), "note")
