"""`Brain`: the verbs, each a few lines. The command line and every other surface are its clients.

Nothing here prints, reads the environment after `open`, or decides: it wires a vault to the room that does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from brain.config import find_vault, load_config
from brain.core.dates import iso_utc
from brain.core.finding import Finding
from brain.core.note import Json
from brain.core.plan import Receipt
from brain.core.proposal import Candidate, Cutoffs
from brain.core.recall import Answer, Query
from brain.errors import BrainError, IndexBroken, NotFound
from brain.ports import Clock
from brain.sync.report import Progress, SyncReport, silent
from brain.sync.space import Space, open_space

if TYPE_CHECKING:
    from brain.doctor.excluded import Excluded
    from brain.doctor.last import Brief
    from brain.doctor.state import Status
    from brain.graph.sandbox import Table
    from brain.models.spend import Estimate
    from brain.recall.listing import Listed, Tree
    from brain.recall.note_view import LinkView, NoteView
    from brain.stages.discards import Discards
    from brain.stages.propose import Proposed
    from brain.stages.report import RunReport
    from brain.stages.review import Review
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

    def download_model(self) -> bool:
        """Fetches the named embedding model when it is not on this machine; tells whether it had to be. Raises: BrainError."""
        from brain.models.embed import download

        return download(self.space.embedder())

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

    def excluded(self) -> Excluded:
        """Returns the Markdown files below the vault's folder that are not notes, and why."""
        from brain.doctor.excluded import excluded_files

        return excluded_files(self.root, self.space.config)

    def doctor(self) -> tuple[Finding, ...]:
        """Returns everything that may want putting right, errors first; its numbers are kept for `brief`."""
        from brain.doctor.checks import examine
        from brain.doctor.last import remember

        findings = examine(self.space)
        remember(self.space, findings, self._now())
        return findings

    def brief(self) -> Brief:
        """Returns what the last `doctor` found, in numbers. Raises: NotFound when there was none."""
        from brain.doctor.last import brief_of

        return brief_of(self.space)

    def repair(self, code: str, *, dry_run: bool = False) -> RunReport:
        """Puts right what doctor found under one code. Raises: UsageError for a code that has no plan."""
        from brain.doctor.repair import repair

        self._must_be_indexed()  # and not indexed now: what a name meant before a second note had it is known until then
        return repair(self._context(), code, dry_run=dry_run)

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
        """Runs walk, reconcile or link once over what is indexed now; boxes that are ticked in the review note come first."""
        from importlib import import_module

        from brain.stages.review import reviewed

        assert stage in STAGES
        self.index(embed=False)
        ctx, run = self._judged(), import_module(f"brain.stages.{stage}").run
        return reviewed(ctx, lambda: run(ctx, limit=limit, dry_run=dry_run), dry_run=dry_run)

    def review(self) -> Review:
        """Returns what waits for a person, and the verbs to decide it: queue, look, decide, draft, carry_out, apply."""
        from brain.stages.review import Review

        self.index(embed=False)
        return Review(self._context())

    def maintain(self, *, limit: int | None = None, dry_run: bool = False) -> Iterator[RunReport]:
        """Runs the three stages in order at the pace of the governor, yielding each report, then embeds what is new.

        Raises: Locked when another such run is under way; the first failure of a stage, after the last stage.
        """
        from brain.stages.governor import pace_of
        from brain.stages.night import night, one_at_a_time

        ctx = self._context()
        stages = [(stage, partial(self._run_limited, stage, dry_run)) for stage in STAGES]
        with nullcontext() if dry_run else one_at_a_time(ctx):
            failure: BrainError | None = None
            try:
                yield from night(ctx, stages, pace_of(self.space.config.governor, self._budget_used()), limit=limit, dry_run=dry_run)
            except BrainError as error:
                failure = error
            if not dry_run:
                self.index()
            if failure is not None:
                raise failure

    def estimate(self, *, limit: int | None = None) -> Estimate | None:
        """Returns what the language model would be asked by the three stages, without asking; None without a model.

        Later stages ask about what earlier ones find, so that the figure is of what can be known now.
        Raises: UsageError when the choice of a model cannot be used.
        """
        from importlib import import_module

        self.index(embed=False)
        ctx = self._judged(only_estimate=True)
        for stage in STAGES if ctx.model else ():
            import_module(f"brain.stages.{stage}").run(ctx, limit=limit, dry_run=True)
        return ctx.model.estimate if ctx.model else None

    def _run_limited(self, stage: str, dry_run: bool, limit: int | None) -> RunReport:
        return self.run_stage(stage, limit=limit, dry_run=dry_run)

    def _budget_used(self) -> float | None:
        """The share of the day's tokens that is gone; None without a model or without a limit."""
        from brain.models.spend import KIND, Spend

        judge, ctx = self.space.config.judge, self._context()
        if judge.backend == "rules" or not judge.tokens_per_day_max:
            return None
        spend = Spend(self.space.journal, self.space.journal.records({KIND}), judge, at=ctx.at, day=ctx.today, keeps=False)
        return spend.tokens_today / judge.tokens_per_day_max

    def propose(self, candidate: Candidate, cutoffs: Cutoffs, *, force: bool = False, dry_run: bool = False) -> Proposed:
        """Writes a note that somebody proposes, unless it says nothing new. Raises: UsageError without a cut-off."""
        from brain.recall.similar import similar_in
        from brain.stages.propose import propose

        self.index()
        find = partial(similar_in, self.space, now=self._now())
        return propose(self._context(), candidate, cutoffs, find=find, force=force, dry_run=dry_run)

    def discards(self) -> Discards:
        """Returns the proposed notes that were not written, the latest first."""
        from brain.stages.discards import discards

        return discards(self._context())

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

    def _judged(self, *, only_estimate: bool = False) -> Any:
        """The context of a stage, with the language model that the settings choose. Raises: UsageError when that cannot be used."""
        ctx, settings = self._context(), self.space.config.judge
        if settings.backend == "rules":
            return ctx
        from brain.models.deadline import Deadline
        from brain.models.judge.judge import open_judge

        deadline = Deadline.after(settings.ingest_deadline_s) if settings.ingest_deadline_s else None
        model = open_judge(
            settings, ctx.journal, root=self.root, at=ctx.at, day=ctx.today, deadline=deadline, only_estimate=only_estimate
        )
        return replace(ctx, model=model)

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
