"""`brain rename`: a note, or a folder of notes, gets another name, and every link follows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count

from brain.core.ids import fold
from brain.core.note import Heading
from brain.core.plan import Edit, ReplaceSpan, SetField
from brain.core.slug import compact, file_stem
from brain.core.tree import CATEGORY
from brain.errors import NotFound, UsageError
from brain.stages.commit import drop_empty
from brain.stages.context import Context
from brain.stages.hands.hand import Done, Hand, property_of
from brain.stages.hands.relocate import plan_relocation
from brain.stages.moving import ReadNote
from brain.stages.paths import real_folder
from brain.vault.layout import checked_note_path
from brain.vault.linkscan import Lines
from brain.vault.mask import mask
from brain.vault.outline import find_headings, opening_heading


def rename(ctx: Context, path: str, name: str, *, dry_run: bool = False) -> Done:
    """Gives a note another file name, and another title where it states one; its old name stays as an alias.

    Raises: UsageError for a name that is taken, is a path, or that no link could hold; as `Hand`.
    """
    stem = _checked(path, name)
    folder, _, file = path.rpartition("/")
    new = f"{folder}/{stem}.md" if folder else f"{stem}.md"
    hand = Hand(ctx, "rename", dry_run=dry_run)
    read = hand.read(path)
    if new == path:
        return hand.nothing(f"{path} has this name already")
    _check_free(hand, path, stem)
    says = f"{path} is now {new}"
    heading = _opening(read)
    titles = _titled(read, stem, heading)
    is_retitled = heading is not None and any(isinstance(edit, ReplaceSpan) for edit in titles)
    anchors = {path: (heading.text, stem)} if heading is not None and is_retitled else {}
    old_names = [was for was in dict.fromkeys((file[:-3], read.note.title)) if _is_worth_keeping(hand, path, was, stem)]
    made = plan_relocation(hand, {path: new}, says, aliases={path: old_names}, anchors=anchors)
    taken = {edit.span.start for edit in made.edits.get(path, ()) if isinstance(edit, ReplaceSpan)}
    if not any(isinstance(edit, ReplaceSpan) and _overlaps(edit, taken) for edit in titles):
        made.edits.setdefault(path, []).extend(titles)
    return hand.carry_out(made.plans(), says, made.notices)


def rename_folder(ctx: Context, folder: str, name: str, *, dry_run: bool = False) -> Done:
    """Gives a folder of notes another name. Raises: NotFound; UsageError when it holds other files too, or the name is taken."""
    hand = Hand(ctx, "rename", dry_run=dry_run)
    folder = folder.strip("/")
    above = folder.rpartition("/")[0]
    if "/" in name.strip("/") or not file_stem(name.strip("/")) or file_stem(name.strip("/")) != name.strip("/"):
        raise UsageError(f"{name!r} cannot be the name of a folder.", f'brain rename "{folder}" "{file_stem(name)}"')
    new = f"{above}/{name.strip('/')}" if above else name.strip("/")
    named = {getattr(ctx.config.folders, key).strip("/") for key in ("inbox", "memory", "insights", "timeline", "archive", "review")}
    if any(f"{known}/".startswith(f"{folder}/") for known in named if known):
        raise UsageError(f"{folder} is a folder that the settings name.", "change it in brain.toml and in your file manager, then brain index")
    if new == folder:
        return hand.nothing(f"{folder} has this name already")
    with ctx.catalog() as conn:
        paths = [path for (path,) in conn.execute("SELECT path FROM note WHERE substr(path, 1, ?)=? ORDER BY path", (len(folder) + 1, f"{folder}/"))]
    if not paths:
        raise NotFound(f"There is no folder {folder!r} with notes in it.", "brain list")
    others = [file for file in _files_below(ctx, folder) if file not in set(paths)]
    if others:
        raise UsageError(f"{folder} holds files that are no notes, such as {others[0]}.", "rename it in your file manager, then brain index")
    _check_free_folder(ctx, folder, new, paths[0])
    says = f"{folder} is now {new}"
    made = plan_relocation(hand, {path: f"{new}{path[len(folder):]}" for path in paths}, says)
    done = hand.carry_out(made.plans(), says, made.notices)
    if not dry_run:
        drop_empty(ctx, folder)
    return done


def _check_free_folder(ctx: Context, folder: str, new: str, first: str) -> None:
    """Raises: UsageError when something has the new path, also in other letter case."""
    root = ctx.vault.root
    there = real_folder(root, new)
    if not (root / there).exists():
        return
    free = next(at for at in _numbered(new) if not (root / real_folder(root, at)).exists())
    aside = f'brain rename "{folder}" "{free.rpartition("/")[2]}"'
    if there == folder:
        raise UsageError(f"{folder} and {new} differ in letter case alone.", f'{aside}, then brain rename "{free}" "{new.rpartition("/")[2]}"')
    cure = f'{aside}, or another name; brain move "{first}" --to "{there}" moves a single note there'
    raise UsageError(f"There is something at {there} already.", cure)


def _checked(path: str, name: str) -> str:
    """Returns the new file stem. Raises: UsageError."""
    stem = name.strip()
    stem = stem[:-3].rstrip() if stem.lower().endswith(".md") else stem
    if "/" in stem or "\\" in stem:
        raise UsageError(f"{name!r} is a path, not a name.", f'brain move "{path}" --to FOLDER changes where it lies')
    usable = file_stem(stem)
    if not stem or usable != stem:
        raise UsageError(f"{name!r} cannot be a note's name: every file system and every link has to hold it.", f'brain rename "{path}" "{usable}"')
    checked_note_path(f"{stem}.md")
    return stem


def _check_free(hand: Hand, path: str, stem: str) -> None:
    """Raises: UsageError when another note answers to the name."""
    with hand.ctx.catalog() as conn:
        sql = "SELECT DISTINCT n.path, n.kind FROM name a JOIN note n USING(nid) WHERE a.key=? AND n.path<>? ORDER BY n.path"
        taken = conn.execute(sql, (fold(stem), path)).fetchall()
        (kind,) = conn.execute("SELECT kind FROM note WHERE path=?", (path,)).fetchone()
        free = next(name for name in _numbered(stem) if not conn.execute("SELECT 1 FROM name WHERE key=?", (fold(name),)).fetchone())
    if taken:
        other, its_kind = taken[0]
        can_merge = (kind == CATEGORY) == (its_kind == CATEGORY) and "episode" not in (kind, its_kind)
        merging = f'; only if the two are one thing, brain merge "{other}" "{path}"' if can_merge else ""
        raise UsageError(f"{stem!r} is taken: {', '.join(at for at, _ in taken)} has that name.", f'brain rename "{path}" "{free}", or another name{merging}')


def _numbered(name: str) -> Iterator[str]:
    """Yields names like one that is taken."""
    return (f"{name} {number}" for number in count(2))


def _is_worth_keeping(hand: Hand, path: str, was: str, stem: str) -> bool:
    """Tells whether an old name becomes an alias: links may use it, and no other note has it."""
    if not was or fold(was) == fold(stem) or any(mark in was for mark in "[]|#^"):
        return False
    is_file_name = was == path.rpartition("/")[2][:-3]
    if not is_file_name and compact(was) == compact(path.rpartition("/")[2][:-3]):
        return False
    with hand.ctx.catalog() as conn:
        row = conn.execute("SELECT 1 FROM name JOIN note n USING(nid) WHERE key=? AND n.path<>?", (fold(was), path)).fetchone()
    return row is None


def _opening(read: ReadNote) -> Heading | None:
    """Returns the heading that gives the note its title, if one does."""
    text, start = read.source.text, read.note.body_start
    heading = opening_heading(text, start, find_headings(mask(text, start), text, start, Lines(text)))
    return heading if heading is not None and heading.level == 1 and heading.text else None


def _titled(read: ReadNote, stem: str, heading: Heading | None) -> list[Edit]:
    """Returns the edits that make every title the note states the new one."""
    edits: list[Edit] = []
    path, text = read.note.path, read.source.text
    title = property_of(read.note, "title")
    if title is not None and title != stem:
        edits.append(SetField(path, "title", stem))
    if heading is not None and read.note.kind != "episode" and heading.text != stem and (title is None or heading.text == title):
        at = text.find(heading.text, heading.span.start, heading.span.end)
        if at >= 0:
            span = type(heading.span)(at, at + len(heading.text))
            edits.append(ReplaceSpan(path, span, heading.text, stem))
    return edits


def _overlaps(edit: ReplaceSpan, starts: set[int]) -> bool:
    return any(edit.span.start <= start < edit.span.end for start in starts)


def _files_below(ctx: Context, folder: str) -> list[str]:
    root = ctx.vault.root
    found = [os.path.relpath(os.path.join(place, name), root) for place, _, names in os.walk(root / folder) for name in names]
    return sorted(path.replace(os.sep, "/") for path in found if not path.endswith(".DS_Store"))
