"""Replies from a file: the same request gets the same reply, any other request is a miss that says what to do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brain.core.asking import Failure, Reply
from brain.errors import UsageError
from brain.judging import Judge
from brain.models.chat.recorded import Recorded, Recording
from brain.models.judge.judge import ModelJudge, open_judge
from brain.models.judge.values import Extraction, Unanswered
from tests.models.judging import AT, DAY, PIECE, Played, atom, journal_in, judge_with, saying


def replaying(tmp_path: Path, folder: str, **settings: Any) -> ModelJudge:
    judge = open_judge(Judge(provider="recorded", recording="replies.jsonl", **settings), journal_in(tmp_path / folder), root=tmp_path, at=AT, day=DAY)
    assert judge is not None
    return judge


def test_what_was_recorded_is_answered_the_same_without_the_model(tmp_path: Path) -> None:
    chat = Played(saying(atoms=[atom()], actions=[]), model="ollama:small")
    recording = Recording(chat, tmp_path / "replies.jsonl")
    recorded = judge_with(recording, tmp_path / "a").extract(PIECE)  # type: ignore[arg-type]
    replayed = replaying(tmp_path, "b")
    assert replayed.extract(PIECE) == recorded
    assert isinstance(recorded, Extraction)
    assert (replayed.name, len(chat.asked)) == ("ollama:small", 1)


def test_a_miss_names_the_request_and_says_how_to_record_it(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text("")
    judge = replaying(tmp_path, "a")
    answer = judge.extract(PIECE)
    assert isinstance(answer, Unanswered)
    assert (answer.why, "replies.jsonl" in answer.message, "BRAIN_JUDGE_RECORD=" in answer.cure) == ("not_recorded", True, True)
    assert (judge.tally.calls, judge.name) == (0, "recorded")


@pytest.mark.parametrize("changes", [{"text": "Other words."}, {"day": "2026-05-02"}, {"title": "Another call"}])
def test_a_request_that_differs_in_anything_is_a_miss(changes: dict[str, Any], tmp_path: Path) -> None:
    recording = Recording(Played(saying(atoms=[], actions=[])), tmp_path / "replies.jsonl")
    judge_with(recording, tmp_path / "a").extract(PIECE)  # type: ignore[arg-type]
    assert isinstance(replaying(tmp_path, "b").extract(replace(PIECE, **changes)), Unanswered)


def test_how_long_a_request_may_take_is_no_part_of_it(tmp_path: Path) -> None:
    recording = Recording(Played(saying(atoms=[], actions=[])), tmp_path / "replies.jsonl")
    judge_with(recording, tmp_path / "a", timeout_s=3.0).extract(PIECE)  # type: ignore[arg-type]
    assert isinstance(replaying(tmp_path, "b", timeout_s=9.0, tokens_per_run_max=90_000).extract(PIECE), Extraction)


def test_failures_are_not_recorded_and_replies_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies.jsonl"
    chat = Played(Failure("timeout", "slow", "wait"), saying(atoms=[], actions=[]), saying(atoms=[atom()], actions=[]))
    for folder in "abc":
        judge_with(Recording(chat, path), tmp_path / folder).extract(PIECE)  # type: ignore[arg-type]
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(record["task"], record["model"], record["key"]) for record in records] == [("extract", "played", chat.asked[0].key)] * 2
    later = Recorded(path).ask(chat.asked[0])
    assert isinstance(later, Reply)
    assert "Ada Lovelace" in later.text


def test_a_reply_with_any_character_comes_back_as_it_was(tmp_path: Path) -> None:
    text = "\ud800 \u2028 \x00 \n\r 会议 {"
    chat = Played(text)
    judge_with(Recording(chat, tmp_path / "replies.jsonl"), tmp_path / "a").extract(PIECE)  # type: ignore[arg-type]
    answer = Recorded(tmp_path / "replies.jsonl").ask(chat.asked[0])
    assert isinstance(answer, Reply)
    assert answer.text == text


@pytest.mark.parametrize("line", ["{", "[]", '{"key": 1, "model": "m", "text": "t"}', '{"key": "k"}', "\x00"])
def test_a_damaged_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(f'{{"key": "k", "model": "m", "text": "t"}}\n\n{line}\n')
    with pytest.raises(UsageError, match="Line 3"):
        Recorded(path)


def test_replies_of_two_models_in_one_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(f'{{"key": "k", "model": "{model}", "text": "t"}}\n' for model in "ab"))
    with pytest.raises(UsageError, match="a, b"):
        Recorded(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        replaying(tmp_path, "a")


def test_the_environment_has_replies_recorded(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    judge = open_judge(Judge(command="cat", record_to=str(path)), journal_in(tmp_path), root=tmp_path, at=AT, day=DAY)
    assert judge is not None
    judge.extract(PIECE)
    assert json.loads(path.read_text())["text"].startswith("You are brain")
