"""What was answered is remembered until something in the question changes; what was not answered never is."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brain.core.asking import Failure
from brain.judging import Judge
from brain.models.judge.judge import open_judge
from brain.models.judge.prompts import Prompt, load_prompt
from brain.models.judge.values import Extraction, NotePair, Partition, Unanswered, Unrelated
from brain.models.verdicts import question_key
from tests.models.judging import (
    AT,
    DAY,
    HOME_SERVER,
    PIECE,
    Played,
    atom,
    journal_in,
    judge_with,
    kinds_in,
    note,
    saying,
)

SERVER, ROUTER, GARDEN = note(1, "Home Server", "Stands in the hall."), note(2, "Router", "In the hall."), note(3, "Garden", "Tomatoes.")
NONE = {"relation": "none", "direction": "forward", "quote": None, "reason": None}
APART = saying(groups=[], alone=[1, 2], unsure=[])


def test_a_no_is_not_asked_again_as_long_as_the_journal_is_there(tmp_path: Path) -> None:
    chat = Played(APART)
    first = judge_with(chat, tmp_path).same([SERVER, ROUTER])
    again = judge_with(chat, tmp_path)
    assert (again.same([SERVER, ROUTER]), len(chat.asked)) == (first, 1)
    assert (again.tally.remembered, again.tally.calls) == (1, 0)
    shutil.rmtree(tmp_path / "journal")
    judge_with(chat, tmp_path).same([SERVER, ROUTER])
    assert len(chat.asked) == 2


@pytest.mark.parametrize(
    "group",
    [
        [replace(SERVER, text="Stands in the cellar."), ROUTER], [replace(SERVER, title="The Home Server"), ROUTER], [replace(SERVER, aliases=("HS",)), ROUTER],
        [replace(SERVER, id="n-7"), ROUTER], [ROUTER, SERVER],
    ],
)  # fmt: skip
def test_another_content_name_id_or_order_makes_another_question(group: list[Any], tmp_path: Path) -> None:
    chat = Played(APART)
    judge_with(chat, tmp_path).same([SERVER, ROUTER])
    judge_with(chat, tmp_path).same(group)
    assert len(chat.asked) == 2


def test_a_note_that_only_moved_is_the_same_question(tmp_path: Path) -> None:
    chat = Played(APART)
    judge_with(chat, tmp_path).same([SERVER, ROUTER])
    moved = judge_with(chat, tmp_path).same([replace(SERVER, path="Elsewhere/Home Server.md", line=3), ROUTER])
    assert isinstance(moved, Partition)
    assert (moved.verdicts[0].left, len(chat.asked)) == ("Elsewhere/Home Server.md", 1)  # type: ignore[union-attr]


def test_another_model_is_asked_anew(tmp_path: Path) -> None:
    one, other = Played(APART), Played(APART, model="other")
    for chat in (one, other, one, other):
        judge_with(chat, tmp_path).same([SERVER, ROUTER])
    assert (len(one.asked), len(other.asked)) == (1, 1)


@pytest.mark.parametrize("change", [{"version": 2}, {"text": "Another text."}, {"name": "other"}])
def test_another_prompt_makes_another_question(change: dict[str, Any]) -> None:
    prompt = load_prompt("same")
    parts: dict[str, Any] = {"contents": ["a", "b"], "ids": ["1", "2"]}
    assert question_key(replace(prompt, **change), "m", **parts) != question_key(prompt, "m", **parts)


def test_parts_of_a_question_do_not_run_into_each_other() -> None:
    prompt = Prompt("same", 1, "x", "y")
    keys = {question_key(prompt, "m", contents=contents, ids=ids) for contents, ids in (([], ["ab"]), ([], ["a", "b"]), (["a"], ["b"]), (["ab"], []), (["a", "b"], []))}
    assert len(keys) == 5


def test_a_pair_is_remembered_whichever_batch_it_comes_in(tmp_path: Path) -> None:
    chat = Played(saying(pairs=[{"pair": 1, **NONE}, {"pair": 2, **NONE}]), saying(pairs=[{"pair": 1, **NONE}]))
    judge_with(chat, tmp_path).relate([NotePair(SERVER, ROUTER), NotePair(SERVER, GARDEN)])
    answers = judge_with(chat, tmp_path).relate([NotePair(ROUTER, GARDEN), NotePair(SERVER, GARDEN), NotePair(SERVER, ROUTER)])
    assert [(type(answer), answer.right) for answer in answers if isinstance(answer, Unrelated)] == [(Unrelated, GARDEN.path), (Unrelated, GARDEN.path), (Unrelated, ROUTER.path)]
    assert chat.asked[1].data.count("\n1. N1 and N2") == 1
    assert "\n2. N" not in chat.asked[1].data


def test_a_failure_is_not_remembered(tmp_path: Path) -> None:
    chat = Played(Failure("timeout", "It was too slow.", "wait"), APART)
    assert isinstance(judge_with(chat, tmp_path).same([SERVER, ROUTER]), Unanswered)
    assert isinstance(judge_with(chat, tmp_path).same([SERVER, ROUTER]), Partition)


def test_a_record_says_what_was_asked_by_whom_and_what_was_used_of_the_answer(tmp_path: Path) -> None:
    judge_with(Played(saying(atoms=[atom(), atom(quote="It never said this")], actions=[])), tmp_path).extract(PIECE, [HOME_SERVER])
    record = journal_in(tmp_path).records({"answered"})[0]
    assert {key: record[key] for key in ("at", "task", "judge", "about", "answer")} == {
        "at": AT, "task": "extract", "judge": "played@extract/1", "about": ["e-1", "n-1"], "answer": {"atoms": [atom()], "actions": []},
    }  # fmt: skip


def test_what_another_machine_answered_is_known_here(tmp_path: Path) -> None:
    judge_with(Played(APART), tmp_path).same([SERVER, ROUTER])
    (tmp_path / "journal" / "m-test").rename(tmp_path / "journal" / "m-other")
    chat = Played("must not be asked")
    assert isinstance(judge_with(chat, tmp_path).same([SERVER, ROUTER]), Partition)
    assert chat.asked == []


def test_a_rehearsal_knows_its_answers_and_writes_nothing(tmp_path: Path) -> None:
    chat = Played(saying(atoms=[atom()], actions=[]))
    judge = judge_with(chat, tmp_path, keeps=False)
    assert judge.extract(PIECE) == judge.extract(PIECE)
    assert (len(chat.asked), kinds_in(tmp_path)) == (1, [])


def test_records_of_other_versions_and_damaged_ones_are_passed_over(tmp_path: Path) -> None:
    journal_in(tmp_path).append([{"kind": "answered", "at": AT}, {"kind": "answered", "at": AT, "key": 3, "answer": []}, {"kind": "spent", "at": AT, "tokens": "many", "day": DAY}])
    assert isinstance(judge_with(Played(saying(atoms=[], actions=[])), tmp_path).extract(PIECE), Extraction)


def test_rules_alone_need_no_judge(tmp_path: Path) -> None:
    assert open_judge(Judge(), journal_in(tmp_path), root=tmp_path, at=AT, day=DAY) is None
    assert not (tmp_path / "journal").exists()
