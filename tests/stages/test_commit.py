"""The one write path: whole or not at all, journaled before, never over a person's words."""

from __future__ import annotations

import os
import stat
from dataclasses import replace

import pytest

from brain.core.note import Span
from brain.core.plan import (
    AppendToSection,
    Applied,
    Conflict,
    CreateNote,
    Edit,
    Held,
    MoveNote,
    Refused,
    ReplaceSpan,
    SetField,
)
from brain.errors import BrainError
from brain.stages.commit import commit, item_id, recover
from brain.stages.context import Reading
from brain.stages.gate import decision_id
from brain.stages.ledger import read_ledger
from brain.stages.record import intent_record
from brain.vault.aside import TEMPORARY, beside
from brain.vault.render import render
from tests.stages.conftest import Make
from tests.stages.support import Vault, provenance

RUN = "r-2026-05-01-aaaaaa"


def kinds(vault: Vault) -> list[str]:
    return [record["kind"] for record in vault.space.journal.records()]


def test_a_plan_lands_and_the_journal_says_so(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    (receipt,) = commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1), provenance=(provenance("a-1"),))], run=RUN)
    assert isinstance(receipt, Applied) and receipt.item.startswith(f"{RUN}.")
    assert vault.text("A.md") == "---\nx: 1\n---\na\n"
    assert kinds(vault) == ["intended", "provenance", "verdict", "landed"]


def test_the_index_knows_what_landed(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    commit(vault.ctx, [vault.plan(CreateNote("Memory/New.md", "new\n"))], run=RUN)
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT count(*) FROM note WHERE path='Memory/New.md'").fetchone()[0] == 1


def test_a_file_that_changed_since_it_was_read_refuses_its_plan(make: Make) -> None:
    vault = make({"A.md": "a\n", "B.md": "b\n"})
    plan = vault.plan(SetField("A.md", "x", 1), SetField("B.md", "x", 1))
    vault.write("B.md", "a person wrote this\n")
    (receipt,) = commit(vault.ctx, [plan], run=RUN)
    assert receipt == Conflict(plan, "B.md")
    assert (vault.text("A.md"), vault.text("B.md"), kinds(vault)) == ("a\n", "a person wrote this\n", [])


def test_a_file_that_changes_between_two_writes_rolls_the_first_back(make: Make) -> None:
    vault = make({"A.md": "a\n", "B.md": "b\n"})
    plan = vault.plan(SetField("A.md", "x", 1), SetField("B.md", "x", 1))
    reading = Reading(vault.space.vault)
    sources = reading.read_many(["A.md", "B.md"])

    class Late(Reading):
        """Shows the files as they were; a person saves B.md right after they were read."""

        def read_many(self, paths: object) -> dict[str, object]:  # type: ignore[override]
            vault.write("B.md", "a person wrote this\n")
            return dict(sources)

    (receipt,) = commit(vault.ctx, [plan], run=RUN, reading=Late(vault.space.vault))
    assert receipt == Conflict(plan, "B.md")
    assert (vault.text("A.md"), vault.text("B.md")) == ("a\n", "a person wrote this\n")
    assert kinds(vault) == ["intended", "rolled_back"]


def test_a_dry_run_writes_nothing_and_shows_its_effect_to_the_next_plan(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    before, reading = vault.bytes(), Reading(vault.space.vault)
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1))], run=RUN, dry_run=True, reading=reading)
    seen = reading.read("A.md")
    assert seen is not None and seen.text == "---\nx: 1\n---\na\n"
    assert (vault.bytes(), kinds(vault)) == (before, [])


