"""The review note: boxes that a person ticks are done by the next run, and nothing else in it is ever obeyed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brain.config import Folders
from brain.stages import reconcile, review, walk
from brain.stages.report import RunReport
from brain.stages.reviewing.note import MARK, ticks_of
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault
from tests.stages.test_review import ADA, MIRA, TWINS, held, lines_of_journal, notes_of

NOTE = "Memory/Review.md"


def night(vault: Vault, stage: Callable[..., RunReport] = reconcile.run) -> RunReport:
    """One run of a stage, as every command does it."""
    vault.index()
    ctx = vault.ctx
    return review.reviewed(ctx, lambda: stage(ctx), dry_run=False)


def tick(vault: Vault, verb: str, item_id: str, path: str = NOTE) -> None:
    text = vault.text(path)
    box = f"- [ ] {verb} `{item_id}`"
    assert text.count(box) == 1
    vault.write(path, text.replace(box, box.replace("[ ]", "[x]")))


def test_what_waits_is_listed_with_links_reasons_and_boxes(make: Make) -> None:
    vault = make(ADA | TWINS)
    night(vault, walk.run)
    night(vault)
    text = vault.text(NOTE)
    item = held(vault, "people")
    assert text.startswith("---\ngenerated: brain review\n---\n")
    assert f"## [[Ada Lind]] and [[Lind, Ada]]: one thing?\n- asked: {item.because.replace('`', chr(39))}" in text
    assert f"- [ ] accept `{item.id}`\n- [ ] reject `{item.id}`\n" in text
    assert "- may mean: [[a/Twin]]\n- may mean: [[b/Twin]]\n" in text


def test_a_vault_in_which_nothing_waits_gets_no_note(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    night(vault)
    assert sorted(vault.bytes()) == ["A.md"]


def test_the_note_is_no_note_of_the_vault(make: Make) -> None:
    vault = make(ADA)
    night(vault)
    vault.index()
    with vault.space.catalog() as conn:
        assert sorted(path for (path,) in conn.execute("SELECT path FROM note")) == sorted(ADA)
        assert conn.execute("SELECT count(*) FROM link").fetchone() == (0,)


def test_nights_with_an_untouched_queue_change_nothing(make: Make) -> None:
    vault = make(ADA | MIRA | TWINS)
    for stage in (walk.run, reconcile.run):
        night(vault, stage)
    before, lines = vault.bytes(), lines_of_journal(vault)
    for stage in (walk.run, reconcile.run, walk.run, reconcile.run):
        night(vault, stage)
    review.apply_ticks(vault.ctx)
    assert (vault.bytes(), lines_of_journal(vault)) == (before, lines)


@pytest.mark.parametrize("stage", [walk.run, reconcile.run])
def test_a_ticked_box_is_done_by_the_next_run_of_any_stage(make: Make, stage: Callable[..., RunReport]) -> None:
    vault = make(ADA)
    night(vault)
    tick(vault, "accept", held(vault).id)
    report = night(vault, stage)
    assert "status: superseded" in vault.text("Lind, Ada.md") and "Nothing waits for you." in vault.text(NOTE)
    assert any(notice.startswith("ticked: ") for notice in report.notices)


def test_what_a_ticked_box_did_is_what_undo_takes_back_and_not_the_list(make: Make) -> None:
    vault = make(ADA)
    before = vault.bytes()
    night(vault)
    tick(vault, "accept", held(vault).id)
    night(vault)
    assert not undo(vault.ctx).left
    assert notes_of(vault) == before


def test_a_ticked_no_is_written_in_both_notes(make: Make) -> None:
    vault = make(ADA)
    night(vault)
    tick(vault, "reject", held(vault).id)
    night(vault)
    assert all("distinct_from" in vault.text(path) for path in ADA) and "Nothing waits" in vault.text(NOTE)


def test_both_boxes_ticked_is_neither_and_said_and_stays_to_be_put_right(make: Make) -> None:
    vault = make(ADA)
    night(vault)
    item = held(vault)
    for verb in ("accept", "reject"):
        tick(vault, verb, item.id)
    before, lines = vault.bytes(), lines_of_journal(vault)
    report = night(vault)
    assert f"{item.id}: both its boxes are ticked, so neither was done." in report.notices
    assert (vault.bytes(), lines_of_journal(vault)) == (before, lines)


FORGED = [
    "- [x] accept `d-0000000000`", "- [x] accept `../../x`", "- [x] accept `" + "a" * 80 + "`", "- [X] reject `d-'; DROP TABLE`",
    "- [x] reject `d-{id}0`", "- [x] accept `r-2026-05-01-000001`",
]  # fmt: skip


@pytest.mark.parametrize("line", FORGED)
def test_a_forged_id_is_ignored_and_said(make: Make, line: str) -> None:
    vault = make(ADA)
    night(vault)
    item = held(vault)
    vault.write(NOTE, vault.text(NOTE) + line.format(id=item.id[2:]) + "\n")
    report = night(vault)
    assert any("does not wait for a decision; it was ignored" in notice for notice in report.notices)
    assert notes_of(vault) == {path: text.encode() for path, text in ADA.items()} and held(vault) == item


NOT_TICKED = [
    "- [ ] accept `{id}`", "- [-] accept `{id}`", "- [/] reject `{id}`", "> - [x] accept `{id}`", "- [x] accept {id}", "- [x] Accept `{id}`",
    "- [x] accept `{id}` and more", "text - [x] accept `{id}`", "- because: - [x] accept `{id}`", "- [xx] accept `{id}`", "1. [x] accept `{id}`",
]  # fmt: skip


@pytest.mark.parametrize("line", NOT_TICKED)
def test_only_a_box_as_it_was_written_can_be_ticked(line: str) -> None:
    assert ticks_of(f"{MARK}\n{line.format(id='d-0123456789')}\n").ids == ()


def test_a_box_above_the_mark_says_nothing() -> None:
    assert ticks_of(f"- [x] accept `d-0123456789`\n{MARK}\n").ids == ticks_of("- [x] accept `d-0123456789`\n").ids == ()


def test_no_text_of_the_vault_can_look_like_a_box(make: Make) -> None:
    evil = "Fact: [[Twin]] - [x] accept `d-0123456789`\n\n- [x] reject `d-0123456789`\n<!-- brain review: %% ```\n"
    vault = make(TWINS | {"Inbox/E.md": f"---\ntype: episode\n---\n{evil}", "- [x] accept `d-0123456789`.md": "---\naliases: [Mira]\n---\n", "Mira.md": "m\n"})
    night(vault, walk.run)
    night(vault)
    assert len(review.queue(vault.ctx).open) >= 2 and ticks_of(vault.text(NOTE)).ids == ()
    assert vault.text(NOTE).count("<!--") == 1 and "%%" not in vault.text(NOTE)


def test_what_a_person_writes_above_the_mark_stays(make: Make) -> None:
    vault = make(ADA)
    night(vault)
    mine = "---\ngenerated: brain review\ntags: [desk]\n---\nTo do on Fridays. é\n\n"
    vault.write(NOTE, (mine + vault.text(NOTE)[vault.text(NOTE).index(MARK) :]).replace("\n", "\r\n"))
    tick(vault, "reject", held(vault).id)
    night(vault)
    text = vault.text(NOTE)
    assert text.startswith(mine.replace("\n", "\r\n")) and "Nothing waits" in text and "\n" not in text.replace("\r\n", "")


def test_a_note_whose_mark_is_gone_gets_the_list_at_its_end(make: Make) -> None:
    vault = make(ADA)
    night(vault)
    vault.write(NOTE, "---\ngenerated: brain review\n---\nmine")
    night(vault)
    assert vault.text(NOTE).startswith(f"---\ngenerated: brain review\n---\nmine\n{MARK}\n") and held(vault).id in vault.text(NOTE)


def test_a_persons_own_note_of_that_name_is_indexed_and_left_alone(make: Make) -> None:
    own = f"my reviews\n{MARK}\n- [x] accept `d-0000000000`\n"
    vault = make(ADA | {NOTE: own})
    report = night(vault)
    assert vault.text(NOTE) == own and any("is a note of yours" in notice for notice in report.notices)
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT count(*) FROM note WHERE path=?", (NOTE,)).fetchone() == (1,)


def test_the_note_lies_where_the_settings_say(make: Make) -> None:
    vault = make(ADA, folders=Folders(review=""))
    night(vault)
    tick(vault, "accept", held(vault).id, "Review.md")
    night(vault)
    assert "status: superseded" in vault.text("Lind, Ada.md")


def test_an_item_that_holds_no_longer_leaves_the_list(make: Make) -> None:
    vault = make(ADA)
    night(vault)
    item = held(vault)
    (vault.root / "Lind, Ada.md").unlink()
    report = night(vault)
    assert any(f"{item.id} is closed" in notice for notice in report.notices) and item.id not in vault.text(NOTE)


def test_a_tick_that_cannot_be_done_yet_is_said_and_its_item_stays(make: Make) -> None:
    vault = make(TWINS)
    night(vault, walk.run)
    item = held(vault)
    vault.write(NOTE, vault.text(NOTE).replace(f"- [ ] reject `{item.id}`", f"- [x] accept `{item.id}`"))
    report = night(vault, walk.run)
    assert any("ticked, not done" in notice for notice in report.notices) and review.queue(vault.ctx).open == (item,)
