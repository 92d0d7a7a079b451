"""With a model: notes that are one thing become one; what a person should decide waits for one, and what is told apart stays so."""

from __future__ import annotations

import pytest

from brain.config import Limits
from brain.core.asking import Failure
from brain.models.deadline import Deadline
from brain.stages import reconcile, review
from brain.stages.reviewing.item import Choice
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.sorter import Sorter, alone, one_thing, unsure
from tests.stages.support import Vault
from tests.stages.teller import Shown, judged

WORDS = "The ferry timetable of the skerry pier changes with the ice and the herring fleet."
PIER = {
    "Skerry Pier.md": f"---\ncreated: 2026-01-01\n---\n{WORDS}\n", "Pier Skerry.md": f"---\ncreated: 2026-02-01\n---\n{WORDS} It leaks.\n",
    "Log.md": "[[Pier Skerry]] was closed.\n", "Chart.md": "[[Skerry Pier]]\n", "Berths.md": "[[Skerry Pier]]\n",
}  # fmt: skip


def notes_of(vault: Vault) -> dict[str, bytes]:
    return {path: data for path, data in vault.bytes().items() if not path.startswith(("Timeline/", "Memory/Review"))}


def is_over(vault: Vault, path: str) -> bool:
    return "status: superseded" in vault.text(path)


def test_notes_that_a_model_takes_for_one_thing_become_one_note(make: Make) -> None:
    vault, chat = make(PIER), Sorter(on_group=one_thing(reason="Both are the pier."))
    report = reconcile.run(judged(vault, chat))
    assert chat.groups == [("Pier Skerry", "Skerry Pier")]
    assert is_over(vault, "Pier Skerry.md") and "It leaks." in vault.text("Skerry Pier.md") and vault.text("Log.md") == "[[Skerry Pier]] was closed.\n"
    assert "Both are the pier." in report.applied[0].plan.because and not report.held


def test_its_provenance_has_the_line_the_words_and_the_judge(make: Make) -> None:
    vault = make(PIER)
    reconcile.run(judged(vault, Sorter(on_group=one_thing("It leaks."))))
    (record,) = vault.space.journal.records({"provenance"})
    assert (record["episode"], record["line"], record["quote"], record["judge"]) == ("Pier Skerry.md", 4, "It leaks.", "played@same/1")


@pytest.mark.parametrize("answer", [one_thing(), alone, unsure])
def test_the_second_run_asks_nothing_and_writes_nothing(make: Make, answer: object) -> None:
    vault = make(PIER)
    reconcile.run(judged(vault, Sorter(on_group=answer)))  # type: ignore[arg-type]
    before, again = vault.bytes(), Sorter()
    report = reconcile.run(judged(vault, again))
    assert report.is_empty and again.calls == 0 and vault.bytes() == before and report.left_out == 0


def test_what_was_told_apart_is_asked_again_when_a_note_says_something_else(make: Make) -> None:
    vault = make(PIER)
    reconcile.run(judged(vault, Sorter()))
    vault.write("Pier Skerry.md", PIER["Pier Skerry.md"] + "It is the skerry pier.\n")
    vault.index()
    again = Sorter()
    reconcile.run(judged(vault, again))
    assert len(again.groups) == 1


def test_what_was_told_apart_is_not_asked_again_for_a_change_that_nobody_is_shown(make: Make) -> None:
    vault = make({**PIER, "Pier Skerry.md": f"{WORDS}\n\n## Atoms\n- (fact, inferred) It leaks. ^a-1\n"})
    reconcile.run(judged(vault, Sorter()))
    vault.write("Pier Skerry.md", f"---\nstatus: stale\n---\n{WORDS}\n\n## Atoms\n- (fact, superseded 2026-01-01) It leaks. (to 2026-01-01) ^a-1\n")
    vault.index()
    again = Sorter()
    reconcile.run(judged(vault, again))
    assert again.groups == []


def test_another_model_is_asked_anew(make: Make) -> None:
    vault = make(PIER)
    reconcile.run(judged(vault, Sorter()))
    other = Sorter(model="another")
    reconcile.run(judged(vault, other))
    assert len(other.groups) == 1


