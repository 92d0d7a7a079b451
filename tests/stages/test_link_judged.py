"""With a model: a relation that a note states gets its line where it belongs; anything else is said, waits, or is asked again."""

from __future__ import annotations

from typing import Any

import pytest

from brain.config import Limits
from brain.core.asking import Failure
from brain.core.judgement import Relates
from brain.models.deadline import Deadline
from brain.models.judge.values import NotePair
from brain.stages import link
from brain.stages.linking.candidates import Candidate
from brain.stages.linking.notes import LiveNote, Read, excerpt
from brain.stages.linking.relations import Shown as About
from brain.stages.linking.relations import is_about
from brain.stages.undo import undo
from brain.vault.parse import parse_note
from brain.vault.store import Source
from tests.stages.conftest import Make
from tests.stages.support import Vault
from tests.stages.teller import NONE, UNSURE, Shown, Teller, judged, related
from tests.stages.test_written_links import ends_of

KEEL = "She cannot sail before the Keel is laid."
NOTES = {"Boat.md": f"# Boat\n\n{KEEL}\n", "Keel.md": "A keel.\n"}


def says(quote: str = KEEL, relation: str = "depends_on", **more: Any) -> Teller:
    """A model that reads one relation out of every first note that says the words."""
    return Teller(lambda left, right: related(relation, quote, **more) if quote in left.text else NONE)


def lines(vault: Vault, path: str) -> list[str]:
    return [line for line in vault.text(path).splitlines() if ":: " in line]


def test_a_relation_that_a_note_states_gets_its_line_and_its_reason(make: Make) -> None:
    vault, chat = make(NOTES), says(reason="She sails only with a keel.")
    report = link.run(judged(vault, chat))
    assert vault.text("Boat.md") == f"# Boat\n\n{KEEL}\n\n## Related\n- depends_on:: [[Keel]] - She sails only with a keel.\n"
    assert (len(report.applied), report.waiting, report.left_out, vault.text("Keel.md")) == (1, 0, 0, "A keel.\n")
    assert "its text names it without a link" in report.applied[0].plan.because


def test_its_provenance_has_the_line_the_words_and_the_judge(make: Make) -> None:
    vault = make(NOTES)
    link.run(judged(vault, says()))
    (record,) = vault.space.journal.records({"provenance"})
    assert (record["item"], record["episode"], record["line"], record["quote"]) == ("Boat.md|depends_on|Keel.md", "Boat.md", 3, KEEL)
    assert record["judge"] == "played@relate/1"


def test_a_relation_the_other_way_round_stands_in_the_other_note_and_rests_on_the_first(make: Make) -> None:
    vault = make(NOTES)
    link.run(judged(vault, says(relation="blocks", direction="backward")))
    assert lines(vault, "Keel.md") == ["- blocks:: [[Boat]] - It says so."] and lines(vault, "Boat.md") == []
    assert vault.space.journal.records({"provenance"})[0]["episode"] == "Boat.md"


def test_what_is_written_out_comes_first_and_is_not_asked_about(make: Make) -> None:
    vault, chat = make({**NOTES, "Boat.md": f"It turned out that the boat [depends_on:: [[Keel]]] since spring. {KEEL}\n"}), says()
    link.run(judged(vault, chat))
    assert chat.pairs == [] and lines(vault, "Boat.md")[-1].startswith("- depends_on:: [[Keel]] - It turned out")


