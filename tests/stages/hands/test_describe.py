"""Describe: a note's own words above its first section, and nothing else."""

from __future__ import annotations

import pytest

from brain.errors import UsageError
from tests.stages.hands.conftest import Hold

REST = "\n## Atoms\n- (fact, verified) leaks ^a-1\n\n## Related\n- about:: [[B]]\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("old words\nof two lines\n" + REST, "new\n" + REST),
        ("---\nk: 1 # c\n---\n\n# A\n\nold\n" + REST, "---\nk: 1 # c\n---\n\n# A\n\nnew\n" + REST),
        ("# A\n" + REST, "# A\n\nnew\n\n" + REST.lstrip("\n")),
        ("\ufeff%% note %%\n# A\nold", "\ufeff%% note %%\n# A\nnew"),
        ("old\n\n## History\nlong ago\n", "new\n\n## History\nlong ago\n"),
        ("", "new\n"), ("---\nk: 1\n---\n", "---\nk: 1\n---\n\nnew\n"), ("# A", "# A\n\nnew\n"),
        ("old\r\n\r\n## Atoms\r\n- x\r\n", "new\r\n\r\n## Atoms\r\n- x\r\n"),
    ],
)  # fmt: skip
def test_the_words_are_replaced_and_the_rest_stays(hold: Hold, before: str, after: str) -> None:
    held = hold({"A.md": before, "B.md": "b\n"})
    held.brain.describe("A", "new\n")
    assert held.text("A.md") == after
    assert held.brain.describe("A", "new").receipts == ()


def test_a_relation_in_the_old_words_is_kept_as_a_line(hold: Hold) -> None:
    held = hold({"A.md": "It is [part_of:: [[B]]] and [about:: [[B]]].\n", "B.md": "b\n"})
    done = held.brain.describe("A", "New, [about:: [[B]]].")
    assert held.edges() == {("A.md", "part_of", "B.md"), ("A.md", "about", "B.md")}
    assert done.notices


def test_a_parent_is_moves_to_give(hold: Hold) -> None:
    held = hold({"A.md": "old\n", "B.md": "b\n"})
    with pytest.raises(UsageError) as refused:
        held.brain.describe("A", "[part_of:: [[B]]] now")
    assert refused.value.cure == 'brain move "A.md" "B"'


@pytest.mark.parametrize("words", ["## Atoms\n- mine", "```", "<!-- x", "# Title", "", " \n"])
def test_words_that_would_change_the_rest_are_refused(hold: Hold, words: str) -> None:
    held = hold({"A.md": "old\n" + REST, "B.md": "b\n"})
    with pytest.raises(UsageError):
        held.brain.describe("A", words)
    assert held.text("A.md") == "old\n" + REST


def test_words_do_not_become_properties(hold: Hold) -> None:
    held = hold({"A.md": "old\n"})
    with pytest.raises(UsageError):
        held.brain.describe("A", "---\nkind: person\n---\nx")
    assert held.text("A.md") == "old\n"


@pytest.mark.parametrize("text", ["---\ntype: episode\n---\nsaid\n", "---\nstatus: superseded\n---\nx\n", "---\na: b: c\n---\n"])
def test_what_was_said_what_is_over_and_what_cannot_be_read_is_left_alone(hold: Hold, text: str) -> None:
    held = hold({"A.md": text})
    with pytest.raises(Exception, match=r"A\.md") as refused:
        held.brain.describe("A", "new")
    assert refused.value.cure  # type: ignore[attr-defined]
    assert held.text("A.md") == text


def test_a_block_that_links_name_is_said_to_be_gone(hold: Hold) -> None:
    held = hold({"A.md": "# A\n\nwords ^blk\n", "L.md": "[[A#^blk]]\n"})
    assert held.brain.describe("A", "new").notices == ("Links name ^blk of the old words, which is gone.",)
