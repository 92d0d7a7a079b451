"""Link: a relation that a sentence writes out gets its line and its reason; nothing is inferred."""

from __future__ import annotations

import pytest

from brain.stages import link
from tests.stages.conftest import Make

SENTENCE = "It turned out that the boat [part_of:: [[Fleet]]] since spring.\n"


def test_a_sentence_gives_the_edge_its_reason(make: Make) -> None:
    vault = make({"Boat.md": SENTENCE, "Fleet.md": "f\n"})
    report = link.run(vault.ctx)
    assert len(report.applied) == 1
    assert vault.text("Boat.md") == SENTENCE + "\n## Related\n- part_of:: [[Fleet]] - It turned out that the boat part of Fleet since spring.\n"
    assert link.run(vault.ctx).is_empty


@pytest.mark.parametrize(
    "text",
    [
        "part_of:: [[Fleet]]\n", "- part_of:: [[Fleet]]\n", "The boat is in the [[Fleet]] of course.\n", "(part_of:: [[Fleet]])\n",
        "It turned out that the boat [colour:: [[Fleet]]] since spring.\n", "It turned out that the boat [part_of:: [[Nowhere]]] since spring.\n",
        "`It turned out that the boat [part_of:: [[Fleet]]] since spring.`\n", "---\ntype: episode\n---\n" + SENTENCE,
        SENTENCE + "\n## Related\n- part_of:: [[Fleet]] - told by the crew\n",
    ],
)  # fmt: skip
def test_anything_else_is_left_alone(make: Make, text: str) -> None:
    vault = make({"Boat.md": text, "Fleet.md": "f\n"})
    assert link.run(vault.ctx).is_empty and vault.text("Boat.md") == text


def test_the_limit_counts_notes_and_names_the_rest(make: Make) -> None:
    vault = make({"A.md": SENTENCE, "B.md": SENTENCE, "Fleet.md": "f\n"})
    report = link.run(vault.ctx, limit=1)
    assert (len(report.applied), report.left_out) == (1, 1)
