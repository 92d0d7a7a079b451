"""Hands that change one property: pin, importance, tag, forget, retype."""

from __future__ import annotations

import os

import pytest

from brain.errors import UsageError
from tests.stages.hands.conftest import Hold


def test_a_pin_is_one_line_and_every_other_byte_stays(hold: Hold) -> None:
    held = hold({"A.md": "\ufeff---\r\n# mine\r\nkind: 'project'  # keep\r\n---\r\nText\r\n"})
    held.brain.pin("A")
    assert held.text("A.md") == "\ufeff---\r\n# mine\r\nkind: 'project'  # keep\r\npinned: true\r\n---\r\nText\r\n"
    held.brain.pin("A", off=True)
    assert held.text("A.md") == "\ufeff---\r\n# mine\r\nkind: 'project'  # keep\r\n---\r\nText\r\n"


def test_the_same_once_more_has_nothing_to_do_and_says_so(hold: Hold) -> None:
    held = hold({"A.md": "a\n"})
    held.brain.importance("A", 0.5)
    again = held.brain.importance("A", 0.5)
    assert (again.receipts, again.says) == ((), "A.md has importance 0.5 already")


def test_an_importance_outside_0_to_1_is_refused(hold: Hold) -> None:
    held = hold({"A.md": "a\n"})
    with pytest.raises(UsageError, match="0 to 1"):
        held.brain.importance("A", float("nan"))
    assert held.text("A.md") == "a\n"


def test_a_rehearsal_changes_nothing(hold: Hold) -> None:
    held = hold({"A.md": "a\n"})
    done = held.brain.pin("A", dry_run=True)
    assert (len(done.receipts), held.text("A.md")) == (1, "a\n")


def test_tags_are_added_in_the_form_the_list_has(hold: Hold) -> None:
    held = hold({"A.md": "---\ntags:\n  - sea # salt\n---\n#ship\n"})
    held.brain.tag("A", ["#Garden", "Sea", "ship"])
    assert held.text("A.md") == "---\ntags:\n  - sea # salt\n  - Garden\n---\n#ship\n"
    assert held.brain.get("A", touch=False).note.tags == ("sea", "Garden", "ship")


def test_a_tag_goes_with_its_line_and_every_comment_stays(hold: Hold) -> None:
    held = hold({"A.md": "---\r\ntags:\r\n  # mine\r\n  - 'sea' # salt\r\n  - x # 1\r\n---\r\n"})
    held.brain.tag("A", ["yes", "2026-01"])
    assert held.text("A.md") == "---\r\ntags:\r\n  # mine\r\n  - 'sea' # salt\r\n  - x # 1\r\n  - \"yes\"\r\n  - \"2026-01\"\r\n---\r\n"
    held.brain.tag("A", ["Sea"], off=True)
    assert held.text("A.md") == "---\r\ntags:\r\n  # mine\r\n  - x # 1\r\n  - \"yes\"\r\n  - \"2026-01\"\r\n---\r\n"


def test_a_tag_that_stands_in_the_text_is_not_taken_out(hold: Hold) -> None:
    held = hold({"A.md": "---\ntags: [sea]\n---\n#ship\n"})
    with pytest.raises(UsageError, match="#ship stands in the text"):
        held.brain.tag("A", ["ship"], off=True)
    held.brain.tag("A", ["sea"], off=True)
    assert held.text("A.md") == "---\n---\n#ship\n"


@pytest.mark.parametrize("written", ["12", "two words", "a,b", "[x]", ""])
def test_what_can_be_no_tag_is_refused(hold: Hold, written: str) -> None:
    with pytest.raises(UsageError, match="can be no tag"):
        hold({"A.md": "a\n"}).brain.tag("A", [written])


def test_a_note_is_forgotten_and_comes_back(hold: Hold) -> None:
    held = hold({"A.md": "a\n", "B.md": "[[A]]\n"})
    held.brain.forget("A")
    assert held.brain.get("A", touch=False).note.status == "archived"
    held.brain.forget("A", back=True)
    assert held.brain.get("A", touch=False).note.status == "active"


OWN_STATUS = ['status:\n  - "[[Published]]"\n', "status: in-progress   # mine\n", ""]


@pytest.mark.parametrize("status", OWN_STATUS)
def test_what_comes_back_has_the_status_that_a_person_gave_it_byte_for_byte(hold: Hold, status: str) -> None:
    text = f"---\ntags: [a]\n{status}other: x\n---\na\n"
    held = hold({"A.md": text, "B.md": "b\n"})
    held.brain.forget("A")
    assert "archived" in held.text("A.md") and held.brain.forget("A", back=True).receipts
    assert held.text("A.md") == text
    held.brain.forget("B")
    held.brain.forget("B", back=True)
    assert held.text("B.md") == "b\n"


