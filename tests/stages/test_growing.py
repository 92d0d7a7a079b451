"""Reorganize and subgroup: what is certain is done, the rest is asked, and all of it can be taken back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from brain.core.asking import Failure, Request
from brain.facade import Brain
from brain.judging import Judge
from brain.models.judge.judge import ModelJudge
from brain.models.spend import Spend
from brain.models.verdicts import Verdicts
from brain.stages.context import Context
from brain.stages.growing import reorganize, subgroup
from brain.stages.report import RunReport
from brain.stages.review import decide, look, queue
from brain.stages.reviewing.item import Choice
from brain.stages.undo import undo
from tests.models.judging import Answering, Played, ticket_of
from tests.stages.conftest import Make
from tests.stages.support import Vault


def part(parent: str, kind: str = "concept", more: str = "", body: str = "") -> str:
    return f'---\nkind: {kind}\npart_of: "[[{parent}]]"\n{more}---\n{body}'


TREE = {
    "Ada.md": "---\nkind: person\n---\n", "Knowledge.md": part("Ada", "category"), "Garden.md": part("Ada", "category"), "Work.md": part("Ada", "category"),
}  # fmt: skip


def parent(vault: Vault, path: str) -> str:
    return next(line for line in vault.text(path).splitlines() if line.startswith("part_of"))


def judged(vault: Vault, chat: Played) -> Context:
    ctx = vault.ctx
    records = ctx.journal.records()
    model = ModelJudge(chat, Verdicts(ctx.journal, records, at=ctx.at), Spend(ctx.journal, records, Judge(), at=ctx.at, day=ctx.today), Judge())
    return replace(ctx, model=model)


def numbers(request: Request, mark: str = "") -> dict[str, int]:
    """The numbers of the notes that a request shows, by title."""
    return {title: int(number) for number, title in re.findall(rf"^{mark}(\d+)\. (.+?) \(", request.data, re.M)}


def answering(fields: Callable[[Request], dict[str, Any]]) -> Answering:
    return lambda request: json.dumps({"request": ticket_of(request), **fields(request)})


# Reorganize


def test_what_a_note_states_itself_moves_it_out_of_a_category_of_last_resort(make: Make) -> None:
    vault = make({**TREE, "Beans.md": part("Knowledge", more="tags: [home/garden]\n"), "garden/Peas.md": part("Knowledge"), "Desk.md": part("Work", more="tags: [garden]\n")}, owner="Ada")
    before = vault.bytes()
    assert len(reorganize.run(vault.ctx, dry_run=True).applied) == 2 and vault.bytes() == before
    report = reorganize.run(vault.ctx)
    assert parent(vault, "Beans.md") == parent(vault, "garden/Peas.md") == 'part_of: "[[Garden]]"'
    assert vault.text("Beans.md") == before["Beans.md"].decode().replace("Knowledge", "Garden")
    assert parent(vault, "Desk.md") == 'part_of: "[[Work]]"' and len(report.held) == 1
    assert reorganize.run(vault.ctx).is_empty
    undo(vault.ctx, report.run)
    assert vault.bytes() == before
    again = reorganize.run(vault.ctx)
    assert again.is_empty and again.declined == 2


def test_where_most_links_lead_is_asked_and_accepted_by_a_person(make: Make) -> None:
    beds = {f"Bed {n}.md": part("Garden") for n in range(3)}
    vault = make({**TREE, **beds, "Hose.md": part("Knowledge", body="".join(f"[[Bed {n}]] " for n in range(3)) + "\n")}, owner="Ada")
    report = reorganize.run(vault.ctx)
    assert not report.applied
    (item,) = queue(vault.ctx).all
    assert item.evidence == ("3 of the 3 notes that it is linked with are in Garden, 0 in Knowledge",)
    assert look(vault.ctx, item.id).receipt is not None
    decide(vault.ctx, "accept", Choice((item.id,)))
    assert parent(vault, "Hose.md") == 'part_of: "[[Garden]]"'
    assert queue(vault.ctx).all == () and reorganize.run(vault.ctx).is_empty


def test_an_item_whose_note_was_moved_meanwhile_is_closed(make: Make) -> None:
    vault = make({**TREE, "Garden hose.md": part("Knowledge")}, owner="Ada")
    reorganize.run(vault.ctx)
    (item,) = queue(vault.ctx).all
    vault.write("Garden hose.md", part("Garden"))
    vault.index()
    report = decide(vault.ctx, "accept", Choice((item.id,)))
    assert not report.applied and queue(vault.ctx).all == ()


def test_a_note_that_a_person_said_no_about_stays(make: Make) -> None:
    vault = make({**TREE, "Garden hose.md": part("Knowledge")}, owner="Ada")
    reorganize.run(vault.ctx)
    (item,) = queue(vault.ctx).all
    decide(vault.ctx, "reject", Choice((item.id,)))
    report = reorganize.run(vault.ctx)
    assert report.is_empty and parent(vault, "Garden hose.md") == 'part_of: "[[Knowledge]]"'


def test_a_model_sees_one_category_at_a_time_and_a_person_decides(make: Make) -> None:
    vault = make({**TREE, "Beans.md": part("Knowledge", body="They climb.\n"), "Cron.md": part("Work")}, owner="Ada")

    def says(request: Request) -> dict[str, Any]:
        notes, places = numbers(request, "N"), numbers(request, "C")
        return {"moves": [{"note": notes["Beans"], "category": places["Garden"], "reason": "It tells of plants."}] if "Beans" in notes else []}

    chat = Played(answering(says))
    report = reorganize.run(judged(vault, chat))
    assert [sorted(numbers(request, "N")) for request in chat.asked] == [["Beans"], ["Cron"]]
    assert [held.plan.because for held in report.held] == ["Beans.md fits into Garden.md: It tells of plants."]
    again = Played(answering(says))
    assert reorganize.run(judged(vault, again)).is_empty and again.asked == []


def test_a_category_without_an_answer_waits(make: Make) -> None:
    vault = make({**TREE, "Beans.md": part("Knowledge")}, owner="Ada")
    report = reorganize.run(judged(vault, Played(Failure("timeout", "It took too long.", "wait longer"))))
    assert (report.waiting, report.is_empty) == (1, True) and "asked about again" in report.notices[0]


def test_a_limit_leaves_categories_out_and_counts_them(make: Make) -> None:
    vault = make({**TREE, "Garden hose.md": part("Knowledge"), "Fork.md": part("Garden")}, owner="Ada")
    report = reorganize.run(vault.ctx, limit=1)
    assert (report.left_out, report.is_empty) == (1, True)


# Subgroup


def crowd(parent_name: str, count: int, tags: tuple[str, ...]) -> dict[str, str]:
    return {f"P{n:02}.md": part(parent_name, more=f"tags: [{tags[n % len(tags)]}]\n") for n in range(count)}


def test_parts_that_share_tags_get_groups_that_can_be_taken_back(make: Make) -> None:
    vault = make({**TREE, **crowd("Work", 14, ("red-wine", "blue"))}, owner="Ada")
    before = vault.bytes()
    assert subgroup.run(vault.ctx, apply=True, dry_run=True).applied and vault.bytes() == before
    report = subgroup.run(vault.ctx, apply=True)
    assert len(report.applied) == 1 and not report.failed
    assert vault.text("Memory/Categories/Red wine.md").splitlines()[2:7] == ["type: entity", "kind: category", 'part_of: "[[Work]]"', "importance: 0.8", "status: active"]
    assert vault.text("P00.md") == before["P00.md"].decode().replace("[[Work]]", "[[Red wine]]")
    assert subgroup.run(vault.ctx, apply=True).is_empty
    undo(vault.ctx, report.run)
    assert vault.bytes() == before
    assert subgroup.run(vault.ctx, apply=True).declined == 1


def test_without_a_word_of_a_person_groups_wait_for_one(make: Make) -> None:
    vault = make({**TREE, **crowd("Work", 14, ("red", "blue"))}, owner="Ada")
    report = subgroup.run(vault.ctx)
    assert len(report.held) == 1 and not report.applied
    assert subgroup.run(vault.ctx).is_empty
    (item,) = queue(vault.ctx).all
    assert item.evidence[0].startswith("Blue: P01, P03")
    vault.write("P01.md", part("Garden"))
    vault.index()
    done = decide(vault.ctx, "accept", Choice((item.id,)))
    assert len(done.applied) == 1 and parent(vault, "P03.md") == 'part_of: "[[Blue]]"' and parent(vault, "P01.md") == 'part_of: "[[Garden]]"'


def test_what_waits_can_be_applied_by_the_command_too(make: Make) -> None:
    vault = make({**TREE, **crowd("Work", 14, ("red", "blue"))}, owner="Ada")
    subgroup.run(vault.ctx)
    assert len(subgroup.run(vault.ctx, "Work.md", apply=True).applied) == 1
    assert queue(vault.ctx).all == ()


def test_the_parts_of_a_note_that_is_no_category_get_topics(make: Make) -> None:
    vault = make({**TREE, "Boat.md": part("Work", "project"), "Hull.md": "h\n", "Mast.md": "m\n"} | {
        f"P{n:02}.md": part("Boat", body="[[Hull]]\n" if n < 7 else "[[Mast]]\n") for n in range(13)
    }, owner="Ada")  # fmt: skip
    report = subgroup.run(vault.ctx, apply=True)
    assert not report.failed and "a note that they are linked with" in report.applied[0].plan.because
    assert "kind: concept" in vault.text("Memory/Concepts/Hull (concept).md") and parent(vault, "P00.md") == 'part_of: "[[Hull (concept)]]"'


def test_parts_without_a_common_sign_are_said_and_a_model_may_name_groups(make: Make) -> None:
    vault = make({**TREE, **{f"P{n:02}.md": part("Work", body=f"Number {n}.\n") for n in range(13)}}, owner="Ada")
    report = subgroup.run(vault.ctx, apply=True)
    assert report.is_empty and report.waiting == 1 and "give some of them another part_of" in report.notices[0]

    def says(request: Request) -> dict[str, Any]:
        named = numbers(request)
        return {"groups": [
            {"name": "Early Days", "members": [named["P00"], named["P01"]], "reason": "They came first."},
            {"name": "Late Days", "members": [named["P11"], named["P12"]], "reason": "They came last."},
        ]}  # fmt: skip

    report = subgroup.run(judged(vault, Played(answering(says))), apply=True)
    assert len(report.applied) == 1
    assert parent(vault, "P00.md") == 'part_of: "[[Early Days]]"' and parent(vault, "P05.md") == 'part_of: "[[Work]]"'


def test_a_note_with_few_parts_is_left_alone(make: Make) -> None:
    vault = make({**TREE, **crowd("Work", 5, ("red", "blue"))}, owner="Ada")
    assert subgroup.run(vault.ctx, "Work.md", apply=True).notices == ("Work.md has no more than 12 parts: nothing to group.",)
    lower: RunReport = subgroup.run(vault.ctx, "Work.md", threshold=3, apply=True)
    assert len(lower.applied) == 1


def test_what_was_taken_back_stays_so_under_another_name(make: Make) -> None:
    vault = make({"A.md": "- part_of:: [[P]]\n- part_of:: [[Q]]\n", "P.md": "", "Q.md": ""})
    brain = Brain(vault.space)
    assert len(brain.repair("several-parents").applied) == 1
    brain.undo()
    brain.rename("A", "Aa")
    brain.rename("Q", "Qq")
    assert brain.repair("several-parents").applied == ()
