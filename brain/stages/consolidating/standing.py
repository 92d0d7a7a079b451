"""The claims that stand in one note, each with its id, its sources and whether something refers to it. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from brain.core.ids import fold, short_hash
from brain.core.note import Atom, Note
from brain.core.vocabulary import EPISODE_TYPES
from brain.stages.context import Context, Reading
from brain.stages.ledger import Ledger
from brain.stages.target import Names
from brain.vault.parse import encode, parse_note
from brain.vault.store import Source

NOTES_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Crowded:
    """A note with more standing claims than are wanted."""

    id: str
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A claim that stands. `known_id` is the id it has in the graph; `sources` are what each leads to → the link as written."""

    atom: Atom
    known_id: str | None
    sources: dict[str, str]
    is_referred: bool

    @property
    def name(self) -> str:
        """What a decision about it is remembered by."""
        return self.known_id or f"l-{short_hash('claim line', self.atom.kind, self.atom.text, str(self.atom.line))}"

    @property
    def shown(self) -> str:
        """The claim for a person."""
        return f"“{self.atom.text}”{f' (^{self.known_id})' if self.known_id else ''}"


@dataclass(frozen=True, slots=True)
class ReadClaims:
    """A note as it is now, with its standing claims in their order."""

    source: Source
    note: Note
    claims: tuple[Standing, ...]

    def called(self, name: str) -> Standing | None:
        """Returns the claim of a name; None when it does not stand here any more."""
        return next((claim for claim in self.claims if claim.name == name), None)


def crowded_notes(ctx: Context, ceiling: int) -> list[Crowded]:
    """Returns the notes with more standing claims than the ceiling, the fullest first; what is written once and kept is left out."""
    folders = ctx.config.folders
    left_out = tuple(f"{folder.strip('/')}/" for folder in (folders.inbox, folders.timeline, folders.archive) if folder.strip("/"))
    rows = ctx.graph.run("crowded-notes", ceiling=ceiling, limit=NOTES_MAX)
    return [Crowded(row["id"], row["path"], row["title"]) for row in rows if not row["path"].startswith(left_out)]


def read_claims(ctx: Context, reading: Reading, crowded: Crowded, ledger: Ledger) -> ReadClaims | None:
    """Reads a note anew; None when it is gone, unreadable, superseded, or an episode by now."""
    source = reading.read(crowded.path)
    if source is None:
        return None
    note = parse_note(crowded.path, source.text, ctx.config.limits)
    if note.malformed or note.status in ("superseded", "archived") or fold(note.type or "") in EPISODE_TYPES:
        return None
    ids, referred = _ids(ctx, note), _referred(ctx, ledger)
    names = Names(ctx)
    with names.session():
        claims = [
            Standing(atom, ids[place], _sources(names, note, atom), _is_referred(source.text, atom, referred))
            for place, atom in enumerate(note.atoms) if atom.status == "active"
        ]  # fmt: skip
    return ReadClaims(source, note, tuple(claims))


def _ids(ctx: Context, note: Note) -> list[str | None]:
    """Returns the id that the catalog gave each atom, by its block id and words; of two with one block id only the first has it."""
    known: dict[tuple[str | None, str], list[str]] = defaultdict(list)
    with ctx.catalog() as conn:
        sql = "SELECT a.declared_id, a.text, a.id FROM atom a JOIN note n USING(nid) WHERE n.path=? ORDER BY a.ordinal"
        for declared, text, atom_id in conn.execute(sql, (note.path,)):
            known[declared, text].append(atom_id)
    ids = (known[atom.id, encode(atom.text).decode("utf-8", "replace")] for atom in note.atoms)
    return [found.pop(0) if found else atom.id for found, atom in zip(ids, note.atoms, strict=True)]


def _sources(names: Names, note: Note, atom: Atom) -> dict[str, str]:
    links = [link for link in note.links if link.place == "body" and link.line == atom.line and link.target in atom.sources]
    return {names.leads_to(note.path, link.target, link.form) or link.target: link.raw for link in links}


def _referred(ctx: Context, ledger: Ledger) -> frozenset[str]:
    """Returns the block ids, folded, that a link, another claim or a question for a person names."""
    with ctx.catalog() as conn:
        anchors = [anchor for (anchor,) in conn.execute("SELECT DISTINCT anchor FROM link WHERE anchor LIKE '%^%'")]
        named = [atom_id for (atom_id,) in conn.execute("SELECT DISTINCT superseded_by FROM atom WHERE superseded_by IS NOT NULL")]
    asked = [value for record in ledger.held.values() for value in _verdict(record.get("question")) if isinstance(value, str)]
    return frozenset(map(fold, (*(anchor.rpartition("^")[2] for anchor in anchors), *named, *asked)))


def _verdict(question: object) -> Iterable[object]:
    verdict = question.get("verdict") if isinstance(question, dict) else None
    return verdict.values() if isinstance(verdict, dict) else ()


def _is_referred(text: str, atom: Atom, referred: frozenset[str]) -> bool:
    """Tells whether something names the claim; a second place in the note's own text counts, whatever it is."""
    return atom.id is not None and (fold(atom.id) in referred or fold(text).count(f"^{fold(atom.id)}") > 1)