def test_what_changed_meanwhile_stays_and_the_status_comes_back_as_its_value(hold: Hold) -> None:
    held = hold({"A.md": '---\nstatus:\n  - "[[Published]]"\nother: x\n---\na\n', "B.md": "---\nstatus: in-progress   # mine\n---\nb\n"})
    for note in "AB":
        held.brain.forget(note)
    held.write("A.md", held.text("A.md").replace("status: archived", "status: archived  # for now").replace("a\n", "a\nmore\n"))
    held.write("B.md", f"{held.text('B.md')}more\n")
    held.brain.rename("B", "Bee")
    for note in ("A", "Bee"):
        held.brain.forget(note, back=True)
    assert held.brain.get("A", touch=False).note.properties["status"] == ["[[Published]]"] and held.text("A.md").endswith("a\nmore\n")
    assert "status: in-progress   # mine\n" in held.text("Bee.md") and held.text("Bee.md").endswith("b\nmore\n")


def test_what_faded_comes_back_as_it_was(hold: Hold) -> None:
    text = "---\nstatus: in-progress   # mine\ncreated: 2001-01-01\nupdated: 2001-01-01\nlast_confirmed: 2001-01-01\n---\na\n"
    held = hold({"A.md": text})
    before = held.text("A.md")
    path = held.vault.root / "A.md"
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert held.brain.prune().applied
    assert held.brain.forget("A", back=True).receipts and held.text("A.md") == before


def test_an_archived_status_that_a_person_wrote_becomes_active(hold: Hold) -> None:
    held = hold({"A.md": "---\nstatus: [draft]\n---\n"})
    held.brain.forget("A")
    held.brain.forget("A", back=True)
    held.write("A.md", "---\nstatus: archived\n---\n")
    held.brain.forget("A", back=True)
    assert held.text("A.md") == "---\nstatus: active\n---\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nkind: person\n---\n", "a person"), ("---\nkind: category\n---\n", "a category"), ("---\npinned: true\n---\n", "pinned"),
        ("---\nstatus: superseded\nsuperseded_by: '[[Child]]'\n---\n", "Child.md"), ("has a part\n", "Child.md would hang off nothing"),
    ],
)  # fmt: skip
def test_what_others_hang_on_is_not_forgotten(hold: Hold, text: str, why: str) -> None:
    held = hold({"A.md": text, "Child.md": "part_of:: [[A]]\n" if "part" in text else "c\n"})
    with pytest.raises(UsageError) as refused:
        held.brain.forget("A")
    assert why in f"{refused.value.message} {refused.value.cure}"
    assert held.text("A.md") == text


def test_the_property_that_states_the_kind_is_the_one_that_changes(hold: Hold) -> None:
    held = hold({"A.md": "---\ntype: project\n---\n", "B.md": "---\ntype: entity\nkind: concept\n---\n", "C.md": "c\n"})
    for note in "ABC":
        held.brain.retype(note, "company")
        assert held.brain.get(note, touch=False).note.kind == "organization"
    assert held.text("A.md") == "---\ntype: organization\n---\n"
    assert held.text("B.md") == "---\ntype: entity\nkind: organization\n---\n"


@pytest.mark.parametrize(("note", "kind"), [("Cat", "project"), ("A", "category"), ("A", "episode"), ("E", "project"), ("A", "projcet")])
def test_a_kind_that_cannot_be_is_refused(hold: Hold, note: str, kind: str) -> None:
    held = hold({"Cat.md": "---\nkind: category\n---\n", "A.md": "a\n", "E.md": "---\ntype: episode\n---\n"})
    with pytest.raises(UsageError) as refused:
        held.brain.retype(note, kind)
    assert refused.value.cure


def test_a_person_becomes_a_thing_and_is_filed_when_asked(hold: Hold) -> None:
    held = hold({"Memory/People/Rex.md": "---\nkind: person\n---\n[back](../../K.md)\n", "K.md": "[[Memory/People/Rex]] [[Rex]]\n"})
    held.brain.retype("Rex", "project", file=True)
    assert held.text("Memory/Projects/Rex.md") == "---\nkind: project\n---\n[back](../../K.md)\n"
    assert held.text("K.md") == "[[Memory/Projects/Rex]] [[Rex]]\n"
