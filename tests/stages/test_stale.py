"""What nobody has confirmed for long turns stale, in the note and for a while: a word of a person, or a change, takes it back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from brain.config import Limits
from brain.core.recall import Query
from brain.recall.listing import list_notes
from brain.stages import reconcile, walk
from brain.stages.report import RunReport
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import NOW, Vault

OLD = "---\ntype: entity\nkind: concept\nstatus: active  # mine\nlast_confirmed: 2026-01-01\n---\nwords\n"


def run(vault: Vault, *, days_later: int = 0, dry_run: bool = False) -> RunReport:
    return reconcile.run(replace(vault.ctx, now=NOW + timedelta(days=days_later)), dry_run=dry_run)


def status_of(vault: Vault, path: str) -> str:
    with vault.space.catalog() as conn:
        return str(conn.execute("SELECT status FROM note WHERE path=?", (path,)).fetchone()[0])


def test_a_note_that_nobody_confirmed_for_long_turns_stale(make: Make) -> None:
    vault = make({"Old.md": OLD, "New.md": OLD.replace("2026-01-01", "2026-04-01")})
    (receipt,) = run(vault).applied
    assert vault.text("Old.md") == OLD.replace("status: active", "status: stale") and status_of(vault, "New.md") == "active"
    assert receipt.plan.because == "Old.md was last confirmed on 2026-01-01"


def test_the_second_run_writes_nothing(make: Make) -> None:
    vault = make({"Old.md": OLD})
    run(vault)
    before = vault.bytes()
    assert run(vault).is_empty and run(vault, days_later=400).is_empty and vault.bytes() == before


def test_the_day_that_it_takes_is_a_setting_and_0_is_never(make: Make) -> None:
    assert run(make({"Old.md": OLD}, limits=Limits(stale_days=0))).is_empty
    assert run(make({"Old.md": OLD}, limits=Limits(stale_days=120))).is_empty
    assert not run(make({"Old.md": OLD}, limits=Limits(stale_days=119))).is_empty


@pytest.mark.parametrize("change", [
    ("last_confirmed: 2026-01-01\n", ""), ("last_confirmed: 2026-01-01", "last_confirmed: soon"), ("kind: concept", "kind: category"),
    ("kind: concept", "kind: person"), ("kind: concept", "kind: concept\npinned: true"), ("type: entity", "type: episode"),
    ("status: active  # mine", "status: superseded"), ("status: active  # mine", "status: archived"),
])  # fmt: skip
def test_what_does_not_fade_is_a_persons_choice_or_is_over_stays_as_it_is(make: Make, change: tuple[str, str]) -> None:
    vault = make({"Old.md": OLD.replace(*change)})
    before = vault.bytes()
    assert run(vault).is_empty and vault.bytes() == before


def test_a_note_that_is_confirmed_is_as_it_was(make: Make) -> None:
    vault = make({"Old.md": OLD})
    run(vault)
    vault.write("Old.md", vault.text("Old.md").replace("2026-01-01", "2026-04-30"))
    vault.index()
    (receipt,) = run(vault).applied
    assert vault.text("Old.md") == OLD.replace("2026-01-01", "2026-04-30") and "was confirmed on 2026-04-30" in receipt.plan.because
    assert run(vault).is_empty and len(run(vault, days_later=91).applied) == 1


def test_a_note_that_is_changed_is_as_it_was_and_turns_stale_again_in_its_time(make: Make) -> None:
    vault = make({"Old.md": OLD.replace("status: active  # mine\n", "")})
    run(vault)
    vault.write("Old.md", vault.text("Old.md") + "and news\n")
    vault.index()
    assert len(run(vault).applied) == 1 and "status" not in vault.text("Old.md")
    assert run(vault).is_empty and run(vault, days_later=90).is_empty
    assert len(run(vault, days_later=91).applied) == 1 and "status: stale" in vault.text("Old.md")


def test_what_a_stage_wrote_lately_is_not_stale(make: Make) -> None:
    vault = make({"Old.md": OLD, "Inbox/E.md": "---\ntype: episode\n---\nFact: [[Old]] leaks\n"})
    walk.run(vault.ctx)
    vault.write("Old.md", vault.text("Old.md").replace("last_confirmed: 2026-05-01", "last_confirmed: 2026-01-01"))
    vault.index()
    assert run(vault).is_empty


def test_a_status_that_a_person_wrote_is_left_alone(make: Make) -> None:
    vault = make({"Old.md": OLD.replace("status: active", "status: stale").replace("2026-01-01", "2026-04-30")})
    assert run(vault).is_empty
    vault = make({"Old.md": OLD})
    run(vault)
    vault.write("Old.md", vault.text("Old.md").replace("2026-01-01", "2026-04-30"))
    vault.index()
    run(vault)
    vault.write("Old.md", vault.text("Old.md").replace("status: active", "status: stale"))
    vault.index()
    assert run(vault).is_empty


def test_an_undo_gives_every_byte_back_and_lasts_until_the_note_is_confirmed_anew(make: Make) -> None:
    vault = make({"Old.md": OLD})
    run(vault)
    assert not undo(vault.ctx).left and vault.text("Old.md") == OLD
    assert run(vault).is_empty
    vault.write("Old.md", OLD.replace("2026-01-01", "2026-01-20"))
    vault.index()
    assert len(run(vault).applied) == 1


def test_many_notes_turn_stale_over_several_runs(make: Make) -> None:
    vault = make({f"N{number}.md": OLD for number in range(5)}, limits=Limits(stale_per_run_max=2))
    counts = [(len(report.applied), report.left_out) for report in (run(vault), run(vault), run(vault), run(vault))]
    assert counts == [(2, 3), (2, 1), (1, 0), (0, 0)]


def test_a_dry_run_shows_it_and_writes_nothing(make: Make) -> None:
    vault = make({"Old.md": OLD})
    assert len(run(vault, dry_run=True).applied) == 1 and vault.text("Old.md") == OLD


def test_a_stale_note_is_listed_like_any_other_and_by_its_status(make: Make) -> None:
    vault = make({"Old.md": OLD, "New.md": OLD.replace("2026-01-01", "2026-04-01")})
    run(vault)
    with vault.space.catalog() as conn:
        listed = {statuses: [note.path for note in list_notes(conn, Query("", statuses=statuses))] for statuses in ((), ("stale",), ("active",))}
    assert listed == {(): ["New.md", "Old.md"], ("stale",): ["Old.md"], ("active",): ["New.md"]}
