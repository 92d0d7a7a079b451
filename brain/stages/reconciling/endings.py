"""A relation that is over says so: ` (to DATE)` on its line under `## Related`, which stays. Reads, and commits through the run.

Over is a relation whose claim was closed with a day, while no claim that stands says it: by rules. One of which a person
mostly has one at a time may be over when a later one of the type has begun. A second job may be held beside the first,
and a room lies in a town, so that this is only asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from brain.core.ids import fold
from brain.core.judgement import Relates
from brain.core.note import Atom, Link, Note, Span
from brain.core.plan import WRITTEN_BITS, Plan, Provenance, Question, ReplaceSpan
from brain.core.vocabulary import canonical_relation
from brain.errors import UsageError
from brain.stages.context import Context, Reading
from brain.stages.edges import RELATED
from brain.stages.gate import decision_id
from brain.stages.report import counted
from brain.stages.rules import RULES, plain
from brain.stages.run import Run
from brain.stages.target import Names
from brain.vault.parse import parse_note
from brain.vault.sections import find_section
from brain.vault.store import Source

PAGE = 1_000
MOSTLY_ONE = ("works_at", "located_at")
"""What a person mostly has one of at a time."""
_SAID = {
    "works_at": r"(?:works?|worked|working|employed|arbeitet|arbeitete) (?:at|for|by|bei|für)",
    "located_at": r"(?:lives?|lived|based|located|wohnt|wohnte) (?:in|at)",
    "member_of": r"(?:member|mitglied) (?:of|von|bei|im|in)",
}
"""How a claim says that a relation holds; the name of the other end follows."""
_DASH = re.compile(r"[ \t]+[-–—][ \t]")


@dataclass(frozen=True, slots=True)
class Open:
    """A relation that has not ended, on the one line that states it. `names` are what its other end is called."""

    relation: str
    target: str
    link: Link
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """A relation and the day of its end; `line` is where that is said. One that is not certain is a person's to tell."""

    open: Open
    on: str
    line: int
    reason: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Ended:
    """How many relations are over, or may be, and for how many of these there was no room to ask."""

    found: int
    waiting: int


def end_relations(ctx: Context, run: Run, *, room: int) -> Ended:
    """Ends the relations that are over, and asks about at most `room` that may be; a line that cannot say it is named."""
    names, found, waiting = Names(ctx), 0, 0
    for path, rows in groupby(_rows(ctx), key=lambda row: str(row["path"])):
        listed, tried = list(rows), set[str]()
        while (case := _next(ctx, run, names, path, listed, tried)) is not None:
            source, ending, key = case
            tried.add(key)
            edit = _ended(ctx, source, ending)
            if edit is None:
                run.say(f"{path}: {ending.open.link.raw} ended on {ending.on} ({ending.reason}), and its line {ending.open.link.line} cannot say so.")
                continue
            found += 1
            if not ending.certain and room <= 0:
                waiting += 1
                continue
            room -= not ending.certain
            run.commit(_plan(source, ending, edit, key))
    if waiting:
        run.say(f"{counted(waiting, 'relation')} may have ended, and {'waits' if waiting == 1 else 'wait'} for room to be asked about (limits.review_items_max).")
    return Ended(found, waiting)


def replan(ctx: Context, reading: Reading, key: str) -> Plan | str:
    """Returns the plan of one ending from the notes as they are now, or why there is none."""
    names = Names(ctx)
    rows = [row for row in _rows(ctx) if key.startswith(f"ended|{row['id']}|")]
    source = reading.read(str(rows[0]["path"])) if rows else None
    for ending in _all(ctx, names, source, rows) if source is not None else ():
        if source is not None and _key(rows, ending) == key:
            edit = _ended(ctx, source, ending)
            return _plan(source, ending, edit, key) if edit else f"line {ending.open.link.line} of {source.path} cannot say when it ended"
    return ""


def _rows(ctx: Context) -> list[dict[str, Any]]:
    """The edges of notes that have two of one type, or a claim that was closed."""
    rows: list[dict[str, Any]] = []
    with ctx.graph.session():
        while True:
            page = ctx.graph.run("open-relations", types=list(_SAID), skip=len(rows), limit=PAGE)
            rows += page
            if len(page) < PAGE:
                break
    kept = []
    for _, group in groupby(rows, key=lambda row: (row["path"], row["type"])):
        of_type = list(group)
        kept += of_type if len(of_type) > 1 or of_type[0]["closed"] else []
    return kept


def _next(ctx: Context, run: Run, names: Names, path: str, rows: Sequence[dict[str, Any]], tried: set[str]) -> tuple[Source, Ending, str] | None:
    """Returns the first relation of a note, as it is now, that is over and was not decided about yet."""
    source = run.reading.read(path)
    if source is None:
        return None
    for ending in _all(ctx, names, source, rows):
        key = _key(rows, ending)
        decision = decision_id(Plan("reconcile", key, {}, (), ""))
        if decision in run.ledger.declines:
            run.leave_out("relation", decision, run.ledger.declines[decision])
        if key not in tried and decision not in run.ledger.settled:
            return source, ending, key
    return None


def _key(rows: Sequence[dict[str, Any]], ending: Ending) -> str:
    return f"ended|{rows[0]['id']}|{ending.open.relation}|{ending.open.target}|{ending.on}"


