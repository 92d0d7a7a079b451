"""The plan of a merge: one note takes in what another says, the other forwards, live links are repointed.

Nothing is thrown away: the absorbed note stays where it is, marked superseded, with its own words; atoms and
relation lines move, since a claim is made in one place. Properties that differ stay with the absorbed note
and are named. Reads, writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.dates import civil_date
from brain.core.ids import fold
from brain.core.judgement import Pair, Same
from brain.core.note import Atom, Json, Link, Note, Span
from brain.core.plan import AppendToSection, Concern, Edit, MarkSuperseded, Plan, Provenance, ReplaceSpan, SetField
from brain.errors import BrainError
from brain.stages import claims, edges
from brain.stages.context import Context, Reading
from brain.stages.repoint import as_words, edits_of
from brain.stages.target import Names
from brain.vault.frontmatter import FieldValue, set_field
from brain.vault.links import keys_wanted
from brain.vault.parse import parse_note
from brain.vault.store import Source

PERSONAL = ("email", "orcid")
OWN_KEYS = frozenset({
    "alias", "aliases", "brain_processed", "created", "distinct_from", "id", "importance", "kind", "last_confirmed", "merged_from",
    "source", "status", "superseded_by", "superseded_on", "tag", "tags", "title", "type",
})  # fmt: skip
LINKING_PAGE = 500


@dataclass(frozen=True, slots=True)
class Merging:
    """What planning a merge may look at."""

    ctx: Context
    reading: Reading
    names: Names

    def read(self, path: str) -> _Read | None:
        """Reads and parses one note."""
        source = self.reading.read(path)
        return None if source is None else _Read(source, parse_note(path, source.text, self.ctx.config.limits))


@dataclass(frozen=True, slots=True)
class _Read:
    source: Source
    note: Note

    @property
    def stem(self) -> str:
        return self.note.path.rsplit("/", 1)[-1][:-3]

    @property
    def folder(self) -> str:
        return self.note.path.rpartition("/")[0]


def plan_merge(merging: Merging, pair: Pair, same: Same, *, key: str) -> Plan | None:
    """Returns the plan that makes one note of two; None when either is gone, superseded or unreadable by now."""
    left, right = merging.read(pair.left.path), merging.read(pair.right.path)
    if left is None or right is None or any(r.note.malformed or r.note.status in ("superseded", "archived") for r in (left, right)):
        return None
    keep, gone = sorted((left, right), key=_rank)
    others = [read for path in _linking(merging.ctx, gone.note.path) if path not in (keep.note.path, gone.note.path) and (read := merging.read(path))]
    target = merging.names.link_to(keep.note.path)
    repointed = [edit for other in others for edit in edits_of(other.note, _links_to(merging, other.note, gone.note.path), target, keep.note.path)]
    changed = {edit.path for edit in repointed}
    apart = sorted(_differing(keep.note, gone.note))
    because = f"{gone.note.path} is {keep.note.path}: {same.reason}" + (f"; both readings of {', '.join(apart)} are kept" if apart else "")
    return Plan(
        "reconcile", key,
        {r.note.path: r.source.sha256 for r in (keep, gone, *(other for other in others if other.note.path in changed))},
        (*_kept(merging, keep, gone), *_absorbed(merging, gone, target), *repointed),
        because, (_provenance(gone, keep, same),), concerns=_concerns(keep, gone, same),
    )  # fmt: skip


def _rank(read: _Read) -> tuple[bool, str, int, int, str]:
    """The note to keep comes first: an entity, the older, the one that says more."""
    note = read.note
    created = civil_date(note.properties.get("created")) or "9999"
    return note.type is None, created, -len(note.atoms), -len(read.source.text), note.path


def _concerns(keep: _Read, gone: _Read, same: Same) -> tuple[Concern, ...]:
    found: list[Concern] = []
    if "person" in (keep.note.kind, gone.note.kind) or same.quote.startswith(PERSONAL):
        found.append("people")
    if keep.folder != gone.folder:
        found.append("cross-folder")
    return tuple(found)


def _provenance(gone: _Read, keep: _Read, same: Same) -> Provenance:
    """The line of the absorbed note that holds the shared identifier."""
    name, _, value = same.quote.partition("=")
    lines = gone.source.text.split("\n")
    at = next((n for n, line in enumerate(lines, 1) if fold(value) in fold(line)), None) or next(
        (n for n, line in enumerate(lines, 1) if fold(line).startswith(name)), 1
    )
    return Provenance(
        f"{gone.note.path}|same_entity|{keep.note.path}", gone.note.path, gone.source.sha256, at, lines[at - 1].strip("\r"), same.reason, same.judge
    )


def _kept(merging: Merging, keep: _Read, gone: _Read) -> Iterator[Edit]:
    """The edits of the note that stays."""
    path = keep.note.path
    for link in _links_to(merging, keep.note, gone.note.path):
        yield ReplaceSpan(path, link.span, link.raw, as_words(link, gone.stem))
    bullets: list[str] = []
    for atom in gone.note.atoms:
        known = claims.equal_atom(keep.note.atoms, atom.kind, atom.text)
        if known is None:
            bullets += _bullet_lines(gone.source.text, atom)
        elif fresh := [source for source in atom.sources if source not in known.sources]:
            yield claims.with_source(path, keep.source.text, known, fresh)
    if bullets:
        yield AppendToSection(path, "Atoms", tuple(bullets))
    related = [line for line, link in _relation_lines(gone) if not _is_said(merging, keep, gone, link)]
    if related:
        yield AppendToSection(path, edges.RELATED, tuple(related))
    prose = _prose(merging, keep, gone)
    if prose:
        yield AppendToSection(path, f"Merged from {gone.stem}", tuple(prose))
    for key, value in _properties(keep.note, gone):
        if _is_settable(keep.source.text, key, value):
            yield SetField(path, key, value)


def _absorbed(merging: Merging, gone: _Read, target: str) -> Iterator[Edit]:
    """The edits of the note that forwards: its claims have moved, its words stay."""
    text = gone.source.text
    spans = [_lines_span(text, atom.span) for atom in gone.note.atoms]
    spans += [_lines_span(text, link.span) for _, link in _relation_lines(gone)]
    for span in sorted(set(spans), key=lambda span: span.start):
        yield ReplaceSpan(gone.note.path, span, text[span.start : span.end], "")
    yield MarkSuperseded(gone.note.path, target, merging.ctx.today)


def _properties(keep: Note, gone: _Read) -> Iterator[tuple[str, FieldValue]]:
    """Yields what the kept note's properties become: lists united, the earliest creation, the highest importance."""
    aliases = _united(keep.aliases, (gone.stem, *gone.note.aliases), without=keep.path.rsplit("/", 1)[-1][:-3])
    yield "aliases" if "alias" not in keep.properties or "aliases" in keep.properties else "alias", aliases
    for key in ("tags", "source"):
        old, new = _strings(keep.properties.get(key)), _strings(gone.note.properties.get(key))
        if new and (united := _united(old, new)) != old:
            yield key, united
    created = [day for note in (keep, gone.note) if (day := civil_date(note.properties.get("created")))]
    if created and min(created) != civil_date(keep.properties.get("created")):
        yield "created", min(created)
    weights = [w for note in (keep, gone.note) if isinstance(w := note.properties.get("importance"), int | float) and not isinstance(w, bool)]
    if weights and max(weights) != keep.properties.get("importance"):
        yield "importance", max(weights)
    for key, value in sorted(gone.note.properties.items()):
        if key not in OWN_KEYS and key not in keep.properties and (plain := _plain(value)) is not None:
            yield key, plain
    yield "merged_from", _united(_strings(keep.properties.get("merged_from")), (gone.stem,))


