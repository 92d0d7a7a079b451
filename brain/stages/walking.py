"""The plans of a walk: verdicts about one episode → edits of the notes they are about. Reads, writes nothing.

A claim goes to the note that answers to its name, whatever that note's type; a name that nothing answers to
gets a note; a name that is unclear is put before a person. What a note already says only gets a source more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from brain.core.dates import civil_date, date_in
from brain.core.ids import fold, sha256_hex, short_hash
from brain.core.judgement import Episode, Extracted, Relates
from brain.core.note import Note
from brain.core.plan import AppendToSection, CreateNote, Edit, Plan, Provenance, SetField
from brain.core.slug import file_stem
from brain.errors import BrainError
from brain.stages import claims, edges, paths
from brain.stages.context import Context, Reading
from brain.stages.ledger import Ledger, body_sha256
from brain.stages.report import counted
from brain.stages.rules import Reading as Verdicts
from brain.stages.target import Existing, Missing, Names, NoThing, Target, Unclear
from brain.vault.frontmatter import set_field
from brain.vault.parse import encode, parse_note
from brain.vault.render import entity_note
from brain.vault.sections import append_to_section
from brain.vault.store import Source

STAMP = "brain_processed"
KIND_OF_NEW = {"person": "person", "event": "event"}
KIND_DEFAULT = "concept"
FOLDER_OF_KIND = {"person": "People", "event": "Events", "concept": "Concepts"}


@dataclass(slots=True)
class Walking:
    """What planning one episode may look at, and the notes it decided to create."""

    ctx: Context
    reading: Reading
    names: Names
    ledger: Ledger
    _new: list[tuple[str, Existing]] = field(default_factory=list)

    def remember(self) -> None:
        """Lets the rest of the run know the notes that the plan created, once it landed."""
        for name, note in self._new:
            self.names.made(name, note)
        self._new.clear()

    def find(self, episode: Episode, name: str) -> Target:
        """Returns what a name leads to; an episode, the one at hand too, is no thing a claim can be about."""
        found = self.names.find(episode.path, name)
        if isinstance(found, Existing):
            inbox = fold(f"{self.ctx.config.folders.inbox}/")
            is_thing = found.kind != "episode" and found.path != episode.path and not fold(found.path).startswith(inbox)
            return self._writable(found) if is_thing else NoThing()
        stem = file_stem(name)
        if isinstance(found, Missing) and stem != found.name and not isinstance(other := self.names.find(episode.path, stem), Missing):
            return Unclear("a note has the file name it would get", (other.path,) if isinstance(other, Existing) else ())
        return found

    def _writable(self, found: Existing) -> Target:
        """A note whose end is inside code that never closes, or with a heading twice, cannot take a claim."""
        source = self.reading.read(found.path)
        if source is None:
            return found
        try:
            for heading in ("Atoms", "Related"):
                append_to_section(source.text, heading, ("- x",))
        except BrainError as error:
            return Unclear(error.message.rstrip("."), (found.path,))
        return found


@dataclass(slots=True)
class _Draft:
    """What one note gets: bullets, relation lines, sources on atoms that are there."""

    name: str
    kind: str
    source: Source | None
    path: str
    bullets: list[str] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    note: Note | None = None

    @property
    def is_changed(self) -> bool:
        return bool(self.bullets or self.related or self.edits)


def plan_unclear(walking: Walking, episode: Episode, verdicts: Verdicts) -> Iterator[Plan]:
    """Yields a plan to be held for each claim or relation about an unclear name."""
    stated: tuple[Extracted | Relates, ...] = (*verdicts.claims, *verdicts.relations)
    for verdict in stated:
        name = verdict.entity if isinstance(verdict, Extracted) else verdict.source
        found = walking.find(episode, name)
        if not isinstance(found, Unclear):
            continue
        candidates = f" ({', '.join(found.candidates)})" if found.candidates else ""
        yield Plan(
            "walk", f"{episode.id}|{name}|{verdict.quote}", {episode.path: episode.sha256}, (),
            f"{episode.path}, line {verdict.line}: [[{name}]] is unclear: {found.why}{candidates}",
            (Provenance(f"unclear|{name}", episode.path, episode.sha256, verdict.line, verdict.quote, verdict.reason, verdict.judge),),
            certain=False, concerns=("ambiguous",),
        )  # fmt: skip


def plan_episode(walking: Walking, episode: Episode, verdicts: Verdicts) -> Plan:
    """Returns the one plan that files everything certain in an episode and marks it as walked."""
    ctx = walking.ctx
    note = parse_note(episode.path, episode.text, ctx.config.limits)
    drafts: dict[str, _Draft] = {}
    items: list[tuple[str, Extracted | Relates]] = []
    kinds = {fold(claim.entity): KIND_OF_NEW[claim.kind] for claim in verdicts.claims if claim.kind in KIND_OF_NEW}
    for claim in verdicts.claims:
        items += _file_claim(walking, episode, claim, kinds.get(fold(claim.entity), KIND_DEFAULT), drafts)
    for relation in verdicts.relations:
        items += _file_relation(walking, episode, relation, drafts)
    changed = [draft for _, draft in sorted(drafts.items()) if draft.is_changed]
    stamp = _stamped(ctx, episode, note) if changed or note.kind == "episode" else None
    edits = [edit for draft in changed for edit in _edits(walking, episode, note, draft)]
    shift = stamp.count("\n") - episode.text.count("\n") if stamp else 0
    sha256 = sha256_hex(encode(stamp)) if stamp else episode.sha256
    return Plan(
        "walk",
        f"{episode.id}|{body_sha256(episode.text, ctx.config.limits)}",
        {episode.path: episode.sha256} | {d.path: d.source.sha256 for d in changed if d.source},
        (*edits, *([SetField(episode.path, STAMP, ctx.today)] if stamp else [])),
        _because(episode, verdicts),
        tuple(Provenance(item, episode.path, sha256, v.line + shift, v.quote, v.reason, v.judge) for item, v in items),
        walked=(episode.path,),
    )


def _because(episode: Episode, verdicts: Verdicts) -> str:
    parts = [counted(len(verdicts.claims), "claim")] if verdicts.claims or not verdicts.relations else []
    parts += [counted(len(verdicts.relations), "relation")] if verdicts.relations else []
    return f"{episode.path} states {' and '.join(parts)}"


def _file_claim(
    walking: Walking, episode: Episode, claim: Extracted, kind: str, drafts: dict[str, _Draft]
) -> list[tuple[str, Extracted | Relates]]:
    """Adds a claim to the draft of its note; returns the item of provenance it makes, if it says anything new."""
    draft = _draft(walking, episode, claim.entity, kind, drafts)
    if draft is None:
        return []
    text = claims.said_about(claim.text, claim.entity)
    key = claims.claim_key(claim.kind, text)
    ids = claims.claim_ids(draft.name, claim.kind, text)
    if key in draft.keys or set(ids) & walking.ledger.declined:
        return []
    draft.keys.add(key)
    source = walking.names.link_to(episode.path)
    known = claims.equal_atom(draft.note.atoms, claim.kind, text) if draft.note else None
    if known is not None and draft.source is not None:
        if any(walking.names.find(draft.path, target) == Existing(episode.path, "episode") or target == source for target in known.sources):
            return []
        draft.edits.append(claims.with_source(draft.path, draft.source.text, known, [source]))
        return [(known.id or _stored_id(walking.ctx, draft.path, known.line) or ids[0], claim)]
    atom_id = claims.free_id(ids, lambda candidate: _is_atom(walking.ctx, candidate))
    draft.bullets.append(claims.bullet(text, kind=claim.kind, confidence=claim.confidence, source=source, atom_id=atom_id))
    return [(atom_id, claim)]


def _file_relation(walking: Walking, episode: Episode, relation: Relates, drafts: dict[str, _Draft]) -> list[tuple[str, Extracted | Relates]]:
    """Adds a relation line to the note it starts in; a target without a note makes no edge."""
    found = walking.find(episode, relation.target)
    target = found.path if isinstance(found, Existing) else next((d.path for d in drafts.values() if d.source is None and fold(d.name) == fold(relation.target)), None)
    draft = _draft(walking, episode, relation.source, KIND_DEFAULT, drafts) if target else None
    if draft is None or target is None or target == draft.path:
        return []
    item = f"{draft.path}|{relation.relation}|{target}"
    if item in draft.keys or item in walking.ledger.declined:
        return []
    if draft.note and edges.has_edge(draft.note, relation.relation, target, lambda name: walking.names.find(draft.path, name)):
        return []
    draft.keys.add(item)
    reason = relation.reason or f"written in {episode.path.rsplit('/', 1)[-1][:-3]}"
    draft.related.append(edges.relation_line(relation.relation, walking.names.link_to(target), reason))
    return [(item, relation)]


def _draft(walking: Walking, episode: Episode, name: str, kind: str, drafts: dict[str, _Draft]) -> _Draft | None:
    """Returns the draft of the note a name leads to; None when the name is unclear or no thing."""
    found = walking.find(episode, name)
    match found:
        case Existing(path=path):
            if path not in drafts:
                source = walking.reading.read(path)
                if source is None:
                    return None
                drafts[path] = _Draft(name, found.kind, source, path, note=parse_note(path, source.text, walking.ctx.config.limits))
            return drafts[path]
        case Missing():
            path = _new_path(walking.ctx, found.name, kind)
            known = next((d for d in drafts.values() if d.source is None and fold(d.name) == fold(found.name)), None)
            return known or drafts.setdefault(path, _Draft(found.name, kind, None, path))
        case _:
            return None


def _edits(walking: Walking, episode: Episode, note: Note, draft: _Draft) -> Iterator[Edit]:
    source = f"[[{walking.names.link_to(episode.path)}]]"
    day = civil_date(note.properties.get("created")) or date_in(episode.path.rsplit("/", 1)[-1]) or walking.ctx.today
    if draft.source is None or draft.note is None:
        walking._new.append((draft.name, Existing(draft.path, draft.kind)))
        yield CreateNote(draft.path, _new_note(draft, episode, day, source))
        return
    yield from draft.edits
    if draft.bullets:
        yield AppendToSection(draft.path, "Atoms", tuple(draft.bullets))
    if draft.related:
        yield AppendToSection(draft.path, "Related", tuple(draft.related))
    yield from _confirmed(draft.source, draft.note, day, source)


def _new_note(draft: _Draft, episode: Episode, day: str, source: str) -> str:
    stem = draft.path.rsplit("/", 1)[-1][:-3]
    fields = [
        ("id", f"n-{short_hash('entity', draft.path, episode.id, length=16)}"), ("type", "entity"), ("kind", draft.kind),
        ("aliases", (draft.name,) if draft.name != stem else None), ("status", "active"), ("created", day),
        ("last_confirmed", day), ("source", (source,)),
    ]  # fmt: skip
    return entity_note(fields, draft.bullets, draft.related)


def _confirmed(source: Source, note: Note, day: str, episode: str) -> Iterator[Edit]:
    """Keeps `last_confirmed` and `source` of an entity note; other notes' properties are their owner's."""
    if note.type is None or note.type.casefold() != "entity" or note.malformed:
        return
    known = note.properties.get("source")
    listed = known if isinstance(known, list) else [known] if isinstance(known, str) else []
    wanted: list[tuple[str, str | tuple[str, ...]]] = []
    if (civil_date(note.properties.get("last_confirmed")) or "") < day:
        wanted.append(("last_confirmed", day))
    if all(isinstance(item, str) for item in listed) and episode not in listed:
        wanted.append(("source", (*(str(item) for item in listed), episode)))
    for key, value in wanted:
        if _settable(source.text, key, value):
            yield SetField(note.path, key, value)


def _stamped(ctx: Context, episode: Episode, note: Note) -> str | None:
    """Returns the episode with its stamp; None when it cannot have one (the journal knows it was walked)."""
    if note.malformed or not os.access(ctx.vault.absolute(episode.path), os.W_OK):
        return None
    try:
        return set_field(episode.text, STAMP, ctx.today, limits=ctx.config.limits)
    except BrainError:
        return None


def _settable(text: str, key: str, value: str | tuple[str, ...]) -> bool:
    try:
        set_field(text, key, value)
    except BrainError:
        return False
    return True


def _new_path(ctx: Context, name: str, kind: str) -> str:
    folder = paths.real_folder(ctx.vault.root, f"{ctx.config.folders.memory}/{FOLDER_OF_KIND[kind]}")
    return f"{folder}/{file_stem(name)}.md"


def _is_atom(ctx: Context, atom_id: str) -> bool:
    with ctx.catalog() as conn:
        return conn.execute("SELECT 1 FROM atom WHERE id=? OR declared_id=?", (atom_id, atom_id)).fetchone() is not None


def _stored_id(ctx: Context, path: str, line: int) -> str | None:
    """Returns the id that the catalog gave an atom without one of its own."""
    with ctx.catalog() as conn:
        row = conn.execute("SELECT a.id FROM atom a JOIN note n USING(nid) WHERE n.path=? AND a.line=?", (path, line)).fetchone()
    return None if row is None else str(row[0])
