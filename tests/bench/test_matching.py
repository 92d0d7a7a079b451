"""The quality benchmark of matching: what it counts, on sets small enough to count by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench.quality import score
from bench.quality.matching import print_table
from bench.quality.records import Labelled, febrl, note_of, same_pairs, splink, worlds
from bench.quality.tally import tally_of
from bench.quality.trial import Trial, examined, indexed

ROW = {"rec_id": "rec-1-org", "given_name": "ada", "surname": "lind", "postcode": "0411", "date_of_birth": "19081209"}
RECORDS = "rec_id, given_name, surname, street_number, address_1, suburb, postcode, date_of_birth, soc_sec_id\n" + "\n".join(
    f"rec-{number}-{copy}, {name}, {number} {street}, {4000 + number}, 190{number}0{number}11, 55667{number}"
    for number, (name, street) in enumerate((("ada, lind, 1", "oak road, bergen"), ("bo, roth, 2", "elm way, ulm"), ("ira, holm, 3", "ash lane, kiel")), 1)
    for copy in ("org", "dup-0")
).replace(", 1 ", ", ").replace(", 2 ", ", ").replace(", 3 ", ", ")  # fmt: skip


def test_a_record_becomes_a_note_with_its_names_as_title_and_the_rest_as_properties() -> None:
    text = note_of(ROW, ("given_name", "surname"), ("rec_id", "given_name", "surname"))
    assert text == '---\ntitle: "ada lind"\npostcode: "0411"\ndate_of_birth: "19081209"\n---\n'
    assert "title" not in note_of({**ROW, "given_name": "", "surname": " "}, ("given_name", "surname"), ())


def test_all_pairs_of_one_thing_are_the_same() -> None:
    assert same_pairs({"a": "1", "b": "2", "c": "1", "d": "1"}) == {("a", "c"), ("a", "d"), ("c", "d")}


def test_records_are_read_with_what_belongs_together(tmp_path: Path) -> None:
    (tmp_path / "dataset1.csv").write_text(RECORDS, "utf-8")
    found = febrl(tmp_path, 1)
    assert (len(found.notes), len(found.same)) == (6, 3)
    assert all(path.startswith("Records/") and "soc_sec_id" in text for path, text in found.notes.items())
    (tmp_path / "fake_1000.csv").write_text("unique_id,first_name,surname,dob,city,email,cluster\n0,Ada,,2015-10-29,Oslo,a@b.org,7\n1,Ada,Lind,,,,7\n", "utf-8")
    sample = splink(tmp_path)
    assert len(sample.same) == 1 and any("date_of_birth" in text for text in sample.notes.values())


@pytest.fixture
def labelled_set(tmp_path: Path) -> Path:
    """One world of five notes; a pair of each label, one of them in another split."""
    (tmp_path / "worlds").mkdir()
    notes = {"a.md": "---\ntitle: Sea graphs\ndoi: 10.1000/1\n---\n", "b.md": "---\ntitle: Graphs at sea\ndoi: 10.1000/1\n---\n", "Mira.md": "m\n",
             "Mira Holt.md": "---\naliases: [Mira]\n---\n", "Oak.md": "table\n"}  # fmt: skip
    (tmp_path / "worlds" / "w.jsonl").write_text("".join(json.dumps({"path": path, "text": text}) + "\n" for path, text in notes.items()), "utf-8")
    pairs = [("b.md", "a.md", "same", "tune"), ("Mira.md", "Mira Holt.md", "same", "kept"), ("Mira.md", "Oak.md", "undecidable", "tune"), ("Oak.md", "a.md", "different", "tune")]
    lines = [json.dumps({"world": "w", "left": left, "right": right, "label": label, "split": split}) for left, right, label, split in pairs]
    (tmp_path / "entities.jsonl").write_text("\n".join(lines), "utf-8")
    return tmp_path


def test_pairs_that_are_undecidable_or_of_another_split_count_neither_way(labelled_set: Path) -> None:
    (tune,), (everything,) = worlds(labelled_set, "tune"), worlds(labelled_set, "all")
    assert tune.same == {("a.md", "b.md")} and tune.open == {("Mira.md", "Oak.md"), ("Mira Holt.md", "Mira.md")}
    assert len(everything.same) == 2 and everything.open == {("Mira.md", "Oak.md")}
    fit = score.fit([("a.md", "b.md"), ("Mira.md", "Oak.md"), ("Oak.md", "b.md")], tune)
    assert (fit.found, fit.right, fit.wanted, fit.precision, fit.recall, fit.f1) == (2, 1, 1, 0.5, 1.0, 2 / 3)


@pytest.fixture
def trial(labelled_set: Path) -> tuple[Trial, Labelled]:
    (labelled,) = worlds(labelled_set, "all")
    with indexed(labelled.notes) as space:
        return examined(space), labelled


def test_a_trial_finds_what_the_product_finds(trial: tuple[Trial, Labelled]) -> None:
    found, labelled = trial
    assert score.certain_pairs(found) == {("a.md", "b.md")} == score.certain_pairs(found, without_a_person=True)
    assert labelled.same <= score.decided_pairs(found) and labelled.same <= found.judged.keys()


def test_a_reader_is_asked_in_order_until_enough_is_joined(trial: tuple[Trial, Labelled]) -> None:
    found, labelled = trial
    reading = score.read_questions(found, labelled, [0, 9])
    assert [joined.recall for joined in reading.joined] == [0.5, 1.0] and reading.needed == 1


def test_the_table_has_a_row_for_each_set_and_one_for_all(labelled_set: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (figures,) = print_table(worlds(labelled_set, "all"), "none", total="all of them")
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("w | 5 | 2 | 1.0 |") and lines[3].startswith("all of them | 5 | 2 | 1.0 |")
    assert (figures["merged_right"], figures["merged_wrong"], figures["joined_at_1"]) == (1, 0, 1.0)


def test_figures_of_several_sets_are_added_up_and_not_averaged(trial: tuple[Trial, Labelled]) -> None:
    one = tally_of(*trial)
    nothing = replace(one, blocked=score.Fit(0, 0, 6), notes=15)
    assert ((one + nothing).figures["notes"], (one + nothing).figures["same"], (one + nothing).figures["blocked"]) == (20, 8, 0.25)


def test_what_the_gate_holds_is_certain_and_not_applied() -> None:
    notes = {f"{name}.md": "---\nemail: ada@b.org\n---\n" for name in ("Ada Lind", "Lind, Ada")}
    with indexed(notes) as space:
        found = examined(space)
    assert len(score.certain_pairs(found)) == 1 and score.certain_pairs(found, without_a_person=True) == set()
