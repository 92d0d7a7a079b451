"""Link and unlink: one line for each relation, turned the right way, never `part_of`."""

from __future__ import annotations

import pytest

from brain.errors import UsageError
from tests.stages.hands.conftest import Hold

NOTES = {"A.md": "a\r\n", "B.md": "b\n", "Bob.md": "---\nkind: person\n---\n"}


def test_a_relation_is_a_line_with_its_reason(hold: Hold) -> None:
    held = hold(NOTES)
    held.brain.link("A", "requires", "B", reason="it [[B]] was said ^x")
    assert held.text("A.md") == "a\r\n\r\n## Related\r\n- depends_on:: [[B]] - it B was said\r\n"


@pytest.mark.parametrize("there", ["- depends_on:: [[B]]\n", "---\nneeds: '[[B]]'\n---\n", "It [relies on:: [[B|b]]] much.\n"])
def test_a_relation_that_is_said_is_not_written_twice(hold: Hold, there: str) -> None:
    held = hold({"A.md": there, "B.md": "b\n"})
    assert held.brain.link("A", "depends_on", "B").receipts == ()
    assert held.text("A.md") == there


def test_what_is_made_by_somebody_leads_to_who_made_it(hold: Hold) -> None:
    held = hold(NOTES)
    done = held.brain.link("Bob", "created_by", "A")
    assert held.edges() == {("A.md", "created_by", "Bob.md")}
    assert "Turned round" in done.notices[0]
    assert held.brain.link("A", "created_by", "Bob").receipts == ()


def test_what_says_the_same_either_way_is_said_once(hold: Hold) -> None:
    held = hold(NOTES)
    held.brain.link("A", "relates_to", "B")
    assert held.brain.link("B", "relates_to", "A").receipts == ()


@pytest.mark.parametrize("ends", [("A", "P"), ("P", "A")])
def test_relates_to_beside_part_of_is_refused_with_the_reason(hold: Hold, ends: tuple[str, str]) -> None:
    held = hold({"A.md": "part_of:: [[P]]\n", "P.md": "p\n"})
    with pytest.raises(UsageError, match="says more"):
        held.brain.link(ends[0], "relates_to", ends[1])


@pytest.mark.parametrize(
    ("ends", "cure"),
    [
        (("A", "part_of", "B"), "brain move"), (("A", "dependson", "B"), "depends_on"), (("A", "about", "A"), "two notes"),
        (("E", "about", "A"), "brain edit"), (("Gone", "about", "A"), 'brain get "B.md"'), (("Arch", "about", "A"), "forget --back"),
    ],
)  # fmt: skip
def test_every_refusal_names_what_to_type(hold: Hold, ends: tuple[str, str, str], cure: str) -> None:
    more = {
        "E.md": "---\ntype: episode\n---\n", "Gone.md": "---\nstatus: superseded\nsuperseded_by: '[[B]]'\n---\n", "Arch.md": "---\nstatus: archived\n---\n",
    }  # fmt: skip
    held = hold({**NOTES, **more})
    before = held.vault.bytes()
    with pytest.raises(UsageError) as refused:
        held.brain.link(*ends)
    assert cure in refused.value.cure
    assert held.vault.bytes() == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x\n\n## Related\n- about:: [[B]] - why\n  more\n- about:: [[C]]\n", "x\n\n## Related\n- about:: [[C]]\n"),
        ("## Related\n- about:: [[B]], [[C]]\n", "## Related\n- about:: [[C]]\n"),
        ("## Related\n- about:: [[C]], [[B]]\n", "## Related\n- about:: [[C]]\n"),
        ("Said [about:: [[B|bee]]] once, [[B]].\n", "Said [about:: bee] once, [[B]].\n"),
        ("about:: [[B]]\r\nrest\r\n", "rest\r\n"),
        ("---\nabout: '[[B]]'\nx: 1\n---\n", "---\nx: 1\n---\n"),
        ("---\nabout:\n  - '[[B]]'\n  - '[[C]]'\n---\n", "---\nabout:\n  - \"[[C]]\"\n---\n"),
    ],
)  # fmt: skip
def test_a_relation_is_taken_out_wherever_it_stands(hold: Hold, before: str, after: str) -> None:
    held = hold({"A.md": before, "B.md": "b\n", "C.md": "c\n"})
    held.brain.unlink("A", "B")
    assert held.text("A.md") == after
    assert held.brain.unlink("A", "B").receipts == ()


def test_only_the_relation_that_is_named_goes(hold: Hold) -> None:
    held = hold({"A.md": "## Related\n- about:: [[B]]\n- depends_on:: [[B]]\n", "B.md": "b\n"})
    held.brain.unlink("A", "B", relation="needs")
    assert held.text("A.md") == "## Related\n- about:: [[B]]\n"


@pytest.mark.parametrize("relation", [None, "parent"])
def test_part_of_is_left_to_move(hold: Hold, relation: str | None) -> None:
    held = hold({"A.md": "part_of:: [[B]]\n", "B.md": "b\n"})
    with pytest.raises(UsageError) as refused:
        held.brain.unlink("A", "B", relation=relation)
    assert 'brain move "A.md"' in refused.value.cure


def test_a_relation_the_other_way_round_is_named(hold: Hold) -> None:
    held = hold({"A.md": "a\n", "B.md": "about:: [[A]]\n"})
    assert held.brain.unlink("A", "B").notices == ('B.md about A.md is said: brain unlink "B.md" "A.md"',)