def test_the_second_run_asks_nothing_and_writes_nothing(make: Make) -> None:
    vault = make({**NOTES, "Sail.md": "Before the Keel comes the Boat.\n"})
    link.run(judged(vault, says()))
    before, again = vault.bytes(), says()
    report = link.run(judged(vault, again))
    assert report.is_empty and again.calls == 0 and vault.bytes() == before and report.left_out == 0


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_lines_written_in_the_middle_of_a_note_make_no_new_question(make: Make, eol: str) -> None:
    text = f"# Boat\n\n{KEEL}\n\n## Related\n## Later\nThe Sail is old.\n".replace("\n", eol)
    vault = make({**NOTES, "Boat.md": text, "Sail.md": "A sail.\n"})
    first, again = (Teller(lambda left, right: related("depends_on", KEEL) if right.title == "Keel" else NONE) for _ in range(2))
    link.run(judged(vault, first))
    assert ("Boat", "Sail") in first.pairs and lines(vault, "Boat.md") == ["- depends_on:: [[Keel]] - It says so."]
    assert link.run(judged(vault, again)).is_empty and again.calls == 0


def test_a_no_is_asked_again_when_the_note_says_something_else(make: Make) -> None:
    vault, chat = make(NOTES), Teller()
    link.run(judged(vault, chat))
    assert chat.pairs == [("Boat", "Keel")]
    vault.write("Boat.md", NOTES["Boat.md"] + "And more about the Keel.\n")
    vault.index()
    again = Teller()
    link.run(judged(vault, again))
    assert again.pairs == [("Boat", "Keel")]


def test_a_no_is_not_asked_again_when_the_stage_itself_wrote_to_the_note(make: Make) -> None:
    vault = make({**NOTES, "Boat.md": f"{KEEL} The Sail is another matter.\n", "Sail.md": "s\n"})
    chat = Teller(lambda left, right: related("depends_on", KEEL) if right.title == "Keel" else NONE)
    link.run(judged(vault, chat))
    assert lines(vault, "Boat.md") and ("Boat", "Sail") in chat.pairs
    vault.write("Boat.md", vault.text("Boat.md").replace("- It says so.", "- It says so, I think."))
    vault.index()
    again = Teller()
    link.run(judged(vault, again))
    assert again.calls == 0


def test_another_model_is_asked_anew(make: Make) -> None:
    vault = make(NOTES)
    link.run(judged(vault, Teller()))
    other = Teller(model="another")
    link.run(judged(vault, other))
    assert other.pairs == [("Boat", "Keel")]


def test_a_new_name_in_an_old_text_is_asked_about(make: Make) -> None:
    vault = make(NOTES)
    link.run(judged(vault, Teller()))
    vault.write("Sail.md", "---\naliases: [is laid]\n---\n")
    vault.index()
    chat = Teller()
    link.run(judged(vault, chat))
    assert chat.pairs == [("Boat", "Sail")]


def test_what_the_limit_of_one_run_leaves_out_is_asked_by_the_next(make: Make) -> None:
    vault = make({f"B{number}x.md": f"The Keel of {number}.\n" for number in range(3)} | {"Keel.md": "k\n"})
    asked: list[tuple[str, str]] = []
    for left in (3, 2, 1):
        chat = Teller()
        report = link.run(judged(vault, chat), limit=1)
        asked += chat.pairs
        assert report.left_out == left  # the other boats, and the keel
    assert sorted(pair for pair in asked if pair[1] == "Keel") == [(f"B{number}x", "Keel") for number in range(3)]


def test_names_beyond_the_limit_of_one_note_are_asked_about_by_the_next_run(make: Make) -> None:
    names = [f"{letter}skerry" for letter in "abcdefghijklmnop"]
    vault = make({"Boat.md": f"{', '.join(names)}.\n", **{f"{name}.md": "x\n" for name in names}})
    first, second, third = Teller(), Teller(), Teller()
    for chat in (first, second, third):
        link.run(judged(vault, chat))
    from_boat = [[pair for pair in chat.pairs if pair[0] == "Boat"] for chat in (first, second, third)]
    assert [len(pairs) for pairs in from_boat] == [12, 4, 0]
    assert sorted(right for pairs in from_boat for _, right in pairs) == names


# What does not become a line


