"""Notes that get another path: every link that led to them leads there still, and so do the links in them.

Each link is resolved as the vault is and as the plan leaves it. Episodes and notes that are no longer current are
not rewritten: what they call a note by stays as its alias. Reads, writes nothing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from brain.core.ids import fold
from brain.core.plan import Edit, MoveNote, Plan
from brain.errors import UsageError
from brain.stages import paths
from brain.stages.carry import carried
from brain.stages.context import Context
from brain.stages.hands.hand import Hand, property_of
from brain.stages.hands.listed import with_items
from brain.stages.moving import ReadNote
from brain.stages.repoint import edits_of, in_its_form
from brain.stages.report import counted
from brain.stages.spelling import found_in
from brain.stages.target import Names, Planned
from brain.vault.layout import checked_note_path
from brain.vault.links import NOT_LIVE, alias_key, keys_of
from brain.vault.linkscan import Found, is_external
from brain.vault.parse import parse_note


class After(Names):
    """Names as they are once notes have moved: old path → the note as it will be."""

    def __init__(self, ctx: Context, moved: Mapping[str, Planned]) -> None:
        super().__init__(ctx)
        self._planned = dict(moved)
        self._by_key: dict[str, list[tuple[int, Planned]]] = {}
        for entry in enumerate(moved.values(), 1):
            for key in dict.fromkeys(keys_of(entry[1].path, entry[1].aliases)):
                self._by_key.setdefault(key, []).append(entry)

    def _planned_with(self, keys: Sequence[str]) -> Sequence[tuple[int, Planned]]:
        return sorted({entry for key in keys for entry in self._by_key.get(key, ())}, key=lambda entry: entry[0])


@dataclass(slots=True)
class Relocation:
    """A plan in the making: old path → new path, the notes read, the edits by path, what a person should know."""

    hand: Hand
    moves: Mapping[str, str]
    because: str
    reads: dict[str, ReadNote] = field(default_factory=dict)
    edits: dict[str, list[Edit]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def plans(self) -> list[Plan]:
        """Returns what is to be carried out: one plan; two where a name only changes its letter case, which takes a name in between."""
        twins = {old: new for old, new in self.moves.items() if fold(old) == fold(new)}
        if not twins or self.hand.run.is_dry:
            return [self._plan(self.moves)]
        between = {old: f"{new[:-3]} (being renamed).md" for old, new in twins.items()}
        reads = [self.reads[old] for old in twins]
        first = self.hand.plan("|".join(between.values()), self.because, reads, [MoveNote(old, to) for old, to in between.items()])
        return [first, self._plan(self.moves, between)]

    def _plan(self, moves: Mapping[str, str], between: Mapping[str, str] | None = None) -> Plan:
        there = dict(between or {})
        edits: list[Edit] = [replace(edit, path=there.get(path, path)) for path, found in sorted(self.edits.items()) for edit in found]
        edits += [MoveNote(there.get(old, old), new) for old, new in sorted(moves.items())]
        base = {there.get(path, path): read.source.sha256 for path, read in self.reads.items() if path in self.edits or path in moves}
        return Plan("edit", f"{self.hand.name}|{'|'.join(moves.values())}", base, tuple(edits), self.because)


def filed_in(ctx: Context, path: str, folder: str) -> str:
    """Returns the path of a note in another folder, in the case that folder has on disk. Raises: UsageError."""
    name = path.rpartition("/")[2]
    given = folder.strip().replace("\\", "/")
    wanted = given.strip("/")
    _check_inside(path, given, wanted)
    checked_note_path(f"{wanted}/{name}" if wanted else name)
    return f"{paths.real_folder(ctx.vault.root, wanted)}/{name}" if wanted else name


def _check_inside(path: str, given: str, wanted: str) -> None:
    """Raises: UsageError for a folder that is given from the root of the disk, or that lies outside the vault."""
    if wanted and given.startswith("/"):
        raise UsageError(f"{given!r} is an absolute path; a folder is given from the top of the vault.", f'brain move "{path}" --to "{wanted}"')
    if posixpath.normpath(wanted).split("/")[0] == "..":
        raise UsageError(f"{given!r} lies outside the vault.", f'brain move "{path}" --to FOLDER, a folder of the vault')


def plan_relocation(
    hand: Hand, moves: Mapping[str, str], because: str, *, aliases: Mapping[str, Sequence[str]] | None = None,
    anchors: Mapping[str, tuple[str, str]] | None = None,
) -> Relocation:  # fmt: skip
    """Plans that notes move with every link.

    `aliases` are names by which a note is known from now on, `anchors` a heading of it that gets other words.
    Raises: UsageError when a new path is taken or no link can lead there; as `Hand`.
    """
    made = Relocation(hand, moves, because)
    for old in moves:
        made.reads[old] = hand.read(old)
    _check_free(hand, moves)
    known = {old: list((aliases or {}).get(old, ())) for old in moves}
    holders = _holders(hand, moves)
    _keep_by_alias(made, known, [path for path, is_kept in holders.items() if is_kept and path not in moves])
    after, by_own_names = _after(made, known), _after(made, dict.fromkeys(moves, ()))
    with hand.names.session(), after.session(), by_own_names.session():
        for path in sorted({*moves, *(path for path, is_kept in holders.items() if not is_kept)}):
            _repoint(made, after, by_own_names, path, anchors or {})
    for old, names in known.items():
        note = made.reads[old].note
        fresh = tuple(name for name in names if fold(name) not in map(fold, note.aliases))
        if fresh:
            key = "alias" if property_of(note, "alias") is not None and property_of(note, "aliases") is None else "aliases"
            edit = with_items(made.reads[old], key, (*note.aliases, *fresh), fresh, hand.ctx.config.limits)
            made.edits.setdefault(old, []).append(edit)
    return made


def _check_free(hand: Hand, moves: Mapping[str, str]) -> None:
    """Raises: UsageError when something else has one of the new paths."""
    for old, new in moves.items():
        twin = hand.run.reading.taken(checked_note_path(new))
        if twin is not None and twin != old:
            raise UsageError(f"{new} is taken: {twin} is there.", f'brain get "{twin}", or choose another name or folder')


def _after(made: Relocation, known: Mapping[str, Sequence[str]]) -> After:
    moved = {}
    for old, new in made.moves.items():
        note = made.reads[old].note
        moved[old] = Planned(new, note.kind, (*note.aliases, *known[old]), note.status)
    return After(made.hand.ctx, moved)


def _holders(hand: Hand, moves: Mapping[str, str]) -> dict[str, bool]:
    """Returns the notes with a link by a name of a moved note, as it was or will be, and whether they stay as they are."""
    keys = {key for old, new in moves.items() for key in (*hand.names.keys_of(old), *keys_of(new, ()))}
    timeline = f"{hand.ctx.config.folders.timeline}/"
    found: dict[str, bool] = {}
    with hand.ctx.catalog() as conn:
        for key in sorted(keys):
            rows = conn.execute("SELECT DISTINCT n.path, n.kind, n.status FROM link l JOIN note n USING(nid) WHERE l.key=?", (key,))
            found |= {path: kind == "episode" or status in NOT_LIVE or path.startswith(timeline) for path, kind, status in rows}
    return found


def _keep_by_alias(made: Relocation, known: dict[str, list[str]], kept: Sequence[str]) -> None:
    """Makes the names that unchanged notes call a moved one by its aliases; says which links cannot be kept so."""
    hand, after = made.hand, _after(made, known)
    for path, link in _links_in(hand, kept):
        there = hand.names.leads_to(path, link.target, link.form)
        wanted = made.moves.get(there or "", there)
        if there is None or after.leads_to(path, link.target, link.form) == wanted:
            continue
        name = link.target[:-3] if link.target.lower().endswith(".md") else link.target
        if there in made.moves and link.form in ("wikilink", "embed") and "/" in name:
            known[there].append(name)
            after = _after(made, known)
        if after.leads_to(path, link.target, link.form) != wanted:
            made.notices.append(f"{path} is not rewritten, and its link to {there} does not lead to {wanted}.")


def _links_in(hand: Hand, kept: Sequence[str]) -> Iterator[tuple[str, Found]]:
    for path in sorted(kept):
        source = hand.run.reading.read(path)
        if source is not None:
            note = parse_note(path, source.text, hand.ctx.config.limits)
            yield from ((path, found_in(link)) for link in note.links if link.target and not is_external(link.target))


def _repoint(made: Relocation, after: After, by_own_names: After, path: str, anchors: Mapping[str, tuple[str, str]]) -> None:
    """Adds the edits that write the links of one note anew, where they would not lead by the names that a note has without the old ones."""
    hand, dest = made.hand, made.moves.get(path, path)
    source = hand.run.reading.read(path)
    if source is None:
        return
    read = made.reads.get(path) or ReadNote(source, parse_note(path, source.text, hand.ctx.config.limits))

    def shown(link: Found, raw: str) -> str:
        if not link.target and path in anchors and (anchor := _renamed(link.anchor, anchors[path])) != link.anchor:
            return raw.replace(f"#{link.anchor}", f"#{anchor}", 1)
        if not link.target or is_external(link.target):
            return raw
        there = hand.names.leads_to(path, link.target, link.form)
        if there is None:
            is_moved = dest != path and after.leads_to(dest, link.target, link.form) is None
            return carried(hand.names, link, raw, source=path, dest=dest, after=after) if is_moved else raw
        to = made.moves.get(there, there)
        is_kept = not _is_called_so(there, to, link.target) and by_own_names.leads_to(dest, link.target, link.form) == to
        if is_kept and not (_is_by_path(path, there, link) and not _is_by_path(dest, to, link)):
            return raw
        anchor = _renamed(link.anchor, anchors.get(there, ("", "")))
        is_renamed = anchor != link.anchor
        first = () if is_renamed else tuple(in_its_form(raw, dest, to))
        text = after.link_to(
            dest, to, anchor=anchor, alias=link.alias, is_embed=link.form in ("embed", "image"), first=first
        )
        if text is None:
            raise UsageError(f"No link in {path} can lead to {to}.", "choose another name")
        return text

    edits, left = edits_of(read.note, read.source.text, shown, hand.ctx.config.limits)
    if left:
        made.notices.append(f"{counted(left, 'property', 'properties')} of {path} cannot be rewritten; the alias keeps them good.")
    if edits:
        made.reads[path] = read
        made.edits.setdefault(path, []).extend(edits)


def _renamed(anchor: str | None, words: tuple[str, str]) -> str | None:
    """Returns an anchor, a heading or the way down to one, with the new words of the heading that has changed."""
    old, new = words
    if not anchor or not old:
        return anchor
    first, mark, rest = anchor.partition("#")
    return f"{new}{mark}{rest}" if fold(first) == fold(old) else anchor


def _is_by_path(source: str, path: str, link: Found) -> bool:
    """Tells whether a Markdown link is the way from one file to another, which any other program can go too."""
    if link.form not in ("markdown", "image"):
        return False
    way = posixpath.normpath(posixpath.join(posixpath.dirname(source), link.target))
    return path in (way, f"{way}.md")


def _is_called_so(old: str, new: str, target: str) -> bool:
    """Tells whether a link calls a note by the file name that it loses."""
    stem, was = (path.rsplit("/", 1)[-1][:-3] for path in (new, old))
    name = target[:-3] if target.lower().endswith(".md") else target
    return stem != was and alias_key(name) == fold(was)
