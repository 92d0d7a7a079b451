"""The prompts that a reader answers are the product's own, say nothing of the labels, and come back through the whole judge."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.quality import asking, atoms, relations, rivals
from bench.quality.asking import prompts, reply_path, take, write
from bench.quality.command import Asked
from bench.quality.judges import SETTINGS, judge_of, recorded_judge
from bench.quality.questions import ASKING, ask_episodes, ask_relations, ask_rivals
from bench.quality.rows import NONE, episodes, sentences
from bench.quality.rows import rivals as rival_rows
from brain.core.asking import Request
from brain.errors import UsageError
from brain.models.chat.recorded import Estimating, Recorded

WHO = "a careful test, 2026"
TASKS = sorted(ASKING)
Reader = Callable[[str], dict[str, Any]]


def answered(task: str, split: str, folder: Path, reader: Reader, *, without: frozenset[int] = frozenset()) -> Path:
    """Writes the prompts of a set, has the files answered by somebody who sees nothing else, and takes the replies."""
    requests = prompts(task, split)
    write(requests, folder / "asked")
    for path in sorted((folder / "asked").iterdir()):
        if int(path.stem) not in without:
            text = path.read_text("utf-8")
            said = {"request": ticket_in(text), **reader(text)}
            reply_path(folder / "asked", int(path.stem)).write_text(f"Here it is:\n{json.dumps(said, ensure_ascii=False)}\n", "utf-8")
    take(requests, folder / "asked", folder / "replies.jsonl", WHO)
    return folder / "replies.jsonl"


def ticket_in(prompt: str) -> str:
    """The word that a reply must hold, as somebody finds it who reads to the end."""
    return prompt.split("Its field `request` holds this word: ")[1].strip()


def data_of(prompt: str) -> str:
    return prompt.split("\n=== ", 1)[1]


def by_the_labels_of_sentences(prompt: str) -> dict[str, Any]:
    known = {(row.text, row.first, row.second): row for row in sentences("all")}
    notes = [(name, text) for name, text in re.findall(r"^N\d+\. (.*) \(note\)\n\|(.*)$", data_of(prompt), re.M)]
    items = []
    for number, ((first, text), (second, _)) in enumerate(zip(notes[::2], notes[1::2], strict=True), start=1):
        row = known[text.strip(), first, second]
        relation, direction = row.edges[0]
        said = {"quote": row.text, "reason": "The sentence says so."} if relation != NONE else {"quote": None, "reason": None}
        items.append({"pair": number, "relation": relation, "direction": direction or "backward", **said})
    return {"pairs": items}


def by_the_labels_of_rivals(prompt: str) -> dict[str, Any]:
    known = {(row.about, row.first.text, row.second.text): row for row in rival_rows("all")}
    items = []
    for number, about, one, other in re.findall(r"^(\d+)\. about (.*)\n   A: \([^)]*\) (.*)\n   B: \([^)]*\) (.*)$", data_of(prompt), re.M):
        row = known[about, one, other]
        is_later = row.label == "supersedes"
        holding = row.first if row.holds == "first" else row.second
        items.append({
            "pair": int(number), "verdict": "compatible" if row.label == "same" else row.label, "reason": "The days say so.",
            "later": {"first": "A", "second": "B"}[row.holds or ""] if is_later else None, "on": holding.recorded if is_later else None,
        })  # fmt: skip
    return {"pairs": items}


def by_the_labels_of_episodes(prompt: str) -> dict[str, Any]:
    """Takes every atom of the piece, by the number of its thing where there is one."""
    data = data_of(prompt)
    numbers = {name: int(number) for number, name in re.findall(r"^(\d+)\. (.*) \(note\)$", data.split(" text\n")[0], re.M)}
    piece = data.split(" text\n", 1)[1].split("\n\n", 1)[1].rsplit("\n=== ", 1)[0]
    row = next(row for row in episodes("all") if piece.strip() in row.text)
    taken = [
        {
            "kind": atom.kinds[0], "entity": numbers.get(atom.entities[0]), "name": None if atom.entities[0] in numbers else atom.entities[0],
            "text": f"Claim number {number}.", "quote": atom.quote, "confidence": "verified", "from": atom.dates[0], "to": None,
        }
        for number, atom in enumerate(row.atoms) if atom.quote in data
    ]  # fmt: skip
    todo = [{"text": f"Task number {number}.", "quote": task.quote, "due": task.due} for number, task in enumerate(row.actions) if task.quote in data]
    return {"atoms": taken, "actions": todo}


def nothing_at_all(prompt: str) -> dict[str, Any]:
    return {"atoms": [], "actions": []}


# Prompts


@pytest.mark.parametrize("task", TASKS)
def test_the_files_hold_the_prompts_to_the_letter_and_nothing_else(task: str, tmp_path: Path) -> None:
    requests = prompts(task, "tune")
    write(requests, tmp_path)
    written = {path.name: path.read_bytes().decode("utf-8") for path in tmp_path.iterdir()}
    assert written == {f"{number:03}.txt": request.prompt for number, request in enumerate(requests, start=1)}


@pytest.mark.parametrize("task", TASKS)
def test_the_same_set_is_asked_the_same_way_whichever_split_it_is_asked_with(task: str) -> None:
    keys = {split: [request.key for request in prompts(task, split)] for split in ("tune", "kept", "all")}
    assert keys["all"] == [*keys["tune"], *keys["kept"]]
    assert len(set(keys["all"])) == len(keys["all"])


def asked_by(ask: Callable[..., object], rows: object) -> list[Request]:
    chat = Estimating("nobody")
    ask(judge_of(chat), rows)
    return chat.requests


def test_no_label_reaches_a_prompt() -> None:
    said = [replace(row, edges=(("blocks", "forward"),), trap="plain") for row in sentences("all")]
    claimed = [replace(row, label="same", holds=None, since=None, shape="x") for row in rival_rows("all")]
    told = [replace(row, atoms=(), wrong=(), actions=()) for row in episodes("all")]
    assert list(prompts("relate", "all")) == asked_by(ask_relations, said)
    assert list(prompts("conflict", "all")) == asked_by(ask_rivals, claimed)
    assert list(prompts("extract", "all")) == asked_by(ask_episodes, told)


@pytest.mark.parametrize("task", TASKS)
def test_no_id_of_a_row_stands_in_a_prompt(task: str) -> None:
    assert [] == [found for request in prompts(task, "all") for found in re.findall(r"\b(?:rel|riv|ep)-\d+", request.prompt)]


def test_pairs_fill_their_requests_as_the_product_fills_them() -> None:
    sizes = [len(re.findall(r"^\d+\. N\d+ and N\d+$", request.data, re.M)) for request in prompts("relate", "tune")]
    assert (sum(sizes), max(sizes), sizes[:-1]) == (len(sentences("tune")), SETTINGS.pairs_per_call_max, [SETTINGS.pairs_per_call_max] * (len(sizes) - 1))


def test_rows_that_are_alike_in_the_file_do_not_stand_together() -> None:
    ids = [row.id for row in sentences("tune")]
    assert sum(int(one[4:]) < int(other[4:]) for one, other in pairwise(ids)) < 0.7 * len(ids)
    relations_of = [row.edges[0][0] for row in sentences("tune") if row.edges[0][0] != NONE]
    assert sum(one == other for one, other in pairwise(relations_of)) < 0.2 * len(relations_of)


def test_prompts_are_not_written_beside_others(tmp_path: Path) -> None:
    (tmp_path / "001.reply.txt").write_text("{}")
    with pytest.raises(UsageError, match="not empty"):
        write(prompts("relate", "tune"), tmp_path)


# Taking replies


def test_the_recording_names_who_answered_in_every_line(tmp_path: Path) -> None:
    path = answered("extract", "tune", tmp_path, nothing_at_all)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert {line["model"] for line in lines} == {WHO}
    assert [line["key"] for line in lines] == [request.key for request in prompts("extract", "tune")]
    assert recorded_judge(path).name == WHO


def test_taking_again_adds_only_what_is_new(tmp_path: Path) -> None:
    path = answered("extract", "tune", tmp_path, nothing_at_all, without=frozenset({2}))
    before = path.read_text("utf-8").splitlines()
    second = (tmp_path / "asked" / "002.txt").read_text("utf-8")
    reply_path(tmp_path / "asked", 2).write_text(json.dumps({"request": ticket_in(second), "atoms": [], "actions": []}))
    collected = take(prompts("extract", "tune"), tmp_path / "asked", path, WHO)
    assert (collected.recorded, collected.missing) == (len(prompts("extract", "tune")), ())
    after = path.read_text("utf-8").splitlines()
    assert (after[: len(before)], len(after)) == (before, len(before) + 1)


@pytest.mark.parametrize(("content", "kind"), [(None, "not_recorded"), (b" \n", "not_recorded"), (b"\xff{}", "not_text")])
def test_a_missing_blank_or_unreadable_answer_is_a_failure_that_names_its_file(content: bytes | None, kind: str, tmp_path: Path) -> None:
    requests = prompts("conflict", "kept")
    write(requests, tmp_path / "asked")
    if content is not None:
        reply_path(tmp_path / "asked", 1).write_bytes(content)
    collected = take(requests, tmp_path / "asked", tmp_path / "replies.jsonl", WHO)
    assert (collected.recorded, len(collected.missing)) == (0, len(requests))
    assert (collected.missing[0].kind, "001.reply.txt" in collected.missing[0].message) == (kind, True)


def test_replies_to_prompts_that_are_no_longer_asked_are_not_taken(tmp_path: Path) -> None:
    requests = prompts("conflict", "kept")
    write(requests, tmp_path / "asked")
    (tmp_path / "asked" / "001.txt").write_text(requests[0].prompt.replace("numbered pairs", "some pairs"), "utf-8")
    reply_path(tmp_path / "asked", 1).write_text("{}")
    collected = take(requests, tmp_path / "asked", tmp_path / "replies.jsonl", WHO)
    assert (collected.recorded, "--out" in collected.missing[0].cure) == (0, True)


def test_two_readers_do_not_share_a_recording(tmp_path: Path) -> None:
    path = answered("extract", "kept", tmp_path, nothing_at_all)
    with pytest.raises(UsageError, match=WHO):
        take(prompts("extract", "kept"), tmp_path / "asked", path, "somebody else")
    assert Recorded(path).model == WHO


@pytest.mark.parametrize("who", ["", "  ", "two\nlines", "w" * 121])
def test_who_answered_has_to_be_said(who: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nobody"):
        take((), tmp_path, tmp_path / "replies.jsonl", who)


def test_the_commands_write_take_and_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["asking", "--task", "conflict", "--split", "kept"]
    monkeypatch.setattr(sys, "argv", [*asked, "--out", str(tmp_path / "asked")])
    asking.main()
    said = f"{len(prompts('conflict', 'kept'))} prompts of"
    assert capsys.readouterr().out.startswith(said)
    first = (tmp_path / "asked" / "001.txt").read_text("utf-8")
    reply_path(tmp_path / "asked", 1).write_text(json.dumps({"request": ticket_in(first), **by_the_labels_of_rivals(first)}))
    monkeypatch.setattr(sys, "argv", [*asked, "--take", str(tmp_path / "asked"), "--recording", str(tmp_path / "r.jsonl"), "--who", WHO])
    with pytest.raises(SystemExit) as ended:
        asking.main()
    said_then = capsys.readouterr().out
    assert (ended.value.code, "1 of 2 replies" in said_then, "002.reply.txt holds no reply" in said_then) == (1, True, True)


# Through the whole judge


def test_a_reader_who_gives_the_labels_of_sentences_scores_one(tmp_path: Path) -> None:
    path = answered("relate", "all", tmp_path, by_the_labels_of_sentences)
    measured = relations.measured(Asked("all", recorded_judge(path)))
    assert (measured.totals["edges"].precision, measured.totals["edges"].recall) == (1.0, 1.0)
    assert {share.part - share.of for share in measured.shares["trap (rightly decided)"].values()} == {0}
    assert measured.judge == WHO


def test_a_reader_who_gives_the_labels_of_rivals_scores_one(tmp_path: Path) -> None:
    path = answered("conflict", "all", tmp_path, by_the_labels_of_rivals)
    measured = rivals.measured(Asked("all", recorded_judge(path)))
    assert (measured.totals["edges"].precision, measured.totals["edges"].recall) == (1.0, 1.0)
    assert (measured.counts["compatible, rightly"], measured.counts["unanswered"]) == (33, 0)


def test_a_reader_who_gives_the_labels_of_episodes_is_found_wherever_the_text_has_the_name(tmp_path: Path) -> None:
    path = answered("extract", "all", tmp_path, by_the_labels_of_episodes)
    measured = atoms.measured(Asked("all", recorded_judge(path)))
    claims, actions = measured.totals["claims, all"], measured.totals["actions, all"]
    assert (claims.precision, actions.precision, actions.recall) == (1.0, 1.0, 1.0)
    assert claims.wanted - claims.found == measured.counts["items refused: name-not-in-text"]
    assert {share.part - share.of for share in measured.shares["day"].values()} == {0}
    assert [measured.counts[word] for word in ("quotes that do not stand there", "instructions in a text that were obeyed", "pieces unanswered")] == [0, 0, 0]


def test_what_was_not_answered_counts_apart_from_an_answer_that_there_is_nothing(tmp_path: Path) -> None:
    path = answered("relate", "kept", tmp_path, by_the_labels_of_sentences, without=frozenset({1}))
    measured = relations.measured(Asked("kept", recorded_judge(path)))
    assert (measured.counts["unanswered"], measured.counts["unanswered: not_recorded"]) == (SETTINGS.pairs_per_call_max, SETTINGS.pairs_per_call_max)
    assert measured.totals["edges"].precision == 1.0
    assert (measured.totals["edges"].recall or 0.0) < 1.0
    assert measured.counts["edges called none"] == 0


def test_a_piece_without_an_answer_is_counted_and_takes_nothing(tmp_path: Path) -> None:
    path = answered("extract", "kept", tmp_path, nothing_at_all, without=frozenset({1, 2}))
    measured = atoms.measured(Asked("kept", recorded_judge(path)))
    assert (measured.counts["pieces unanswered"], measured.counts["unanswered: not_recorded"]) == (2, 2)
    assert (measured.totals["claims, all"].given, measured.totals["claims, all"].recall) == (0, 0.0)


def test_a_quote_that_the_text_does_not_have_is_refused_before_it_is_scored(tmp_path: Path) -> None:
    def inventing(prompt: str) -> dict[str, Any]:
        said = by_the_labels_of_episodes(prompt)
        return {**said, "atoms": [{**atom, "quote": "words that stand nowhere"} for atom in said["atoms"]]}

    measured = atoms.measured(Asked("tune", recorded_judge(answered("extract", "tune", tmp_path, inventing))))
    assert measured.totals["claims, all"].given == 0
    assert measured.counts["items refused: quote-not-in-text"] > 0