def test_unsure_is_counted_as_waiting_and_remembered(make: Make) -> None:
    vault = make(NOTES)
    report = link.run(judged(vault, Teller(lambda left, right: UNSURE)))
    assert report.is_empty and report.waiting == 1 and "only a person can" in " ".join(report.notices)
    again = Teller()
    assert link.run(judged(vault, again)).is_empty and again.calls == 0


@pytest.mark.parametrize("answer", [None, related("depends_on", "words that stand nowhere"), related("likes", KEEL), related("depends_on", KEEL, reason="see [[Keel]]")])
def test_an_answer_that_does_not_hold_writes_nothing_is_said_and_is_asked_again(make: Make, answer: dict[str, Any] | None) -> None:
    vault, before = make(NOTES), NOTES
    report = link.run(judged(vault, Teller(lambda left, right: answer)))
    assert report.is_empty and report.waiting == 1 and "will be asked about again" in " ".join(report.notices)
    assert {path: vault.text(path) for path in before} == before
    link.run(judged(vault, says()))
    assert lines(vault, "Boat.md")


def test_a_model_that_fails_writes_nothing_and_the_run_says_why_and_what_to_do(make: Make) -> None:
    vault = make(NOTES)
    chat = Teller(failure=Failure("timeout", "The command did not answer in time.", "raise judge.timeout_s"))
    report = link.run(judged(vault, chat))
    assert (report.is_empty, report.waiting, report.left_out) == (True, 1, 1)
    assert "The command did not answer in time. (raise judge.timeout_s)" in " ".join(report.notices)
    link.run(judged(vault, says()))
    assert lines(vault, "Boat.md")


def test_after_the_deadline_nothing_is_asked_any_more(make: Make) -> None:
    vault, chat = make(NOTES), says()
    report = link.run(judged(vault, chat, deadline=Deadline(0.0, lambda: 1.0)))
    assert chat.calls == 0 and report.is_empty and report.waiting == 1
    assert "The time for this run is over." in " ".join(report.notices)


def test_a_limit_on_calls_ends_the_run_and_the_next_one_goes_on(make: Make) -> None:
    names = [f"{letter}skerry" for letter in "abcdefghijkl"]
    notes = {f"Boat{number}.md": f"{', '.join(names)}.\n" for number in range(3)}
    vault = make({**notes, **{f"{name}.md": "x\n" for name in names}})
    first = Teller()
    report = link.run(judged(vault, first, calls_per_run_max=1, pairs_per_call_max=5))
    assert first.calls == 1 and report.left_out >= 3 and "judge.calls_per_run_max is 1" in " ".join(report.notices)
    second = Teller()
    link.run(judged(vault, second))
    named = [{pair for pair in chat.pairs if pair[0].startswith("Boat")} for chat in (first, second)]
    assert not named[0] & named[1] and len(named[0] | named[1]) == 36


def test_a_dry_run_shows_the_diff_and_leaves_no_trace(make: Make) -> None:
    vault = make(NOTES)
    before = vault.bytes()
    dry = link.run(judged(vault, says(), keeps=False), dry_run=True)
    assert vault.bytes() == before and vault.space.journal.records() == [] and len(dry.applied) == 1
    wet = link.run(judged(vault, says()))
    assert [r.patches for r in dry.applied] == [r.patches for r in wet.applied]


def test_undo_gives_every_byte_back_and_what_was_taken_back_is_not_written_again(make: Make) -> None:
    vault = make(NOTES)
    before = vault.bytes()
    link.run(judged(vault, says()))
    assert not undo(vault.ctx).left and vault.bytes() == before
    vault.write("Boat.md", f"{KEEL} Once more: the Keel.\n")
    vault.index()
    report = link.run(judged(vault, says()))
    assert report.is_empty and report.declined == 1 and lines(vault, "Boat.md") == []


