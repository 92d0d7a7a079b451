"""Which claims want a look: old plans, days gone by, and what rests on claims that stand no more."""

from __future__ import annotations

from brain.recall.stale import Wanting, wanting
from tests.stages.conftest import Make, make
from tests.stages.support import Vault

assert make
TODAY = "2026-05-01"
BOAT = "---\ncreated: 2026-01-01\n---\n## Atoms\n- (fact, inferred, superseded 2026-04-01 by ^a-new) The keel is sound. ^a-old\n- (fact, verified) The keel is cracked. ^a-new\n"


def found_in(vault: Vault, **more: int) -> tuple[Wanting, ...]:
    with vault.space.catalog() as conn:
        return wanting(conn, TODAY, **more)


def test_an_old_plan_wants_a_look_and_a_young_one_does_not(make: Make) -> None:
    vault = make({
        "Old.md": "---\ncreated: 2026-01-01\n---\n## Atoms\n- (fact) Will be painted. ^a-1\n",
        "Young.md": "---\ncreated: 2026-04-20\n---\n## Atoms\n- (fact) Will be painted. ^a-2\n",
        "Own.md": "---\ncreated: 2026-01-01\n---\n## Atoms\n- (fact) Will be painted. (from 2026-04-20) ^a-3\n",
        "Gone.md": "---\ncreated: 2026-01-01\nstatus: archived\n---\n## Atoms\n- (fact) Will be painted. ^a-4\n",
    })  # fmt: skip
    assert [(one.path, one.line) for one in found_in(vault)] == [("Old.md", 5)]
    assert len(found_in(vault, days=5)) == 3 and not found_in(vault, days=1000)


def test_an_insight_that_quotes_a_superseded_claim_wants_a_look_until_it_is_confirmed(make: Make) -> None:
    insight = "---\ntype: entity\nkind: insight\n---\nA lesson.\n\n## Related\n- follows_from:: [[Boat]] - “The keel is sound”\n"
    vault = make({"Boat.md": BOAT, "Lesson.md": insight})
    (one,) = found_in(vault)
    assert (one.path, one.line, one.rests) == ("Lesson.md", 8, True)
    assert one.why == "it rests on “The keel is sound.” in Boat.md, which is superseded since 2026-04-01"
    vault.write("Lesson.md", insight.replace("kind: insight", "kind: insight\nlast_confirmed: 2026-04-02"))
    vault.index()
    assert not found_in(vault)


def test_an_insight_that_quotes_what_stands_is_left_alone(make: Make) -> None:
    assert not found_in(make({"Boat.md": BOAT, "Lesson.md": "## Related\n- follows_from:: [[Boat]] - “The keel is cracked”\n"}))


def test_a_link_to_the_block_of_a_superseded_claim_wants_a_look_and_its_successor_may_make_one(make: Make) -> None:
    vault = make({"Boat.md": BOAT.replace("cracked.", "cracked, unlike [[Boat#^a-old]]."), "Plan.md": "As [[Boat#^a-old]] says, we sail.\n"})
    assert [(one.path, one.line, one.text) for one in found_in(vault)] == [("Plan.md", 1, "[[Boat#^a-old]]")]
