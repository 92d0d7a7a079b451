"""What people took back stays away, is said, and comes back when the undo is taken back; new words are a new decision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from brain.core.note import Span
from brain.core.plan import AppendToSection, Applied, CreateNote, MoveNote, ReplaceSpan, SetField
from brain.errors import NotFound
from brain.stages import link, reconcile, walk
from brain.stages.add import add
from brain.stages.commit import commit
from brain.stages.ledger import read_ledger, runs_of
from brain.stages.report import RunReport
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault, bare_vault

EPISODE = "---\ntype: episode\ncreated: 2026-03-04\n---\n"
LEAKS = EPISODE + "Fact: [[Boat]] leaks.\n"
PAPER = "---\ntype: paper\ndoi: 10.1000/sea.1\n---\nwords\n"
SENTENCE = "The boat was [part_of:: [[Fleet]]] since spring.\n"


def claims_in(vault: Vault, path: str = "Boat.md") -> list[str]:
    return [line.partition(" ^")[0].partition(") ")[2] for line in vault.text(path).splitlines() if line.startswith("- (")]


def walked_and_taken_back(make: Make) -> tuple[Vault, str]:
    """A vault with an episode whose walk was undone; the item of that undo."""
    vault = make({"Inbox/1.md": LEAKS, "Boat.md": "b\n"})
    walk.run(vault.ctx)
    undo(vault.ctx)
    (undoing,) = read_ledger(vault.space.journal).undone.values()
    return vault, undoing


# New words, old words, edited words


def test_the_same_words_in_a_new_episode_are_walked(make: Make) -> None:
    vault, _ = walked_and_taken_back(make)
    vault.write("Inbox/2.md", LEAKS)
    vault.index()
    report = walk.run(vault.ctx)
    assert claims_in(vault) == ["Boat leaks. [[2]]"] and len(report.applied) == 1
    assert report.declined == 0 and walk.run(vault.ctx).declined == 0


def test_words_that_are_added_again_after_their_episode_was_taken_back_are_walked(make: Make) -> None:
    vault = make({"Boat.md": "b\n"})
    for _ in range(2):
        receipt = add(vault.ctx, "Fact: [[Boat]] leaks.")
        assert isinstance(receipt, Applied) and receipt.patches[0].path == "Inbox/2026-05-01 Fact Boat leaks.md"
        assert len(walk.run(vault.ctx).applied) == 1 and claims_in(vault) == ["Boat leaks. [[2026-05-01 Fact Boat leaks]]"]
        undo(vault.ctx)
        undo(vault.ctx)
        assert set(vault.bytes()) == {"Boat.md"}


def test_an_episode_that_was_taken_back_is_not_walked_again_and_the_report_says_so(make: Make) -> None:
    vault, undoing = walked_and_taken_back(make)
    vault.index()
    report = walk.run(vault.ctx)
    assert report.is_empty and claims_in(vault) == [] and report.declined == 1
    assert report.notices == (f"1 claim was left out, because a person took it back; to have it again: brain undo {undoing}.",)


def test_of_an_edited_episode_the_new_words_are_walked_and_the_old_ones_stay_away(make: Make) -> None:
    vault, undoing = walked_and_taken_back(make)
    vault.write("Inbox/1.md", LEAKS + "\nRisk: [[Boat]] sinks.\n")
    vault.index()
    report = walk.run(vault.ctx)
    assert claims_in(vault) == ["Boat sinks. [[1]]"] and (len(report.applied), report.declined) == (1, 1)
    assert walk.run(vault.ctx).is_empty
    undo(vault.ctx, undoing)
    assert claims_in(vault) == ["Boat sinks. [[1]]", "Boat leaks. [[1]]"] and vault.text("Boat.md").count("## Atoms") == 1
    assert walk.run(vault.ctx).declined == 0


def test_a_line_that_was_taken_back_and_rewritten_is_walked(make: Make) -> None:
    vault, _ = walked_and_taken_back(make)
    vault.write("Inbox/1.md", EPISODE + "Fact: [[Boat]] leaks at the stern.\n")
    vault.index()
    report = walk.run(vault.ctx)
    assert claims_in(vault) == ["Boat leaks at the stern. [[1]]"] and report.declined == 0


def test_an_episode_whose_edit_says_nothing_new_is_walked_once_and_says_nothing(make: Make) -> None:
    vault, _ = walked_and_taken_back(make)
    vault.write("Inbox/1.md", vault.text("Inbox/1.md") + "\nMore words.\n")
    vault.index()
    assert walk.run(vault.ctx).declined == 1 and claims_in(vault) == []
    assert walk.run(vault.ctx).is_empty


def test_a_relation_that_was_taken_back_stays_away_in_its_episode_alone(make: Make) -> None:
    said = EPISODE + "[[Boat]] part_of:: [[Fleet]] - it sails\n"
    vault = make({"Inbox/1.md": said, "Boat.md": "b\n", "Fleet.md": "f\n"})
    walk.run(vault.ctx)
    undo(vault.ctx)
    vault.write("Inbox/1.md", said + "\nwords\n")
    vault.index()
    assert walk.run(vault.ctx).notices[-1].startswith("1 relation was left out") and "part_of" not in vault.text("Boat.md")
    vault.write("Inbox/2.md", said)
    vault.index()
    walk.run(vault.ctx)
    assert "- part_of:: [[Fleet]] - it sails" in vault.text("Boat.md")


def test_an_episode_that_moved_and_came_back_is_not_walked_again(make: Make) -> None:
    vault = make({"Inbox/1.md": LEAKS, "Boat.md": "b\n"})
    walk.run(vault.ctx)
    for source, to in (("Inbox/1.md", "Archive/1.md"), ("Archive/1.md", "Inbox/1.md")):
        commit(vault.ctx, [vault.plan(MoveNote(source, to), key=to)], run=f"r-{to}")
    assert walk.run(vault.ctx).is_empty


# What a report says


def merged(make: Make) -> tuple[Vault, Callable[[Vault], RunReport]]:
    return make({"Graphs at sea.md": PAPER, "Sea graphs.md": PAPER}), lambda vault: reconcile.run(vault.ctx)


def linked(make: Make) -> tuple[Vault, Callable[[Vault], RunReport]]:
    return make({"Boat.md": SENTENCE, "Fleet.md": "f\n"}), lambda vault: link.run(vault.ctx)


@pytest.mark.parametrize(("case", "what"), [(merged, "merge"), (linked, "relation")])
def test_a_merge_or_line_that_was_taken_back_is_counted_with_the_way_to_have_it_again(make: Make, case: Callable[..., tuple[Vault, Callable[[Vault], RunReport]]], what: str) -> None:
    vault, run = case(make)
    run(vault)
    done = vault.bytes()
    undo(vault.ctx)
    vault.index()
    report = run(vault)
    (notice,) = report.notices
    assert report.is_empty and report.declined == 1 and notice.startswith(f"1 {what} was left out")
    assert undo(vault.ctx, notice.rpartition("brain undo ")[2].rstrip(".")).undone
    assert vault.bytes() == done and run(vault).is_empty and run(vault).declined == 0


def test_many_undos_are_named_by_the_first_of_them(make: Make) -> None:
    vault = make({f"Inbox/{n}.md": EPISODE + f"Fact: [[Boat]] is number {n}.\n" for n in range(5)} | {"Boat.md": "b\n"})
    walk.run(vault.ctx)
    undo(vault.ctx)
    vault.index()
    (notice,) = walk.run(vault.ctx).notices
    assert notice.startswith("5 claims were left out") and notice.count("brain undo") == 3 and notice.endswith("and 2 more.")


# Undoing an undo


def test_an_undo_that_is_taken_back_gives_every_byte_again_and_withdraws_the_decline(make: Make) -> None:
    vault = make({"Inbox/1.md": LEAKS, "Boat.md": "b\r\n"})
    report = walk.run(vault.ctx)
    done = vault.bytes()
    for _ in range(2):
        taken_back = undo(vault.ctx)
        assert vault.bytes() != done and read_ledger(vault.space.journal).declined
        again = undo(vault.ctx, taken_back.run)
        assert vault.bytes() == done and again.undone and not again.left
        ledger = read_ledger(vault.space.journal)
        assert ledger.declined == set() and {r["item"] for r in ledger.standing()} >= {receipt.item for receipt in report.applied}


def test_an_undone_undo_can_itself_be_taken_back(make: Make) -> None:
    vault, undoing = walked_and_taken_back(make)
    before = vault.bytes()
    again = undo(vault.ctx, undoing)
    assert claims_in(vault) == ["Boat leaks. [[1]]"]
    undo(vault.ctx, again.run)
    assert vault.bytes() == before and read_ledger(vault.space.journal).declined


def test_a_later_edit_stays_when_an_undo_is_taken_back(make: Make) -> None:
    vault, undoing = walked_and_taken_back(make)
    vault.write("Boat.md", "my line\n" + vault.text("Boat.md"))
    undo(vault.ctx, undoing)
    assert vault.text("Boat.md").startswith("my line\nb\n\n## Atoms\n- (fact, verified) Boat leaks. [[1]] ^a-")


def test_what_stands_in_the_way_of_doing_it_again_is_named(make: Make) -> None:
    vault, undoing = walked_and_taken_back(make)
    vault.write("Boat.md", "b\n## Atoms\n```\nnever closed\n")
    before = vault.bytes()
    report = undo(vault.ctx, undoing)
    assert [left.path for left in report.left] == ["Boat.md"] and vault.bytes() == before
    assert read_ledger(vault.space.journal).declined


def test_the_last_run_is_never_an_undo(make: Make) -> None:
    vault, undoing = walked_and_taken_back(make)
    with pytest.raises(NotFound, match="nothing to undo"):
        undo(vault.ctx)
    with pytest.raises(NotFound, match="undone already") as caught:
        undo(vault.ctx, read_ledger(vault.space.journal).intents[undoing]["key"])
    assert undoing in caught.value.cure


def test_a_move_is_done_again_and_the_id_follows(make: Make) -> None:
    vault = make({"A.md": "a\n"})

    def ids() -> list[tuple[str, str]]:
        with vault.space.catalog() as conn:
            return conn.execute("SELECT path, id FROM note").fetchall()

    commit(vault.ctx, [vault.plan(MoveNote("A.md", "Archive/A.md"), SetField("A.md", "x", 1))], run="r-1")
    moved = ids()
    taken_back = undo(vault.ctx)
    undo(vault.ctx, taken_back.run)
    assert ids() == moved and set(vault.bytes()) == {"Archive/A.md"}


def test_items_of_an_undo_are_done_again_in_their_first_order(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "one\n"})
    for text, more in (("one", "two"), ("two", "three"), ("three", "four")):
        commit(vault.ctx, [vault.plan(ReplaceSpan("A.md", Span(0, len(text)), text, more), key=more)], run="r-1")
    taken_back = undo(vault.ctx)
    assert vault.text("A.md") == "one\n"
    undo(vault.ctx, taken_back.run)
    assert vault.text("A.md") == "four\n"


def test_claims_are_done_again_under_a_heading_that_came_meanwhile(make: Make) -> None:
    vault, undoing = walked_and_taken_back(make)
    vault.write("Boat.md", "rewritten\n\n## Atoms\n- (fact) another\n\n## More\nwords\n")
    undo(vault.ctx, undoing)
    assert vault.text("Boat.md").startswith("rewritten\n\n## Atoms\n- (fact) another\n- (fact, verified) Boat leaks. [[1]] ^a-")


# The list of runs


def test_runs_are_listed_with_their_items_and_what_became_of_them(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "a\n", "B.md": "b\n"})
    plans = [vault.plan(AppendToSection("A.md", "Atoms", ("- x",)), CreateNote("C.md", "c\n"), key="one"), vault.plan(SetField("B.md", "x", 1), key="two")]
    commit(vault.ctx, plans, run="r-first")
    vault.space.journal.append([{"kind": "run_started", "at": vault.ctx.at, "run": "r-empty", "stage": "link"}])
    first = next(entry for entry in runs_of(read_ledger(vault.space.journal)) if entry.run == "r-first").items[0]
    undoing = undo(vault.ctx, first.item).run
    ledger = read_ledger(vault.space.journal)
    dead = {**ledger.intents[first.item], "item": "r-dead.1", "run": "r-dead"}
    vault.space.journal.append([dead, {**dead, "item": "r-dead.2"}, {"kind": "rolled_back", "at": vault.ctx.at, "item": "r-dead.2"}])
    found = {entry.run: (entry.stage, entry.started, [(item.state, item.paths) for item in entry.items]) for entry in runs_of(read_ledger(vault.space.journal))}
    assert found == {
        "r-first": ("edit", vault.ctx.at, [("undone", ("A.md", "C.md")), ("landed", ("B.md",))]),
        "r-empty": ("link", vault.ctx.at, []),
        undoing: ("undo", vault.ctx.at, [("landed", ("A.md", "C.md"))]),
        "r-dead": ("edit", vault.ctx.at, [("open", ("A.md", "C.md")), ("rolled_back", ("A.md", "C.md"))]),
    }
