"""What held on a day, by the days that claims and relations state."""

from __future__ import annotations

import pytest

from brain.recall.as_of import Then, as_of
from brain.recall.note_view import find_note
from tests.stages.conftest import Make, make

assert make
ADA = """---
created: 2025-01-01
---
## Atoms
- (fact, inferred, superseded 2026-03-04 by ^a-b) Works at Acme. (from 2025-06-01) ^a-a
- (fact, inferred) Works at Initech. (from 2026-03-04) ^a-b
- (fact) Plays the flute. (to 2025-12-31) ^a-c
- (fact, superseded) Was never so. ^a-d

## Related
- works_at:: [[Acme]] (from 2025-06-01) (to 2026-03-04)
- works_at:: [[Initech]] (from 2026-03-04)
"""


def on(day: str, make: Make) -> Then:
    vault = make({"Ada.md": ADA, "Acme.md": "a\n", "Initech.md": "i\n"})
    with vault.space.catalog() as conn:
        return as_of(conn, find_note(conn, "Ada"), day)


@pytest.mark.parametrize(
    ("day", "claims", "relations"),
    [
        ("2024-01-01", [], []),
        ("2025-02-01", ["Plays the flute."], []),
        ("2025-07-01", ["Works at Acme.", "Plays the flute."], ["Acme.md"]),
        ("2026-03-03", ["Works at Acme."], ["Acme.md"]),
        ("2026-03-04", ["Works at Initech."], ["Initech.md"]),
    ],
)
def test_each_day_has_its_claims_and_relations(make: Make, day: str, claims: list[str], relations: list[str]) -> None:
    then = on(day, make)
    assert [claim.text for claim in then.claims] == claims and [relation.target for relation in then.relations] == relations
    assert then.was_there == (day >= "2025-01-01")


def test_a_claim_without_a_day_began_when_its_earliest_source_was_told(make: Make) -> None:
    boat = "---\ncreated: 2026-05-01\n---\n## Atoms\n- (fact, inferred) Leaks. [[talk]] [[call]] ^a-1\n"
    episode = "---\ntype: episode\ndate: {}\n---\nwords\n"
    vault = make({"Boat.md": boat, "call.md": episode.format("2026-01-05"), "talk.md": episode.format("2026-02-01")})
    with vault.space.catalog() as conn:
        nid = find_note(conn, "Boat")
        assert [claim.began for claim in as_of(conn, nid, "2026-01-05").claims] == ["2026-01-05"] and not as_of(conn, nid, "2026-01-04").claims