def test_each_edge_is_taken_back_by_itself(make: Make) -> None:
    vault = make({**NOTES, "Boat.md": f"{KEEL} She needs the Sail.\n", "Sail.md": "s\n"})
    chat = Teller(lambda left, right: related("depends_on", KEEL) if left.title == "Boat" else NONE)
    report = link.run(judged(vault, chat))
    assert len(lines(vault, "Boat.md")) == 2
    undo(vault.ctx, report.applied[0].item)
    assert len(lines(vault, "Boat.md")) == 1


# What a person says


@pytest.mark.parametrize("relation", ["same_entity", "supersedes"])
def test_that_two_are_one_or_one_replaces_another_is_for_a_person(make: Make, relation: str) -> None:
    vault = make(NOTES)
    report = link.run(judged(vault, says(relation=relation)))
    assert len(report.held) == 1 and not report.applied and lines(vault, "Boat.md") == []
    assert link.run(judged(vault, says(relation=relation))).is_empty


def test_a_second_parent_a_ring_and_a_thing_right_under_the_owner_are_for_a_person(make: Make) -> None:
    vault = make({
        "Boat.md": "The Harbour has her.\n\n## Related\n- part_of:: [[Fleet]] - so\n", "Fleet.md": "In the Keel it is.\n", "Harbour.md": "h\n",
        "Keel.md": "k [part_of:: [[Boat]]]\n", "Ada.md": "a\n", "Tax.md": "The tax of Ada.\n",
    }, owner="Ada")  # fmt: skip
    said = {("Boat", "Harbour"): "The Harbour has her", ("Fleet", "Keel"): "In the Keel", ("Tax", "Ada"): "The tax of Ada"}
    chat = Teller(lambda left, right: related("part_of", quote) if (quote := said.get((left.title, right.title))) else NONE)
    report = link.run(judged(vault, chat))
    because = " ".join(held.plan.because for held in report.held)
    assert len(report.held) == 3 and not report.applied
    assert "is part of Fleet.md already" in because and "round in a ring" in because and "only categories are part of the owner" in because


def test_two_relations_of_one_run_make_no_ring(make: Make) -> None:
    vault = make({"Alpha.md": "Alpha is in the Beta thing.\n", "Beta.md": "Beta is in the Gamma thing.\n", "Gamma.md": "Gamma is in the Alpha thing.\n"})
    chat = Teller(lambda left, right: related("part_of", f"{left.title} is in the {right.title} thing"))
    report = link.run(judged(vault, chat))
    assert (len(report.applied), len(report.held)) == (2, 1)


def test_a_dry_run_sees_the_ring_too(make: Make) -> None:
    vault = make({"Alpha.md": "Alpha is in the Beta thing.\n", "Beta.md": "Beta is in the Gamma thing.\n", "Gamma.md": "Gamma is in the Alpha thing.\n"})
    chat = Teller(lambda left, right: related("part_of", f"{left.title} is in the {right.title} thing"))
    report = link.run(judged(vault, chat, keeps=False), dry_run=True)
    assert (len(report.applied), len(report.held)) == (2, 1)


@pytest.mark.parametrize(
    ("source", "relation", "target", "is_right"),
    [("A.md", "about", "B.md", True), ("B.md", "about", "A.md", True), ("A.md", "about", "C.md", False), ("A.md", "about", "A.md", False), ("A.md", "likes", "B.md", False)],
)  # fmt: skip
def test_a_verdict_counts_for_the_pair_that_was_asked_about_alone(source: str, relation: str, target: str, is_right: bool) -> None:
    ends = [LiveNote(nid, f"n-{nid}", path, path, "note", "", "") for nid, path in enumerate(("A.md", "B.md"))]
    read = Read(Source("A.md", b"", "", ""), parse_note("A.md", "", Limits()), "", 1, "")
    pair = NotePair(*(excerpt(read, note.id, chars_max=10) for note in ends))
    shown = About(Candidate(ends[0], ends[1], ("mention",)), read, read, pair)
    assert is_about(Relates("j", "r", source, relation, target, 1, "q"), shown) is is_right


