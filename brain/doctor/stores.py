"""Checks of the stores: the index against the files, the graph and vectors against the catalog, the journal, cut-off writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from shlex import quote

from brain.core.finding import Finding
from brain.doctor.leftovers import REMOVED_AFTER_S, holds_nothing, leftovers, unverified
from brain.doctor.view import View
from brain.errors import BrainError, Locked, NotFound
from brain.index.catalog import get_meta
from brain.stages.ledger import Ledger
from brain.stages.report import counted
from brain.stages.shape import fault_of
from brain.sync.embedding import missing_chunks, vector_store, vectors_waiting
from brain.sync.graph import graph_is_current
from brain.sync.run import why_rebuild
from brain.sync.space import Space
from brain.vault.journal_lines import record_of

BYTES_PER_NUMBER = 4
TEMPORARY_AGE_S = 3_600
"""A younger one may belong to a command that is running."""


def index_state(view: View) -> Iterator[Finding]:
    """Whether the stores hold what the files and the journal say, all of one generation."""
    space, conn = view.space, view.conn
    why = why_rebuild(space)
    count = len(view.changes.added) + len(view.changes.altered) + len(view.changes.gone)
    if why:
        yield Finding("index-behind", "warning", "", 0, f"The index will be made anew: {why}.", "brain index")
    elif count:
        yield Finding("index-behind", "warning", "", 0, f"{counted(count, 'file')} changed since the index was made.", "brain index")
    if not graph_is_current(space, conn):
        yield Finding("graph-behind", "warning", "", 0, "The graph does not hold what the notes hold.", "brain index")


def text_state(view: View) -> Iterator[Finding]:
    """Whether every note has its text in the full-text index."""
    (lost,) = view.conn.execute("SELECT count(*) FROM note WHERE nid NOT IN (SELECT nid FROM text_doc)").fetchone()
    (left,) = view.conn.execute("SELECT count(*) FROM text_doc WHERE nid NOT IN (SELECT nid FROM note)").fetchone()
    if lost or left:
        message = f"The full-text index misses {lost} notes and has {left} that are gone."
        yield Finding("index-broken", "error", "", 0, message, "brain rebuild")


def vectors_state(view: View) -> Iterator[Finding]:
    """Pieces of text that have no vector, have lost it, or whose vector is not in the graph."""
    if why_rebuild(view.space):
        return  # `index_state` says that all of it is made anew
    waiting = len(missing_chunks(view.conn)) + _lost(view)
    if waiting:
        yield Finding("vectors-waiting", "info", "", 0, f"{counted(waiting, 'piece')} of text without a vector yet.", "brain index")
    unseen = len(vectors_waiting(view.conn))
    if unseen:
        yield Finding("vectors-waiting", "info", "", 0, f"{counted(unseen, 'vector')} not in the graph yet.", "brain index")


def graph_opens(view: View) -> Iterator[Finding]:
    """Whether the graph file can be opened at all."""
    from brain.graph.reader import GraphReader

    try:
        with GraphReader(view.space).session() as graph:
            graph.execute("MATCH (n:Note) RETURN count(n) AS notes")
    except (Locked, NotFound):
        return  # busy is fine, and a missing graph is named by index_state
    except BrainError as error:
        yield Finding("index-broken", "error", "", 0, error.message, "brain rebuild")


def journal_lines(space: Space, ledger: Ledger) -> Iterator[Finding]:
    """Lines of the journal that cannot be used: torn by a kill, damaged, or not of their shape. One finding a file."""
    unusable = {damaged.item: damaged.why for damaged in ledger.damaged if damaged.kind == "intended" and damaged.item}
    for place in sorted(space.journal.folder.glob("*/*.jsonl")):
        lines = enumerate(place.read_bytes().split(b"\n"), start=1)
        bad = {number: why for number, line in lines if line.strip() and (why := _fault(line, unusable))}
        if bad:
            path = place.relative_to(space.vault.root).as_posix()
            said = "; ".join(f"line {number}: {why}" for number, why in bad.items())
            script = "; ".join(f"{number}d" for number in bad)
            message = f"The journal has lines that count for nothing ({said})."
            yield Finding("journal-line", "warning", path, min(bad), message, f"look at it, then sed -i.damaged '{script}' {quote(path)}")


def interrupted_runs(space: Space, ledger: Ledger) -> Iterator[Finding]:
    """Runs of this machine that died half-way."""
    for intent in ledger.open_intents(space.journal.machine):
        message = f"Run {intent.get('run')} died half-way; the next writing command rolls it back."
        yield Finding("interrupted-run", "warning", "", 0, message, "brain repair interrupted-run")


def stray_temporaries(view: View) -> Iterator[Finding]:
    """Files of writes and rebuilds that were cut off; while a run is open they are its own, and rolled back with it."""
    if view.ledger.open_intents(view.space.journal.machine):
        return
    root, index, now = view.space.vault.root, view.space.layout.index, view.space.clock.now().timestamp()
    unfinished = [path.relative_to(root).as_posix() for pattern in ("*.new*", "*.tmp") for path in index.glob(pattern)]
    ages = {path: now - place.stat().st_mtime for path in (*view.files.temporaries, *unfinished) if (place := root / path).exists()}
    old = {path for path, age in ages.items() if age >= TEMPORARY_AGE_S}
    message = "A rebuild that was cut off left this file; nothing reads it."
    derived = (Finding("stray-temporary", "info", path, 0, message, f"look at it, then rm {quote(path)}") for path in sorted(old.intersection(unfinished)))
    for found in (*leftovers(root, old.difference(unfinished), ()), *derived):
        is_due = ages[found.path] >= REMOVED_AFTER_S and (found.path in unfinished or holds_nothing(root, found.path))
        yield replace(found, cure="brain repair stray-temporary") if is_due else found
    yield from unverified(root, view.space.layout.state / "backups", now)


def _fault(line: bytes, unusable: dict[str, str]) -> str | None:
    """Returns why a line counts for nothing; `unusable` are intents whose texts or paths are not what they say."""
    record = record_of(line)
    if isinstance(record, str):
        return record
    return fault_of(record) or (unusable.get(record["item"]) if record["kind"] == "intended" else None)


def _lost(view: View) -> int:
    """How many vectors are named in rows that the matrix does not have."""
    store, name = vector_store(view.space, view.conn), get_meta(view.conn, "vector_file")
    if store is None or name is None:
        return 0
    place = view.space.layout.index / name
    rows = place.stat().st_size // (BYTES_PER_NUMBER * store.dims) if place.exists() else 0
    return int(view.conn.execute("SELECT count(*) FROM vector WHERE row>=? AND hash IN (SELECT hash FROM chunk)", (rows,)).fetchone()[0])
