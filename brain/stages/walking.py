"""The plans of a walk: verdicts about one episode → edits of the notes they are about. Reads, writes nothing.

A claim goes to the note that answers to its name, whatever that note's type; a name that nothing answers to
gets a note; a name that is unclear, or a note that no link can lead to, is put before a person. What a note
already says only gets a source more. What a person took back of this very episode is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from brain.core.ids import fold, sha256_hex
from brain.core.judgement import Episode, Extracted, Relates
from brain.core.note import Atom, Link, Note
from brain.core.plan import WRITTEN_BITS, Concern, Edit, Plan, Provenance, Question, SetField
from brain.core.slug import file_stem
from brain.core.tree import is_backwards
from brain.errors import BrainError
from brain.stages import claims, edges, paths
from brain.stages.carry import carried
from brain.stages.context import Context, Reading
from brain.stages.draft import Draft, edits_of
from brain.stages.growing.placing import Placing, Unfit
from brain.stages.ledger import Ledger, TakenBack, body_sha256
from brain.stages.reading import loops
from brain.stages.reading.model import NOTHING, WHOLE, Heard, day_of
from brain.stages.reading.places import is_episode_path, loops_path
from brain.stages.report import counted
from brain.stages.rules import RULES
from brain.stages.rules import Reading as Verdicts
from brain.stages.spelling import open_marks, words_of
from brain.stages.target import Existing, Missing, Names, NoThing, Planned, Target, Unclear
from brain.vault.fields import split_validity
from brain.vault.frontmatter import set_field
from brain.vault.linkscan import Found
from brain.vault.parse import encode, parse_note
from brain.vault.sections import append_to_section

STAMP = "brain_processed"
KIND_OF_NEW = {"person": "person", "event": "event"}
KIND_DEFAULT = "concept"
FOLDER_OF_KIND = {"person": "People", "event": "Events", "concept": "Concepts"}

Stated = Extracted | Relates
Item = tuple[str, Stated]


@dataclass(slots=True)
class Walking:
    """What planning one episode may look at, and what it came to: notes to create, what it left to a person, what it left out."""

    ctx: Context
    reading: Reading
    names: Names
    ledger: Ledger
    drafts: dict[str, Draft] = field(default_factory=dict)
    declined: dict[str, TakenBack] = field(default_factory=dict)
    """The id of a claim or relation → what a person took back."""
    notices: list[str] = field(default_factory=list)
    """Sentences for a person."""
    placing: Placing = field(init=False)
    _questions: list[tuple[Stated, str, str, Concern]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Looks at the tree for the plan of this episode."""
        self.placing = Placing(self.ctx, self.names)

    @property
    def new_paths(self) -> list[str]:
        """The notes that the plan creates."""
        return [*(draft.path for draft in self.drafts.values() if draft.source is None), *(made.path for made in self.placing.made)]

    def find(self, episode: Episode, name: str) -> Target:
        """Returns what a name leads to; an episode, the one at hand too, is no thing a claim can be about."""
        if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
            return Unclear("it holds bytes that are no text", ())
        found = self.names.find(episode.path, name)
        if isinstance(found, Existing):
            is_thing = found.kind != "episode" and found.path != episode.path and not is_episode_path(self.ctx.config, found.path)
            return self._writable(found) if is_thing else NoThing()
        stem = file_stem(name)
        if isinstance(found, Missing) and stem != found.name and not isinstance(other := self.names.find(episode.path, stem), Missing):
            return Unclear("a note has the file name it would get", (other.path,) if isinstance(other, Existing) else ())
        return found

    def draft(self, episode: Episode, stated: Stated, name: str, kind: str) -> Draft | None:
        """Returns the draft of the note a name leads to; None when the name is unclear, which a person is asked, or no thing."""
        match self.find(episode, name):
            case Existing(path=path, kind=known_kind):
                if path not in self.drafts:
                    source = self.reading.read(path)
                    if source is None:
                        return None
                    self.drafts[path] = Draft(name, known_kind, path, source, parse_note(path, source.text, self.ctx.config.limits))
                return self.drafts[path]
            case Missing(name=free):
                path = _new_path(self.ctx, free, kind)
                draft = self.drafts.setdefault(path, Draft(free, kind, path))
                self.names.plan(Planned(path, kind, (free,) if free != path.rsplit("/", 1)[-1][:-3] else ()))
                return draft
            case Unclear() as unclear:
                self.ask(stated, name, unclear)
                return None
            case _:
                return None

    def ask(self, stated: Stated, name: str, unclear: Unclear) -> None:
        """Puts an unclear name before a person."""
        candidates = f" ({', '.join(unclear.candidates)})" if unclear.candidates else ""
        self._questions.append((stated, name, f"[[{name}]] is unclear: {unclear.why}{candidates}", "ambiguous"))

    def link(self, stated: Stated, source: str, path: str) -> str | None:
        """Returns a link from one note to another; when none can be written, that is put before a person."""
        text = self.names.link_to(source, path)
        if text is None:
            why = f"no link that can stand in {source} leads to {path}; give that note another name"
            self._questions.append((stated, path, why, "unlinkable"))
        return text

    def is_declined(self, episode: Episode, items: tuple[str, ...], quote: str) -> bool:
        """Tells whether a person took this back of this very episode, which is taken note of."""
        found = next((known for known in self.ledger.taken_back(episode.id) if known.item in items or known.quote == quote), None)
        if found is not None:
            self.declined[items[0]] = found
        return found is not None

    def questions(self, episode: Episode) -> Iterator[Plan]:
        """Yields a plan to be held for each claim or relation that a person must decide."""
        for verdict, name, why, concern in self._questions:
            said = f"|{verdict.text}" if isinstance(verdict, Extracted) and not _is_by_rules(verdict) else ""  # a model may say two things of one place
            yield Plan(
                "walk", f"{episode.id}|{name}|{verdict.quote}{said}", {episode.path: episode.sha256}, (),
                f"{episode.path}, line {verdict.line}: {why}",
                (Provenance(f"{_CODES[concern]}|{name}", episode.path, episode.sha256, verdict.line, verdict.quote, verdict.reason, verdict.judge),),
                certain=concern != "ambiguous", concerns=(concern,), question=Question(verdict, (episode.id, name), (why,), WRITTEN_BITS),
            )  # fmt: skip

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


