"""Add: new words are an episode in the inbox, whole and unchanged."""

from __future__ import annotations

import pytest

from brain.config import Folders
from brain.core.plan import Applied
from brain.errors import UsageError
from brain.stages import walk
from brain.stages.add import add
from brain.stages.undo import undo
from tests.stages.conftest import Make


def test_words_become_an_episode_note_that_is_walked(make: Make) -> None:
    vault = make({})
    receipt = add(vault.ctx, "Decision: [[Boat]] is sold\n", source="mail")
    assert isinstance(receipt, Applied) and list(vault.bytes()) == ["Inbox/2026-05-01 Decision Boat is sold.md"]
    text = vault.text("Inbox/2026-05-01 Decision Boat is sold.md")
    assert "type: episode\ncreated: 2026-05-01\nsource: mail\n---\n\nDecision: [[Boat]] is sold\n" in text
    assert len(walk.run(vault.ctx).applied) == 1 and (vault.root / "Memory/Concepts/Boat.md").exists()


def test_a_second_note_of_the_same_words_gets_a_name_of_its_own(make: Make) -> None:
    vault = make({})
    add(vault.ctx, "words")
    add(vault.ctx, "words")
    assert list(vault.bytes()) == ["Inbox/2026-05-01 words 2.md", "Inbox/2026-05-01 words.md"]


def test_nothing_to_add_is_refused(make: Make) -> None:
    with pytest.raises(UsageError, match="empty"):
        add(make({}).ctx, " \n ")


def test_a_page_from_the_web_writes_no_links_and_marks_nothing(make: Make) -> None:
    vault = make({"Boat.md": "b\n"})
    add(vault.ctx, "Decision: [[Boat]] is sold", title="A page", source="https://example.org/x", is_from_web=True)
    report = walk.run(vault.ctx)
    assert (report.waiting, vault.text("Boat.md")) == (1, "b\n")
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT count(*) FROM link").fetchone()[0] == 0


def test_the_inbox_is_a_setting_and_keeps_the_case_it_has_on_disk(make: Make) -> None:
    vault = make({"inbox/Old.md": "x\n"}, folders=Folders(inbox="Inbox"))
    add(vault.ctx, "words")
    assert "inbox/2026-05-01 words.md" in vault.bytes()
    assert walk.run(vault.ctx).found == 2


def test_an_added_note_can_be_taken_back(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    add(vault.ctx, "words")
    undo(vault.ctx)
    assert vault.bytes() == {"A.md": b"a\n"}
