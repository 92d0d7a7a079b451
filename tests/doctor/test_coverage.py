"""Notes that matter, or stand for a thing, and say nothing."""

from __future__ import annotations

import pytest

from brain.doctor.coverage import says_nothing
from tests.doctor.conftest import Make, brief, index, of, write


def test_a_note_that_is_called_important_says_something(make: Make) -> None:
    space = make({"A.md": "---\nimportance: 0.9\n---\n# A\n\n[[B]]\n", "B.md": "---\nimportance: 0.9\n---\n# B\n", "C.md": "# C\n[[B]]\n"})
    assert brief(space, "empty-important") == [("info", "B.md", 0)]
    write(space.vault.root, "B.md", "---\nimportance: 0.9\n---\n# B\nIt keeps the door shut.\n")
    index(space)
    assert of(space, "empty-important") == []


def test_less_important_says_less(make: Make) -> None:
    space = make({"B.md": "---\nimportance: 0.9\n---\n# B\n", "C.md": "[[B]]\n"})
    (found,) = of(space, "empty-important")
    assert found.cure.endswith('brain importance "B.md" 0.5')
    write(space.vault.root, "B.md", "---\nimportance: 0.5\n---\n# B\n")
    index(space)
    assert of(space, "empty-important") == []


def test_a_thing_of_which_nothing_is_known_is_said_once(make: Make) -> None:
    space = make({"Ada.md": "---\nkind: person\n---\n# Ada\n", "Bo.md": "---\nkind: person\n---\nLikes tea.\n", "Plain.md": "# Plain\n"})
    assert brief(space, "bare-entity") == [("info", "Ada.md", 0)]
    assert [path for _, path, _ in brief(space, "orphan")] == ["Bo.md", "Plain.md"]
    write(space.vault.root, "Ada.md", "---\nkind: person\n---\n# Ada\nSings.\n")
    index(space)
    assert of(space, "bare-entity") == []


def test_a_thing_that_is_linked_or_has_a_claim_is_known(make: Make) -> None:
    person = "---\nkind: person\n---\n"
    space = make({"A.md": f"{person}# A\n", "B.md": "Met [[A]].\n", "C.md": f"{person}## Atoms\n- Likes tea.\n", "D.md": "---\nkind: person\nworks_at: '[[X]]'\n---\n"})
    assert of(space, "bare-entity") == []


@pytest.mark.parametrize(("body", "is_empty"), [("", True), ("# A\n\n---\n- \n%% later %%\n", True), ("# A\nx\n", False), ("- x\n", False), ("> x\n", False)])
def test_headings_rules_and_comments_say_nothing(body: str, is_empty: bool) -> None:
    assert says_nothing(body) == is_empty