_CODES: dict[Concern, str] = {"ambiguous": "unclear", "unlinkable": "unlinkable"}


def plan_episode(walking: Walking, episode: Episode, verdicts: Verdicts, heard: Heard = NOTHING) -> Plan:
    """Returns the one plan that files everything certain in an episode and marks it as walked, or as read so far.

    `heard` is what a model read where `verdicts`, the rules', left words open.
    """
    ctx = walking.ctx
    note = parse_note(episode.path, episode.text, ctx.config.limits)
    items: list[Item] = []
    said = (*verdicts.claims, *heard.claims)
    kinds = {fold(claim.entity): KIND_OF_NEW[claim.kind] for claim in said if claim.kind in KIND_OF_NEW}
    for claim in said:
        items += _file_claim(walking, episode, claim, kinds.get(fold(claim.entity), KIND_DEFAULT))
    for relation in verdicts.relations:
        items += _file_relation(walking, episode, relation)
    changed = [draft for _, draft in sorted(walking.drafts.items()) if draft.is_changed]
    walking.names.forget(set(walking.new_paths) - {draft.path for draft in changed})
    homes = list(_placed(walking, changed, items))
    todo = _todo(walking, episode, heard)
    stamp = _stamped(ctx, episode, note) if todo.is_whole and (changed or todo.edits or note.kind == "episode") else None
    day = day_of(episode.path, note.properties) or ctx.today
    edits = [*walking.placing.made, *(edit for draft in changed for edit in _edits(walking, episode, draft, day)), *todo.edits]
    shift = stamp.count("\n") - episode.text.count("\n") if stamp else 0
    sha256 = sha256_hex(encode(stamp)) if stamp else episode.sha256
    sources = (*((item, v.line, v.quote, v.reason, v.judge) for item, v in items), *homes, *todo.items)
    return Plan(
        "walk",
        f"{episode.id}|{body_sha256(episode.text, ctx.config.limits)}",
        {episode.path: episode.sha256} | {d.path: d.source.sha256 for d in changed if d.source} | todo.base,
        (*edits, *([SetField(episode.path, STAMP, ctx.today)] if stamp else [])),
        _because(episode, len(said), len(verdicts.relations), len(heard.actions)),
        tuple(Provenance(item, episode.path, sha256, line + shift, *rest) for item, line, *rest in sources),
        walked=(episode.path,),
        read=(*todo.read, WHOLE) if todo.is_whole and ctx.model else todo.read,
    )


