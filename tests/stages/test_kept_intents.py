"""The short form of the journal is enough for a stage, and undo and recovery read the rest of it by themselves."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, replace

from brain.core.plan import CreateNote, SetField
from brain.stages.commit import commit, recover
from brain.stages.ledger import KINDS, read_ledger, runs_of
from brain.stages.shape import fault_of
from brain.stages.undo import undo
from brain.vault.journal import Journal
from brain.vault.journal_index import NOT_KEPT
from brain.vault.short import Short
from tests.stages.conftest import Make
from tests.stages.support import Vault, provenance
from tests.stages.test_commit import die_after


def kept(vault: Vault) -> Vault:
    """The same vault, with all of its journal kept in short."""
    journal = replace(vault.space.journal, tail_bytes_min=0)
    journal.keep_short(fault_of)
    assert all(isinstance(record, Short) for record in journal.records({"intended"}))
    return replace(vault, space=replace(vault.space, journal=journal))


def test_a_ledger_asks_for_no_kind_that_is_not_kept() -> None:
    assert not KINDS & NOT_KEPT


def test_a_ledger_from_the_short_form_is_that_of_the_whole_journal(make: Make) -> None:
    vault = make({"A.md": "a\n", "B.md": "b\n"})
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1), provenance=(provenance("a-1"),))], run="r-1")
    commit(vault.ctx, [vault.plan(SetField("B.md", "x", 1), certain=False)], run="r-1")
    commit(vault.ctx, [vault.plan(CreateNote("C.md", "c\n"))], run="r-2")
    undo(vault.ctx, "r-2")
    journal = kept(vault).space.journal
    whole = Journal(journal.folder, journal.machine)
    assert runs_of(read_ledger(journal)) == runs_of(read_ledger(whole))
    assert asdict(read_ledger(journal)) == asdict(read_ledger(whole))


def test_what_is_kept_in_short_is_undone_byte_for_byte(make: Make) -> None:
    vault = make({"A.md": "a\r\n"})
    before = vault.bytes()
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1), CreateNote("C.md", "c\n"), provenance=(provenance("a-1"),))], run="r-1")
    report = undo(kept(vault).ctx, "r-1")
    assert (len(report.undone), report.left, vault.bytes()) == (1, (), before)
    assert vault.space.journal.records({"declined"})[0]["items"] == ["a-1"]


def test_an_index_that_says_what_the_journal_does_not_changes_no_note(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1))], run="r-1")
    vault, after = kept(vault), vault.bytes()
    with sqlite3.connect(vault.space.layout.index / "journal.sqlite") as conn:
        conn.execute("UPDATE kept SET texts=replace(texts, 'r-1.', 'r-2.') WHERE kind='landed'")
    assert len(read_ledger(vault.space.journal).open_intents("m-test")) == 1
    assert recover(vault.ctx) == () and vault.bytes() == after


def test_a_run_that_died_and_is_kept_in_short_is_rolled_back(make: Make) -> None:
    vault = make({"A.md": "a\n", "B.md": "b\n"})
    before = vault.bytes()
    die_after(vault, 1, SetField("A.md", "x", 1), SetField("B.md", "x", 1))
    assert recover(kept(vault).ctx) == () and vault.bytes() == before
