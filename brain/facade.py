"""`Brain`: the verbs, each a few lines. The command line and every other surface are its clients.

Nothing here prints, reads the environment after `open`, or decides: it wires a vault to the room that does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from brain.config import find_vault, load_config
from brain.core.dates import iso_utc
from brain.core.finding import Finding
from brain.core.note import Json
from brain.core.plan import Receipt
from brain.core.recall import Answer, Query
from brain.errors import BrainError, IndexBroken, NotFound
from brain.ports import Clock
from brain.sync.report import Progress, SyncReport, silent
from brain.sync.space import Space, open_space

if TYPE_CHECKING:
    from brain.doctor.state import Status
    from brain.graph.sandbox import Table
    from brain.recall.listing import Listed, Tree
    from brain.recall.note_view import LinkView, NoteView
    from brain.stages.report import RunReport
    from brain.stages.undo import UndoReport

STAGES = ("walk", "reconcile", "link")


@dataclass(frozen=True, slots=True)
class NoteAnswer:
    """One note with its text as it is on disk now."""

    note: NoteView
    text: str


class Brain:
    """One vault, open. Opening reads settings and touches nothing; every verb opens and closes what it needs."""

    def __init__(self, space: Space) -> None:
        self.space = space

    @classmethod
    def open(
        cls, root: str | Path | None = None, *, clock: Clock | None = None, environ: Mapping[str, str] = os.environ
    ) -> Brain:
        """Opens the vault at `root`, else the one that `BRAIN_VAULT` or the current folder names.

        Raises: NotFound, UsageError for a setting that cannot be used.
        """
        folder = find_vault(root, environ=environ)
        return cls(open_space(folder, load_config(folder, environ=environ), clock, environ=environ))

    @classmethod
    def init(cls, folder: str | Path, *, adopt: bool = False) -> tuple[str, ...]:
        """Makes a vault of a folder and returns the files written. Raises: UsageError when it is not empty."""
        from brain.vault.template import init_vault

        return init_vault(Path(folder), adopt=adopt)

    @property
    def root(self) -> Path:
        """The folder of the vault."""
        return self.space.vault.root

    def index(self, *, full: bool = False, embed: bool = True, progress: Progress = silent) -> SyncReport:
        """Brings the index to what the files say; `full` makes it anew."""
        from brain.sync.run import sync

        return sync(self.space, full=full, embed=embed, progress=progress)

    def watch(self, on_sync: Callable[[SyncReport], None], stop: Event, *, embed: bool = True) -> None:
        """Follows changes on disk until `stop` is set."""
        from brain.sync.watch import watch

        watch(self.space, on_sync=on_sync, stop=stop, embed=embed)

    def search(self, query: Query, *, touch: bool = True) -> Answer:
        """Answers a query; what was served counts as touched. Raises: NotFound when nothing is indexed yet."""
        from brain.recall.search import search
        from brain.sync.embedding import vector_store

        self._must_be_indexed()
        query = replace(query, text=query.text.encode("utf-8", "replace").decode())  # bytes of an argument that are no UTF-8
        with self.space.catalog() as conn:
            embedder, vectors = None, None
            notices: tuple[str, ...] = ()
            if query.mode != "lexical":
                embedder = self.space.embedder()
                try:
                    vectors = vector_store(self.space, conn) if embedder else None
                except IndexBroken as error:  # vectors of another model: words still answer
                    notices = (f"{error.message} Searched by words only. ({error.cure})",)
            answer = search(conn, query, now=self._now(), limits=self.space.config.limits, embedder=embedder, vectors=vectors)
        answer = replace(answer, notices=(*notices, *answer.notices))
        if touch:
            self._touch([hit.id for hit in answer.hits])
        return answer

    def get(self, name: str, *, touch: bool = True) -> NoteAnswer:
        """Returns a note by path, file name, alias or id, with its text. Raises: NotFound, Ambiguous."""
        from brain.recall.note_view import find_note, view_note

        self._must_be_indexed()
        with self.space.catalog() as conn:
            view = view_note(conn, find_note(conn, name))
        text = self.space.vault.read(view.path).text
        if touch:
            self._touch([view.id])
        return NoteAnswer(view, text)

    def links(self, name: str) -> tuple[NoteView, tuple[LinkView, ...], tuple[LinkView, ...]]:
        """Returns a note, the links in it, and the links of others that lead to it."""
        from brain.recall.note_view import backlinks_of, find_note, links_of, view_note

        self._must_be_indexed()
        with self.space.catalog() as conn:
            nid = find_note(conn, name)
            return view_note(conn, nid), links_of(conn, nid), backlinks_of(conn, nid)

    def list(self, query: Query | None = None) -> tuple[Listed, ...]:
        """Returns the notes that pass the filters of a query (all without one), by path; `limit` 0 means all."""
        from brain.recall.listing import list_notes

        self._must_be_indexed()
        with self.space.catalog() as conn:
            return list_notes(conn, query or Query("", limit=0))

    def tree(self, name: str | None = None, *, depth: int = 0) -> Tree:
        """Returns the tree of `part_of`, whole or below one note."""
        from brain.recall.listing import tree_of
        from brain.recall.note_view import find_note

        self._must_be_indexed()
        with self.space.catalog() as conn:
            root = find_note(conn, name) if name else None
            config = self.space.config
            return tree_of(conn, root=root, owner=config.owner, depth=depth, levels_max=config.limits.tree_levels_max)

    def status(self) -> Status:
        """Returns counts and the state of the stores. Reads only, and answers without an index too."""
        from brain.doctor.state import status_of

        return status_of(self.space)

    def doctor(self) -> tuple[Finding, ...]:
        """Returns everything that may want putting right, errors first."""
        from brain.doctor.checks import examine

        return examine(self.space)

    def cypher(
        self, text: str, params: Mapping[str, Json] | None = None, *, timeout_s: float | None = None, rows_max: int | None = None
    ) -> Table:
        """Runs one reading statement in a process of its own. Raises: UsageError when it is refused or too slow."""
        from brain.graph.sandbox import run_cypher

        limits = self.space.config.limits
        self._must_have_graph()  # before the lock, which would make a folder
        with self.space.lock.shared("a query"):
            self._must_have_graph()
            return run_cypher(
                self.space.graph_path, self.space.engine, text, params or {},
                timeout_s=limits.cypher_timeout_s if timeout_s is None else timeout_s,
                rows_max=limits.cypher_rows_max if rows_max is None else rows_max,
            )  # fmt: skip

    def cypher_schema(self) -> str:
        """Returns what can be asked: tables, properties, vocabularies, named queries."""
        from brain.graph.reader import GraphReader
        from brain.graph.sandbox import schema_text

        with GraphReader(self.space).session() as graph:
            return schema_text(graph)

    def add(
        self, text: str, *, title: str | None = None, source: str | None = None, is_from_web: bool = False, dry_run: bool = False
    ) -> Receipt:
        """Writes an episode note into the inbox. Walking it is `walk`."""
        from brain.stages.add import add

        return add(self._context(), text, title=title, source=source, is_from_web=is_from_web, dry_run=dry_run)

    def fetch(self, url: str) -> tuple[str, str]:
        """Returns title and words of one web page. Raises: UsageError when fetching is off or the address is refused."""
        from brain.stages.fetch import fetch

        page = fetch(url, self.space.config)
        return page.title or url, page.text

    def run_stage(self, stage: str, *, limit: int | None = None, dry_run: bool = False) -> RunReport:
        """Runs walk, reconcile or link once over what is indexed now."""
        from importlib import import_module

        assert stage in STAGES
        self.index(embed=False)
        report: RunReport = import_module(f"brain.stages.{stage}").run(self._context(), limit=limit, dry_run=dry_run)
        return report

    def maintain(self, *, limit: int | None = None, dry_run: bool = False) -> Iterator[RunReport]:
        """Runs the three stages in order, yielding each report, then embeds what is new."""
        for stage in STAGES:
            yield self.run_stage(stage, limit=limit, dry_run=dry_run)
        if not dry_run:
            self.index()

    def undo(self, target: str | None = None) -> UndoReport:
        """Takes back the last run, a run, or one item of it, byte for byte."""
        from brain.stages.undo import undo

        self.index(embed=False)
        return undo(self._context(), target)

    def export(self, *, now: datetime | None = None) -> Iterator[str]:
        """Yields the graph as canonical JSON lines: equal graphs give equal bytes at one `now`."""
        from brain.portability.export import export_lines

        self._must_be_indexed()
        return export_lines(self.space, now or self._now())

    def set_owner(self, name: str) -> Receipt | None:
        """Writes the owner into `brain.toml` and makes the owner's note when no note answers to the name."""
        from brain.stages.owner import owner_note
        from brain.vault.template import write_owner

        owner = write_owner(self.root, name)
        self.index(embed=False)
        return owner_note(self._context(), owner)

    def _context(self) -> Any:
        from brain.stages.context import context_of

        return context_of(self.space, now=self._now())

    def _now(self) -> datetime:
        return self.space.clock.now()

    def _touch(self, ids: Sequence[str]) -> None:
        """Notes in the journal what was served; a vault that cannot be written is only read."""
        if not ids:
            return
        try:
            self.space.journal.append([{"kind": "touched", "at": iso_utc(self._now()), "ids": sorted(ids)}], durable=False)
        except OSError:
            return  # reading a read-only vault is fine: only the memory of having read is lost

    def _must_be_indexed(self) -> None:
        if not self.space.layout.catalog_path.exists():
            raise NotFound("This vault is not indexed yet.", "brain index")

    def _must_have_graph(self) -> None:
        if not self.space.graph_path.exists():
            raise NotFound("This vault has no graph yet.", "brain index")


__all__ = ["STAGES", "Brain", "BrainError", "NoteAnswer"]