def _because(episode: Episode, claim_count: int, relation_count: int, action_count: int) -> str:
    parts = [counted(claim_count, "claim")] if claim_count or not (relation_count or action_count) else []
    parts += [counted(relation_count, "relation")] if relation_count else []
    parts += [counted(action_count, "action")] if action_count else []
    return f"{episode.path} states {' and '.join(parts)}"


def _todo(walking: Walking, episode: Episode, heard: Heard) -> loops.Todo:
    """Returns the lines that an episode's actions make; where none can be written, the episode is not read to its end."""
    if not heard.actions:
        return loops.Todo(heard.read, heard.is_whole)
    ctx = walking.ctx
    path, source = loops.place_of(ctx.vault.root, walking.reading, loops_path(ctx.config))
    why, link = loops.why_closed(path, source), walking.names.link_to(path, episode.path)
    if why is not None or link is None:
        said = f"Actions in {episode.path} were not written: {why or 'no link can lead to it'}. They wait for the next run."
        walking.notices.append(said)
        return loops.Todo(is_whole=False)
    made = walking.ledger.items_of(episode.id)
    new = [
        (item, action)
        for action in loops.new_actions(episode, heard.actions, made=made, source=source, link=link)
        if not walking.is_declined(episode, (item := loops.action_id(episode, action),), action.quote)
    ]
    if not new:
        return loops.Todo(heard.read, heard.is_whole)
    return loops.Todo(
        heard.read, heard.is_whole, (loops.edit_of(path, source, [loops.line_of(action, link) for _, action in new]),),
        tuple((item, action.line, action.quote, f"line {action.line} says that it is to be done", action.judge) for item, action in new),
        {path: source.sha256} if source else {},
    )  # fmt: skip


def _is_by_rules(verdict: Stated) -> bool:
    return verdict.judge.startswith("rules/")


def _file_claim(walking: Walking, episode: Episode, claim: Extracted, kind: str) -> list[Item]:
    """Adds a claim to the draft of its note; returns the item of provenance it makes, if it says anything new."""
    draft = walking.draft(episode, claim, claim.entity, kind)
    if draft is None:
        return []
    text = claims.said_about(claim.text, _shown(walking.names, episode, claim.entity, draft), walking.ctx.config.limits)
    key = claims.claim_key(claim.kind, text)
    near = "" if _is_by_rules(claim) else claims.near_key(text)
    ids = claims.claim_ids(draft.name, claim.kind, text)
    if {key, near} & draft.keys or walking.is_declined(episode, ids, claim.quote):
        return []
    draft.keys |= {key, claims.near_key(text)} - {""}
    source = walking.link(claim, draft.path, episode.path)
    if source is None:
        return []
    atoms = draft.note.atoms if draft.note else ()
    for known in claims.near_atoms(atoms, text) if near else claims.equal_atoms(atoms, claim.kind, text):
        if _is_source(walking.names, draft, known, episode):
            return []
        stored = walking.names.atom_id_at(draft.path, known)
        edit = claims.with_sources(draft.path, draft.source.text, known, [source], spare_id=stored) if draft.source else None
        if edit is not None:
            draft.edits.append(edit)
            return [(known.id or stored or ids[0], claim)]
    atom_id = claims.free_id(ids, walking.names.is_atom_id)
    draft.bullets.append(claims.bullet(text, kind=claim.kind, confidence=claim.confidence, source=source, atom_id=atom_id))
    return [(atom_id, claim)]


def _file_relation(walking: Walking, episode: Episode, relation: Relates) -> list[Item]:
    """Adds a relation line to the note it starts in; a target without a note makes no edge."""
    ends = {name: walking.find(episode, name) for name in (relation.source, relation.target)}
    relation = _turned(relation, ends)
    unclear = [(name, found) for name, found in ends.items() if isinstance(found, Unclear)]
    for name, found in unclear:
        walking.ask(relation, name, found)
    end = ends[relation.target]
    draft = walking.draft(episode, relation, relation.source, KIND_DEFAULT) if isinstance(end, Existing) and not unclear else None
    if draft is None or not isinstance(end, Existing) or end.path == draft.path:
        return []
    word = walking.placing.fitting(draft.path, draft.kind, relation.relation, end)
    if isinstance(word, Unfit):
        if word.why:
            walking.notices.append(f"{episode.path}, line {relation.line}: {draft.path} {relation.relation} {end.path} was not written: {word.why}.")
        return []
    relation = replace(relation, relation=word)
    item = f"{draft.path}|{relation.relation}|{end.path}"
    if item in draft.keys or walking.is_declined(episode, (item,), relation.quote):
        return []
    if draft.note and edges.has_edge(draft.note, relation.relation, end.path, _end_of(walking.names, draft.path)):
        return []
    draft.keys.add(item)
    link = walking.link(relation, draft.path, end.path)
    if link is None:
        return []
    words, *days = split_validity(relation.reason)
    dated = (f"({word} {day})" for word, day in zip(("from", "to"), days, strict=True) if day)
    reason = " ".join((words or f"written in {episode.path.rsplit('/', 1)[-1][:-3]}", *dated))
    draft.related.append(edges.relation_line(relation.relation, link, reason, walking.ctx.config.limits))
    walking.placing.add(draft.path, word, end)
    return [(item, relation)]


