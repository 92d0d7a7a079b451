"""`Timeline/2026-05-01 Link.md`: what a stage did on a day, a line for each item, written anew from the journal. Writes through `commit`.

A view: it is no note of the index, a person's note at its place stays as it is, and an undo shows in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from brain.config import zone_of
from brain.core.dates import instant_of
from brain.core.note import Span
from brain.core.plan import CreateNote, Edit, ReplaceSpan
from brain.stages import paths
from brain.stages.context import Context, Reading
from brain.stages.ledger import RunEntry, RunItem, read_ledger, runs_of
from brain.stages.report import RunReport
from brain.stages.undo import UndoReport
from brain.stages.view import write_view
from brain.vault.generated import TIMELINE_HEAD, is_generated

TOLD = ("walk", "reconcile", "link", "consolidate", "repair", "review")
"""Stages that have a timeline. What a person or an agent proposes says so itself."""
WORDS = {"landed": "", "undone": " (taken back)", "rolled_back": " (rolled back)", "open": " (left half-way)"}
_PLAIN = re.compile(r"[^#^|\[\]\\%`\r\n]+\.md")
_LINE_BREAKS = re.compile(r"\s+")
Page = tuple[str, str]
"""A stage and a day."""


def told(ctx: Context, report: RunReport) -> RunReport:
    """Brings the page of a run up to what it did, and adds what is to be said of that."""
    if report.dry_run or not report.applied or report.stage not in TOLD:
        return report
    return replace(report, notices=(*report.notices, *bring_up(ctx, [(report.stage, ctx.today)])))


def told_of_undo(ctx: Context, report: UndoReport) -> None:
    """Brings the pages up on which something was taken back."""
    undone = set(report.undone)
    bring_up(ctx, {_page(ctx, entry) for entry in runs_of(read_ledger(ctx.journal)) if undone & {item.item for item in entry.items}})


def bring_up(ctx: Context, pages: Iterable[Page]) -> list[str]:
    """Writes pages anew that say something else than the journal; returns what a person should know of it."""
    folder = ctx.config.folders.timeline.strip("/")
    wanted = sorted(page for page in set(pages) if page[0] in TOLD) if folder else []
    entries = runs_of(read_ledger(ctx.journal)) if wanted else ()
    said: list[str] = []
    for page in wanted:
        path = f"{paths.real_folder(ctx.vault.root, folder)}/{page[1]} {page[0].capitalize()}.md"
        said += _write(ctx, path, rendered(ctx, page, [entry for entry in entries if _page(ctx, entry) == page]))
    return said


def rendered(ctx: Context, page: Page, entries: Sequence[RunEntry]) -> str:
    """Returns a whole page; a run that wrote nothing is not on it."""
    blocks = [_block(ctx, entry) for entry in entries if entry.items]
    return "\n\n".join([f"{TIMELINE_HEAD}# {page[1]} {page[0].capitalize()}", *blocks]) + "\n"


def _block(ctx: Context, entry: RunEntry) -> str:
    lines = [_line(item) for item in entry.items]
    return "\n".join([f"## {_moment(ctx, entry):%H:%M} {entry.run}", *lines])


def _line(item: RunItem) -> str:
    because = _LINE_BREAKS.sub(" ", item.because).replace("[[", "[").replace("]]", "]")
    return f"- {because}{WORDS[item.state]}: {', '.join(map(_link, item.paths))} `{item.item}`"


def _link(path: str) -> str:
    """A link by the whole path, which leads to that very note; a path that no link can hold stands as it is."""
    return f"[[{path[:-3]}|{path.rsplit('/', 1)[-1][:-3]}]]" if _PLAIN.fullmatch(path) else f"`{path}`"


def _page(ctx: Context, entry: RunEntry) -> Page:
    return entry.stage, _moment(ctx, entry).date().isoformat()


def _moment(ctx: Context, entry: RunEntry) -> datetime:
    return (instant_of(entry.started) or ctx.now).astimezone(zone_of(ctx.config))


def _write(ctx: Context, path: str, text: str) -> list[str]:
    source = Reading(ctx.vault).read(path)
    edit: Edit
    if source is None:
        edit = CreateNote(path, text)
    elif not is_generated(source.data, "timeline"):
        return [f"{path} is a note of yours, so what was done was not written there; choose another place with folders.timeline."]
    elif source.text.replace("\r\n", "\n") == text:
        return []
    else:
        edit = ReplaceSpan(path, Span(0, len(source.text)), source.text, text)
    return write_view(ctx, "timeline", edit, key=path, source=source, because="what was done on a day")
