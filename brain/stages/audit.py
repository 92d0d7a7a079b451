"""What runs did, and why something stands in the notes: who proposed it, who judged it, from which line. Reads only.

The journal says it all; paths that it names are followed through later renames. What no record explains, a
person wrote.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from brain.core.plan import VIEWS
from brain.core.vocabulary import canonical_relation
from brain.errors import Ambiguous, NotFound, UsageError
from brain.stages.context import Context, Reading
from brain.stages.ledger import Ledger, RunEntry, State, misleading, read_ledger, runs_of, state_of
from brain.stages.record import question_of
from brain.vault.layout import inside_path
from brain.vault.store import Source

_ATOM = re.compile(r"\^?(a-[0-9a-z]+)")
Record = dict[str, Any]
Find = Callable[[str], str]
"""A name of a note → its path; raises NotFound, Ambiguous."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The words one claim or relation comes from. `line` is where the words stand now, None when they stand there no more."""

    episode: str
    quote: str
    line: int | None
    reason: str
    judge: str
    item: str
    state: State
    at: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One item of a run that wrote: what it did, why, who judged, and what is known for it."""

    item: str
    run: str
    stage: str
    at: str
    state: State
    because: str
    judges: tuple[str, ...]
    evidence: tuple[str, ...]
    paths: tuple[str, ...]
    made: tuple[str, ...]
    """Claims and relations that came of it."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Why something stands in the notes. `text` is how it is written now, at `path` and `line`; empty when it is not there."""

    what: str
    path: str
    line: int
    text: str
    origins: tuple[Origin, ...]
    decisions: tuple[Decision, ...]
    has_id: bool = False
    """Whether it bears an id of the kind that runs give."""

    @property
    def is_unknown(self) -> bool:
        """Whether the journal has nothing on it."""
        return not self.origins and not self.decisions

    @property
    def is_written_by_hand(self) -> bool:
        """Whether no run has anything to do with it, as far as can be seen."""
        return self.is_unknown and not self.has_id


def runs(ctx: Context) -> tuple[RunEntry, ...]:
    """Returns all runs that wrote or tried to, the latest first; what only wrote a view is none."""
    return tuple(entry for entry in reversed(runs_of(read_ledger(ctx.journal))) if entry.stage not in VIEWS)


def run_called(ctx: Context, name: str) -> RunEntry:
    """Returns one run by its id. Raises: NotFound."""
    for entry in runs(ctx):
        if entry.run == name:
            return entry
    raise NotFound(f"There is no run {name!r}.", "brain runs")


def explain(ctx: Context, words: Sequence[str], find: Find) -> Explained:
    """Explains an atom (`a-…`), a relation (source, relation, target), an item of a run, or a note.

    Raises: NotFound, Ambiguous, UsageError.
    """
    parts = [part for word in words for part in (word.split("|") if len(words) == 1 else [word])]
    history = _History(ctx)
    if len(parts) == 3:
        return _relation(ctx, history, find(parts[0]), parts[1], find(parts[2]))
    if len(parts) == 1 and (said := _as_said(parts[0], find)):
        return _relation(ctx, history, *said)
    if len(parts) != 1:
        raise UsageError("Give one name, or a relation as three: source, relation, target.", 'brain explain Boat depends_on Keel')
    if parts[0] in history.ledger.intents:
        return Explained(parts[0], "", 0, "", (), (history.decision(parts[0]),))
    atom = _ATOM.fullmatch(parts[0])
    if atom:
        return _atom(ctx, history, atom[1])
    path = find(parts[0])
    return Explained(path, path, 0, "", (), history.decisions_on(path))


def _as_said(words: str, find: Find) -> tuple[str, str, str] | None:
    """Returns source, relation and target of a sentence such as `Boat depends_on Keel`; None when it is none, or a note's name.

    Raises: NotFound, Ambiguous when only the relation is known.
    """
    said = words.split()
    if len(said) < 3 or _is_name(words, find):
        return None
    middles = sorted(range(1, len(said) - 1), key=lambda at: canonical_relation(said[at]) is None)
    ways = [(" ".join(said[:at]), said[at], " ".join(said[at + 1 :])) for at in middles]
    way = next((way for way in ways if _is_name(way[0], find) and _is_name(way[2], find)), ways[0] if canonical_relation(ways[0][1]) else None)
    return None if way is None else (find(way[0]), way[1], find(way[2]))


def _is_name(name: str, find: Find) -> bool:
    with suppress(Ambiguous):  # a name of several notes is a name too
        try:
            find(name)
        except NotFound:
            return False
    return True


