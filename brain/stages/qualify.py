"""Qualify: a link by bare name gets the path of the note it means, once a second note has that name.

find (names that two notes have, and the bare links that still lead to one of them) → plan (one for each linking
note and note meant) → commit. A link that is ambiguous already is never guessed. The second note may be new on
disk and not indexed yet: until the next sync the catalog knows what its name meant before.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from brain.config import Config
from brain.core.ids import fold, sha256_hex
from brain.core.plan import Applied, Plan, ReplaceSpan
from brain.index.rows import BY_STEM, stem_of
from brain.stages.context import Context
from brain.stages.gate import decision_id
from brain.stages.report import RunReport
from brain.stages.run import Run
from brain.sync.change import Changes, changes_of_scan
from brain.vault.links import NOT_LIVE
from brain.vault.parse import parse_note
from brain.vault.scan import scan
from brain.vault.store import Source

KEYS_PER_QUERY = 10_000
PATHS_NAMED_MAX = 20
_WIKILINK = re.compile(r"(!?\[\[)(.*?)((?:#|\\?\||&#124;|\]\]).*)", re.DOTALL)
_UNWRITABLE = re.compile(r"[\[\]|#^\\]|(?:^|/)\s|\s(?:/|$)")
_CHANGED = "they or the note they mean changed since they were indexed"
_DEAD = ", ".join(f"'{status}'" for status in sorted(NOT_LIVE))


@dataclass(frozen=True, slots=True)
class Bare:
    """The bare links of the note at `source` that mean the note at `target`, whose name the note at `twin` has too.

    `raws` are the links as written, `line` is the first one's. `is_new`: the twin is not indexed yet.
    """

    source: str
    sha256: str
    target: str
    twin: str
    key: str
    raws: tuple[str, ...]
    line: int
    is_new: bool

    @property
    def decision(self) -> str:
        """The id of this decision, whichever run plans it."""
        return decision_id(Plan("repair", f"{self.source}|{self.target}", {}, (), ""))


@dataclass(frozen=True, slots=True)
class Found:
    """What can be qualified, by path, and the notes whose links stay as they are: why → paths."""

    bare: tuple[Bare, ...]
    left: dict[str, tuple[str, ...]]


def run(ctx: Context, *, dry_run: bool = False) -> RunReport:
    """Qualifies every bare link that can be; the limit of each name is `limits.links_per_collision_max`."""
    run = Run(ctx, "repair", dry_run=dry_run)
    with ctx.catalog() as conn:
        found = find_bare(conn, changes_of_scan(conn, scan(ctx.vault.root, ctx.config)), ctx.config, run.ledger.settled)
    left = defaultdict(list, {why: list(paths) for why, paths in found.left.items()})
    left_out = _carry_out(ctx, run, found.bare, left)
    for why, paths in sorted(left.items()):
        more = f" and {len(paths) - PATHS_NAMED_MAX} more" if len(paths) > PATHS_NAMED_MAX else ""
        run.say(f"Left as they are, because {why}: {', '.join(paths[:PATHS_NAMED_MAX])}{more}.")
    return run.report(found=len(found.bare), left_out=left_out)


def find_bare(conn: sqlite3.Connection, changes: Changes, config: Config, settled: Iterable[str] = ()) -> Found:
    """Returns the bare links that lead to one of several notes of a name; `settled` decisions are not found again."""
    holders, new = _holders(conn, changes)
    groups: dict[tuple[str, str, str], list[_Row]] = defaultdict(list)
    left: dict[str, set[str]] = defaultdict(set)
    gone = {path for _, path in changes.gone}
    changed = {seen.path for _, seen in changes.altered} | gone
    for row in _rows(conn, sorted(holders)):
        why = _CHANGED if row.source in changed or row.target in gone else _why_not(row, config)
        if why:
            left[why].add(row.source)
        else:
            groups[row.source, row.target, row.key].append(row)
    found = [_bare(rows, holders, new) for _, rows in sorted(groups.items())]
    declined = frozenset(settled)
    left["a person took that back before"].update(bare.source for bare in found if bare.decision in declined)
    open_ones = tuple(bare for bare in found if bare.decision not in declined)
    return Found(open_ones, {why: tuple(sorted(paths)) for why, paths in sorted(left.items()) if paths})


def plan_qualified(source: Source, bare: Bare, config: Config) -> Plan:
    """Returns the plan that writes the path into the links; alias and anchor stay as they are."""
    links = parse_note(bare.source, source.text, config.limits).links
    edits = tuple(
        ReplaceSpan(bare.source, link.span, link.raw, qualified(link.raw, bare.target))
        for link in links if link.place == "body" and link.raw in bare.raws
    )  # fmt: skip
    because = f"{bare.twin} has the name of {bare.target}, so the links of {bare.source} say which one they mean"
    return Plan("repair", f"{bare.source}|{bare.target}", {source.path: source.sha256}, edits, because)


def qualified(raw: str, path: str) -> str:
    """Returns a wikilink or embed with the path of a note for its target: `[[Plan#Goals|ours]]` → `[[x/Plan#Goals|ours]]`."""
    match = _WIKILINK.fullmatch(raw)
    assert match is not None  # a catalog row of this form is one
    suffix = path[-3:] if match[2].strip().lower().endswith(".md") else ""
    return f"{match[1]}{path[:-3]}{suffix}{match[3]}"


@dataclass(frozen=True, slots=True)
class _Row:
    """A link by bare name that is resolved. `status` and `kind` are its source's."""

    key: str
    source: str
    sha256: str
    kind: str
    status: str
    target: str
    line: int
    raw: str
    form: str
    place: str