def test_what_the_model_cannot_tell_is_put_before_a_person(make: Make) -> None:
    vault = make(PIER)
    report = reconcile.run(judged(vault, Sorter(on_group=unsure)))
    (held,) = report.held
    assert "cannot tell" in held.plan.because and report.waiting == 1 and notes_of(vault) == {k: v.encode() for k, v in PIER.items()}
    review.decide(vault.ctx, "accept", Choice((held.item,)))
    assert is_over(vault, "Pier Skerry.md")


def test_people_are_never_merged_without_a_person(make: Make) -> None:
    vault = make({path: text.replace("---\n", "---\nkind: person\n", 1) for path, text in PIER.items() if path != "Log.md"})
    before = notes_of(vault)
    (held,) = reconcile.run(judged(vault, Sorter(on_group=one_thing()))).held
    assert "two people" in held.why and notes_of(vault) == before
    review.decide(vault.ctx, "accept", Choice((held.item,)))
    assert is_over(vault, "Pier Skerry.md")


def test_notes_of_two_folders_are_never_merged_without_a_person(make: Make) -> None:
    vault = make({"a/Skerry Pier.md": PIER["Skerry Pier.md"], "b/Pier Skerry.md": PIER["Pier Skerry.md"]})
    (held,) = reconcile.run(judged(vault, Sorter(on_group=one_thing()))).held
    assert "folders" in held.why


def test_a_pair_that_something_speaks_against_is_a_persons_and_says_what(make: Make) -> None:
    notes = {name: text.replace("created:", f"email: {mail}@example.org\ncreated:") for (name, text), mail in zip(list(PIER.items())[:2], ("pier", "quay-office"), strict=True)}
    (held,) = reconcile.run(judged(make(notes), Sorter(on_group=one_thing()))).held
    assert "`email` differs" in held.plan.because and any("`email` differs" in sentence for sentence in held.plan.question.evidence)  # type: ignore[union-attr]


def test_names_that_differ_in_a_number_are_not_even_asked_about(make: Make) -> None:
    vault = make({"Skerry Pier 1.md": f"{WORDS}\n", "Skerry Pier 2.md": f"{WORDS}\n"})
    chat = Sorter(on_group=one_thing())
    reconcile.run(judged(vault, chat))
    assert chat.groups == [] and not is_over(vault, "Skerry Pier 1.md")


def test_an_alias_that_differs_in_a_number_keeps_two_notes_for_a_person(make: Make) -> None:
    vault = make({"Skerry Pier.md": f"---\naliases: [Landing 1]\n---\n{WORDS}\n", "Pier Skerry.md": f"---\naliases: [Landing 2]\n---\n{WORDS}\n"})
    report = reconcile.run(judged(vault, Sorter(on_group=one_thing())))
    assert not report.applied and "differ in a number" in report.held[0].plan.because


def test_an_alias_alone_is_no_evidence_and_words_beside_it_are(make: Make) -> None:
    notes = {"K8s.md": f"---\naliases: [Kubernetes]\n---\n{WORDS}\n", "Kubernetes.md": f"{WORDS} It steers containers.\n"}
    (held,) = reconcile.run(judged(make(notes), Sorter(on_group=one_thing("also called: Kubernetes")))).held
    assert "only an alias says so" in held.why


def test_a_no_of_a_person_is_not_asked_about(make: Make) -> None:
    vault = make(PIER)
    (held,) = reconcile.run(judged(vault, Sorter(on_group=unsure))).held
    review.decide(vault.ctx, "reject", Choice((held.item,)))
    chat = Sorter(on_group=one_thing(), model="another")
    assert reconcile.run(judged(vault, chat)).is_empty and chat.groups == []


def test_an_undo_gives_every_byte_back_and_lasts(make: Make) -> None:
    vault = make(PIER)
    reconcile.run(judged(vault, Sorter(on_group=one_thing())))
    assert not undo(vault.ctx).left and notes_of(vault) == {path: text.encode() for path, text in PIER.items()}
    chat = Sorter(on_group=one_thing("It leaks."), model="another")
    report = reconcile.run(judged(vault, chat))
    assert not report.applied and not report.held and notes_of(vault) == {path: text.encode() for path, text in PIER.items()}


def test_no_answer_writes_nothing_is_said_and_is_asked_again(make: Make) -> None:
    vault = make(PIER)
    report = reconcile.run(judged(vault, Sorter(failure=Failure("timeout", "It took too long.", "wait longer"))))
    assert report.is_empty and report.waiting == 1 and any("asked about again" in notice and "too long" in notice for notice in report.notices)
    chat = Sorter(on_group=one_thing())
    assert len(reconcile.run(judged(vault, chat)).applied) == 1