def _all(ctx: Context, names: Names, source: Source, rows: Sequence[dict[str, Any]]) -> Iterator[Ending]:
    """Yields what is over, or may be, in a note as it is now."""
    note = parse_note(source.path, source.text, ctx.config.limits)
    with names.session():  # one catalog for all its links
        listed = _listed(source, note, lambda link: names.leads_to(source.path, link.target, link.form), rows)
    yield from _endings(note, listed, is_person=rows[0]["kind"] == "person")


def _listed(source: Source, note: Note, leads_to: Callable[[Link], str | None], rows: Sequence[dict[str, Any]]) -> list[Open]:
    """The relations of a note under `## Related` that have not ended, each of which one line states."""
    try:
        section = find_section(source.text, RELATED)
    except UsageError:
        return []  # the heading stands there twice, which doctor names
    wanted = {(row["type"], row["target"]): str(row["title"]) for row in rows}
    found = []
    for link in note.links:
        relation = canonical_relation(link.relation or "")
        target = leads_to(link) if relation and link.place == "body" and section and section.body <= link.span.start < section.end else None
        if relation and target and link.valid_to is None and (title := wanted.get((relation, target))) is not None:
            stem = target.rsplit("/", 1)[-1][:-3]
            found.append(Open(relation, target, link, tuple(dict.fromkeys((title, stem, link.alias or stem)))))
    once = [(case.relation, case.target) for case in found]
    return [case for case in found if once.count((case.relation, case.target)) == 1]


def _endings(note: Note, listed: Sequence[Open], *, is_person: bool) -> Iterator[Ending]:
    for case in listed:
        ending = _closed(note, case) or (_followed(case, listed) if is_person else None)
        if ending is not None:
            yield ending


def _followed(case: Open, listed: Sequence[Open]) -> Ending | None:
    """Returns the end of a relation that a later one of its type may bring, from the first day of both."""
    start = case.link.valid_from
    after = [other for other in listed if start and other.relation == case.relation and (other.link.valid_from or "") > start]
    if not after or case.relation not in MOSTLY_ONE:
        return None
    first = min(after, key=lambda other: (other.link.valid_from or "", other.link.line))
    reason = f"a person mostly {case.relation.replace('_', ' ')} one at a time, and {first.names[0]} came after"
    return Ending(case, first.link.valid_from or "", first.link.line, reason, certain=False)


def _closed(note: Note, case: Open) -> Ending | None:
    """Returns the end of a relation whose claim was closed with a day, when no claim that stands says it."""
    said = [atom for atom in note.atoms if _says(atom, case)]
    ended = [(day, atom) for atom in said if (day := atom.valid_to or atom.superseded_on) and atom.status == "superseded"]
    if not ended or any(atom.status == "active" for atom in said):
        return None
    day, atom = max(ended, key=lambda pair: (pair[0], pair[1].line))
    return None if (case.link.valid_from or "") >= day else Ending(case, day, atom.line, "the claim that says it was closed")


def _says(atom: Atom, case: Open) -> bool:
    named = "|".join(re.escape(fold(name)) for name in case.names)
    return re.search(rf"\b{_SAID[case.relation]} (?:{named})(?!\w)", fold(plain(atom.text))) is not None


def _ended(ctx: Context, source: Source, ending: Ending) -> ReplaceSpan | None:
    """Returns the edit that writes the day of the end: where it is read as that and nothing else changes, or None."""
    text, link = source.text, ending.open.link
    end = len(text) if (found := text.find("\n", link.span.end)) < 0 else found
    line = text[link.span.end : end]
    bare = len(line.rstrip())
    dash = _DASH.search(line)
    before = parse_note(source.path, text, ctx.config.limits)
    wanted = [_placeless(replace(known, valid_to=ending.on) if known == link else known) for known in before.links]
    for at in (bare, *([dash.start()] if dash else [])):
        place = link.span.end + at
        added = f" (to {ending.on})"
        after = parse_note(source.path, text[:place] + added + text[place:], ctx.config.limits)
        if [_placeless(known) for known in after.links] == wanted and len(after.atoms) == len(before.atoms):
            return ReplaceSpan(source.path, Span(place, place), "", added)
    return None


def _placeless(link: Link) -> Link:
    """A link without its place, which an edit before it moves."""
    return replace(link, span=Span(0, 0))


def _plan(source: Source, ending: Ending, edit: ReplaceSpan, key: str) -> Plan:
    case = ending.open
    quote = source.text.split("\n")[ending.line - 1].strip("\r")
    item = f"{source.path}|{case.relation}|{case.target}|to"
    stated = Relates(RULES.name, ending.reason, source.path, case.relation, case.target, ending.line, quote)
    question = Question(stated, (key.split("|")[1],), (ending.reason,), WRITTEN_BITS)
    return Plan(
        "reconcile", key, {source.path: source.sha256}, (edit,),
        f"{source.path}: {case.relation} {case.names[0]} {'ended' if ending.certain else 'may have ended'} on {ending.on}: {ending.reason}",
        (Provenance(item, source.path, source.sha256, ending.line, quote, ending.reason, RULES.name),),
        certain=ending.certain, question=None if ending.certain else question,
    )  # fmt: skip
