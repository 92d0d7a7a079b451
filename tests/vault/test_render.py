"""Rendering: a plan and the texts it was made from give exactly the patches it names."""

from __future__ import annotations

import pytest

from brain.core.ids import sha256_hex
from brain.core.note import Span
from brain.core.plan import (
    AppendToSection,
    CreateNote,
    Edit,
    MarkSuperseded,
    MoveNote,
    Patch,
    Plan,
    ReplaceSpan,
    SetField,
)
from brain.errors import BrainError
from brain.vault.parse import decode
from brain.vault.render import PlanError, entity_note, episode_note, render
from brain.vault.store import Source


def source(path: str, text: str | bytes) -> Source:
    data = text.encode("utf-8") if isinstance(text, str) else text
    return Source(path, data, sha256_hex(data), decode(data)[0])


def rendered(text: str | bytes, *edits: Edit) -> str:
    (patch,) = render(Plan("edit", "k", {}, edits, "why"), {"N.md": source("N.md", text)})
    assert patch.after is not None
    return patch.after.decode("utf-8", "surrogateescape")


def span(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))


def test_edits_of_one_file_compose_and_spans_mean_the_text_as_read() -> None:
    text = "---\na: 1\n---\none [[Old]] two [[Old]]\n\n## Atoms\n- x\n"
    second = text.rindex("[[Old]]")
    result = rendered(
        text,
        AppendToSection("N.md", "Atoms", ("- y",)),
        ReplaceSpan("N.md", Span(second, second + 7), "[[Old]]", "[[Newer]]"),
        SetField("N.md", "a", 2),
        ReplaceSpan("N.md", span(text, "[[Old]]"), "[[Old]]", "[[New]]"),
    )
    assert result == "---\na: 2\n---\none [[New]] two [[Newer]]\n\n## Atoms\n- x\n- y\n"


def test_line_ends_of_the_file_are_kept() -> None:
    text = "---\r\na: 1\r\n---\r\nbody\r\n"
    result = rendered(text, ReplaceSpan("N.md", span(text, "body"), "body", "two\nlines"), SetField("N.md", "b", 1), AppendToSection("N.md", "Atoms", ("- x",)))
    assert result == "---\r\na: 1\r\nb: 1\r\n---\r\ntwo\r\nlines\r\n\r\n## Atoms\r\n- x\r\n"


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    (patch,) = render(Plan("edit", "k", {}, (SetField("N.md", "a", 1),), "why"), {"N.md": source("N.md", b"caf\xe9\n")})
    assert patch == Patch("N.md", b"caf\xe9\n", b"---\na: 1\n---\ncaf\xe9\n")


def test_a_superseded_note_keeps_its_words_and_forwards_on_top() -> None:
    result = rendered("---\ntype: entity\nstatus: active\n---\n\nMine.\n", MarkSuperseded("N.md", "[[Kept]]", "2026-05-01"))
    assert result == (
        '---\ntype: entity\nstatus: superseded\nsuperseded_by: "[[Kept]]"\nsuperseded_on: 2026-05-01\n---\n'
        "> Superseded by [[Kept]] on 2026-05-01.\n\n\nMine.\n"
    )


def test_a_block_whose_last_line_has_no_end_stays_a_block() -> None:
    result = rendered("---\na: 1\n---", MarkSuperseded("N.md", "[C#](C%23.md)", "2026-05-01"))
    assert result == (
        '---\na: 1\nstatus: superseded\nsuperseded_by: "[C#](C%23.md)"\nsuperseded_on: 2026-05-01\n---\n'
        "> Superseded by [C#](C%23.md) on 2026-05-01.\n\n"
    )


def test_a_span_that_holds_something_else_is_refused() -> None:
    with pytest.raises(PlanError, match=r"N\.md at character 0"):
        rendered("abc\n", ReplaceSpan("N.md", Span(0, 3), "xyz", "!"))


def test_overlapping_spans_are_refused() -> None:
    with pytest.raises(PlanError, match="overlap"):
        rendered("abcd\n", ReplaceSpan("N.md", Span(0, 2), "ab", ""), ReplaceSpan("N.md", Span(1, 3), "bc", ""))


def test_a_file_that_was_not_read_is_refused() -> None:
    with pytest.raises(PlanError, match=r"Other\.md"):
        render(Plan("edit", "k", {}, (SetField("Other.md", "a", 1),), "why"), {})


def test_a_note_is_not_created_twice_nor_over_another() -> None:
    new = CreateNote("N.md", "x")
    with pytest.raises(PlanError):
        render(Plan("edit", "k", {}, (new, new), "why"), {})
    with pytest.raises(PlanError):
        render(Plan("edit", "k", {}, (new,), "why"), {"N.md": source("N.md", "there")})


def test_unusable_frontmatter_is_never_written_to() -> None:
    with pytest.raises(BrainError, match=r"N\.md"):
        rendered("---\na: b: c\n---\n", SetField("N.md", "x", 1))


def test_a_plan_that_changes_nothing_gives_no_patch() -> None:
    assert render(Plan("edit", "k", {}, (SetField("N.md", "a", 1),), "why"), {"N.md": source("N.md", "---\na: 1\n---\n")}) == ()


def test_a_move_is_a_new_file_and_a_removal() -> None:
    plan = Plan("edit", "k", {}, (MoveNote("N.md", "Archive/N.md"), SetField("N.md", "status", "archived")), "why")
    assert render(plan, {"N.md": source("N.md", "x\n")}) == (
        Patch("Archive/N.md", None, b"---\nstatus: archived\n---\nx\n"),
        Patch("N.md", b"x\n", None),
    )


def test_new_notes_have_their_shape() -> None:
    assert entity_note([("type", "entity"), ("aliases", None), ("source", ("[[E]]",))], ["- a"], ["- r:: [[x]] - y"]) == (
        '---\ntype: entity\nsource: ["[[E]]"]\n---\n\n## Atoms\n- a\n\n## Related\n- r:: [[x]] - y\n'
    )
    assert episode_note([("type", "episode")], "words") == "---\ntype: episode\n---\n\nwords\n"