def _differing(keep: Note, gone: Note) -> Iterator[str]:
    for key, value in gone.properties.items():
        if key not in OWN_KEYS and key in keep.properties and keep.properties[key] != value and value is not None:
            yield key


def _prose(merging: Merging, keep: _Read, gone: _Read) -> list[str]:
    """Returns the absorbed note's own words as lines; what was a link between the two becomes words."""
    text, note = gone.source.text, gone.note
    cuts = [(span, "") for span in _section_spans(note, text)]
    cuts += [
        (link.span, as_words(link, gone.stem))
        for link in note.links
        if link.place == "body" and merging.names.leads_to(note.path, link.target, link.form) in (keep.note.path, note.path)
    ]
    pieces: list[str] = []
    at = note.body_start
    for span, shown in sorted(cuts, key=lambda cut: (cut[0].start, -cut[0].end)):
        if span.start >= at:
            pieces += [text[at : span.start], shown]
            at = span.end
    lines = "".join([*pieces, text[at:]]).replace("\r\n", "\n").strip("\n").split("\n")
    if lines and re.fullmatch(r"#[ \t]+.*", lines[0]) and fold(lines[0].lstrip("# ")) in (fold(note.title), fold(gone.stem)):
        lines = lines[1:]
    while lines and not lines[0].strip():
        lines = lines[1:]
    return [line.rstrip("\r") for line in lines] if any(line.strip() for line in lines) else []


