"""A language model decides about a proposed note: it picks and quotes, writes no words of its own, and without its answer nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest

from brain.core.asking import Failure, Reply, Request, estimated_cost
from brain.core.proposal import Candidate, Cutoffs
from brain.recall.similar import similar_in
from brain.stages.discards import discards
from brain.stages.propose import Proposed, propose
from brain.stages.undo import undo
from tests.models.judging import ticket_of
from tests.stages.conftest import Make
from tests.stages.support import NOW, Vault
from tests.stages.teller import Shown, Teller, block, judged, notes_in

BOAT = Candidate("Night leak", "The boat leaks at night and needs pitch.", "project", agent="bot", source="call 1")
THERE = {
    "Memory/Projects/Boat.md": "---\ntype: entity\nkind: project\nbrain_source: old\n---\n\nThe boat is old and leaks.\n\n## Notes\n- one [[Map]]\n",
    "Map.md": "A map of the harbour where the boat lies.\n", "Inbox/Call.md": "---\ntype: episode\n---\nThe boat leaks, said Bo.\n",
}  # fmt: skip
WIDE = Cutoffs(bm25=0.0)
QUOTE = "The boat is old and leaks."
Says = Callable[[dict[int, Shown]], dict[str, Any]]


@dataclass
class Placer(Teller):
    """A chat that decides; `shown` keeps the notes it was shown, `offered` the offered one."""

    says: Says = lambda notes: {"action": "create", "target": None, "quote": None, "reason": "It is something else."}
    shown: list[dict[int, Shown]] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)

    def ask(self, request: Request) -> Reply | Failure:
        self.calls += 1
        if self.failure is not None:
            return self.failure
        self.shown.append(notes_in(block(request.data, "notes"), ""))
        self.offered.append(block(request.data, "offered note"))
        reply = json.dumps({"request": ticket_of(request), "decision": self.says(self.shown[-1])})
        return Reply(reply, estimated_cost(request, reply))


def about(action: str, title: str = "Boat", quote: str | None = QUOTE, **more: Any) -> Says:
    """Decides about the note of a title."""

    def says(notes: dict[int, Shown]) -> dict[str, Any]:
        number = next(number for number, note in notes.items() if note.title == title)
        return {"action": action, "target": number, "quote": quote, "reason": "Both are about the leaking boat.", **more}

    return says


def offer(vault: Vault, chat: Placer, candidate: Candidate = BOAT, *, cutoffs: Cutoffs = WIDE, force: bool = False, dry_run: bool = False) -> Proposed:
    vault.index()
    return propose(judged(vault, chat), candidate, cutoffs, find=partial(similar_in, vault.space, now=NOW), force=force, dry_run=dry_run)


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_an_update_adds_the_candidate_as_a_section_and_keeps_what_is_there(make: Make, eol: str) -> None:
    vault = make({})
    for path, text in THERE.items():
        vault.write(path, text.replace("\n", eol))
    vault.index()
    before = vault.bytes()
    done = offer(vault, Placer(says=about("update")))
    assert (done.outcome, done.why) == ("updated", "Both are about the leaking boat.")
    assert vault.text("Memory/Projects/Boat.md").replace(eol, "\n") == (
        "---\ntype: entity\nkind: project\nbrain_source: call 1\nbrain_agent: bot\n---\n\nThe boat is old and leaks.\n\n## Notes\n- one [[Map]]\n"
        "\n## Night leak\n\nThe boat leaks at night and needs pitch.\n"
    )  # fmt: skip
    assert not undo(vault.ctx).left and vault.bytes() == before


def test_its_provenance_names_the_judge_and_the_line_of_the_quote(make: Make) -> None:
    vault = make(THERE)
    offer(vault, Placer(says=about("update")))
    (record,) = vault.space.journal.records({"provenance"})
    assert (record["judge"], record["episode"], record["line"], record["quote"]) == ("played@propose/1", "Memory/Projects/Boat.md", 7, QUOTE)


def test_a_note_that_is_out_of_date_is_superseded(make: Make) -> None:
    vault = make(THERE)
    assert offer(vault, Placer(says=about("supersede"))).outcome == "superseded"
    assert 'superseded_by: "[[Night leak]]"' in vault.text("Memory/Projects/Boat.md") and "needs pitch" in vault.text("Memory/Projects/Night leak.md")


def test_what_is_there_already_is_discarded_and_kept_aside(make: Make) -> None:
    vault = make(THERE)
    before = vault.bytes()
    done = offer(vault, Placer(says=about("discard")))
    assert (done.outcome, vault.bytes()) == ("discarded", before)
    assert discards(vault.ctx).entry(1).why == "Memory/Projects/Boat.md says it: Both are about the leaking boat."


def test_what_has_a_figure_that_the_note_lacks_is_not_discarded(make: Make) -> None:
    done = offer(make(THERE), Placer(says=about("discard")), replace(BOAT, body="The boat leaks 3 litres a night."))
    assert (done.outcome, done.why) == ("created", "it has figures that Memory/Projects/Boat.md has not")


def test_a_note_of_its_own_is_created(make: Make) -> None:
    vault, chat = make(THERE), Placer()
    assert offer(vault, chat).outcome == "created" and chat.calls == 1 and "needs pitch" in chat.offered[0]


@pytest.mark.parametrize("action", ["update", "supersede"])
def test_an_episode_is_shown_as_kept_and_never_changed(make: Make, action: str) -> None:
    vault, chat = make(THERE), Placer(says=about(action, "Call", "The boat leaks, said Bo."))
    before = vault.text("Inbox/Call.md")
    assert offer(vault, chat).outcome == "created" and vault.text("Inbox/Call.md") == before
    assert {note.title: note.kind for note in chat.shown[0].values()} == {"Boat": "project", "Call": "kept", "Map": "note"}


@pytest.mark.parametrize("body", ["## Notes\nmore", "Text ^x\n\n## Night leak\n", "See [it](Map.md).", "---\na: b\n---\nwords"])
def test_words_that_do_not_fit_below_a_note_become_a_note_of_their_own(make: Make, body: str) -> None:
    vault = make(THERE)
    before = vault.text("Memory/Projects/Boat.md")
    assert offer(vault, Placer(says=about("update")), replace(BOAT, body=body)).outcome == "created"
    assert vault.text("Memory/Projects/Boat.md") == before


def test_words_are_not_put_into_code_that_is_never_closed(make: Make) -> None:
    vault = make({**THERE, "Memory/Projects/Boat.md": f"{QUOTE}\n\n```\nopen\n"})
    assert offer(vault, Placer(says=about("update"))).outcome == "created"


@pytest.mark.parametrize("more", [
    {"target": 99}, {"target": None}, {"target": True}, {"quote": "It never said this."}, {"quote": None}, {"action": "eat"}, {"reason": "see [[Map]]"}, {"reason": ""},
    {"body": "words of its own"}, {"action": "create"},
])  # fmt: skip
def test_a_bad_reply_writes_nothing_says_so_and_keeps_the_candidate(make: Make, more: dict[str, Any]) -> None:
    vault = make(THERE)
    before = vault.bytes()
    done = offer(vault, Placer(says=lambda notes: {**about("update")(notes), **more}))
    assert done.outcome == "refused" and done.why.startswith("no answer from the language model") and "--force" in done.why
    assert vault.bytes() == before and discards(vault.ctx).entry(1).candidate == BOAT


def test_no_answer_writes_nothing_and_is_asked_again(make: Make) -> None:
    vault = make(THERE)
    assert offer(vault, Placer(failure=Failure("timeout", "It took too long.", "wait longer"))).outcome == "refused"
    assert offer(vault, Placer()).outcome == "created"


def test_what_rules_are_sure_of_is_not_asked(make: Make) -> None:
    vault, chat = make(THERE), Placer()
    assert offer(vault, chat, Candidate("Map", "A map of the harbour where the boat lies.")).outcome == "discarded"
    assert offer(vault, chat, Candidate("Map", "A map of the harbour where the boat lies. Now.")).outcome == "refused"
    assert offer(vault, chat, cutoffs=Cutoffs(bm25=1_000.0)).outcome == "created" and chat.calls == 0


def test_forcing_asks_nobody(make: Make) -> None:
    chat = Placer(says=about("discard"))
    assert offer(make(THERE), chat, force=True).outcome == "created" and chat.calls == 0


def test_the_same_question_is_asked_once(make: Make) -> None:
    vault, again = make(THERE), Placer(says=about("discard"))
    offer(vault, Placer(says=about("discard")))
    assert offer(vault, again).outcome == "discarded" and again.calls == 0


def test_a_dry_run_writes_nothing(make: Make) -> None:
    vault = make(THERE)
    before = vault.bytes()
    done = offer(vault, Placer(says=about("update")), dry_run=True)
    assert done.outcome == "updated" and vault.bytes() == before
