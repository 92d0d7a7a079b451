"""The review note in the vault: reading its boxes, and writing it anew when what waits is another. Writes through `commit`.

What holds no longer is closed before it is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from brain.core.judgement import Contradicts, Same
from brain.core.note import Span
from brain.core.plan import CreateNote, Edit, ReplaceSpan
from brain.stages import paths
from brain.stages.commit import append
from brain.stages.context import Context, Reading
from brain.stages.ledger import read_ledger
from brain.stages.report import RunReport
from brain.stages.reviewing.desk import Desk
from brain.stages.reviewing.item import Item, Queue, queue_of
from brain.stages.reviewing.kinds import kind_of
from brain.stages.reviewing.note import Shown, Ticks, below_of, new_note, one_line, rendered, ticks_of
from brain.stages.target import Names
from brain.stages.view import write_view
from brain.vault.generated import is_generated, review_path
from brain.vault.scan import look

ID_CHARS_SHOWN_MAX = 40
REASONS_SHOWN_MAX = 5
EXCLUDED = "excluded by the settings"
NO_TICKS = Ticks({})


def path_of(ctx: Context) -> str:
    """Returns where the review note lies, in the case its folder has on disk."""
    folder, _, name = review_path(ctx.config.folders.review).rpartition("/")
    return f"{paths.real_folder(ctx.vault.root, folder)}/{name}" if folder else name


def ticks(ctx: Context, reading: Reading) -> Ticks:
    """Returns the boxes that are ticked; none when there is no review note, or a person's own note of its name."""
    source = reading.read(path_of(ctx))
    return ticks_of(source.text) if source is not None and is_generated(source.data) else NO_TICKS


def shown(desk: Desk, item: Item, choices: tuple[str, ...]) -> Shown:
    """Returns an item with its heading: links to the notes it is about, as Obsidian follows them."""
    question = item.question
    notes = [note.path for note_id in (question.about if question else ()) if (note := desk.note(note_id)) is not None]
    here, names = path_of(desk.ctx), Names(desk.ctx)
    links = [names.link_to(here, path) or path for path in notes]
    meant = tuple(names.link_to(here, path) or path for path in choices)
    if len(links) == 2:
        return Shown(item, f"{links[0]} and {links[1]}: one thing?", meant)
    return Shown(item, f"{links[0]}: what is meant?" if links else item.because, meant)


def shown_id(text: str) -> str:
    """Returns an id as a person wrote it, for a sentence."""
    words = one_line(text)
    return words if len(words) <= ID_CHARS_SHOWN_MAX else f"{words[:ID_CHARS_SHOWN_MAX]}…"


def write(ctx: Context, reading: Reading, items: list[Shown], waiting: int) -> list[str]:
    """Writes the note when it says something else than what waits; returns what a person should know of it.

    A vault in which nothing ever waited gets no note, and a person's own note of its name stays as it is.
    """
    path = path_of(ctx)
    source = reading.read(path)
    edit: Edit
    if source is None:
        if not items and not waiting:
            return []
        edit = CreateNote(path, new_note(rendered(items, waiting, NO_TICKS)))
    elif not is_generated(source.data):
        return [f"{path} is a note of yours, so the list of what waits was not written; choose another place with folders.review."] if items else []
    else:
        start, text = below_of(source.text), source.text
        gap = "" if text[:start].endswith(("\n", "\r\n")) or not text[:start] else "\n"
        below = gap + rendered(items, waiting, ticks_of(text))
        if text[start:].replace("\r\n", "\n") == below:
            return []
        edit = ReplaceSpan(path, Span(start, len(text)), text[start:], below)
    return write_view(ctx, "review-note", edit, key="note", source=source, because="the list of what waits for a person")


def noted(ctx: Context, report: RunReport) -> RunReport:
    """Closes what holds no longer, brings the review note up to what waits, and adds what is to be said of that."""
    reading = Reading(ctx.vault)
    found, said = _swept(ctx, reading)
    with _at_once(ctx) as still:
        desk = Desk(still, reading, read_ledger(ctx.journal))
        items = [shown(desk, item, kind_of(item).choices(desk, item)) for item in found.open]
    said += write(ctx, reading, items, len(found.waiting))
    return replace(report, notices=(*report.notices, *said))


def _swept(ctx: Context, reading: Reading) -> tuple[Queue, list[str]]:
    """Closes the open items that hold no longer; returns what waits then, and what was closed."""
    ledger = read_ledger(ctx.journal)
    found = queue_of(ledger, ctx.config.limits.review_items_max)
    with _at_once(ctx) as still:
        desk = Desk(still, reading, ledger)
        gone = {item: why.why for item in found.open if (why := kind_of(item).holds(desk, item)) is not None}
    if not gone:
        return found, []
    append(ctx, [{"kind": "closed", "at": ctx.at, "decision": item.id, "why": why} for item, why in gone.items()])
    said = closed_words({item.id: _now_excluded(ctx, item) or why for item, why in gone.items()})
    return queue_of(read_ledger(ctx.journal), ctx.config.limits.review_items_max), said


def closed_words(closed: Mapping[str, str]) -> list[str]:
    """Returns a sentence for each reason for which items, given as id → reason, were closed: one is named, several are counted."""
    by_reason: dict[str, list[str]] = {}
    for item_id, why in closed.items():
        by_reason.setdefault(why, []).append(item_id)
    said = [f"{ids[0]} is closed: {why}." if len(ids) == 1 else f"{len(ids)} questions are closed: {why}." for why, ids in by_reason.items()]
    left = sum(len(ids) for ids in list(by_reason.values())[REASONS_SHOWN_MAX:])
    return [*said[:REASONS_SHOWN_MAX], *([f"{left} more are closed, each for another reason."] if left else [])]


def _now_excluded(ctx: Context, item: Item) -> str | None:
    """Returns the reason for closing an item of which a note is there still, and left out by the settings now; else None."""
    verdict = item.question.verdict if item.question else None
    ends = (verdict.left, verdict.right) if isinstance(verdict, Same | Contradicts) else ()
    is_out = any(look(ctx.vault.root, ctx.config, path) == EXCLUDED for path in ends if path.endswith(".md"))
    return "one of its notes is excluded by the settings now" if is_out else None


@contextmanager
def _at_once(ctx: Context) -> Iterator[Context]:
    """Keeps one connection to the catalog open for looking at many items while nothing is written."""
    with ctx.catalog() as conn:
        yield replace(ctx, catalog=lambda: nullcontext(conn))
