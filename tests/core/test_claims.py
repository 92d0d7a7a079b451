"""Time overtakes plans and deadlines, not what was said of a day."""

from __future__ import annotations

import pytest

from brain.core.claims import why_overtaken


@pytest.mark.parametrize(
    ("text", "said_on", "why"),
    [
        ("Will move to Turin.", "2026-01-01", "it is a plan (“Will”) of 2026-01-01"),
        ("Will move to Turin.", "2026-11-20", None),
        ("As of 2026-01-01 she will move to Turin.", "2026-01-01", None),
        ("Is going to move on 2026-12-24.", "2026-01-01", None),
        ("Is going to move on 2026-03-01.", "2026-01-01", "it speaks of 2026-03-01 as still to come"),
        ("Has to be paid by 2026-03-01.", "2026-01-01", "it speaks of 2026-03-01 as still to come"),
        ("Moved on 2026-03-01.", "2026-01-01", None),
        ("Moved by 2026-03-01.", "2026-05-01", None),
        ("Lives in Turin.", "2020-01-01", None),
        ("The willow stands.", "2020-01-01", None),
        ("Will ship by 9999-99-99.", "2026-01-01", "it is a plan (“Will”) of 2026-01-01"),
    ],
)
def test_a_plan_grows_old_and_a_day_to_come_passes(text: str, said_on: str, why: str | None) -> None:
    assert why_overtaken(text, said_on, "2026-11-30") == why
