"""The verbs that read: nothing in the vault changes but the memory of what was served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from brain.errors import IndexBroken
from brain.facade.opened import Opened

if TYPE_CHECKING:  # nothing is imported before a verb needs it: a command starts in a quarter of a second
    from brain.core.finding import Finding
    from brain.core.note import Json
    from brain.core.recall import Answer, Query
    from brain.doctor.excluded import Excluded
    from brain.doctor.last import Brief
    from brain.doctor.state import Status
    from brain.graph.sandbox import Table
    from brain.recall.listing import Listed
    from brain.recall.note_view import LinkView, NoteView
    from brain.stages.audit import Explained
    from brain.stages.ledger import RunEntry


@dataclass(frozen=True, slots=True)
class NoteAnswer:
    """One note with its text as it is on disk now."""

    note: NoteView
    text: str


class Reading(Opened):
    """What can be asked of a vault."""

    def search(self, query: Query, *, touch: bool = True) -> Answer:
        """Answers a query; what was served counts as touched. Raises: NotFound when nothing is indexed yet."""
        from brain.facade.looks import unknown_folder
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
            if said := unknown_folder(conn, query.folder):
                notices = (*notices, said)
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
        from brain.core.recall import Query
        from brain.recall.listing import list_notes

        self._must_be_indexed()
        with self.space.catalog() as conn:
            return list_notes(conn, query or Query("", limit=0))

    def behind(self) -> int:
        """Returns how many files are not indexed as they are now; 0 without an index, and where the settings say not to look."""
        from brain.facade.looks import files_behind

        if not self.space.layout.catalog_path.exists():
            return 0
        with self.space.catalog() as conn:
            return files_behind(self.space, conn)

    def unknown_folder(self, folder: str | None) -> str | None:
        """Returns the sentence about a folder that holds no note, with the one that was likely meant; None when it holds some."""
        from brain.facade.looks import unknown_folder

        with self.space.catalog() as conn:
            return unknown_folder(conn, folder)

    def names_near(self, paths: Sequence[str]) -> dict[str, str]:
        """Returns the path of each of these notes whose name is nearly that of another one → that name."""
        from brain.facade.looks import names_near

        with self.space.catalog() as conn:
            return names_near(conn, paths)

    def status(self) -> Status:
        """Returns counts and the state of the stores. Reads only, and answers without an index too."""
        from brain.doctor.state import status_of

        return status_of(self.space)

    def excluded(self) -> Excluded:
        """Returns the Markdown files below the vault's folder that are not notes, and why."""
        from brain.doctor.excluded import excluded_files

        return excluded_files(self.root, self.space.config)

    def doctor(self, *, code: str | None = None, probe: bool = False) -> tuple[Finding, ...]:
        """Returns everything that may want putting right, errors first; its numbers are kept for `brief`.

        Some is looked for only when its `code` is named. With `probe` the models that the settings choose are connected to.
        """
        from brain.doctor.checks import WHEN_NAMED, examine
        from brain.doctor.last import remember
        from brain.facade.looks import jobs_of

        findings = examine(self.space, code=code, jobs=jobs_of(self.root), probe=probe)
        remember(self.space, [finding for finding in findings if finding.code not in WHEN_NAMED], self._now())
        return findings

    def brief(self) -> Brief:
        """Returns what the last `doctor` found, in numbers. Raises: NotFound when there was none."""
        from brain.doctor.last import brief_of

        return brief_of(self.space)

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

    def runs(self) -> tuple[RunEntry, ...]:
        """Returns what every run did, the latest first."""
        from brain.stages.audit import runs

        return runs(self._context())

    def run(self, name: str) -> RunEntry:
        """Returns one run by its id. Raises: NotFound."""
        from brain.stages.audit import run_called

        return run_called(self._context(), name)

    def explain(self, *words: str) -> Explained:
        """Returns why a claim, a relation (source, relation, target), an item of a run or a note stands as it does.

        Raises: NotFound, Ambiguous.
        """
        from brain.stages.audit import explain

        self._must_be_indexed()
        return explain(self._context(), words, self._path)

    def export(self, *, now: datetime | None = None) -> Iterator[str]:
        """Yields the graph as canonical JSON lines: equal graphs give equal bytes at one `now`."""
        from brain.portability.export import export_lines

        self._must_be_indexed()
        return export_lines(self.space, now or self._now())
