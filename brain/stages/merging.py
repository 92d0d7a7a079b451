"""The plan of a merge: one note takes in what another says, the other forwards, live links are repointed.

Nothing is thrown away: the absorbed note stays where it is, marked superseded, with its own words; atoms and
relation lines move, since a claim is made in one place. Properties that differ stay with the absorbed note
and are named. Every link is resolved in the vault as the merge leaves it. Reads, writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from brain.config import Limits
from brain.core.dates import civil_date
from brain.core.ids import fold
from brain.core.judgement import Pair, Same
from brain.core.note import Atom, Link, Note, Span
from brain.core.plan import AppendToSection, Concern, Edit, MarkSuperseded, Plan, Provenance, ReplaceSpan, SetField
from brain.core.vocabulary import canonical_relation
from brain.core.ways import above
from brain.stages import claims, edges, moving
from brain.stages.carry import carried
from brain.stages.context import Context, Reading
from brain.stages.growing.forest import owner_of, ways_up
from brain.stages.growing.parents import PART_OF, RELATES
from brain.stages.moving import ReadNote
from brain.stages.repoint import edits_of, in_its_form, is_settable
from brain.stages.report import counted
from brain.stages.spelling import Shown, found_in, with_links, words_of
from brain.stages.target import Existing, Names, Planned
from brain.stages.union import UNITED, differing, own_status, united_properties
from brain.vault.links import anchor_found, keys_wanted
from brain.vault.linkscan import Found
from brain.vault.parse import parse_note

PERSONAL = ("email", "orcid")
LINKING_PAGE = 500


@dataclass(frozen=True, slots=True)
class Merging:
    """What planning a merge may look at."""

    ctx: Context
    reading: Reading
    names: Names

    def read(self, path: str) -> ReadNote | None:
        """Reads and parses one note."""
        source = self.reading.read(path)
        return None if source is None else ReadNote(source, parse_note(path, source.text, self.ctx.config.limits))


@dataclass(frozen=True, slots=True)
class _Merge:
    """One merge at hand: the note that stays, the one that forwards, and the names as they are and as they will be."""

    ctx: Context
    read: Callable[[str], ReadNote | None]
    names: Names
    after: Names
    keep: ReadNote
    gone: ReadNote
    not_above: frozenset[str] = frozenset()
    """What the absorbed note is part of and the one that stays cannot be: it hangs off that one."""

    def is_either(self, source: str, link: Found) -> bool:
        """Tells whether a link of the note at `source` leads to one of the two."""
        return self.names.leads_to(source, link.target, link.form) in (self.keep.note.path, self.gone.note.path)

    def shown_in_keep(self, link: Found, raw: str) -> str:
        """How a link of the absorbed note is written in the one that stays."""
        if not link.target:
            return raw  # its headings and blocks come along
        return carried(self.names, link, raw, source=self.gone.note.path, dest=self.keep.note.path, after=self.after)

    def shown_as_words(self, link: Found, raw: str) -> str:
        """How one is written in its prose there: a link between the two becomes words."""
        return words_of(link) if link.target and self.is_either(self.gone.note.path, link) else self.shown_in_keep(link, raw)

    def shown_without_the_other(self, link: Found, raw: str) -> str:
        """How a link of the note that stays is written there: one to the absorbed note becomes words."""
        return words_of(link) if self.names.leads_to(self.keep.note.path, link.target, link.form) == self.gone.note.path else raw


def plan_merge(merging: Merging, pair: Pair, same: Same, *, key: str, keep: str | None = None) -> Plan | None:
    """Returns the plan that makes one note of two; None when either is gone, superseded or unreadable by now.

    A merge that cannot be written without leading a link elsewhere waits for a person. `keep` is the one that stays, when a
    person says which.
    """
    left, right = merging.read(pair.left.path), merging.read(pair.right.path)
    if left is None or right is None or any(r.note.malformed or r.note.status in ("superseded", "archived") for r in (left, right)):
        return None
    ends = {left.note.path, right.note.path}
    with merging.ctx.catalog() as conn:
        owner = owner_of(conn, merging.ctx.config.owner)
        ways = ways_up(conn, left.note.path) | ways_up(conn, right.note.path)
    first, second = sorted(
        (left, right), key=lambda read: (read.note.path not in (keep, owner), read.note.path != keep, *_rank(read, _linked_from(merging, read.note.path, ends)))
    )
    is_turned = keep is None and owner not in ends and bool(_between(ways, first.note.path, second.note.path))
    stays, gone = (second, first) if is_turned else (first, second)  # what stands between the two would close a ring
    not_above = ways[gone.note.path] if stays.note.path == owner else _between(ways, gone.note.path, stays.note.path)
    merge = replace(_merge(merging, stays, gone), not_above=frozenset(not_above) - {stays.note.path})
    with merge.names.session(), merge.after.session():
        return _planned(merge, same, key)


def _between(ways: Mapping[str, Sequence[str]], path: str, top: str) -> list[str]:
    """Returns what one note is part of that hangs off the other one itself."""
    return [parent for parent in ways[path] if parent != top and top in above(ways, parent)]


def _planned(merge: _Merge, same: Same, key: str) -> Plan:
    keep, gone, ends = merge.keep, merge.gone, (merge.keep.note.path, merge.gone.note.path)
    others = [read for path in _linking(merge.ctx, gone.note.path) if path not in ends and (read := merge.read(path))]
    repointed, left_as_they_are = _repointed(merge, others)
    changed = {edit.path for edit in repointed}
    astray = _led_astray(merge, repointed)
    successor = merge.after.link_to(gone.note.path, keep.note.path)
    edits = (*_kept(merge), *_absorbed(merge, successor), *repointed) if successor else ()
    return Plan(
        "reconcile", key if successor else f"{key}|{keep.note.path}",
        {r.note.path: r.source.sha256 for r in (keep, gone, *(other for other in others if other.note.path in changed))},
        edits, _because(merge, same, left_as_they_are, astray, is_linked=successor is not None), (_provenance(gone, keep, same),),
        concerns=(*_concerns(keep, gone, same), *(("ambiguous",) if astray else ()), *(() if successor else ("unlinkable",))),
    )  # fmt: skip


def _merge(merging: Merging, keep: ReadNote, gone: ReadNote) -> _Merge:
    planned = (
        Planned(keep.note.path, keep.note.kind, (*keep.note.aliases, gone.stem, *gone.note.aliases), keep.note.status),
        Planned(gone.note.path, gone.note.kind, gone.note.aliases, "superseded"),
    )
    return _Merge(merging.ctx, merging.read, merging.names, Names(merging.ctx, planned), keep, gone)


def _rank(read: ReadNote, linked_from: int) -> tuple[bool, int, int, int, str, str]:
    """The note to keep comes first: a typed one, the one that more notes link, the one that says more, the older."""
    note = read.note
    created = civil_date(note.properties.get("created")) or "9999"
    return note.type is None, -linked_from, -len(note.atoms), -len(read.source.text), created, note.path


def _linked_from(merging: Merging, path: str, ends: set[str]) -> int:
    """Returns how many notes link a note, the other end of the merge and the note itself left out."""
    return len({link.path for link in merging.names.links_to(path)} - ends)


def _concerns(keep: ReadNote, gone: ReadNote, same: Same) -> tuple[Concern, ...]:
    found: list[Concern] = []
    if "person" in (keep.note.kind, gone.note.kind) or same.quote.startswith(PERSONAL):
        found.append("people")
    if keep.folder != gone.folder:
        found.append("cross-folder")
    return tuple(found)


def _because(merge: _Merge, same: Same, left: int, astray: list[str], *, is_linked: bool) -> str:
    apart = sorted(differing(merge.keep.note, merge.gone.note))
    parts = [f"{merge.gone.note.path} is {merge.keep.note.path}: {same.reason}"]
    parts += [f"both readings of {', '.join(apart)} are kept"] if apart else []
    own = own_status(merge.gone.note)
    parts += [f"status differs: {merge.gone.note.path} is superseded in place of {own}"] if own else []
    parts += [f"{counted(left, 'property', 'properties')} cannot be rewritten: the link there stays, and forwards"] if left else []
    parts += [f"links in {', '.join(astray)} would lead to a third note of that name"] if astray else []
    parts += [] if is_linked else [f"no link can lead to {merge.keep.note.path}; give it another name"]
    return "; ".join(parts)


def _provenance(gone: ReadNote, keep: ReadNote, same: Same) -> Provenance:
    """The line of the absorbed note that holds the shared identifier."""
    name, _, value = same.quote.partition("=")
    lines = gone.source.text.split("\n")
    at = next((n for n, line in enumerate(lines, 1) if fold(value) in fold(line)), None) or next(
        (n for n, line in enumerate(lines, 1) if fold(line).startswith(name)), 1
    )
    return Provenance(
        f"{gone.note.path}|same_entity|{keep.note.path}", gone.note.path, gone.source.sha256, at, lines[at - 1].strip("\r"), same.reason, same.judge
    )


def _kept(merge: _Merge) -> Iterator[Edit]:
    """The edits of the note that stays."""
    keep, gone, limits = merge.keep, merge.gone, merge.ctx.config.limits
    path = keep.note.path
    own, _ = edits_of(keep.note, keep.source.text, merge.shown_without_the_other, limits, spared=UNITED)
    yield from own
    bullets: list[str] = []
    taken: set[int] = set()
    for atom in gone.note.atoms:
        known = _said(merge, atom)
        more = _more_sources(merge, atom, known) if known else None
        if known is None or more is None or (more and known.line in taken):
            bullets += moving.lines_of(gone, moving.whole_lines(gone.source.text, atom.span), merge.shown_in_keep)
        elif more:
            taken.add(known.line)
            yield from more
    if bullets:
        yield AppendToSection(path, "Atoms", tuple(bullets))
    unsaid = [span for span, links in _moving_lines(merge) if not _is_edge_said(merge, links)]
    parents = _parents(merge, keep.note)
    related = [line for span in unsaid for line in _one_parent(merge, span, parents)]
    if related:
        yield AppendToSection(path, edges.RELATED, tuple(related))
    prose = moving.prose(gone, merge.shown_as_words)
    if parents or merge.not_above:
        prose = [_without_parents(line, limits) for line in prose]
    if prose:
        yield AppendToSection(path, f"Merged from {gone.stem}", tuple(prose))
    is_either = partial(merge.is_either, gone.note.path)
    for key, value in united_properties(keep.note, gone.note, merge.shown_in_keep, is_either, limits):
        if (parents or merge.not_above) and key not in keep.note.properties and canonical_relation(key) == PART_OF:
            continue  # one parent is kept; the other one stays with the absorbed note
        if is_settable(keep.source.text, key, value, limits):
            yield SetField(path, key, value)


def _without_parents(line: str, limits: Limits) -> str:
    """Returns a line of prose in which a link that says `part_of` is plain words: one parent is kept."""
    links = [link for link in parse_note("", line, limits).links if link.place == "body"]
    parts = {link.span.start for link in links if link.relation and canonical_relation(link.relation) == PART_OF}
    return with_links(line, map(found_in, links), lambda link, raw: words_of(link) if link.start in parts else raw) if parts else line


def _parents(merge: _Merge, note: Note) -> set[str]:
    """Returns what one of the two notes is part of, the other one aside."""
    stated = [link for link in note.links if link.relation and canonical_relation(link.relation) == PART_OF]
    ends = (merge.names.leads_to(note.path, link.target, link.form) for link in stated)
    return {end for end in ends if end is not None} - {merge.keep.note.path, merge.gone.note.path}


def _one_parent(merge: _Merge, span: Span, parents: set[str]) -> list[str]:
    """Returns the lines of a moving relation; a second parent is only related to the note that stays."""
    gone = merge.gone
    lines = moving.lines_of(gone, span, merge.shown_as_words)
    links = [link for link in gone.note.links if link.place == "body" and span.start <= link.span.start < span.end]
    stated = [link for link in links if link.relation and canonical_relation(link.relation) == PART_OF]
    is_ring = any(_closes_a_ring(merge, link) for link in stated)
    if not is_ring and (not parents or all(merge.names.leads_to(gone.note.path, link.target, link.form) in parents for link in stated)):
        return lines
    keys = sorted({str(link.relation) for link in stated})
    return [next((line.replace(f"{key}::", f"{RELATES}::", 1) for key in keys if f"{key}::" in line), line) for line in lines]


def _absorbed(merge: _Merge, successor: str) -> Iterator[Edit]:
    """The edits of the note that forwards: its claims have moved, its words stay."""
    gone = merge.gone
    text = gone.source.text
    spans = {moving.whole_lines(text, atom.span) for atom in gone.note.atoms} | {span for span, _ in _moving_lines(merge)}
    for span in sorted(spans, key=lambda span: span.start):
        yield ReplaceSpan(gone.note.path, span, text[span.start : span.end], "")
    yield MarkSuperseded(gone.note.path, successor, merge.ctx.today)


def _said(merge: _Merge, atom: Atom) -> Atom | None:
    """Returns the atom of the kept note that says all that an absorbed one does; None when words would be lost."""
    text = merge.gone.source.text
    span = moving.whole_lines(text, atom.span)
    if text[span.start : span.end].strip("\r\n").count("\n") or merge.names.is_referred_to(atom.id):
        return None
    same = claims.equal_atoms(merge.keep.note.atoms, atom.kind, atom.text)
    return next((known for known in same if claims.says_no_more(atom, known)), None)


def _more_sources(merge: _Merge, atom: Atom, known: Atom) -> list[ReplaceSpan] | None:
    """Returns the edit that gives a known atom the sources of an equal one, if it lacks any; None when it cannot be written."""
    there = _sources(merge, merge.keep, known)
    fresh = {path: text for path, text in _sources(merge, merge.gone, atom).items() if path not in there}
    if not fresh:
        return []
    keep = merge.keep
    stored = merge.names.atom_id_at(keep.note.path, known)
    edit = claims.with_sources(keep.note.path, keep.source.text, known, list(fresh.values()), spare_id=stored)
    return None if edit is None else [edit]


def _sources(merge: _Merge, read: ReadNote, atom: Atom) -> dict[str, str]:
    """Returns the sources of an atom: path (or what is written, when it leads nowhere) → link as it is written in the kept note."""
    links = [link for link in read.note.links if link.place == "body" and link.line == atom.line and link.target in atom.sources]
    path = read.note.path
    return {merge.names.leads_to(path, link.target, link.form) or link.target: merge.shown_in_keep(found_in(link), link.raw) for link in links}


def _moving_lines(merge: _Merge) -> Iterator[tuple[Span, list[Link]]]:
    """Yields the relation lines that move; one between the two notes says nothing about the one they become, and stays.

    So does one that would make the note that stays part of what hangs off it.
    """
    for span, links in moving.relation_lines(merge.gone):
        if not all(merge.is_either(merge.gone.note.path, found_in(link)) or _closes_a_ring(merge, link) for link in links):
            yield span, links


def _closes_a_ring(merge: _Merge, link: Link) -> bool:
    is_part = link.relation is not None and canonical_relation(link.relation) == PART_OF
    end = merge.names.find(merge.gone.note.path, link.target, link.form) if is_part and merge.not_above else None
    return isinstance(end, Existing) and end.path in merge.not_above


def _is_edge_said(merge: _Merge, links: list[Link]) -> bool:
    """Tells whether the kept note states all edges of a line, with the same reason or where the line gives none."""
    keep, gone = merge.keep.note, merge.gone.note

    def ends(note: Note, link: Link) -> tuple[str | None, str | None]:
        return canonical_relation(link.relation or ""), merge.names.leads_to(note.path, link.target, link.form)

    said = [(ends(keep, link), link.reason) for link in keep.links if link.relation]
    return all(
        ends(gone, link)[1] is not None and any(edge == ends(gone, link) and link.reason in (None, reason) for edge, reason in said) for link in links
    )


def _repointed(merge: _Merge, others: Sequence[ReadNote]) -> tuple[list[ReplaceSpan | SetField], int]:
    """Returns the edits that lead the links of other notes to the one that stays, and how many properties keep theirs."""
    found: list[ReplaceSpan | SetField] = []
    left = 0
    keys = set(merge.names.keys_of(merge.gone.note.path))
    for other in others:
        shown = _shown_repointed(merge, other.note.path, keys)
        edits, kept = edits_of(other.note, other.source.text, shown, merge.ctx.config.limits)
        found += edits
        left += kept
    return found, left


def _shown_repointed(merge: _Merge, source: str, keys: set[str]) -> Shown:
    gone, keep = merge.gone.note, merge.keep.note

    def shown(link: Found, raw: str) -> str:
        if not keys.intersection(keys_wanted(source, link.target)) or merge.names.leads_to(source, link.target, link.form) != gone.path:
            return raw
        if link.anchor and _is_in_both(link.anchor, gone, keep):
            return raw  # the place meant is the absorbed note's own, where its words still stand
        is_embed = link.form in ("embed", "image")
        first = tuple(in_its_form(raw, source, keep.path))
        return merge.after.link_to(source, keep.path, anchor=link.anchor, alias=link.alias, is_embed=is_embed, first=first) or raw

    return shown


def _is_in_both(anchor: str, one: Note, other: Note) -> bool:
    """Tells whether two notes have a place of that name each; the sections of claims are united, so they are one place."""
    return fold(anchor) not in ("atoms", "related") and all(anchor_found(anchor, note.headings, note.block_ids) for note in (one, other))


def _led_astray(merge: _Merge, repointed: Sequence[ReplaceSpan | SetField]) -> list[str]:
    """Returns the notes with a link to the absorbed note that is not rewritten and would lead to a third one."""
    ends = (merge.gone.note.path, merge.keep.note.path)
    written = {(edit.path, edit.expected) for edit in repointed if isinstance(edit, ReplaceSpan)}
    set_anew = {(edit.path, "property") for edit in repointed if isinstance(edit, SetField)}
    return sorted({
        link.path for link in merge.names.links_to(merge.gone.note.path)
        if link.path not in ends and (link.path, link.raw) not in written and (link.path, link.place) not in set_anew
        and merge.after.leads_to(link.path, link.target, link.form) not in ends
    })  # fmt: skip


def _linking(ctx: Context, path: str) -> Iterator[str]:
    """Yields the live notes that link here, generated ones left out."""
    after = ""
    while True:
        rows = ctx.graph.run("linking-notes", path=path, after=after, limit=LINKING_PAGE)
        yield from (row["path"] for row in rows if not row["path"].startswith(f"{ctx.config.folders.timeline}/"))
        if len(rows) < LINKING_PAGE:
            return
        after = rows[-1]["path"]
