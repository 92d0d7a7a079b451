"""Undo: byte for byte, also after other edits; what cannot be taken back cleanly is named, and nothing is half done."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.core.note import Span
from brain.core.plan import AppendToSection, Applied, CreateNote, Edit, MarkSuperseded, MoveNote, ReplaceSpan, SetField
from brain.errors import NotFound
from brain.stages.commit import commit
from brain.stages.gate import decision_id
from brain.stages.ledger import read_ledger
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault, bare_vault, provenance

RUN = "r-2026-05-01-aaaaaa"


def landed(vault: Vault, *edits: Edit, run: str = RUN, key: str = "k", **more: object) -> str:
    plan = vault.plan(*edits, key=key, **more)
    (receipt,) = commit(vault.ctx, [plan], run=run)
    assert isinstance(receipt, Applied), receipt
    return receipt.item


def test_a_run_of_several_items_is_taken_back_as_a_whole(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "a\r\n", "B.md": "b"})
    before = vault.bytes()
    landed(vault, SetField("A.md", "x", 1), CreateNote("C.md", "c\n"), key="one")
    landed(vault, SetField("A.md", "y", 2), AppendToSection("C.md", "Atoms", ("- x",)), SetField("B.md", "z", 3), key="two")
    report = undo(vault.ctx)
    assert vault.bytes() == before and len(report.undone) == 2 and report.paths == ("A.md", "B.md", "C.md")
    assert (report.removed, report.restored) == (("C.md",), ())
    again = undo(vault.ctx, report.run)
    assert (again.paths, again.removed, again.restored) == (report.paths, (), ("C.md",))


def test_one_item_is_taken_back_and_the_others_stay(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "a\n"})
    first = landed(vault, AppendToSection("A.md", "Atoms", ("- first claim",)), key="one")
    landed(vault, AppendToSection("A.md", "Atoms", ("- second claim",)), key="two")
    assert undo(vault.ctx, first).undone == (first,)
    assert "first" not in vault.text("A.md") and "- second claim\n" in vault.text("A.md")


def test_a_later_line_stays_when_the_change_is_taken_back(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"U.md": "[[A]] and [[B]]\n"})
    landed(vault, ReplaceSpan("U.md", Span(0, 5), "[[A]]", "[[B]]"))
    vault.write("U.md", vault.text("U.md") + "later line\n")
    undo(vault.ctx)
    assert vault.text("U.md") == "[[A]] and [[B]]\nlater line\n"


def test_a_line_that_was_changed_again_is_named_and_no_file_of_the_item_is_touched(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "a\n", "B.md": "b\n"})
    item = landed(vault, ReplaceSpan("A.md", Span(0, 1), "a", "machine"), SetField("B.md", "x", 1))
    vault.write("A.md", "machine and person\n")
    before = vault.bytes()
    report = undo(vault.ctx)
    (left,) = report.left
    assert (left.item, left.path, report.undone) == (item, "A.md", ()) and "+machine and person" in left.diff
    assert vault.bytes() == before and item not in read_ledger(vault.space.journal).undone


def test_a_bullet_that_a_person_moved_is_named(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "top\n\nmiddle\n\nend\n"})
    landed(vault, AppendToSection("A.md", "Atoms", ("- claim",)))
    vault.write("A.md", "- claim\n" + vault.text("A.md").replace("\n\n## Atoms\n- claim\n", "\n"))
    assert [left.path for left in undo(vault.ctx).left] == ["A.md"]
    assert vault.text("A.md").startswith("- claim\n")


def test_a_created_note_with_a_persons_words_in_it_is_not_removed(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {})
    landed(vault, CreateNote("C.md", "c\n"))
    vault.write("C.md", "c\nmine\n")
    assert [left.path for left in undo(vault.ctx).left] == ["C.md"] and vault.text("C.md") == "c\nmine\n"


def test_a_note_that_a_person_deleted_is_not_brought_back(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "a\n"})
    landed(vault, SetField("A.md", "x", 1))
    (tmp_path / "A.md").unlink()
    assert [left.path for left in undo(vault.ctx).left] == ["A.md"] and vault.bytes() == {}


def test_what_was_undone_is_declined_and_a_second_undo_finds_nothing(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "a\n"})
    plan = vault.plan(SetField("A.md", "x", 1), provenance=(provenance("a-1"),))
    commit(vault.ctx, [plan], run=RUN)
    undo(vault.ctx, RUN)
    assert read_ledger(vault.space.journal).declined == {decision_id(plan), "a-1"}
    with pytest.raises(NotFound, match="undone already"):
        undo(vault.ctx, RUN)
    with pytest.raises(NotFound, match="nothing to undo"):
        undo(vault.ctx)


def test_the_last_run_is_the_one_that_is_still_standing(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path, {"A.md": "a\n"})
    landed(vault, SetField("A.md", "x", 1), run="r-1", key="one")
    landed(vault, SetField("A.md", "y", 1), run="r-2", key="two")
    undo(vault.ctx)
    undo(vault.ctx)
    assert vault.text("A.md") == "a\n"


def test_an_unknown_name_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no run or item r-9"):
        undo(bare_vault(tmp_path, {}).ctx, "r-9")


# Any plan, any text

LINES = st.lists(st.sampled_from(["plain words", "", "- a bullet", "[[A]] and [[B]]", "é\udce9", "## Atoms", "tail "]), max_size=8, unique=True)
TEXTS = st.builds(
    lambda front, lines, eol, end: (front.replace("\n", eol) + eol.join(lines)) + (eol if end else ""),
    st.sampled_from(["", "---\na: 1 # mine\nb: [x]\n---\n", "\ufeff---\nstatus: active\n---\n"]), LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(),
)  # fmt: skip


@st.composite
def edits(draw: st.DrawFn, text: str) -> list[Edit]:
    made: list[Edit] = []
    if draw(st.booleans()):
        made.append(SetField("A.md", draw(st.sampled_from(["a", "status", "new"])), draw(st.sampled_from([2, "x: y", ("p", "q"), None]))))
    if draw(st.booleans()):
        made.append(AppendToSection("A.md", draw(st.sampled_from(["Atoms", "Related"])), ("- (fact) machine claim [[E]] ^a-12345",)))
    if (at := text.find("[[A]]")) >= 0:
        made.append(ReplaceSpan("A.md", Span(at, at + 5), "[[A]]", "[[Successor]]"))
    if draw(st.booleans()):
        made.append(MarkSuperseded("A.md", "Other", "2026-05-01"))
    if draw(st.booleans()):
        made.append(CreateNote("New.md", "made\n"))
    return made or [SetField("A.md", "new", 1)]


@given(st.data(), TEXTS)
@settings(max_examples=60)
def test_undo_after_any_commit_gives_every_byte_back(data: st.DataObject, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = bare_vault(Path(folder), {"A.md": text})
        before = vault.bytes()
        (receipt,) = commit(vault.ctx, [vault.plan(*data.draw(edits(text)))], run=RUN)
        if isinstance(receipt, Applied) and receipt.patches:
            report = undo(vault.ctx)
            assert report.undone == (receipt.item,)
        assert vault.bytes() == before


@given(st.data(), TEXTS)
@settings(max_examples=60)
def test_undo_after_other_edits_keeps_them_or_changes_nothing(data: st.DataObject, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = bare_vault(Path(folder), {"A.md": text})
        (receipt,) = commit(vault.ctx, [vault.plan(*data.draw(edits(text)))], run=RUN)
        if not isinstance(receipt, Applied) or not receipt.patches:
            return
        lines = vault.text("A.md").split("\n")
        at = data.draw(st.integers(0, len(lines)))
        vault.write("A.md", "\n".join([*lines[:at], "A PERSON'S LINE", *lines[at:]]))
        with_line = vault.bytes()
        report = undo(vault.ctx)
        if report.left:
            assert vault.bytes() == with_line
        else:
            rest = vault.text("A.md").replace("A PERSON'S LINE", "", 1)
            assert rest.replace("\r", "").replace("\n", "") == text.replace("\r", "").replace("\n", "")


def test_a_move_is_taken_back_and_the_id_follows(make: Make) -> None:
    vault = make({"A.md": "a\n"})
    with vault.space.catalog() as conn:
        before = conn.execute("SELECT path, id FROM note").fetchall()
    landed(vault, MoveNote("A.md", "Archive/A.md"), SetField("A.md", "x", 1))
    undo(vault.ctx)
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT path, id FROM note").fetchall() == before
    assert vault.bytes() == {"A.md": b"a\n"}
