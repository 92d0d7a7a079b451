"""What calls cost is written down, limits stop them in time, and an estimate makes none."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from brain.core.asking import Cost, Failure, Reply, Request, estimated_tokens
from brain.judging import Judge
from brain.models.deadline import Deadline
from brain.models.judge.judge import open_judge
from brain.models.judge.values import Extraction, Piece, Unanswered
from brain.models.spend import Tail, estimate
from brain.vault.journal import Journal
from tests.models.judging import AT, DAY, PIECE, Played, journal_in, judge_with, kinds_in, saying

NOTHING = saying(atoms=[], actions=[])


def pieces(count: int) -> list[Piece]:
    return [replace(PIECE, text=f"{PIECE.text} Part {number}.") for number in range(count)]


def outcomes(chat: Played, folder: Path, count: int, **settings: object) -> list[str]:
    judge = judge_with(chat, folder, **settings)  # type: ignore[arg-type]
    return [answer.why if isinstance(answer, Unanswered) else "answered" for answer in map(judge.extract, pieces(count))]


def test_each_call_is_written_down_with_its_tokens_characters_time_and_outcome(tmp_path: Path) -> None:
    chat = Played(Failure("exit", "It broke.", "mend it", Cost(120, True, 480, 1.5)), NOTHING)
    outcomes(chat, tmp_path, 2)
    records = journal_in(tmp_path).records({"spent"})
    assert [(r["outcome"], r["task"], r["model"], r["day"]) for r in records] == [("exit", "extract", "played", DAY), ("reply", "extract", "played", DAY)]
    assert [records[0][name] for name in ("tokens", "is_estimate", "characters", "seconds")] == [120, True, 480, 1.5]


def test_calls_of_a_run_are_limited_and_the_rest_is_left_open(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    assert outcomes(chat, tmp_path, 4, calls_per_run_max=2) == ["answered", "answered", "over_limit", "over_limit"]
    assert outcomes(chat, tmp_path, 4, calls_per_run_max=2) == ["answered"] * 4
    assert len(chat.asked) == 4


def test_calls_of_a_day_are_limited_across_runs_and_machines_and_begin_anew_the_next_day(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    assert outcomes(chat, tmp_path, 3, calls_per_day_max=2) == ["answered", "answered", "over_limit"]
    (tmp_path / "journal" / "m-test").rename(tmp_path / "journal" / "m-other")
    assert outcomes(chat, tmp_path, 3, calls_per_day_max=2) == ["answered", "answered", "over_limit"]
    assert outcomes(chat, tmp_path, 3, calls_per_day_max=2, day="2026-05-02") == ["answered"] * 3


@pytest.mark.parametrize("limit", ["tokens_per_run_max", "tokens_per_day_max"])
def test_a_call_that_would_go_over_the_tokens_is_not_begun(limit: str, tmp_path: Path) -> None:
    chat = Played(NOTHING)
    outcomes(chat, tmp_path / "a", 1)
    one = journal_in(tmp_path / "a").records({"spent"})[0]["tokens"]
    assert outcomes(chat, tmp_path / "b", 3, **{limit: int(one * 2.2)}) == ["answered", "answered", "over_limit"]
    spent = sum(record["tokens"] for record in journal_in(tmp_path / "b").records({"spent"}))
    assert spent <= int(one * 2.2)


def test_a_request_knows_how_many_tokens_are_left(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    outcomes(chat, tmp_path, 2, tokens_per_run_max=50_000, tokens_per_day_max=40_000)
    first, second = (request.tokens_max for request in chat.asked)
    assert first == 40_000
    assert second == 40_000 - journal_in(tmp_path).records({"spent"})[0]["tokens"]


def test_no_limit_is_no_limit(tmp_path: Path) -> None:
    free = {"calls_per_run_max": 0, "calls_per_day_max": 0, "tokens_per_run_max": 0, "tokens_per_day_max": 0}
    chat = Played(NOTHING)
    assert outcomes(chat, tmp_path, 5, **free) == ["answered"] * 5
    assert chat.asked[0].tokens_max > 10**11


def test_a_model_that_keeps_failing_is_given_up_for_this_run(tmp_path: Path) -> None:
    chat = Played(Failure("unreachable", "It is not there.", "start it"))
    assert outcomes(chat, tmp_path, 5, failures_per_run_max=2) == ["unreachable", "unreachable", "given_up", "given_up", "given_up"]
    assert len(chat.asked) == 2


def test_one_failure_between_answers_gives_nothing_up(tmp_path: Path) -> None:
    broken = Failure("timeout", "It was too slow.", "wait")
    assert outcomes(Played(broken, NOTHING, broken, NOTHING, NOTHING), tmp_path, 5, failures_per_run_max=2) == ["timeout", "answered", "timeout", "answered", "answered"]


def test_a_question_that_is_too_large_is_not_asked(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    assert outcomes(chat, tmp_path, 1, prompt_chars_max=1_000) == ["too_large"]
    assert chat.asked == []


def test_a_deadline_shortens_the_wait_and_then_stops_the_asking(tmp_path: Path) -> None:
    now = [100.0]
    chat = Played(NOTHING)
    judge = judge_with(chat, tmp_path, deadline=Deadline.after(60.0, lambda: now[0]), timeout_s=50.0)
    one, two, three, four = pieces(4)
    judge.extract(one)
    now[0] = 140.0
    judge.extract(two)
    now[0] = 158.0
    judge.extract(three)
    now[0] = 160.0
    late = judge.extract(four)
    assert [request.timeout_s for request in chat.asked] == [50.0, 20.0, 5.0]
    assert isinstance(late, Unanswered)
    assert late.why == "deadline"


def test_an_estimate_asks_nobody_and_leaves_out_what_is_known(tmp_path: Path) -> None:
    command = "sh -c 'exit 1'"
    chat = Played(NOTHING, model="command:sh-1")
    asked = open_judge(Judge(command=command, model="command:sh-1"), journal_in(tmp_path), root=tmp_path, at=AT, day=DAY, only_estimate=True)
    judge_with(chat, tmp_path).extract(pieces(3)[0])
    before = kinds_in(tmp_path)
    known = open_judge(Judge(command=command, model="command:sh-1"), journal_in(tmp_path), root=tmp_path, at=AT, day=DAY, only_estimate=True)
    assert asked is not None
    assert known is not None
    for piece in pieces(3):
        assert isinstance(asked.extract(piece), Unanswered)
        known.extract(piece)
    assert asked.estimate is not None
    assert known.estimate is not None
    assert (asked.estimate.calls, known.estimate.calls) == (3, 2)
    assert kinds_in(tmp_path) == before


def test_what_is_estimated_is_near_what_is_spent(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    outcomes(chat, tmp_path, 3)
    expected = estimate(chat.asked)
    spent = sum(record["tokens"] for record in journal_in(tmp_path).records({"spent"}))
    assert expected.tokens_sent <= spent <= expected.tokens_max
    assert spent - expected.tokens_sent < 0.05 * spent


def test_signs_of_other_scripts_count_for_a_token_each() -> None:
    assert (estimated_tokens(""), estimated_tokens("abcde"), estimated_tokens("会议纪要"), estimated_tokens("ab会议")) == (0, 2, 4, 3)


def test_the_judge_asks_with_the_limits_of_the_settings(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    judge_with(chat, tmp_path, timeout_s=7.0, reply_chars_max=9_000, reply_tokens_max=700).extract(PIECE)
    request: Request = chat.asked[0]
    assert (request.timeout_s, request.reply_chars_max, request.reply_tokens_max) == (7.0, 9_000, 700)
    assert isinstance(chat.ask(request), Reply)
    assert isinstance(judge_with(chat, tmp_path).extract(PIECE), Extraction)


def test_two_runs_at_once_see_each_others_calls(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    one, other = (judge_with(chat, tmp_path, calls_per_day_max=3) for _ in range(2))
    asked = pieces(6)
    said = [judge.extract(piece) for judge, piece in zip((one, other, one, other, one, other), asked, strict=True)]
    assert [isinstance(answer, Extraction) for answer in said] == [True, True, True, False, False, False]
    assert len(chat.asked) == 3 and len(journal_in(tmp_path).records({"spent"})) == 3


def test_the_tokens_of_a_day_hold_for_two_runs_at_once(tmp_path: Path) -> None:
    outcomes(Played(NOTHING), tmp_path / "a", 1)
    one_call = journal_in(tmp_path / "a").records({"spent"})[0]["tokens"]
    chat, limit = Played(NOTHING), int(one_call * 3.2)
    judges = [judge_with(chat, tmp_path / "b", tokens_per_day_max=limit) for _ in range(2)]
    for number, piece in enumerate(pieces(8)):
        judges[number % 2].extract(piece)
    assert sum(record["tokens"] for record in journal_in(tmp_path / "b").records({"spent"})) <= limit and len(chat.asked) == 3
    assert chat.asked[1].tokens_max == limit - one_call


def test_two_processes_hold_the_calls_of_a_day_together(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.models.test_judge_spend import outcomes, NOTHING; from tests.models.judging import Played\n"
        "import time; folder = Path(sys.argv[1]); (folder / sys.argv[2]).touch()\n"
        "while not all((folder / name).exists() for name in 'ab'): time.sleep(0.01)\n"
        "from dataclasses import replace; from tests.models.judging import PIECE, judge_with\n"
        "judge = judge_with(Played(NOTHING), folder, calls_per_day_max=20)\n"
        "for number in range(20): judge.extract(replace(PIECE, text=f'{PIECE.text} {sys.argv[2]} {number}.')); time.sleep(0.005)\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name], cwd=Path(__file__).parents[2]) for name in "ab"]
    assert [run.wait(120) for run in runs] == [0, 0]
    made = len(journal_in(tmp_path).records({"spent"}))
    assert 20 <= made <= 21  # each may have one under way that the other does not know of


def test_a_line_that_is_still_being_written_counts_when_it_is_whole(tmp_path: Path) -> None:
    chat = Played(NOTHING)
    judge = judge_with(chat, tmp_path, calls_per_day_max=2)
    judge.extract(PIECE)
    path = next((tmp_path / "journal" / "m-test").iterdir())
    line = path.read_bytes()
    path.write_bytes(line + line[:40])
    assert isinstance(judge.extract(pieces(1)[0]), Extraction)
    other = judge_with(chat, tmp_path, calls_per_day_max=2)
    assert isinstance(other.extract(pieces(2)[1]), Unanswered)


def test_calls_that_are_not_written_down_count_in_their_own_run(tmp_path: Path) -> None:
    judge = judge_with(Played(NOTHING), tmp_path, keeps=False, calls_per_day_max=2)
    assert [isinstance(judge.extract(piece), Extraction) for piece in pieces(3)] == [True, True, False]


def test_a_journal_file_that_is_written_anew_and_shorter_is_read_again(tmp_path: Path) -> None:
    place = tmp_path / "m" / f"{DAY[:7]}.jsonl"
    place.parent.mkdir()
    spent = json.dumps({"kind": "spent", "at": AT, "day": DAY, "tokens": 5}) + "\n"
    place.write_text(json.dumps({"kind": "touched", "at": AT, "ids": ["x" * 500]}) + "\n" + spent, "utf-8")
    tail = Tail(Journal(tmp_path, "m"), DAY)
    assert len(list(tail.new())) == 1
    place.write_text(spent, "utf-8")
    list(tail.new())
    with place.open("a", encoding="utf-8") as file:
        file.write(spent)
    assert len(list(tail.new())) == 1