def _bare(rows: Sequence[_Row], holders: dict[str, list[str]], new: dict[str, list[str]]) -> Bare:
    first = rows[0]
    fresh = new.get(first.key, [])
    twin = next(path for path in (*fresh, *holders[first.key]) if path != first.target)
    raws = tuple(dict.fromkeys(row.raw for row in rows))
    return Bare(first.source, first.sha256, first.target, twin, first.key, raws, first.line, twin in fresh)


def _carry_out(ctx: Context, run: Run, bare: Sequence[Bare], left: dict[str, list[str]]) -> int:
    """Commits the plans in rounds of one for each note, so that what they change is indexed once a round.

    Returns how many links a limit left out.
    """
    room = dict.fromkeys((one.key for one in bare), ctx.config.limits.links_per_collision_max)
    made: dict[str, str] = {}
    left_out = 0
    for batch in _rounds(bare):
        plans = []
        for one in batch:
            source = run.reading.read(one.source)
            if source is None or source.sha256 != made.get(one.source, one.sha256):
                left[_CHANGED].append(one.source)
            elif not _is_writable(ctx, one.source):
                left["they cannot be written"].append(one.source)
            else:
                whole = plan_qualified(source, one, ctx.config)
                plan = replace(whole, edits=whole.edits[: room[one.key]])
                left_out += len(whole.edits) - len(plan.edits)
                room[one.key] -= len(plan.edits)
                plans += [plan] if plan.edits else []
        for receipt in run.commit_many(plans):
            if isinstance(receipt, Applied):
                made |= {patch.path: sha256_hex(patch.after) for patch in receipt.patches if patch.after is not None}
    return left_out


def _rounds(bare: Sequence[Bare]) -> Iterator[list[Bare]]:
    waiting = list(bare)
    while waiting:
        first = {one.source: one for one in reversed(waiting)}
        yield [first[source] for source in sorted(first)]
        waiting = [one for one in waiting if first[one.source] is not one]


def _holders(conn: sqlite3.Connection, changes: Changes) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Returns the live notes of each name that several have, by folded name, and those of them that are new on disk."""
    gone = {path for _, path in changes.gone}
    new: dict[str, list[str]] = defaultdict(list)
    for seen in changes.added:
        new[fold(stem_of(seen.path))].append(seen.path)
    holders: dict[str, list[str]] = {key: list(paths) for key, paths in new.items()}
    doubled = f"SELECT key FROM name JOIN note USING(nid) WHERE how={BY_STEM} AND status NOT IN ({_DEAD}) GROUP BY key HAVING count(*) > 1"
    wanted = sorted({*new, *(key for (key,) in conn.execute(doubled))})
    sql = f"SELECT key, path FROM name JOIN note USING(nid) WHERE how={BY_STEM} AND status NOT IN ({_DEAD}) AND key IN ({{}}) ORDER BY path"
    for key, path in _in_batches(conn, sql, wanted):
        if path not in gone:
            holders.setdefault(key, []).append(path)
    return {key: paths for key, paths in holders.items() if len(paths) > 1}, dict(new)


def _rows(conn: sqlite3.Connection, keys: list[str]) -> Iterator[_Row]:
    """Yields the bare links that lead by file name to a note of one of these names."""
    sql = (
        "SELECT l.key, s.path, s.sha256, s.kind, s.status, t.path, l.line, l.raw, l.form, l.place FROM link l JOIN note s USING(nid)"
        f" JOIN note t ON t.nid=l.target_nid JOIN name m ON m.nid=t.nid AND m.how={BY_STEM} AND m.key=l.key"
        " WHERE l.status='resolved' AND instr(l.target,'/')=0 AND l.key IN ({}) ORDER BY s.path, l.ordinal"
    )
    yield from (_Row(*row) for row in _in_batches(conn, sql, keys))


def _in_batches(conn: sqlite3.Connection, sql: str, keys: list[str]) -> Iterator[tuple]:  # type: ignore[type-arg]
    for start in range(0, len(keys), KEYS_PER_QUERY):
        part = keys[start : start + KEYS_PER_QUERY]
        yield from conn.execute(sql.format(",".join("?" * len(part))), part)


def _why_not(row: _Row, config: Config) -> str | None:
    """Returns why links stay as they are: no path can be written, or the note they stand in is not to be touched."""
    if "/" not in row.target:
        return f"{row.target} is at the top of the vault, which has no path to write"
    if _UNWRITABLE.search(row.target[:-3]):
        return f"the path of {row.target} cannot be written in a link"
    if row.place == "property" or row.form in ("markdown", "image"):
        return "only wikilinks and embeds in the text are rewritten"
    if row.kind == "episode" or row.status in NOT_LIVE or row.source.startswith(f"{config.folders.timeline}/"):
        return "episodes, notes that are no longer current and generated notes are never rewritten"
    return None


def _is_writable(ctx: Context, path: str) -> bool:
    place = ctx.vault.absolute(path)
    return os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)