def _turned(relation: Relates, ends: dict[str, Target]) -> Relates:
    """Returns a relation so that a passive one leads to the one who does it."""
    source, target = ends[relation.source], ends[relation.target]
    if isinstance(source, Existing) and isinstance(target, Existing) and is_backwards(relation.relation, source.kind, target.kind):
        return replace(relation, source=relation.target, target=relation.source)
    return relation


def _placed(walking: Walking, changed: Sequence[Draft], items: Sequence[Item]) -> Iterator[tuple[str, int, str, str, str]]:
    """Hangs new notes into the tree; yields what the edge of each comes from: the first words about it."""
    for draft in changed:
        said = next((v for _, v in items if fold(v.entity if isinstance(v, Extracted) else v.source) == fold(draft.name)), None)
        home = walking.placing.home(draft.path, draft.kind) if draft.source is None and said is not None else None
        if home is not None and said is not None:
            draft.parent = home.link
            yield f"{draft.path}|part_of|{home.path}", said.line, said.quote, home.why, RULES.name


def _shown(names: Names, episode: Episode, entity: str, draft: Draft) -> Callable[[Found, str], str]:
    """How the links of a claim are written in its note: those to the note itself as words, the others so that they lead where they led."""

    def shown(link: Found, raw: str) -> str:
        there = names.leads_to(episode.path, link.target, link.form) if link.target else episode.path
        if there == draft.path or fold(link.target) == fold(entity):
            return words_of(link)
        if " ".join(raw.split()) != raw or open_marks(raw):  # a name with two spaces would lose one on the one line of an atom
            is_embed = link.form in ("embed", "image")
            return (names.link_to(draft.path, there, anchor=link.anchor, alias=link.alias, is_embed=is_embed) if there else None) or words_of(link)
        return carried(names, link, raw, source=episode.path, dest=draft.path)

    return shown


def _end_of(names: Names, path: str) -> Callable[[Link], str | None]:
    def end(link: Link) -> str | None:
        found = names.find(path, link.target, link.form)
        return found.path if isinstance(found, Existing) else None

    return end


def _is_source(names: Names, draft: Draft, atom: Atom, episode: Episode) -> bool:
    """Tells whether an atom names the episode already."""
    links = draft.note.links if draft.note else ()
    return any(link.line == atom.line and link.target in atom.sources and names.leads_to(draft.path, link.target, link.form) == episode.path for link in links)


def _edits(walking: Walking, episode: Episode, draft: Draft, day: str) -> Iterator[Edit]:
    link = walking.names.link_to(draft.path, episode.path)
    sources = (known for known in (draft.note.links if draft.note else ()) if known.place == "property" and known.relation == "source")
    is_source = any(walking.names.leads_to(draft.path, known.target, known.form) == episode.path for known in sources)
    yield from edits_of(draft, episode.id, day, link, walking.ctx.config.limits, is_source=is_source)


def _stamped(ctx: Context, episode: Episode, note: Note) -> str | None:
    """Returns the episode with its stamp; None when it cannot have one (the journal knows it was walked)."""
    if note.malformed or not os.access(ctx.vault.absolute(episode.path), os.W_OK):
        return None
    try:
        return set_field(episode.text, STAMP, ctx.today, limits=ctx.config.limits)
    except BrainError:
        return None


def _new_path(ctx: Context, name: str, kind: str) -> str:
    folder = paths.real_folder(ctx.vault.root, f"{ctx.config.folders.memory}/{FOLDER_OF_KIND[kind]}")
    return f"{folder}/{file_stem(name)}.md"