@pytest.mark.parametrize(
    "path",
    [
        "../out.md", "/etc/out.md", "a/../../out.md", ".brain/x.md", ".hidden/x.md", "a//b.md", "note.txt", "CON.md", "aux.x.md", "a/nul.md",
        "x\x00.md", "a:b.md", "a\\b.md", "~/x.md", "name .md/x.md ", "dot./x.md", "A.MD", "a.md", "Sub/x.md", "",
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_vault_or_collides_is_refused(make: Make, path: str) -> None:
    vault = make({"A.md": "a\n", "sub/B.md": "b\n"})
    before = vault.bytes()
    (receipt,) = commit(vault.ctx, [vault.plan(CreateNote(path, "x"))], run=RUN)
    assert isinstance(receipt, Refused), path
    assert (vault.bytes(), kinds(vault)) == (before, [])


def test_a_folder_that_is_a_link_is_not_followed(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    outside = vault.root.parent / "outside"
    outside.mkdir()
    (vault.root / "door").symlink_to(outside)
    (receipt,) = commit(vault.ctx, [vault.plan(CreateNote("door/x.md", "x"))], run=RUN)
    assert isinstance(receipt, Refused) and list(outside.iterdir()) == []


def test_a_change_to_a_file_that_the_plan_did_not_read_is_refused(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    (receipt,) = commit(vault.ctx, [replace(vault.plan(SetField("A.md", "x", 1)), base={})], run=RUN)
    assert isinstance(receipt, Refused) and vault.text("A.md") == "a\n"


@pytest.mark.parametrize("doubt", [{"certain": False}, {"concerns": ("people",)}, {"concerns": ("cross-folder",)}])
def test_what_a_person_should_decide_is_held_once(make: Make, doubt: dict[str, object]) -> None:
    vault = make({"A.md": "a\n"})
    plan = vault.plan(SetField("A.md", "x", 1), **doubt)
    receipts = [commit(vault.ctx, [plan], run=RUN)[0] for _ in range(2)]
    assert all(isinstance(receipt, Held) for receipt in receipts)
    assert (vault.text("A.md"), kinds(vault)) == ("a\n", ["held"])
    assert set(read_ledger(vault.space.journal).held) == {decision_id(plan)}


def test_what_is_held_once_more_after_it_landed_is_said_again(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    doubtful, certain = (vault.plan(SetField("A.md", "x", 1), key="k", certain=certain) for certain in (False, True))
    commit(vault.ctx, [doubtful, certain], run=RUN)
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 2), key="k", certain=False)] * 2, run=RUN)
    assert kinds(vault) == ["held", "intended", "landed", "held"]


def test_a_moved_note_keeps_its_id(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    with vault.space.catalog() as conn:
        (before,) = conn.execute("SELECT id FROM note").fetchone()
    commit(vault.ctx, [vault.plan(MoveNote("A.md", "Archive/A.md"), SetField("A.md", "status", "archived"))], run=RUN)
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT path, id FROM note").fetchall() == [("Archive/A.md", before)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_rolls_everything_back(make: Make) -> None:
    vault = make({"A.md": "a\n", "locked/B.md": "b\n"})
    plan = vault.plan(SetField("A.md", "x", 1), SetField("locked/B.md", "x", 1))
    (vault.root / "locked").chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(BrainError, match=r"locked/B\.md"):
            commit(vault.ctx, [plan], run=RUN)
    finally:
        (vault.root / "locked").chmod(0o755)
    assert (vault.text("A.md"), kinds(vault)) == ("a\n", ["intended", "rolled_back"])


def test_a_name_taken_by_a_folder_refuses_the_plan_and_puts_the_rest_back(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    (vault.root / "New.md").mkdir()
    (receipt,) = commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1), CreateNote("New.md", "x"))], run=RUN)
    assert isinstance(receipt, Refused) and vault.text("A.md") == "a\n"


# A run that dies between its intent and its end


def die_after(vault: Vault, written: int, *edits: Edit) -> None:
    """Writes an intent and the first `written` files of it, as a killed process would leave them."""
    plan = vault.plan(*edits)
    patches = render(plan, vault.space.vault.read_many(plan.base))
    item = f"{RUN}.dead0"
    vault.space.journal.append([intent_record(plan, patches, run=RUN, item=item, decision=decision_id(plan), at=vault.ctx.at)])
    for patch in patches[:written]:
        place = vault.root / patch.path
        if patch.after is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(patch.after)


DYING: tuple[Edit, ...] = (
    SetField("A.md", "x", 1), ReplaceSpan("B.md", Span(0, 1), "b", "B"), CreateNote("C.md", "new\n"), MoveNote("D.md", "E.md"),
)  # fmt: skip


@pytest.mark.parametrize("written", range(6))
def test_a_run_that_died_half_way_is_rolled_back_byte_for_byte(make: Make, written: int) -> None:
    vault = make({"A.md": "a\r\n", "B.md": "b", "D.md": "d\n"})
    before = vault.bytes()
    die_after(vault, written, *DYING)
    assert recover(vault.ctx) == ()
    assert vault.bytes() == before
    assert recover(vault.ctx) == () and kinds(vault).count("rolled_back") == 1


def test_a_file_that_a_person_wrote_after_the_death_is_left_and_named(make: Make) -> None:
    vault = make({"A.md": "a\n", "B.md": "b"})
    die_after(vault, 2, SetField("A.md", "x", 1), SetField("B.md", "x", 1))
    vault.write("A.md", "a person's own\n")
    (finding,) = recover(vault.ctx)
    assert finding.path == "A.md"
    assert (vault.text("A.md"), vault.text("B.md")) == ("a person's own\n", "b")


