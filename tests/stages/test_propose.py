"""Propose: one door for new notes. What is there already is refused, what is not written is kept, and all of it can be taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from brain.config import Embed
from brain.core.proposal import Candidate, Create, Cutoffs, Discard, Near, Supersede, Update
from brain.errors import BrainError, NotFound, UsageError
from brain.recall.similar import similar_in
from brain.stages.deciding import BadDecision, ByReply, ByRules, Decide, Similar, decision_of, likeness
from brain.stages.discards import LOG_BYTES_MAX, discards
from brain.stages.propose import Proposed, propose
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import NOW, Vault

BOAT = Candidate("Night boat", "The boat leaks at night and needs pitch.", "project", agent="bot", source="call 1")
WIDE = Cutoffs(bm25=0.0)
THERE = {"Memory/Projects/Boat.md": "---\ntype: entity\nkind: project\n# mine\nbrain_source: old\n---\nThe boat is old.\n\n- one\n", "Map.md": "A map of the harbour.\n"}


def offer(vault: Vault, candidate: Candidate = BOAT, cutoffs: Cutoffs = WIDE, *, decide: Decide | None = None, **more: bool) -> Proposed:
    vault.index()
    return propose(vault.ctx, candidate, cutoffs, find=partial(similar_in, vault.space, now=NOW), decide=decide, **more)


def replying(answer: Callable[[Sequence[Similar]], dict[str, object]]) -> ByReply:
    """A recorded reply in the place of a language model."""
    return ByReply("recorded/1", lambda _, similar: json.dumps(answer(similar)))


def number_of(similar: Sequence[Similar], path: str) -> int:
    return [known.path for known in similar].index(path) + 1


def test_a_note_of_its_own_is_created_with_its_stamp(make: Make) -> None:
    vault = make(THERE)
    before = vault.bytes()
    assert offer(vault).outcome == "created"
    text = vault.text("Memory/Projects/Night boat.md")
    assert text.startswith("---\nid: n-") and "type: entity\nkind: project\ncreated: 2026-05-01\nbrain_agent: bot\nbrain_source: call 1\n---\n\nThe boat leaks" in text
    assert not undo(vault.ctx).left and vault.bytes() == before


def test_without_a_cut_off_nothing_is_looked_at(make: Make) -> None:
    with pytest.raises(UsageError, match="no cut-off"):
        offer(make(THERE), cutoffs=Cutoffs())


def test_a_note_outside_the_cut_off_is_not_similar(make: Make) -> None:
    vault = make(THERE)
    seen: list[list[str]] = []
    watching = ByReply("recorded/1", lambda _, similar: seen.append([known.path for known in similar]) or '{"action": "create"}')
    offer(vault, replace(BOAT, title="One"), Cutoffs(bm25=1_000.0), decide=watching)
    offer(vault, replace(BOAT, title="Two"), WIDE, decide=watching)
    assert seen[0] == [] and "Memory/Projects/Boat.md" in seen[1] and len(seen[1]) <= 5


def test_nearness_in_meaning_is_a_cut_off_too(make: Make) -> None:
    vault = make(THERE)
    space = replace(vault.space, config=replace(vault.space.config, embed=Embed(model="lexical")))
    vault = replace(vault, space=space)
    from brain.sync.run import sync

    sync(space, now=NOW)
    find = partial(similar_in, space, now=NOW)
    distances = {near.path: near.distance for near in find("The boat is old.", 5)}
    near = distances["Memory/Projects/Boat.md"]
    assert near is not None and 0 <= near < 0.5
    kept = propose(vault.ctx, BOAT, Cutoffs(ceiling=2.0), find=find, dry_run=True).related
    assert propose(vault.ctx, BOAT, Cutoffs(ceiling=0.0), find=find, dry_run=True).related == () and all(known.distance is not None for known in kept)


def test_the_same_words_are_discarded_and_kept_aside(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    before = vault.bytes()
    done = offer(vault)
    assert (done.outcome, done.why) == ("discarded", "Memory/Projects/Night boat.md says the same") and vault.bytes() == before
    (entry,) = discards(vault.ctx).entries
    assert entry.candidate == BOAT and entry.similar[0].path == "Memory/Projects/Night boat.md" and entry.similar[0].score == 1.0


def test_a_near_duplicate_is_refused_unless_it_is_forced(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    near = replace(BOAT, title="The night boat")
    assert offer(vault, near).outcome == "refused" and "--force" in discards(vault.ctx).entries[0].why
    assert offer(vault, near, force=True).outcome == "created"


def test_a_thing_of_another_kind_is_no_near_duplicate(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    assert offer(vault, replace(BOAT, title="The night boat", type="event")).outcome == "created"


@pytest.mark.parametrize(("one", "other", "expected"), [
    (("a b", "c d"), ("A B", "c, d."), 1.0), (("a b", "c d"), ("a", "e"), 0.3), (("a", ""), ("a", ""), 1.0), (("é", "x"), ("e\u0301", "x"), 1.0),
])  # fmt: skip
def test_likeness_is_a_weighted_share_of_words(one: tuple[str, str], other: tuple[str, str], expected: float) -> None:
    assert likeness(*one, *other) == pytest.approx(expected)


def test_a_name_that_another_note_answers_to_is_not_made_again(make: Make) -> None:
    vault = make(THERE)
    for title in ("Map", "MAP", "Map!"):
        done = offer(vault, Candidate(title, "quite another thing, with nothing in common"))
        assert done.outcome == "refused" and "Map.md" in done.why
    assert sorted(vault.bytes()) == sorted(THERE)


def test_a_proposal_that_was_taken_back_is_refused_until_it_is_forced(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    undo(vault.ctx)
    assert "took it back" in offer(vault).why and offer(vault, force=True).outcome == "created"


def test_an_update_replaces_the_body_alone_and_stamps_exactly(make: Make) -> None:
    vault = make(THERE)
    before = vault.bytes()
    path = "Memory/Projects/Boat.md"
    decide = replying(lambda similar: {"action": "update", "target": number_of(similar, path), "body": "It leaks.\n\n- one"})
    done = offer(vault, replace(BOAT, source=None), decide=decide)
    assert done.outcome == "updated" and vault.text(path) == "---\ntype: entity\nkind: project\n# mine\nbrain_agent: bot\n---\n\nIt leaks.\n\n- one\n"
    assert not undo(vault.ctx).left and vault.bytes() == before


def test_a_superseded_note_forwards_and_is_not_stamped(make: Make) -> None:
    vault = make(THERE)
    path = "Memory/Projects/Boat.md"
    done = offer(vault, decide=replying(lambda similar: {"action": "supersede", "target": number_of(similar, path)}))
    text = vault.text(path)
    assert done.outcome == "superseded" and 'superseded_by: "[[Night boat]]"' in text and "brain_source: old" in text and "brain_agent" not in text
    assert offer(vault, replace(BOAT, title="Third boat"), decide=replying(lambda similar: {"action": "create"})).outcome == "created"


def test_what_may_not_be_changed_makes_a_note_of_its_own_instead(make: Make) -> None:
    vault = make({"Inbox/E.md": "---\ntype: episode\n---\nThe boat leaks\n"})
    before = vault.bytes()
    done = offer(vault, decide=replying(lambda _: {"action": "update", "target": 1, "body": "mine"}))
    assert done.outcome == "created" and vault.bytes()["Inbox/E.md"] == before["Inbox/E.md"]


@pytest.mark.parametrize("reply", [
    "", "create", '```json\n{"action": "create"}\n```', '{"action": "create"} {"action": "create"}', "[]", '{"action": "delete"}', '{"action": ["create"]}',
    '{"action": "create", "target": 1}', '{"action": "update", "target": 1}', '{"action": "update", "target": 1, "body": " "}',
    '{"action": "update", "target": 1, "body": 5}', '{"action": "update", "target": 2, "body": "x"}', '{"action": "update", "target": 0, "body": "x"}',
    '{"action": "supersede", "target": true}', '{"action": "supersede", "target": "A.md"}', '{"action": "supersede", "target": 1.0}', '{"action": "supersede"}',
    '{"action": "create", "action": "discard"}', '{"action": "discard", "reason": "x"}', "[" * 100_000,
])  # fmt: skip
def test_a_reply_that_is_no_decision_writes_nothing(make: Make, reply: str) -> None:
    vault = make({"A.md": "boat\n"})
    before = vault.bytes()
    with pytest.raises(BadDecision):
        offer(vault, decide=ByReply("recorded/1", lambda _, __: reply))
    assert vault.bytes() == before and not discards(vault.ctx).entries


def test_every_decision_can_be_replied() -> None:
    shown: list[Similar] = []
    assert decision_of('{"action": "create"}', shown) == Create()
    assert isinstance(decision_of(' {"action":"discard"}\n', shown), Discard)
    for action in ("update", "supersede"):
        with pytest.raises(BadDecision, match="1 to 0"):
            decision_of(json.dumps({"action": action, "target": 1} | ({"body": "x"} if action == "update" else {})), shown)


def test_a_note_that_changes_meanwhile_is_looked_at_once_more_and_then_left_alone(make: Make) -> None:
    vault = make(THERE)
    path, asked = "Memory/Projects/Boat.md", []

    def changing(candidate: Candidate, similar: Sequence[Similar]) -> str:
        asked.append(next(known.body for known in similar if known.path == path))
        vault.write(path, vault.text(path) + "a person's line\n")
        return json.dumps({"action": "update", "target": number_of(similar, path), "body": "mine"})

    done = offer(vault, decide=ByReply("recorded/1", changing))
    assert len(asked) == 2 and "a person's line" in asked[1]
    assert done.outcome == "created" and vault.text(path).endswith("- one\na person's line\na person's line\n")


@pytest.mark.parametrize("decision", [Update("../../etc/x.md", "x"), Supersede("Other.md")])
def test_a_target_that_was_not_shown_is_never_touched(make: Make, decision: Update | Supersede) -> None:
    class Wild:
        name = "wild/1"

        def decide(self, candidate: Candidate, similar: Sequence[Similar]) -> Update | Supersede:
            return decision

    vault = make({"Other.md": "quite another thing\n"})
    assert offer(vault, cutoffs=Cutoffs(bm25=1_000.0), decide=Wild()).outcome == "created" and vault.text("Other.md") == "quite another thing\n"


@pytest.mark.parametrize("folder", ["..", "../x", "/etc", "a/../b", ".hidden", "a//b", "a/.b", "x\0y", "con", "~/x"])
def test_a_folder_outside_the_vault_is_refused(make: Make, folder: str) -> None:
    vault = make({})
    with pytest.raises(UsageError):
        offer(vault, replace(BOAT, folder=folder))
    assert vault.bytes() == {}


def test_a_folder_that_is_a_link_is_not_followed(make: Make, tmp_path: os.PathLike[str]) -> None:
    vault = make({})
    outside = vault.root.parent / "outside"
    outside.mkdir()
    (vault.root / "Door").symlink_to(outside)
    with pytest.raises(UsageError):
        offer(vault, replace(BOAT, folder="Door"))
    assert not list(outside.iterdir())


@pytest.mark.parametrize("bad", [{"title": " "}, {"title": "a\nb"}, {"body": " \n"}, {"agent": ""}, {"source": " "}, {"type": ""}, {"body": "## A\nx\n## a\ny\n"}])
def test_what_can_be_no_note_is_refused(make: Make, bad: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        offer(make({}), replace(BOAT, **bad))


def test_a_title_that_no_file_can_have_becomes_an_alias(make: Make) -> None:
    vault = make({})
    offer(vault, replace(BOAT, title="C/C++: why?", type=None))
    assert 'aliases: ["C/C++: why?"]' in vault.text("Memory/Notes/C C++ why.md")


def test_a_dry_run_writes_nothing_at_all(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    before = vault.bytes()
    assert offer(vault, dry_run=True).outcome == "discarded"
    assert offer(vault, Candidate("New", "something else"), dry_run=True).outcome == "created"
    assert vault.bytes() == before and not (vault.root / ".brain" / "discarded.jsonl").exists()


def test_the_discard_log_is_read_latest_first_and_counts_what_it_cannot_read(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    offer(vault)
    log = vault.root / ".brain" / "discarded.jsonl"
    log.write_bytes(log.read_bytes() + b'no json\n{"at": 1}\n{"at":"x","why":"y","candidate":{},"similar":[]}\n{"torn')
    offer(vault, replace(BOAT, title="The night boat"))
    found = discards(vault.ctx)
    assert [entry.candidate.title for entry in found.entries] == ["The night boat", "Night boat"] and found.unreadable == 4
    assert found.entry(2).candidate == BOAT
    with pytest.raises(NotFound):
        found.entry(3)


def test_a_full_discard_log_is_set_aside_and_still_listed(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    offer(vault)
    log = vault.root / ".brain" / "discarded.jsonl"
    log.write_bytes(log.read_bytes() + b"x" * LOG_BYTES_MAX + b"\n")
    offer(vault)
    assert log.stat().st_size < 10_000 and len(discards(vault.ctx).entries) == 2


def test_a_discard_log_that_is_a_link_is_not_followed(make: Make) -> None:
    vault = make(THERE)
    offer(vault)
    victim = vault.root / "Map.md"
    before = victim.read_bytes()
    (vault.root / ".brain" / "discarded.jsonl").symlink_to(victim)
    with pytest.raises(BrainError):
        offer(vault)
    assert victim.read_bytes() == before


def test_git_is_told_once_to_leave_the_discard_log_out(make: Make) -> None:
    vault = make(THERE)
    ignore = vault.root / ".brain" / ".gitignore"
    ignore.write_text("index/")
    for _ in range(3):
        offer(vault)
    assert ignore.read_text() == "index/\ndiscarded*.jsonl\n"


def test_a_note_that_is_gone_or_superseded_since_it_was_indexed_is_not_similar(make: Make) -> None:
    vault = make({"Old.md": f"---\nstatus: superseded\n---\n{BOAT.body}\n", "Gone.md": BOAT.body})
    vault.index()
    (vault.root / "Gone.md").unlink()
    nears = [Near("Old.md", None, 9.0), Near("Gone.md", None, 9.0)]
    assert propose(vault.ctx, BOAT, WIDE, find=lambda _, __: nears, decide=ByRules()).related == ()