def _section_spans(note: Note, text: str) -> Iterator[Span]:
    """Yields the sections that hold claims: their lines move one by one."""
    for place, heading in enumerate(note.headings):
        if heading.level == 2 and fold(heading.text) in ("atoms", "related"):
            after = (later.span.start for later in note.headings[place + 1 :] if later.level <= 2)
            yield Span(heading.span.start, next(after, len(text)))


def _relation_lines(read: _Read) -> Iterator[tuple[str, Link]]:
    """Yields the relation bullets under `## Related`, each with its first link."""
    text = read.source.text
    sections = [span for span in _section_spans(read.note, text) if not any(span.start <= atom.span.start < span.end for atom in read.note.atoms)]
    seen: set[int] = set()
    for link in read.note.links:
        inside = any(span.start <= link.span.start < span.end for span in sections)
        if link.relation and inside and link.line not in seen:
            seen.add(link.line)
            span = _lines_span(text, link.span)
            yield text[span.start : span.end].rstrip("\r\n"), link


def _is_said(merging: Merging, keep: _Read, gone: _Read, link: Link) -> bool:
    """Tells whether the kept note has this edge already, or would get one to itself."""
    target = merging.names.leads_to(gone.note.path, link.target, link.form)
    if target == keep.note.path:
        return True
    return target is not None and any(
        known.relation == link.relation and merging.names.leads_to(keep.note.path, known.target, known.form) == target for known in keep.note.links
    )


def _bullet_lines(text: str, atom: Atom) -> list[str]:
    span = _lines_span(text, atom.span)
    return text[span.start : span.end].replace("\r\n", "\n").rstrip("\n").split("\n")


def _lines_span(text: str, span: Span) -> Span:
    """Widens a span to whole lines with their end, and over the indented lines that belong to a bullet."""
    start = text.rfind("\n", 0, span.start) + 1
    end = _after(text, span.end)
    while text[end : end + 1] in (" ", "\t") and text[end : _after(text, end)].strip():
        end = _after(text, end)
    return Span(start, end)


def _after(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1


def _linking(ctx: Context, path: str) -> Iterator[str]:
    """Yields the live notes that link here, generated ones left out."""
    after = ""
    while True:
        rows = ctx.graph.run("linking-notes", path=path, after=after, limit=LINKING_PAGE)
        yield from (row["path"] for row in rows if not row["path"].startswith(f"{ctx.config.folders.timeline}/"))
        if len(rows) < LINKING_PAGE:
            return
        after = rows[-1]["path"]


def _links_to(merging: Merging, note: Note, path: str) -> tuple[Link, ...]:
    """Returns the links of a note that resolve to the note at `path`; its names alone are looked up."""
    names = set(merging.names.keys_of(path))
    return tuple(
        link for link in note.links
        if names.intersection(keys_wanted(note.path, link.target)) and merging.names.leads_to(note.path, link.target, link.form) == path
    )  # fmt: skip


def _united(old: tuple[str, ...], new: tuple[str, ...], *, without: str = "") -> tuple[str, ...]:
    found = {fold(item): item for item in reversed((*old, *new)) if fold(item) != fold(without)}
    return tuple(reversed(found.values()))


def _strings(value: Json) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(str(item) for item in value if item is not None) if isinstance(value, list) else ()


def _plain(value: Json) -> FieldValue | None:
    if isinstance(value, list):
        return tuple(str(item) for item in value) if all(isinstance(item, str) for item in value) else None
    return value if isinstance(value, str | int | float | bool) else None


def _is_settable(text: str, key: str, value: FieldValue) -> bool:
    try:
        set_field(text, key, value)
    except BrainError:
        return False
    return True
