"""A note's text → `core.note.Note`. Total: whatever the text, a value and findings, never an exception.

Bytes ⇄ text is here too. What a link leads to is decided in `links`; nothing here knows another note.
"""

from __future__ import annotations

from dataclasses import replace

from brain.config import Limits
from brain.core.ids import fold
from brain.core.note import Atom, Heading, Json, Link, Note, Span
from brain.core.vocabulary import ENTITY_KINDS, EPISODE_TYPES, STATUSES, canonical_kind
from brain.vault.atoms import find_atoms
from brain.vault.fields import Relation, find_fields
from brain.vault.frontmatter import Frontmatter, read_frontmatter
from brain.vault.linkscan import Found, Lines, find_links
from brain.vault.mask import mask
from brain.vault.note_findings import findings_of
from brain.vault.outline import find_block_ids, find_headings, find_tags, opening_heading
from brain.vault.properties import NO_BLOCK, Block, Entry, Scalar

DECLARED_ID_CHARS_MAX = 200


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Decodes the bytes of a note; bytes that are not UTF-8 become lone surrogates, which `encode` turns back.

    The second part names what is odd: `invalid-utf8`, `utf-16`, `nul-byte`.
    """
    problems: list[str] = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        problems.append("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "invalid-utf8")
    if b"\x00" in data:
        problems.append("nul-byte")
    return text, tuple(problems)


def encode(text: str) -> bytes:
    """Encodes a text that `decode` gave back into the very bytes it came from."""
    return text.encode("utf-8", "surrogateescape")


def parse_note(path: str, text: str, limits: Limits) -> Note:
    """Reads one note. `path` is relative to the vault, `/`-separated; it gives the title when nothing else does.

    Unusable frontmatter makes the note malformed: the whole file is body and a finding says why.
    """
    front = read_frontmatter(text, limits)
    block = front.block or NO_BLOCK
    lines = Lines(text)
    masked = mask(text, front.end)
    headings = find_headings(masked, text, front.end, lines)
    fields, relations = find_fields(masked, text, front.end, lines)
    found = find_links(masked, text, front.end, len(text), limits.link_chars_max)
    ids = find_block_ids(masked, front.end, lines)
    atoms, doubled = _distinct_ids(find_atoms(masked, text, headings, lines))
    note_type = _word(block, "type")
    return Note(
        path=path,
        title=_title(path, block, opening_heading(text, front.end, headings)),
        aliases=_aliases(block),
        tags=_tags(block, find_tags(masked, front.end, found)),
        type=note_type,
        kind=_kind(block, note_type),
        status=_status(block),
        declared_id=_declared_id(block),
        properties=_properties(block),
        headings=headings,
        links=(*_property_links(text, front, limits, lines), *_body_links(found, relations, text, lines)),
        fields=tuple(fields),
        atoms=atoms,
        block_ids=dict(reversed(ids)),
        frontmatter=Span(front.start, front.end) if front.block is not None else None,
        body_start=front.end,
        malformed=front.problem is not None,
        findings=findings_of(path, text, front, ids, doubled, lines),
    )


def _title(path: str, block: Block, opening: Heading | None) -> str:
    """Returns the `title` property, else the heading that opens the note when it is one of the first level, else the file name."""
    entry = block.last("title")
    if entry is not None and entry.style in ("scalar", "block scalar") and (title := " ".join(_typed(entry).split())):
        return title
    heading = opening.text if opening is not None and opening.level == 1 else ""
    return heading or path.rsplit("/", 1)[-1][:-3] or path


def _typed(entry: Entry) -> str:
    """Returns a scalar as it was typed (`1.10`, `2031-05-26`), empty when there is none."""
    return entry.scalars[0].text if entry.scalars and entry.value is not None else ""


def _word(block: Block, key: str) -> str | None:
    entry = block.last(key)
    return _typed(entry).strip() or None if entry is not None and isinstance(entry.value, str | int | float) else None


def _kind(block: Block, note_type: str | None) -> str:
    written = _word(block, "kind")
    if written is not None and canonical_kind(written) != "note":
        return canonical_kind(written)
    if note_type is None:
        return "note"
    key = note_type.casefold().replace("_", "-").replace(" ", "-")
    if key in EPISODE_TYPES:
        return "episode"
    if key == "entity" and (entity := _word(block, "entity")) is not None and fold(entity) in ENTITY_KINDS:
        return canonical_kind(entity)
    return canonical_kind(note_type)


def _status(block: Block) -> str:
    written = _word(block, "status")
    if written is not None and written.casefold() in STATUSES:
        return written.casefold()
    successor = block.last("superseded_by")
    return "superseded" if written is None and successor is not None and successor.value else "active"


def _declared_id(block: Block) -> str | None:
    written = _word(block, "id")
    return written if written is not None and len(written) <= DECLARED_ID_CHARS_MAX and written.isprintable() else None


def _properties(block: Block) -> dict[str, Json]:
    return {entry.key: entry.value for entry in block.entries}


def _aliases(block: Block) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for entry in (*block.find("aliases")[-1:], *block.find("alias")[-1:]):
        for alias in _listed(entry, separators=","):
            found.setdefault(fold(alias), alias)
    return tuple(found.values())


def _tags(block: Block, in_body: list[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for entry in (*block.find("tags")[-1:], *block.find("tag")[-1:]):
        for written in _listed(entry, separators=", \t\n"):
            tag = written.strip().lstrip("#").strip("/")
            if tag:
                found.setdefault(fold(tag), tag)
    for tag in in_body:
        found.setdefault(fold(tag), tag)
    return tuple(found.values())


def _listed(entry: Entry, *, separators: str) -> list[str]:
    """Returns the items of a list, or of one unquoted text with separators in it, as typed."""
    if entry.value is None:
        return []
    texts = [scalar.text for scalar in entry.scalars]
    if entry.style == "scalar" and entry.scalars and not entry.scalars[0].quoted:
        for separator in separators[1:]:
            texts[0] = texts[0].replace(separator, separators[0])
        texts = texts[0].split(separators[0])
    return [clean for text in texts if (clean := " ".join(text.split())) and clean not in ("~", "null")]


def _property_links(text: str, front: Frontmatter, limits: Limits, lines: Lines) -> list[Link]:
    if front.block is None:
        return []
    links: list[Link] = []
    for entry in front.block.entries:
        for scalar in entry.scalars:
            if "[[" in scalar.text or "](" in scalar.text:
                start, end = front.yaml_start + scalar.start, front.yaml_start + scalar.end
                found = find_links(text, text, start, end, limits.link_chars_max)
                links.extend(_link(text, link, lines, relation=entry.key) for link in _unescaped(found, scalar, limits))
    return links


def _unescaped(found: list[Found], scalar: Scalar, limits: Limits) -> list[Found]:
    """Takes target and alias from the value where quoting changed them (`'[[Bo''s]]'`), the place from the file."""
    meant = find_links(scalar.text, scalar.text, 0, len(scalar.text), limits.link_chars_max)
    if not scalar.quoted or len(meant) != len(found):
        return found
    pairs = zip(found, meant, strict=True)
    return [Found(place.start, place.end, link.form, link.target, link.anchor, link.alias) for place, link in pairs]


def _link(text: str, found: Found, lines: Lines, *, relation: str) -> Link:
    span = Span(found.start, found.end)
    return Link(
        text[found.start : found.end], found.target, found.anchor, found.alias, found.form, lines.at(found.start), span,
        "property", relation,
    )  # fmt: skip


def _body_links(found: list[Found], relations: list[Relation], text: str, lines: Lines) -> list[Link]:
    links = []
    place = 0
    for link in found:
        while place < len(relations) and relations[place].links_end < link.end:
            place += 1
        of = relations[place] if place < len(relations) and relations[place].start <= link.start else _NO_RELATION
        span = Span(link.start, link.end)
        links.append(
            Link(
                text[link.start : link.end], link.target, link.anchor, link.alias, link.form, lines.at(link.start), span, "body",
                of.key or None, of.reason, of.valid_from, of.valid_to,
            )
        )  # fmt: skip
    return links


_NO_RELATION = Relation("", 0, 0, None, None, None)


def _distinct_ids(atoms: tuple[Atom, ...]) -> tuple[tuple[Atom, ...], list[Atom]]:
    """Takes the id from an atom whose id an earlier one of the note has; returns those atoms too."""
    seen: set[str] = set()
    kept: list[Atom] = []
    doubled: list[Atom] = []
    for atom in atoms:
        if atom.id is not None and atom.id in seen:
            doubled.append(atom)
            atom = replace(atom, id=None)
        elif atom.id is not None:
            seen.add(atom.id)
        kept.append(atom)
    return tuple(kept), doubled
