"""Render: the tree as generated pages in `folders.views`, written anew from the notes alone. Writes through `commit` alone.

read (the catalog) → pages (pure) → write those that changed, and remove pages of ours that no area has any more. A
note of a person's at the place of a page is never touched, and named.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection

from brain.core.note import Span
from brain.core.plan import Applied, Conflict, CreateNote, Edit, Patch, Plan, Receipt, Refused, ReplaceSpan
from brain.errors import UsageError
from brain.stages import paths
from brain.stages.commit import commit, item_id, land, recover
from brain.stages.context import Context, Reading
from brain.stages.gate import decision_id
from brain.stages.growing.forest import forest_of
from brain.stages.growing.pages import DIGEST, Face, Out, Picture, pages_of
from brain.stages.record import intent_record
from brain.stages.report import RunReport
from brain.vault.generated import is_generated
from brain.vault.store import Source

STAGE = "render"
RELATIONS_MAX = 20
"""Relations of one note that a page shows."""
_LEAD_CHARS_MAX = 400


def run(ctx: Context, *, dry_run: bool = False) -> RunReport:
    """Brings the pages up to the notes. Raises: UsageError when the settings name no folder inside the vault; BrainError, Locked."""
    folder = ctx.config.folders.views.strip("/")
    if not folder:
        raise UsageError("folders.views is empty, so there is no place for the pages.", 'write views = "Views" under [folders] in brain.toml')
    ctx.vault.absolute(f"{folder}/{DIGEST}.md")
    if not dry_run:
        recover(ctx)
    with ctx.catalog() as conn:
        pages = pages_of(picture_of(conn, ctx.config.owner))
    place = paths.real_folder(ctx.vault.root, folder)
    wanted = {f"{place}/{stem}.md": text for stem, text in pages.items()}
    reading, run_id = Reading(ctx.vault), ctx.new_run()
    old = {path: source for path in _pages_there(ctx, place) if path not in wanted and (source := reading.read(path)) is not None}
    plans, said = _plans(reading, wanted)
    receipts = [*commit(ctx, plans, run=run_id, dry_run=dry_run, reading=reading), *_removed(ctx, run_id, old, dry_run=dry_run)]
    return RunReport(STAGE, run_id, tuple(receipts), len(pages), notices=tuple(said), dry_run=dry_run)


def picture_of(conn: sqlite3.Connection, owner: str | None) -> Picture:
    """Reads all that the pages show; episodes and what is no longer current are not on them."""
    forest = forest_of(conn, owner)
    rows = conn.execute(
        "SELECT n.path, n.title, n.kind, n.importance,"
        " ifnull((SELECT text FROM atom a WHERE a.nid=n.nid AND a.status='active' ORDER BY ordinal LIMIT 1), substr(t.body, 1, ?))"
        " FROM note n LEFT JOIN text_doc t USING(nid) ORDER BY n.path", (_LEAD_CHARS_MAX,),
    )  # fmt: skip
    faces = {path: Face(title, kind, importance, _first_words(content or "")) for path, title, kind, importance, content in rows if path in forest.nodes}
    return Picture(forest, faces, _relations(conn, forest.nodes.keys()), faces[forest.owner].title if forest.owner else None)


def _relations(conn: sqlite3.Connection, known: Collection[str]) -> dict[str, list[Out]]:
    found: dict[str, set[Out]] = defaultdict(set)
    rows = conn.execute(
        "SELECT DISTINCT s.path, l.edge_type, t.path FROM link l JOIN note s ON s.nid=l.nid JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND l.edge_type IS NOT NULL AND l.edge_type<>'part_of' AND s.nid<>t.nid"
    )
    for source, relation, target in rows:
        if source in known and target in known:
            found[source].add((relation, target, True))
            found[target].add((relation, source, False))
    return {path: sorted(outs, key=lambda out: (not out[2], out[0], out[1]))[:RELATIONS_MAX] for path, outs in found.items()}


def _first_words(text: str) -> str:
    """Returns the first line that says something and is no heading, list of properties or code fence."""
    lines = (line.strip().lstrip("#>-*+ ") for line in text.splitlines() if not line.lstrip().startswith(("#", "```", "~~~", "|", "- part_of::")))
    return next((line for line in lines if line), "")


def _pages_there(ctx: Context, place: str) -> list[str]:
    """Returns the pages of ours that lie in the folder of views."""
    folder = ctx.vault.root / place
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_file() and not entry.is_symlink()) if folder.is_dir() else []
    found = ctx.vault.read_many(f"{place}/{name}" for name in names if name.lower().endswith(".md"))
    return sorted(path for path, source in found.items() if is_generated(source.data, "render"))


def _plans(reading: Reading, wanted: dict[str, str]) -> tuple[list[Plan], list[str]]:
    plans: list[Plan] = []
    said: list[str] = []
    for path, text in sorted(wanted.items()):
        source = reading.read(path)
        edit: Edit
        if source is None:
            edit = CreateNote(path, text)
        elif not is_generated(source.data, "render"):
            said.append(f"{path} is a note of yours, so its page was not written; choose another place with folders.views.")
            continue
        elif source.text.replace("\r\n", "\n") == text:
            continue
        else:
            edit = ReplaceSpan(path, Span(0, len(source.text)), source.text, text)
        plans.append(Plan("render", path, {} if source is None else {path: source.sha256}, (edit,), "what the tree holds"))
    return plans, said


def _removed(ctx: Context, run_id: str, old: dict[str, Source], *, dry_run: bool) -> list[Receipt]:
    """Takes pages away that were generated and that no area has any more, as `commit` would: intent, removal, landed."""
    receipts: list[Receipt] = []
    for path, source in sorted(old.items()):
        plan = Plan("render", f"{path}|removed", {path: source.sha256}, (), "no area has this page any more")
        patch, item = Patch(path, source.data, None), item_id(run_id, plan)
        if dry_run:
            receipts.append(Applied(item, plan, (patch,)))
            continue
        with ctx.lock.exclusive("render"):
            try:
                intent = intent_record(plan, (patch,), run=run_id, item=item, decision=decision_id(plan), at=ctx.at)
                changed = land(ctx, intent, (patch,), ())
                receipts.append(Conflict(plan, changed) if changed else Applied(item, plan, (patch,)))
            except UsageError as error:
                receipts.append(Refused(plan, error.message))
    return receipts
