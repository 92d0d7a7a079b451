"""Replies of a model that is confused, broken or turned against us: never an exception, never an item that does not hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brain.core.asking import Request
from brain.core.judgement import Relates, Supersedes
from brain.models.judge.judge import ModelJudge
from brain.models.judge.names import why_no_name
from brain.models.judge.reading import Unread, read_object
from brain.models.judge.values import Claim, ClaimPair, Extraction, Hub, Lesson, NotePair, Partition, Unanswered
from brain.models.judge.words import why_no_text
from tests.models.judging import (
    EPISODE,
    HOME_SERVER,
    PIECE,
    Played,
    atom,
    journal_in,
    judge_with,
    kinds_in,
    note,
    saying,
    ticket_of,
)

NOTES = [note(1, "K8s", "Runs the cluster.", aliases=("Kubernetes",)), note(2, "Kubernetes", "Runs containers."), note(3, "Garden", "Tomatoes and beans.")]
PAIR = NotePair(note(4, "Home Server", "It cannot start before the Router is up."), note(5, "Router", "In the hall."))
CLAIMS = ClaimPair(Claim("a-1", "Works at Acme.", days=(("from", "2025-11-02"),)), Claim("a-2", "Works at Initech.", days=(("from", "2026-03-04"),)), "Ada")
HUB = Hub(note(6, "Outages"), tuple(note(10 + n, f"Outage {n}", f"Number {n} began on a Friday evening.") for n in range(4)))
TASKS: dict[str, Callable[[ModelJudge], Any]] = {
    "extract": lambda judge: judge.extract(PIECE, [HOME_SERVER]),
    "same": lambda judge: judge.same(NOTES),
    "relate": lambda judge: judge.relate([PAIR])[0],
    "conflict": lambda judge: judge.conflict([CLAIMS])[0],
    "insight": lambda judge: judge.insight(HUB),
    "restate": lambda judge: judge.restate([CLAIMS])[0],
    "correct": lambda judge: judge.correct([CLAIMS])[0],
    "reorganize": lambda judge: judge.reorganize(NOTES, [note(30, "Knowledge", kind="category"), note(31, "Servers", kind="category")]),
    "subgroup": lambda judge: judge.subgroup(note(32, "House"), NOTES),
    "propose": lambda judge: judge.propose(note(20, "Rack", "The rack has a second shelf."), NOTES),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_model_that_echoes_the_prompt_says_nothing(task: str, tmp_path: Path) -> None:
    judge = judge_with(Played(lambda request: request.prompt), tmp_path)
    answer = TASKS[task](judge)
    assert isinstance(answer, Unanswered)
    assert answer.why == "echo"
    assert kinds_in(tmp_path) == ["spent"]


@pytest.mark.parametrize("task", TASKS)
@given(cut=st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)))
@settings(max_examples=30)
def test_no_part_of_a_prompt_is_an_answer_to_it(task: str, tmp_path_factory: pytest.TempPathFactory, cut: tuple[int, int]) -> None:
    judge = judge_with(Played(lambda request: request.prompt[min(cut) : max(cut)]), tmp_path_factory.mktemp("vault"))
    assert isinstance(TASKS[task](judge), Unanswered)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "reply",
    [
        "", " ", "I'm sorry, but I can't help with that.", "null", "[]", "42", "{}", '{"request": "example"}', "{" * 5_000, "[" * 100_000, "\x00\x1b[2J", "```json\n```",
        '{"request": null}', "Ich kann das nicht.", "<think>{}</think>", '{"atoms": [], "actions": []}', "\ud800",
    ],
)  # fmt: skip
def test_a_reply_without_an_answer_writes_nothing_and_is_asked_again(task: str, reply: str, tmp_path: Path) -> None:
    chat = Played(reply)
    for asked in (1, 2):
        assert isinstance(TASKS[task](judge_with(chat, tmp_path)), Unanswered)
        assert len(chat.asked) == asked
    assert kinds_in(tmp_path) == ["spent", "spent"]


@pytest.mark.parametrize("task", TASKS)
def test_half_an_answer_is_none(task: str, tmp_path: Path) -> None:
    def half(request: Request) -> str:
        return json.dumps({"request": ticket_of(request), "atoms": [atom()], "groups": [], "pairs": [], "lesson": None})[:-4]

    answer = TASKS[task](judge_with(Played(half), tmp_path))
    assert isinstance(answer, Unanswered)
    assert answer.why == "half-json"


@pytest.mark.parametrize("task", TASKS)
def test_a_key_that_nobody_asked_for_refuses_the_reply(task: str, tmp_path: Path) -> None:
    right = {"extract": {"atoms": [], "actions": []}, "same": {"groups": [], "alone": [1, 2, 3], "unsure": []}, "insight": {"lesson": None}}
    answer = TASKS[task](judge_with(Played(saying(**right.get(task, {"pairs": []}), path="/etc/passwd")), tmp_path))
    assert isinstance(answer, Unanswered)
    assert answer.why == "reply-shape"


def test_the_answer_is_found_in_prose_a_code_fence_and_behind_thinking(tmp_path: Path) -> None:
    said = saying(atoms=[atom()], actions=[])
    for number, around in enumerate(("Sure! Here it is:\n{}\nAnything else?", "```json\n{}\n```", "<think>Maybe {{}} or {{\"request\": 1}}</think>\n{}", "\ufeff{}")):
        judge = judge_with(Played(lambda request, around=around: around.format(said(request))), tmp_path / str(number))  # type: ignore[misc]
        answer = judge.extract(PIECE)
        assert isinstance(answer, Extraction)
        assert [claim.entity for claim in answer.claims] == ["Ada Lovelace"]


def test_two_different_answers_are_none(tmp_path: Path) -> None:
    one, other = saying(atoms=[], actions=[]), saying(atoms=[atom()], actions=[])
    answer = judge_with(Played(lambda request: f"{one(request)}\nor\n{other(request)}"), tmp_path).extract(PIECE)
    assert isinstance(answer, Unanswered)
    assert answer.why == "two-answers"


def test_a_key_that_stands_twice_is_no_answer(tmp_path: Path) -> None:
    answer = judge_with(Played(lambda request: f'{{"request": "{ticket_of(request)}", "atoms": [], "atoms": [], "actions": []}}'), tmp_path).extract(PIECE)
    assert isinstance(answer, Unanswered)


def test_an_answer_inside_a_note_is_never_taken_for_the_models(tmp_path: Path) -> None:
    """The text holds replies for the tickets that the requests for shorter texts had: each text gets a ticket that is not in it."""
    from dataclasses import replace

    text = EPISODE
    for _ in range(3):
        seen = Played("")
        judge_with(seen, tmp_path).extract(replace(PIECE, text=text))
        text += json.dumps({"request": ticket_of(seen.asked[0]), "atoms": [atom(quote="Call with Ada Lovelace")], "actions": []})
    echo = judge_with(Played(text), tmp_path).extract(replace(PIECE, text=text))
    assert isinstance(echo, Unanswered)


@given(st.text(max_size=300), st.text(max_size=20), st.text(max_size=20))
def test_reading_any_text_gives_an_object_with_the_ticket_or_a_word(text: str, ticket: str, mark: str) -> None:
    found = read_object(text, ticket=ticket or "t", mark=mark or "m")
    assert isinstance(found, Unread) or found["request"] == (ticket or "t")


@given(st.text(alphabet='{}[]":,tae1 \\', max_size=200))
@example('{"a":' * 50_000 + '"request"')
@example('{"request": "TICKET", "n": ' + "9" * 5_000 + "}")
@example('{"request": "TICKET", "n": NaN}')
def test_reading_what_is_nearly_json_never_fails(text: str) -> None:
    found = read_object(f"{text} TICKET", ticket="TICKET", mark="MARK")
    assert isinstance(found, Unread) or found["request"] == "TICKET"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=30) | st.sampled_from(["Ada Lovelace", "She joined Initech", "forward", "depends_on", "2026-03-04", "A"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["kind", "entity", "name", "text", "quote", "note", "pair", "x"]), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip
WORD = st.sampled_from(["Ada Lovelace", "the meeting", "[[x]]", "../x", "a\x00b", "March 2026", "Bo", "Works at Initech.", "k:: v", "She joined Initech in March", "2026-03-04"]) | st.text(max_size=30)
ATOM = st.fixed_dictionaries({
    "kind": st.sampled_from(["fact", "person", "Fakt", "decision"]), "entity": st.none() | st.integers(-2, 3), "name": st.none() | WORD, "text": WORD, "quote": WORD | st.just("second disk in May"),
    "confidence": st.sampled_from(["verified", "inferred", "sure"]), "from": st.none() | WORD, "to": st.none() | WORD,
})  # fmt: skip
ACTION = st.fixed_dictionaries({"text": WORD, "quote": WORD | st.just("Bo orders the disk"), "due": st.none() | WORD})
RELATION = st.fixed_dictionaries({
    "pair": st.integers(-1, 3), "relation": st.sampled_from(["depends_on", "none", "unsure", "hängt_ab", "depends-on"]), "direction": st.sampled_from(["forward", "backward", "up"]),
    "quote": st.none() | WORD | st.just("It cannot start before the Router"), "reason": st.none() | WORD,
})  # fmt: skip


@given(st.lists(ATOM | JSON, max_size=6), st.lists(ACTION | JSON, max_size=4))
@settings(max_examples=100)
def test_whatever_atoms_are_answered_only_those_that_hold_are_taken(tmp_path_factory: pytest.TempPathFactory, atoms: list[Any], actions: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("vault")
    answer = judge_with(Played(saying(atoms=atoms, actions=actions)), folder).extract(PIECE, [HOME_SERVER])
    if isinstance(answer, Unanswered):
        assert "answered" not in kinds_in(folder)
        return
    for item in (*answer.claims, *answer.actions):
        line = EPISODE.splitlines()[item.line - PIECE.line]
        assert item.quote in EPISODE
        assert item.quote.splitlines()[0] in line
        assert why_no_text(item.text.split(" (from")[0].split(" (to")[0], known=EPISODE) is None
    for claim in answer.claims:
        assert claim.entity == "Home Server" or (why_no_name(claim.entity, is_person=True) is None and claim.entity in EPISODE)
    assert len(answer.claims) + len(answer.actions) + sum(refusal.count for refusal in answer.refusals) == len(atoms) + len(actions)
    again = judge_with(Played("must not be asked"), folder).extract(PIECE, [HOME_SERVER])
    assert isinstance(again, Extraction)
    assert (again.claims, again.actions) == (answer.claims, answer.actions)


@given(st.lists(RELATION | JSON, max_size=5))
@settings(max_examples=50)
def test_whatever_relations_are_answered_only_those_that_hold_are_taken(tmp_path_factory: pytest.TempPathFactory, pairs: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("vault")
    (answer,) = judge_with(Played(saying(pairs=pairs)), folder).relate([PAIR])
    if isinstance(answer, Relates):
        assert answer.relation == "depends_on"
        assert {answer.source, answer.target} == {PAIR.left.path, PAIR.right.path}
        assert answer.quote in PAIR.left.text
        assert why_no_text(answer.reason) is None
    assert ("answered" in kinds_in(folder)) == (not isinstance(answer, Unanswered))


@given(JSON, JSON, JSON)
@settings(max_examples=50)
def test_whatever_partition_is_answered_it_is_one_or_nothing(tmp_path_factory: pytest.TempPathFactory, groups: Any, alone: Any, unsure: Any) -> None:
    answer = judge_with(Played(saying(groups=groups, alone=alone, unsure=unsure)), tmp_path_factory.mktemp("vault")).same(NOTES)
    assert isinstance(answer, Unanswered) or (isinstance(answer, Partition) and len(answer.verdicts) == 3)


@given(st.lists(JSON, max_size=4), JSON)
@settings(max_examples=50)
def test_whatever_else_is_answered_gives_a_verdict_or_nothing(tmp_path_factory: pytest.TempPathFactory, pairs: list[Any], lesson: Any) -> None:
    folder = tmp_path_factory.mktemp("vault")
    (compared,) = judge_with(Played(saying(pairs=pairs)), folder).conflict([CLAIMS])
    assert not isinstance(compared, Supersedes)
    assert not isinstance(judge_with(Played(saying(lesson=lesson)), folder).insight(HUB), Lesson)


@given(st.text(max_size=200))
@settings(max_examples=50)
def test_any_string_as_a_reply_is_no_answer_to_any_task(tmp_path_factory: pytest.TempPathFactory, reply: str) -> None:
    for ask in TASKS.values():
        assert isinstance(ask(judge_with(Played(reply), tmp_path_factory.mktemp("vault"))), Unanswered)


def test_a_thousand_items_are_cut_at_the_limit_and_counted(tmp_path: Path) -> None:
    atoms = [atom(text=f"Works at Initech in room {number}.") for number in range(1_000)]
    answer = judge_with(Played(saying(atoms=atoms, actions=[])), tmp_path, items_per_reply_max=20).extract(PIECE)
    assert isinstance(answer, Extraction)
    assert (len(answer.claims), [(r.why, r.count) for r in answer.refusals]) == (20, [("too-many", 980)])


@pytest.mark.parametrize("damaged", [{"atoms": "x"}, {}, {"atoms": [atom(quote="It never said this")], "actions": []}])
def test_a_damaged_memory_is_asked_about_again(damaged: dict[str, Any], tmp_path: Path) -> None:
    judge_with(Played(saying(atoms=[atom()], actions=[])), tmp_path).extract(PIECE)
    journal = journal_in(tmp_path)
    record = next(record for record in journal.records() if record["kind"] == "answered")
    journal.append([{**record, "at": "2026-05-02T00:00:00Z", "answer": damaged}])
    chat = Played(saying(atoms=[atom()], actions=[]))
    answer = judge_with(chat, tmp_path).extract(PIECE)
    assert isinstance(answer, Extraction)
    assert (len(answer.claims), len(chat.asked)) == (1, 1)
