"""Episodes of other folders come in: each becomes a note of this vault's inbox that names where it was read, and is walked as any other.

What was read once, by its name and its words, is not read again, also when its note here was deleted or taken back.
An episode that changes outside changes its note here, unless a person has changed that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.core.dates import civil_date, date_in
from brain.core.ids import short_hash
from brain.core.note import Span
from brain.core.plan import CreateNote, Edit, Plan, ReplaceSpan
from brain.core.slug import file_stem, free_name
from brain.stages import paths
from brain.stages.context import Context
from brain.stages.ledger import Ledger, Record, body_sha256
from brain.stages.reading.outside import ORIGIN, Looking, Outside
from brain.stages.run import Run, landed
from brain.stages.target import Missing, Names, Planned
from brain.vault.render import episode_note
from brain.vault.store import Source

KEY = "outside"
STEM_CHARS_MAX = 60
_WIKILINK = re.compile(r"(?<!\\)\[\[(?=[^\[\]|#\r\n]*(?:[/\\]|\.md\s*[\]|#]))", re.IGNORECASE)
_INLINE_LINK = re.compile(r"(?<!\\)\]\((?!\s*<?https?://)", re.IGNORECASE)
_OWN_SECTION = re.compile(r"^([ >]*)(#{1,6}[ \t]+(?:atoms|related)[ \t#]*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CarriedIn:
    """What came in: (note id, path) of each episode to walk, and how many the limit left outside."""

    episodes: tuple[tuple[str, str], ...] = ()
    left_out: int = 0


def carry_in(ctx: Context, run: Run, names: Names, *, room: int | None) -> CarriedIn:
    """Brings in at most `room` episodes (None: all) from outside, and says what could not be read."""
    walk = ctx.config.walk
    if walk.unconfirmed is not None:
        run.say(
            f"brain.toml names folders outside the vault ({', '.join(walk.refused)}), which were not read; "
            f"set BRAIN_WALK_ALLOW={walk.unconfirmed} in your environment if that is your choice, or name them in BRAIN_WALK_INBOXES."
        )
    looking = Looking(ctx)
    episodes: list[tuple[str, str]] = []
    left_out = 0
    for plan in plan_outside(ctx, run, names, looking):
        if room is not None and len(episodes) >= room:
            left_out += 1
            continue
        path = plan.edits[0].path
        if not landed(run.commit(plan)):
            continue
        if run.is_dry:
            names.plan(Planned(path, "episode"))
        episodes.append((_id_of(plan.key), path))
    for notice in looking.notices():
        run.say(notice)
    return CarriedIn(tuple(episodes), left_out)


def plan_outside(ctx: Context, run: Run, names: Names, looking: Looking) -> Iterator[Plan]:
    """Yields a plan for each episode outside that says something that was not read yet."""
    known, notes = _carried_before(run.ledger)
    for outside in looking.episodes():
        key = f"{KEY}|{outside.name}|{outside.sha256}"
        if key in known:
            continue
        intent = notes.get(outside.name)
        source = run.reading.read(intent["files"][0]["path"]) if intent else None
        if intent is None or source is None:
            path = _free_path(ctx, run, names, outside.name)
            if path is None:
                run.say(f"{outside.name} was not read: too many notes here have its name.")
                continue
            edit: Edit = CreateNote(path, _text(ctx, outside))
        elif _is_untouched(ctx, run.ledger, intent, source, outside.name):
            edit = ReplaceSpan(source.path, Span(0, len(source.text)), source.text, _text(ctx, outside))
        else:
            run.say(f"{outside.name} changed, and so did its note here, which was left as it is: {source.path}.")
            continue
        base = {source.path: source.sha256} if isinstance(edit, ReplaceSpan) and source else {}
        yield Plan("walk", key, base, (edit,), f"{outside.name} is read from outside the vault")


def as_data(body: str) -> str:
    """Returns words from outside so that they name no path of this vault and hold none of its sections; a link by name stays one."""
    text = _INLINE_LINK.sub(r"]\\(", _WIKILINK.sub(r"\\[[", body))
    return _OWN_SECTION.sub(r"\1\\\2", text)


def _id_of(key: str) -> str:
    """The id of the note of an episode outside: one for all its versions."""
    return f"n-{short_hash('outside', key.split('|', 1)[1].rpartition('|')[0], length=16)}"


def _text(ctx: Context, outside: Outside) -> str:
    day = civil_date(outside.created) or date_in(outside.name.rsplit("/", 1)[-1]) or ctx.today
    fields = [
        ("id", _id_of(f"{KEY}|{outside.name}|")), ("type", "episode"), ("created", day), ("source", outside.name),
        ("source_sha256", outside.sha256), ("origin", ORIGIN),
    ]  # fmt: skip
    return episode_note(fields, as_data(outside.body))


def _carried_before(ledger: Ledger) -> tuple[set[str], dict[str, Record]]:
    """Returns the keys of all that was ever brought in, and by name the intent that last wrote its note and stands."""
    known: set[str] = set()
    notes: dict[str, Record] = {}
    for item, intent in ledger.intents.items():
        if item not in ledger.landed or intent["stage"] != "walk" or not intent["key"].startswith(f"{KEY}|"):
            continue
        known.add(intent["key"])
        if item not in ledger.undone and intent["files"]:
            notes[intent["key"].split("|", 1)[1].rpartition("|")[0]] = intent
    return known, notes


def _is_untouched(ctx: Context, ledger: Ledger, intent: Record, source: Source, name: str) -> bool:
    """Tells whether the note here says what was brought in: nobody changed it, but for the stamp of its walk."""
    walks = ledger.walked(_id_of(f"{KEY}|{name}|"))[-1:]
    as_walked = body_sha256(source.text, ctx.config.limits) in [walk["body_sha256"] for walk in walks]
    return as_walked or source.sha256 == intent["files"][0]["after_sha256"]


def _free_path(ctx: Context, run: Run, names: Names, name: str) -> str | None:
    """A path in the inbox that no note has, under a name that no note answers to: a file outside takes no link from a note here."""
    folder = paths.real_folder(ctx.vault.root, ctx.config.folders.inbox)
    vault = next((part for part in name.split("/") if part != ".."), "")
    stem = file_stem(f"{name.rsplit('/', 1)[-1][:-3][:STEM_CHARS_MAX]} ({vault})")

    def is_taken(candidate: str) -> bool:
        path = f"{folder}/{candidate}.md"
        return run.reading.taken(path) is not None or not isinstance(names.find(path, candidate), Missing)

    free = free_name(stem, is_taken)
    return None if free is None else f"{folder}/{free}.md"
