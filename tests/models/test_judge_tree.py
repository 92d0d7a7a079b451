"""What a model may say of categories and groups: numbers that were shown, names that are names, reasons that are words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from brain.models.judge.values import Unanswered
from tests.models.judging import Played, judge_with, note, saying

NOTES = [note(n, title, f"{title} is a thing.") for n, title in enumerate(("Beans", "Cron", "Peas", "Nginx"), start=1)]
PLACES = [note(10, "Knowledge", kind="category"), note(11, "Garden", kind="category"), note(12, "Servers", kind="category")]


def move(**changes: Any) -> dict[str, Any]:
    return {"note": 1, "category": 2, "reason": "It is a plant.", **changes}


def group(**changes: Any) -> dict[str, Any]:
    return {"name": "Plants", "members": [1, 3], "reason": "Both grow.", **changes}


OTHER = group(name="Programs", members=[2, 4], reason="Both run.")


@pytest.mark.parametrize(
    "bad",
    [
        move(category=1), move(category=4), move(category=0), move(note=0), move(note=5), move(note=-1), move(reason=""), move(reason="see [[Garden]]"),
        move(reason="x" * 201), move(path="/etc/passwd"), move(note="1"), move(note=True), "Beans",
    ],
)  # fmt: skip
def test_a_move_that_does_not_hold_is_refused_and_counted(bad: object, tmp_path: Path) -> None:
    judge = judge_with(Played(saying(moves=[bad, move(note=3)])), tmp_path)
    moves = judge.reorganize(NOTES, PLACES)
    assert not isinstance(moves, Unanswered)
    assert [(found.note, found.category) for found in moves] == [("Memory/Peas.md", "Memory/Garden.md")]
    assert sum(judge.tally.refusals.values()) == 1


def test_a_note_moves_once(tmp_path: Path) -> None:
    moves = judge_with(Played(saying(moves=[move(), move(category=3)])), tmp_path).reorganize(NOTES, PLACES)
    assert not isinstance(moves, Unanswered) and len(moves) == 1


def test_without_members_or_another_category_nothing_is_asked(tmp_path: Path) -> None:
    chat = Played("")
    judge = judge_with(chat, tmp_path)
    assert judge.reorganize([], PLACES) == judge.reorganize(NOTES, PLACES[:1]) == ()
    assert chat.asked == []


@pytest.mark.parametrize(
    "bad",
    [
        group(members=[1]), group(members=[1, 9]), group(members=[0, 1]), group(members=[2, 3]), group(name="Beans"), group(name="programs"),
        group(name="a/b"), group(name="[[x]]"), group(name=""), group(reason="%% hidden"), group(members=["1", "3"]), {"name": "Plants"},
    ],
)  # fmt: skip
def test_a_group_that_does_not_hold_leaves_too_few(bad: object, tmp_path: Path) -> None:
    answer = judge_with(Played(saying(groups=[OTHER, bad])), tmp_path).subgroup(note(20, "House"), NOTES)
    assert isinstance(answer, Unanswered) and answer.why == "too-few-groups"


def test_groups_that_hold_and_none_are_answers_and_remembered(tmp_path: Path) -> None:
    for said, names in (([group(), OTHER], ["Plants", "Programs"]), ([], [])):
        chat = Played(saying(groups=said))
        folder = tmp_path / str(len(said))
        for _ in range(2):
            answer = judge_with(chat, folder).subgroup(note(20, "House"), NOTES)
            assert not isinstance(answer, Unanswered) and [found.name for found in answer] == names
        assert len(chat.asked) == 1