class _History:
    """The journal, folded once for one question."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.ledger: Ledger = read_ledger(ctx.journal)
        self._reading = Reading(ctx.vault)
        self._records = ctx.journal.records({"provenance", "verdict", "moved", "held"})
        self._moves = [(record["at"], record["from"], record["to"]) for record in self._records if record["kind"] == "moved"]

    def now_at(self, path: str, since: str) -> str:
        """Returns where a note is by now that was at a path then."""
        for at, source, target in self._moves:
            if at >= since and source == path:
                path = target
        return path

    def origins(self, item: str) -> tuple[Origin, ...]:
        """Returns where a claim or relation comes from, oldest first; a relation is found under the paths of today."""
        records = (record for record in self._records if record["kind"] == "provenance")
        return tuple(self._origin(record) for record in records if self._item_now(record) == item)

    def decision(self, item: str) -> Decision:
        """Returns an item of a run with everything that is known for it."""
        intent = self.ledger.intents[item]
        verdict = next((r for r in self._records if r["kind"] == "verdict" and r.get("plan") == item), {})
        held = next((r for r in self._records if r["kind"] == "held" and r.get("decision") == intent["decision"]), {})
        question = question_of(held.get("question"))
        return Decision(
            item, intent["run"], intent["stage"], intent["at"], state_of(self.ledger, item), intent["because"],
            tuple(verdict.get("judges", ())), question.evidence if question else (),
            tuple(sorted(self.now_at(file["path"], intent["at"]) for file in intent["files"])),
            tuple(str(source["item"]) for source in intent["provenance"]),
        )  # fmt: skip

    def decisions_on(self, path: str) -> tuple[Decision, ...]:
        """Returns what runs wrote to a note, oldest first, whatever became of it."""
        found = (self.decision(item) for item in self.ledger.intents)
        return tuple(decision for decision in found if path in decision.paths and decision.stage not in ("undo", *VIEWS))

    def _item_now(self, record: Record) -> str:
        ends = str(record["item"]).split("|")
        if len(ends) != 3:
            return str(record["item"])
        return "|".join((self.now_at(ends[0], record["at"]), ends[1], self.now_at(ends[2], record["at"])))

    def _origin(self, record: Record) -> Origin:
        path = self.now_at(record["episode"], record["at"])
        return Origin(
            path, record["quote"], self._line_of(path, record["quote"], record["line"]), record["reason"], record["judge"], record["plan"],
            state_of(self.ledger, record["plan"]), record["at"],
        )  # fmt: skip

    def _line_of(self, path: str, quote: str, line: int) -> int | None:
        """Returns the line on which a quote stands now, the nearest to where it stood."""
        source = self._source(path)
        if source is None or not quote:
            return None
        lines = [source.text.count("\n", 0, match.start()) + 1 for match in re.finditer(re.escape(quote), source.text)]
        return min(lines, key=lambda found: (abs(found - line), found), default=None)

    def _source(self, path: str) -> Source | None:
        """Reads a note that a record names; a path that leads to no file of the vault has none."""
        try:
            is_reachable = misleading(self._ctx.vault.root, inside_path(path)) is None
        except UsageError:
            return None
        return self._reading.read(path) if is_reachable else None


def _atom(ctx: Context, history: _History, atom: str) -> Explained:
    origins = history.origins(atom)
    with ctx.catalog() as conn:
        row = conn.execute("SELECT n.path, a.line FROM atom a JOIN note n USING(nid) WHERE a.id=?", (atom,)).fetchone()
    if row is None and not origins:
        raise NotFound(f"There is no claim {atom}, and no run ever wrote one.", "brain get NOTE shows the claims of a note")
    path, line = row or ("", 0)
    text = _line(ctx, path, line)
    return Explained(atom, path, line, text, origins, _decisions(history, origins), has_id=f"^{atom}" in text.split())


def _relation(ctx: Context, history: _History, source: str, relation: str, target: str) -> Explained:
    with ctx.catalog() as conn:
        line = _line_of_edge(conn, source, relation, target)
    what = f"{source}|{relation}|{target}"
    origins = history.origins(what)
    if line is None and not origins:
        raise NotFound(f"{source} states no relation {relation} to {target}.", f'brain links "{source}"')
    return Explained(what, source if line else "", line or 0, _line(ctx, source, line or 0), origins, _decisions(history, origins))


def _decisions(history: _History, origins: Sequence[Origin]) -> tuple[Decision, ...]:
    return tuple(history.decision(item) for item in dict.fromkeys(o.item for o in origins) if item in history.ledger.intents)


def _line_of_edge(conn: sqlite3.Connection, source: str, relation: str, target: str) -> int | None:
    row = conn.execute(
        "SELECT l.line FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid"
        " WHERE l.status='resolved' AND s.path=? AND t.path=? AND (l.edge_type=? OR l.relation=?) ORDER BY l.ordinal",
        (source, target, relation, relation),
    ).fetchone()
    return row[0] if row else None


def _line(ctx: Context, path: str, line: int) -> str:
    source = ctx.vault.read_many([path]).get(path) if path and line else None
    lines = source.text.split("\n") if source else []
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