@pytest.mark.parametrize("reply", [
    {"groups": [], "alone": [1], "unsure": []}, {"groups": [], "alone": [1, 2, 3], "unsure": []},
    {"groups": [{"members": [1, 2], "canonical": 1, "quote": "nowhere to be found", "reason": "so"}], "alone": [], "unsure": []},
    {"groups": [{"members": [1, 2], "canonical": 1, "quote": "ferry timetable", "reason": "see [[x]]"}], "alone": [], "unsure": []},
    {"groups": "all"},
])  # fmt: skip
def test_a_bad_reply_writes_nothing(make: Make, reply: dict[str, object]) -> None:
    vault = make(PIER)
    report = reconcile.run(judged(vault, Sorter(on_group=lambda notes: reply)))
    assert report.is_empty and report.waiting == 1 and notes_of(vault) == {path: text.encode() for path, text in PIER.items()}


def test_when_the_time_is_over_the_rest_waits(make: Make) -> None:
    vault, chat = make(PIER), Sorter()
    report = reconcile.run(judged(vault, chat, deadline=Deadline(0.0, lambda: 1.0)))
    assert chat.calls == 0 and report.waiting == 1 and report.is_empty


def test_a_dry_run_shows_the_merge_and_writes_no_note(make: Make) -> None:
    vault = make(PIER)
    report = reconcile.run(judged(vault, Sorter(on_group=one_thing()), keeps=False), dry_run=True)
    assert len(report.applied) == 1 and report.applied[0].patches and notes_of(vault) == {path: text.encode() for path, text in PIER.items()}
    assert not vault.space.journal.records({"compared", "held"})


def test_three_notes_that_fit_are_one_question_and_one_that_is_told_apart_stays(make: Make) -> None:
    vault = make({**PIER, "Pier at Skerry.md": f"{WORDS} It creaks.\n"})

    def two_of_three(notes: list[Shown]) -> dict[str, object]:
        ours = [number for number, note in enumerate(notes, 1) if note.title != "Pier at Skerry"]
        other = [number for number in range(1, len(notes) + 1) if number not in ours]
        group = {"members": ours, "canonical": ours[0], "quote": "ferry timetable", "reason": "They are one."}
        return {"groups": [group] if len(ours) > 1 else [], "alone": other if len(ours) > 1 else list(range(1, len(notes) + 1)), "unsure": []}

    chat = Sorter(on_group=two_of_three)
    reconcile.run(judged(vault, chat))
    assert chat.groups[0] == ("Pier Skerry", "Pier at Skerry", "Skerry Pier")
    assert is_over(vault, "Pier Skerry.md") and not is_over(vault, "Pier at Skerry.md")
    again = Sorter()
    assert reconcile.run(judged(vault, again)).is_empty and again.calls == 0


def test_what_the_limit_leaves_out_is_asked_by_the_next_run(make: Make) -> None:
    vault, asked = make({**PIER, "Pier at Skerry.md": f"{WORDS} It creaks.\n"}), []
    for _ in range(8):
        chat = Sorter()
        report = reconcile.run(judged(vault, chat), limit=1)
        asked += chat.groups
        if not report.left_out:
            break
    assert len(asked) == len(set(asked)) == 3 and not report.left_out


def test_questions_without_room_wait_and_come_up_later(make: Make) -> None:
    vault = make(PIER, limits=Limits(review_items_max=0))
    report = reconcile.run(judged(vault, Sorter(on_group=unsure)))
    assert report.is_empty and report.waiting == 1
    wider = make(PIER)
    chat = Sorter()
    (held,) = reconcile.run(judged(wider, chat)).held
    assert chat.calls == 0 and "cannot tell" in held.plan.because


def test_what_a_person_reads_names_notes_by_their_titles(make: Make) -> None:
    ids = "---\nid: n-4k77d2m9x1c3v5b8\n---\n"
    notes = {"Dock.md": f"{ids}The dock.\n"} | dict.fromkeys(("Skerry Pier.md", "Pier Skerry.md"), f"{WORDS} See n-4k77d2m9x1c3v5b8 there.\n")
    vault = make(notes)
    reconcile.run(vault.ctx)
    said = " ".join(text for item in review.queue(vault.ctx).all for text in (item.because, item.why, *item.evidence))
    assert "4k77" not in said and "“Dock”" in said
