"""Sections: text goes where it was meant to, and no other byte moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import NotFound, UsageError
from brain.vault.sections import append_to_section, find_block, find_section, prepend_to_section, replace_section


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## Atoms\n- a\n\n## Related\n- r\n", "## Atoms\n- a\n- NEW\n\n## Related\n- r\n"),
        ("## atoms ##\r\n- a\r\n", "## atoms ##\r\n- a\r\n- NEW\r\n"),
        ("## Atoms\n## Related\n", "## Atoms\n- NEW\n## Related\n"),
        ("## Atoms\n\n## Related\n", "## Atoms\n- NEW\n\n## Related\n"),
        ("## Atoms\n- a", "## Atoms\n- a\n- NEW"),
        ("## Atoms\n### Old\n- a\n# Next\n", "## Atoms\n### Old\n- a\n- NEW\n# Next\n"),
        ("Text", "Text\n\n## Atoms\n- NEW\n"),
        ("Text\n\n", "Text\n\n## Atoms\n- NEW\n"),
        ("", "## Atoms\n- NEW\n"),
        ("---\na: 1\n---\n", "---\na: 1\n---\n\n## Atoms\n- NEW\n"),
        ("```\n## Atoms\n```\n", "```\n## Atoms\n```\n\n## Atoms\n- NEW\n"),
        ("# Atoms\n- a\n", "# Atoms\n- a\n\n## Atoms\n- NEW\n"),
    ],
)
def test_lines_are_added_after_the_last_line_of_the_section(before: str, after: str) -> None:
    assert append_to_section(before, "Atoms", ["- NEW"]) == after


def test_a_heading_that_is_there_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="2 sections"):
        append_to_section("## Atoms\n- a\n## Atoms\n", "Atoms", ["- x"])


@pytest.mark.parametrize("text", ["## Atoms\n```\nnever closed\n", "## Atoms\n%%\nnever closed\n", "```\n"])
def test_a_line_that_would_become_code_or_comment_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="never closed"):
        append_to_section(text, "Atoms", ["- x"])


@pytest.mark.parametrize("lines", [[], [" "], ["a\nb"], ["a\r"]])
def test_nothing_and_line_breaks_inside_a_line_are_refused(lines: list[str]) -> None:
    with pytest.raises(UsageError):
        append_to_section("## Atoms\n", "Atoms", lines)


def test_a_section_can_be_added_to_at_its_start_and_replaced() -> None:
    text = "## A\nold\nmore\n\n## B\nkept\n"
    assert prepend_to_section(text, "a", ["new"]) == "## A\nnew\nold\nmore\n\n## B\nkept\n"
    assert replace_section(text, "a", ["new"]) == "## A\nnew\n\n## B\nkept\n"
    assert replace_section("## A\n## B\n", "A", ["new"]) == "## A\nnew\n## B\n"


def test_replacing_with_the_same_text_and_a_missing_section_are_refused() -> None:
    with pytest.raises(UsageError, match="already"):
        replace_section("## A\nold\n", "A", ["old"])
    with pytest.raises(NotFound):
        prepend_to_section("## A\n", "B", ["x"])


def test_a_block_is_found_by_its_id() -> None:
    text = "one\ntwo ^x-1\r\nthree\n"
    span = find_block(text, "^x-1")
    assert span is not None
    assert text[slice(*span)] == "two ^x-1"
    assert find_block(text, "none") is None
    with pytest.raises(UsageError):
        find_block("a ^x\nb ^x\n", "x")


PARTS = st.sampled_from(["## Atoms", "## Other", "# Top", "- a", "text", "", "```", "---", "a: 1"])


@given(st.lists(PARTS, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_adding_a_line_only_inserts(parts: list[str], eol: str, ends: bool) -> None:
    text = eol.join(parts) + (eol if ends else "")
    try:
        changed = append_to_section(text, "Atoms", ["- NEW"])
    except UsageError:
        return
    at = changed.rindex("- NEW")
    inserted = len(changed) - len(text)
    assert any(changed[:cut] + changed[cut + inserted :] == text for cut in range(at + 1))
    section = find_section(changed, "Atoms")
    assert section is not None
    assert section.body <= at < section.end
