"""Frontmatter keys that stand twice: what says the same goes, what differs stays and is named."""

from __future__ import annotations

import pytest

from brain.doctor.repair import repair
from brain.stages.context import context_of
from brain.stages.undo import undo
from tests.doctor.conftest import Make, index, of
from tests.laws.support import NOW


@pytest.mark.parametrize(
    ("block", "after"),
    [
        ("a: 1\nb: x  # kept\na: 1\n", "a: 1\nb: x  # kept\n"),
        ("tags: [x, y]\r\ntags:\r\n  - x\r\n  - y\r\nb: 1\r\n", "tags: [x, y]\r\nb: 1\r\n"),
        ("a: 'x'\na: x\na: \"x\"\n", "a: 'x'\n"),
        ("a:\na:\nb: |\n  a: 1\n  a: 1\n", "a:\nb: |\n  a: 1\n  a: 1\n"),
    ],
    ids=["a comment stays", "a list in two forms", "three times", "nothing, twice"],
)
def test_a_key_that_says_the_same_twice_says_it_once(make: Make, block: str, after: str) -> None:
    eol = "\r\n" if "\r" in block else "\n"
    text = f"---{eol}{block}---{eol}[[B]]{eol}"
    space = make({"A.md": text, "B.md": "b\n"})
    assert of(space, "duplicate-key") != []
    shown = repair(context_of(space, now=NOW), "duplicate-key", dry_run=True)
    assert (len(shown.applied), (space.vault.root / "A.md").read_bytes()) == (1, text.encode())
    done = repair(context_of(space, now=NOW), "duplicate-key")
    assert (space.vault.root / "A.md").read_bytes().decode() == f"---{eol}{after}---{eol}[[B]]{eol}"
    index(space)
    assert of(space, "duplicate-key") == []
    undo(context_of(space, now=NOW), done.run)
    assert (space.vault.root / "A.md").read_bytes() == text.encode()


@pytest.mark.parametrize("block", ["a: 1\na: 2\n", "a: 1\na: true\n", "a: x\na:\n"])
def test_a_key_with_several_values_is_left_and_named(make: Make, block: str) -> None:
    text = f"---\n{block}---\n[[B]]\n"
    space = make({"A.md": text, "B.md": "b\n"})
    done = repair(context_of(space, now=NOW), "duplicate-key")
    assert (done.receipts, done.found, done.waiting) == ((), 1, 1)
    assert done.notices == ("A.md: `a` has several values; keep the line that is so, and take the others out.",)
    assert (space.vault.root / "A.md").read_text("utf-8") == text


def test_what_a_person_wrote_meanwhile_is_what_is_looked_at(make: Make) -> None:
    space = make({"A.md": "---\na: 1\na: 1\n---\n[[B]]\n", "B.md": "b\n"})
    (space.vault.root / "A.md").write_text("---\na: 1\n---\n[[B]] mine\n", "utf-8")
    assert repair(context_of(space, now=NOW), "duplicate-key").receipts == ()
    assert (space.vault.root / "A.md").read_text("utf-8") == "---\na: 1\n---\n[[B]] mine\n"
