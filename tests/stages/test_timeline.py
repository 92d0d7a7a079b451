"""The timeline: what each stage did on a day, written anew from the journal, and never in the way of notes."""

from __future__ import annotations

from dataclasses import replace

from brain.config import Folders
from brain.stages import link, walk
from brain.stages.review import reviewed
from brain.stages.timeline import told, told_of_undo
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

LINK, WALK = "Timeline/2026-05-01 Link.md", "Timeline/2026-05-01 Walk.md"
NOTES = {
    "Boat.md": "It turned out that the boat [depends_on:: [[Keel]]] since spring.\n", "Keel.md": "A keel.\n",
    "Inbox/E.md": "---\ntype: episode\n---\nDecided: [[Boat]] is painted red\n",
}  # fmt: skip


def linked(vault: Vault) -> tuple[str, ...]:
    return reviewed(vault.ctx, lambda: link.run(vault.ctx), dry_run=False).notices


def test_a_run_that_wrote_gets_a_line_for_each_item_with_links_and_its_id(make: Make) -> None:
    vault = make(NOTES)
    linked(vault)
    first, second, *_ = vault.text(LINK).split("\n## ")
    assert first == "---\ngenerated: brain timeline\n---\n# 2026-05-01 Link\n"
    assert second.startswith("12:00 r-2026-05-01-") and "- Boat.md writes out 1 relation in its text: [[Boat|Boat]] `r-2026-05-01-" in second


def test_each_stage_has_its_own_page_and_a_later_run_of_the_day_is_added(make: Make) -> None:
    vault = make(NOTES)
    reviewed(vault.ctx, lambda: walk.run(vault.ctx), dry_run=False)
    linked(vault)
    vault.write("Keel.md", "A keel, and it [part_of:: [[Boat]]] they say.\n")
    vault.index()
    linked(vault)
    assert vault.text(LINK).count("\n## ") == 2 and vault.text(WALK).count("\n## ") == 1


def test_a_run_that_wrote_nothing_and_a_dry_run_leave_it_alone(make: Make) -> None:
    vault = make(NOTES)
    reviewed(vault.ctx, lambda: link.run(vault.ctx, dry_run=True), dry_run=True)
    assert LINK not in vault.bytes()
    linked(vault)
    before = vault.bytes()
    linked(vault)
    assert vault.bytes() == before


def test_it_is_no_note_of_the_index(make: Make) -> None:
    vault = make(NOTES)
    linked(vault)
    vault.index()
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT count(*) FROM note WHERE path LIKE 'Timeline/%'").fetchone() == (0,)


def test_what_is_taken_back_says_so(make: Make) -> None:
    vault = make(NOTES)
    linked(vault)
    report = undo(vault.ctx)
    told_of_undo(vault.ctx, report)
    assert vault.bytes()["Boat.md"] == NOTES["Boat.md"].encode() and "in its text (taken back): [[Boat|Boat]]" in vault.text(LINK)


def test_a_persons_note_at_its_place_stays_and_is_indexed(make: Make) -> None:
    vault = make({**NOTES, LINK: "my own day\n"})
    notices = linked(vault)
    assert vault.text(LINK) == "my own day\n" and any("is a note of yours" in notice for notice in notices)
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT count(*) FROM note WHERE path=?", (LINK,)).fetchone() == (1,)


def test_an_empty_setting_turns_it_off(make: Make) -> None:
    vault = make(NOTES)
    ctx = replace(vault.ctx, config=replace(vault.ctx.config, folders=replace(Folders(), timeline="")))
    told(ctx, link.run(ctx))
    assert not any(path.startswith("Timeline") for path in vault.bytes())


def test_a_path_that_no_link_can_hold_stands_as_it_is(make: Make) -> None:
    vault = make({"C#.md": "It turned out that it [depends_on:: [[Keel]]] since spring.\n", "Keel.md": "A keel.\n"})
    linked(vault)
    assert "`C#.md`" in vault.text(LINK)