def test_when_there_is_no_room_for_questions_they_wait(make: Make) -> None:
    vault = make({"Boat.md": "The Keel and the Sail.\n", "Keel.md": "k\n", "Sail.md": "s\n"}, limits=Limits(review_items_max=1))
    chat = Teller(lambda left, right: related("same_entity", "The Keel and the Sail") if left.title == "Boat" else NONE)
    report = link.run(judged(vault, chat))
    assert (len(report.held), report.waiting) == (1, 1) and "limits.review_items_max" in " ".join(report.notices)


def test_a_note_that_cannot_take_a_line_is_named_and_gets_it_when_it_is_put_right(make: Make) -> None:
    vault = make({**NOTES, "Boat.md": f"{KEEL}\n\n```\nnever closed\n"})
    report = link.run(judged(vault, says()))
    assert report.is_empty and report.waiting == 1 and "Boat.md cannot take the relation to Keel.md" in " ".join(report.notices)
    vault.write("Boat.md", f"{KEEL}\n\n```\nnow closed\n```\n")
    vault.index()
    link.run(judged(vault, says()))
    assert lines(vault, "Boat.md") == ["- depends_on:: [[Keel]] - It says so."]


# The text of a note is data; links lead where they should


@pytest.mark.parametrize("name", ["C#", "a^b", "[draft]", "x|yz", "v1.x", "100% sure", "日本語#"])
def test_the_line_leads_to_the_very_note_whatever_it_is_called(make: Make, name: str) -> None:
    vault = make({"Boat.md": "It needs the Keeper.\n"})
    vault.write(f"Things/{name}.md", "---\naliases: [Keeper]\n---\n")
    vault.index()
    link.run(judged(vault, says("It needs the Keeper.")))
    assert ends_of(vault, "Boat.md") == [f"Things/{name}.md"]


@pytest.mark.parametrize("reason", ["It held (from 2020-01-01)", "It is so ^here", "a `code` word", "so %% hidden"])
def test_a_reason_gives_the_edge_no_validity_id_or_markup(make: Make, reason: str) -> None:
    vault = make(NOTES)
    link.run(judged(vault, says(reason=reason)))
    with vault.ctx.graph.session() as graph:
        rows = graph.execute("MATCH (:Note)-[e:EDGE]->(:Note) RETURN e.valid_from AS a, e.valid_to AS b, e.reason AS reason")
    assert all((row["a"], row["b"]) == (None, None) and "^" not in row["reason"] for row in rows)


def test_a_note_changed_while_the_model_thought_is_left_alone_and_asked_about_again(make: Make) -> None:
    vault = make(NOTES)

    def thinking(left: Shown, right: Shown) -> dict[str, Any]:
        vault.write("Boat.md", "All is different now. The Keel too.\n")
        return related("depends_on", KEEL)

    report = link.run(judged(vault, Teller(thinking)))
    assert not report.applied and vault.text("Boat.md") == "All is different now. The Keel too.\n"
    vault.index()
    again = Teller()
    link.run(judged(vault, again))
    assert again.pairs == [("Boat", "Keel")]


def test_words_far_down_in_a_long_note_are_shown_and_their_line_is_right(make: Make) -> None:
    text = "filler words of no account\n" * 300 + KEEL + "\n" + "more of it\n" * 100
    vault, chat = make({**NOTES, "Boat.md": text}), says()
    link.run(judged(vault, chat))
    assert lines(vault, "Boat.md") == ["- depends_on:: [[Keel]] - It says so."]
    assert vault.space.journal.records({"provenance"})[0]["line"] == 301


def test_no_lock_is_held_while_the_model_thinks(make: Make) -> None:
    vault = make(NOTES)
    seen: list[str] = []

    def thinking(left: Shown, right: Shown) -> dict[str, Any]:
        with vault.space.lock.exclusive("another process"):
            seen.append(left.title)
        return NONE

    link.run(judged(vault, Teller(thinking)))
    assert seen == ["Boat"]
