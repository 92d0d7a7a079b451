"""A vault in the hands of a person, of the stages and of a judge that lies: what is known of it, and what must hold after each run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from hypothesis.stateful import RuleBasedStateMachine

from brain.core.plan import VIEWS
from brain.errors import NotFound
from brain.stages.context import Context
from brain.stages.ledger import Ledger, read_ledger
from brain.stages.record import patches_of
from brain.stages.report import RunReport
from brain.stages.timeline import told_of_undo
from brain.stages.undo import UndoReport, undo
from tests.laws.alphabet import PERSONS_IDS
from tests.laws.keeping import check_made, check_merges, check_provenance, known, lost_of
from tests.laws.liar import Liar
from tests.laws.support import rebuilt_state, state_of
from tests.stages.support import NOW, make_vault
from tests.stages.teller import judged

REVIEW, TIMELINE = "Memory/Review.md", "Timeline/"
Judging = tuple[int, bool] | None
"""Rules alone, or a liar: its seed, and whether it is sound."""


class Tended(RuleBasedStateMachine):
    """The bookkeeping of the machine; its rules stand in the test."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="law-"))
        self.vault = make_vault(self.folder / "vault", {}, engine=os.environ.get("BRAIN_ENGINE", "kuzu"))
        self.persons: dict[str, bytes | None] = {}
        """Path → what a person last wrote there; None: nothing is there."""
        self.made: set[str] = set()
        """Paths that a stage wrote to."""
        self.mixed: set[str] = set()
        """Paths that a person wrote to after a stage had."""
        self.versions: dict[str, bytes] = {}
        self.last: tuple[str, dict[str, bytes], dict[str, bytes]] | None = None
        """The last run, with the notes before and after it."""
        self.typed: dict[str, bytes] = {}
        """What a person wrote during the last run."""
        self.own: dict[str, set[str]] = {}
        """The lines that a person wrote, by path."""
        self.written_texts = self.checked = 0

    def teardown(self) -> None:
        try:
            self.equals_a_rebuild()
            self.all_can_be_taken_back()
            self.equals_a_rebuild()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def machine(self, action: Callable[[], Iterable[RunReport]], *, before: dict[str, bytes] | None = None, is_one: bool = True) -> list[RunReport]:
        """Does what is no person's, and checks what must hold after it; `is_one`: it is one run and nothing else."""
        self.vault.index()
        before = before or self.notes()
        known(self.versions, before.values())
        self.typed = {}
        reports = list(action())
        after = self.notes()
        self.written(before | self.typed, after)
        assert lost_of(before | self.typed, after) == []
        for report in reports:
            check_merges(report.applied)
            if report.stage in ("walk", "link"):
                check_made(report.applied, PERSONS_IDS)
        known(self.versions, [*self.typed.values(), *(patch.after for intent in self.ledger().intents.values() for patch in patches_of(intent))])
        self.check_records()
        self.last = (reports[0].run, before, after) if is_one else None
        return reports

    def check_records(self) -> None:
        """Law 5, of the records that are new."""
        records = self.vault.space.journal.records({"provenance", "verdict", "answered"})
        check_provenance((record for record in records[self.checked :] if record["kind"] == "provenance"), self.versions)
        assert all(record["judges"] for record in records if record["kind"] == "verdict")
        assert all("@" in record["judge"] and "/" in record["judge"] for record in records if record["kind"] == "answered")
        self.checked = len(records)

    def taken_back(self, target: str | None) -> UndoReport | None:
        self.vault.index()
        before = self.notes()
        self.last = None
        try:
            report = undo(self.vault.ctx, target)
        except NotFound:
            assert target is None
            return None
        told_of_undo(self.vault.ctx, report)
        after = self.notes()
        self.written(before, after)
        known(self.versions, after.values())
        assert lost_of(before, after, only=self.own) == []
        return report

    def all_can_be_taken_back(self) -> None:
        """Law 4: what nobody edited after a stage gets its bytes back; what stands in the way of an item is named."""
        left: set[str] = set()
        for record in reversed(self.ledger().standing()):
            if record["stage"] not in ("undo", *VIEWS) and record["files"] and undo(self.vault.ctx, record["item"]).left:
                left |= {file["path"] for file in record["files"]}
        now = self.notes()
        for path in (self.persons.keys() | now.keys()) - self.mixed - left:
            assert now.get(path) == self.persons.get(path), path

    def equals_a_rebuild(self) -> None:
        self.vault.index()
        kept, anew = state_of(self.vault.space), rebuilt_state(self.vault.space, now=NOW)
        assert kept == anew

    def ledger(self) -> Ledger:
        return read_ledger(self.vault.space.journal)

    def judged(self, judge: Judging, chat: Liar | None = None, **limits: int) -> Context:
        return self.vault.ctx if judge is None else judged(self.vault, chat or self.liar(judge), **{"insight_notes_min": 3, **limits})  # type: ignore[arg-type]

    def liar(self, judge: Judging) -> Liar:
        return Liar(*(judge or (0, True)))

    def type_into(self, path: str, lines: list[str], at: int) -> None:
        place = self.vault.root / path
        old = place.read_bytes().split(b"\n") if place.exists() else []
        place.write_bytes(b"\n".join([*old[:at], *(line.encode() for line in lines), *old[at:]]))
        self.typed = {path: place.read_bytes()}
        self.own.setdefault(path, set()).update(lines)
        self.by_hand(path)

    def by_hand(self, path: str) -> None:
        place = self.vault.root / path
        self.mixed |= {path} & self.made
        self.persons[path] = place.read_bytes() if place.exists() else None

    def written(self, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        self.made |= {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}

    def notes(self) -> dict[str, bytes]:
        return {path: data for path, data in self.vault.bytes().items() if path != REVIEW and not path.startswith(TIMELINE)}
