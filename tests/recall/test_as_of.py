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