def test_a_file_that_was_only_set_aside_is_put_in_place_and_nothing_of_the_run_is_left_lying(make: Make) -> None:
    vault = make({"A.md": "a\n", "B.md": "b\n"})
    before = vault.bytes()
    die_after(vault, 1, SetField("A.md", "x", 1), SetField("B.md", "x", 1))
    (vault.root / "B.md").rename(beside(vault.root / "B.md", "aside"))
    beside(vault.root / "A.md", "aside").write_bytes(b"a\n")
    beside(vault.root / "A.md", "begun").write_bytes(b"---\nx:")
    vault.write(".brain-0002.tmp", "nobody knows whose\n")
    assert recover(vault.ctx) == () and vault.bytes() == before
    assert [place.name for place in vault.root.glob(TEMPORARY)] == [".brain-0002.tmp"]


def test_a_save_that_a_run_displaced_when_it_died_comes_back_to_its_path(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    die_after(vault, 1, SetField("A.md", "x", 1))
    beside(vault.root / "A.md", "aside").write_bytes(b"a person's own\n")
    (finding,) = recover(vault.ctx)
    assert (finding.code, finding.path, vault.text("A.md")) == ("half-written", "A.md", "a person's own\n")


def test_a_save_that_has_no_room_at_its_path_is_kept_as_a_copy_that_is_named(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    die_after(vault, 1, SetField("A.md", "x", 1))
    beside(vault.root / "A.md", "aside").write_bytes(b"a person's own\n")
    vault.write("A.md", "and a later one\n")
    left, kept = sorted(recover(vault.ctx), key=lambda finding: finding.path, reverse=True)
    assert (left.path, kept.path) == ("A.md", "A (conflicted copy).md") and kept.path in kept.message
    assert vault.bytes() == {"A.md": b"and a later one\n", "A (conflicted copy).md": b"a person's own\n"}
    assert vault.space.journal.records({"rolled_back"})[-1]["kept"] == {"A (conflicted copy).md": "A.md"}


def test_a_moved_note_stays_where_it_is_when_its_old_path_was_taken_after_the_death(make: Make) -> None:
    """Putting it back has no room, and taking it away from where it is now would lose it."""
    vault = make({"D.md": "d\n"})
    die_after(vault, 2, MoveNote("D.md", "E.md"))
    vault.write("D.md", "another\n")
    findings = recover(vault.ctx)
    assert [finding.path for finding in findings] == ["D.md", "E.md"]
    assert vault.bytes() == {"D.md": b"another\n", "E.md": b"d\n"}
    assert recover(vault.ctx) == ()


def test_a_note_that_changes_while_it_is_moved_stays_and_leaves_no_second_one(make: Make) -> None:
    vault = make({"D.md": "d\n"})
    plan = vault.plan(MoveNote("D.md", "E.md"))
    sources = Reading(vault.space.vault).read_many(["D.md"])

    class Late(Reading):
        """Shows the note as it was; a person saves it right after it was read."""

        def read_many(self, paths: object) -> dict[str, object]:  # type: ignore[override]
            vault.write("D.md", "a person wrote this\n")
            return dict(sources)

    (receipt,) = commit(vault.ctx, [plan], run=RUN, reading=Late(vault.space.vault))
    assert receipt == Conflict(plan, "D.md")
    assert vault.bytes() == {"D.md": b"a person wrote this\n"}


def test_items_of_plans_with_endless_keys_are_short_and_their_own(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    long = "a key of many words " * 500
    plans = [vault.plan(SetField("A.md", "x", 1), key=f"{long}{number}") for number in range(2000)]
    items = {item_id(RUN, plan) for plan in plans}
    assert len(items) == len(plans)
    assert max(map(len, items)) <= len(RUN) + 1 + 12
    (receipt,) = commit(vault.ctx, [plans[0]], run=RUN)
    assert isinstance(receipt, Applied) and receipt.item in items


def test_an_intent_of_another_machine_is_not_ours_to_roll_back(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    die_after(vault, 1, SetField("A.md", "x", 1))
    journal = vault.space.journal
    (vault.root / ".brain/journal/m-test").rename(vault.root / ".brain/journal/m-other")
    place = next((vault.root / ".brain/journal/m-other").glob("*.jsonl"))
    place.write_text(place.read_text("utf-8").replace("m-test", "m-other"), "utf-8")
    assert recover(vault.ctx) == () and vault.text("A.md") == "---\nx: 1\n---\na\n"
    assert [record["kind"] for record in journal.records()] == ["intended"]


def test_every_edit_of_a_landed_plan_is_in_the_journal_with_its_text_before(make: Make) -> None:
    vault = make({"A.md": "caf\udce9\n"})
    commit(vault.ctx, [vault.plan(AppendToSection("A.md", "Atoms", ("- x",)))], run=RUN)
    (intent,) = vault.space.journal.records({"intended"})
    assert intent["files"][0]["before"] == {"base64": "Y2Fm6Qo="}

